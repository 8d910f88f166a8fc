/** The words of the window in the person's language. */
import type { Problem, Task } from '$lib/api/types';
import { compile } from './compile';
import { makeFormat, type Format } from './format';
import { matchLocale, regional, type Locale } from './locale';
import type { Messages } from './messages.gen';

const load = {
  en: () => import('./en.json'),
  de: () => import('./de.json')
} satisfies Record<Locale, unknown>;

/** Words of a parameter of a chore or an operation. */
export interface ParamWords {
  label: string;
  hint?: string;
  choices?: Record<string, string>;
}

type Counted = (values: { n: number }) => string;
interface ChoreWords {
  about: string;
  /** What is read and what comes of it, for the plan in one line; none: where nothing would. */
  input?: Counted;
  output?: Counted;
  none?: string;
  /** The button that carries the plan out. */
  run: string | Counted;
  /** What is counted while it works. */
  progress: (values: { n: number; done: number }) => string;
}

export interface OperationWords {
  name: string;
  about: string;
  /** Of this operation alone, where the common words would mislead. */
  params?: Record<string, Partial<ParamWords>>;
}

interface Language {
  locale: Locale;
  words: Messages;
  format: Format;
}

let current = $state.raw<Language>();

function language(): Language {
  if (!current) throw new Error('no language is loaded');
  return current;
}

/** The present language's words and formats. Reading them in a component follows a change. */
export const i18n = {
  get locale(): Locale {
    return language().locale;
  },
  get m(): Messages {
    return language().words;
  },
  get f(): Format {
    return language().format;
  }
};

/** The words for a name that came from outside, if there are any. */
export function pick<T>(words: Record<string, T>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(words, name) ? words[name] : undefined;
}

/** Loads a language, or the one that the system prefers, and makes it the present one. */
export async function useLocale(chosen: Locale | 'system'): Promise<void> {
  const locale = chosen === 'system' ? matchLocale(navigator.languages) : chosen;
  const words = compile<Messages>((await load[locale]()).default, locale);
  current = { locale, words, format: makeFormat(regional(locale, navigator.languages), words.time) };
  document.documentElement.lang = locale;
}

/** What happened, and what it means: as the controller says it, or the window where no answer came. */
export function problemWords(problem: Problem): { title: string; detail: string } {
  const own = i18n.m.problem[problem.code === 'unreachable' ? 'unreachable' : 'unknown'];
  return { title: problem.title || own.title, detail: problem.detail || own.detail };
}

/** Why a file was left out, in a few words behind its name. */
export function reasonWords(problem: Problem): string {
  return problem.reason || problemWords(problem).title;
}

/** The name of a chore. */
export function choreName(chore: string): string {
  return pick(i18n.m.chores, chore)?.name ?? chore;
}

/** The words of a chore, or those for all of which this version has none. */
export function choreWords(chore: string | undefined): ChoreWords {
  const all: Record<string, ChoreWords> = i18n.m.chores;
  return pick(all, chore) ?? i18n.m.otherChore;
}

/** The words for a parameter of a chore. */
export function choreParamWords(chore: string | undefined, param: string): ParamWords | undefined {
  const params: Record<string, ParamWords> = pick(i18n.m.chores, chore)?.params ?? {};
  return pick(params, param);
}

/** The plan of a chore, or what came of it, in one line. */
export function planWords(chore: string, inputs: number, outputs: number): string {
  const words = choreWords(chore);
  if (outputs === 0 && words.none) return words.none;
  return [words.input?.({ n: inputs }), words.output?.({ n: outputs })].filter(Boolean).join(' → ');
}

/** What the button says that carries a plan out. */
export function runWords(chore: string, outputs: number): string {
  const { run } = choreWords(chore);
  return typeof run === 'string' ? run : run({ n: outputs });
}

/** The words for an operation on files; a name of another version has none. */
export function toolWords(name: string): OperationWords | undefined {
  const all: Record<string, OperationWords> = i18n.m.tools.operations;
  return pick(all, name);
}

export function toolName(name: string): string {
  return toolWords(name)?.name ?? name;
}

/** The words for a parameter of an operation: its own come before those that it shares with others. */
export function toolParamWords(tool: string, param: string): ParamWords | undefined {
  const all: Record<string, ParamWords> = i18n.m.tools.params;
  const shared = pick(all, param);
  return shared && { ...shared, ...toolWords(tool)?.params?.[param] };
}

/** The operation that a task is. */
export function operationOf(task: Task): string | undefined {
  const op = task.kind === 'tool' ? task.params?.op : undefined;
  return typeof op === 'string' ? op : undefined;
}

/** What a task is called: the name that was given to it, or its chore and its folder in this language. */
export function taskTitle(task: Task): string {
  const folder = task.folders[0]?.name;
  const op = operationOf(task);
  // Made by the controller of the operation and the folder, or of the operation alone.
  if (op && !task.titled && (task.title === op || task.title === `${op}: ${folder}`))
    return folder && task.title !== op ? `${toolName(op)}: ${folder}` : toolName(op);
  const made = task.chore && folder ? `${task.chore}: ${folder}` : undefined; // what the controller calls it
  return made && task.chore && task.title === made
    ? (pick(i18n.m.chores, task.chore)?.task({ folder: folder ?? '' }) ?? made)
    : task.title;
}
