/** Another model for an AI task, and how long it thinks: what can be chosen now, and what is asked for then. */
import type { ModelInfo, NoticeData, Task, TaskModelRequest } from '$lib/api/types';
import { i18n, pick } from '$lib/i18n/index.svelte';
import { text } from '$lib/i18n/params';
import { isFinal } from './stage';

/** How long a model thinks, as it is offered; auto is what it does by itself. */
export const levels = ['auto', 'off', 'low', 'medium', 'high'] as const;
export type Level = (typeof levels)[number];

/** What is offered stands for what a record says, which knows one level more. */
export function levelOf(thinking: string | undefined): Level {
  if (!thinking) return 'auto';
  return levels.find((level) => level === thinking) ?? 'low';
}

/** The levels a task can have: once one was chosen, there is no way back to what the model does by itself. */
export function levelsOf(task: Task): readonly Level[] {
  return task.ai?.thinking ? levels.filter((level) => level !== 'auto') : levels;
}

const providerOf = (model: string) => model.slice(0, Math.max(0, model.indexOf('/')));

/** Models of one service. */
export interface Service {
  provider: string;
  models: ModelInfo[];
}

/**
 * The models that a task can have now, by service, its own first; and whether there are more when it is over:
 * at work it reaches one service only.
 */
export function offersOf(task: Task, known: readonly ModelInfo[]): { services: Service[]; more: boolean } {
  const model = task.ai?.model ?? '';
  const own = providerOf(model);
  const listed = known.some((one) => one.id === model);
  const all = listed
    ? known
    : [{ id: model, name: model.slice(own.length && own.length + 1), provider: own }, ...known];
  const fits = isFinal(task.state) ? all : all.filter((one) => providerOf(one.id) === own);
  const services = new Map<string, ModelInfo[]>([[own, []]]);
  for (const one of fits) {
    const provider = providerOf(one.id);
    services.set(provider, [...(services.get(provider) ?? []), one]);
  }
  return {
    services: [...services].map(([provider, models]) => ({ provider, models })),
    more: fits.length < all.length
  };
}

/** What differs from what the task has; nothing when all is the same. */
export function requestOf(task: Task, model: string, level: Level): TaskModelRequest | undefined {
  const request: TaskModelRequest = {
    ...(model !== task.ai?.model ? { model } : {}),
    ...(level !== 'auto' && level !== levelOf(task.ai?.thinking) ? { thinking: level } : {})
  };
  return Object.keys(request).length > 0 ? request : undefined;
}

/** From when on it holds: from the beginning, from the next answer, or from whatever it is told next. */
export function holdsFrom(task: Task): 'beginning' | 'answer' | 'message' {
  if (isFinal(task.state)) return 'message';
  return task.state === 'queued' || task.state === 'preparing' ? 'beginning' : 'answer';
}

/** What a notice says of the model; nothing when this version has no words for it. */
export function tunedWords(notice: NoticeData, name: (model: string) => string): string {
  const words = i18n.m.ai.tune;
  const model = text(notice.params ?? {}, 'model');
  const level = text(notice.params ?? {}, 'thinking');
  const thinks = pick(words.thinks, level);
  const otherwise = text(notice.params ?? {}, 'wanted') ? words.otherwise : '';
  return [model ? words.goesOn({ model: name(model) }) : '', otherwise, thinks].filter(Boolean).join(' ');
}
