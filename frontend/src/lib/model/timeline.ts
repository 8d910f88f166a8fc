/** The timeline of a task as lines a person understands; what says nothing to them is left out. */
import type { ApiEvent, ChoreInfo, Task } from '$lib/api/types';
import { accepted, isFinal } from './stage';

export interface Entry {
  key: string;
  time: string;
  kind: ApiEvent['kind'];
  said: string;
  /** How many in a row it stands for: a hundred damaged files are one line, and listed by name elsewhere. */
  count: number;
}

const STEPS = ['queued', 'verify', 'plan', 'boot', 'mount', 'run', 'finish'];
const SHOWN: readonly ApiEvent['kind'][] = [
  'plan',
  'question',
  'result',
  'problem',
  'undo',
  'redo',
  'apply',
  'folder'
];

/** Whether a chore did not get to its end and can go on with the plan that was agreed to. */
export function canResume(task: Task, chore: ChoreInfo | undefined, timeline: readonly ApiEvent[]): boolean {
  return (
    task.kind === 'chore' &&
    (task.state === 'failed' || task.state === 'cancelled') &&
    chore !== undefined &&
    !chore.params.some((param) => param.type === 'password') && // it was kept nowhere
    accepted(timeline)
  );
}

export function entriesOf(timeline: readonly ApiEvent[]): Entry[] {
  const entries: Entry[] = [];
  for (const event of timeline) {
    const { seq, time, kind, said = '' } = event;
    const last = entries.at(-1);
    if (kind === 'problem' && last?.kind === kind) last.count++;
    else if (isShown(event, entries)) entries.push({ key: `${seq}`, time, kind, said, count: 1 });
  }
  return entries;
}

function isShown(event: ApiEvent, before: readonly Entry[]): boolean {
  switch (event.kind) {
    case 'step':
      // After a question work goes on; it began before.
      if (event.data.step === 'run' && before.some(({ kind }) => kind === 'question')) return false;
      return STEPS.includes(event.data.step);
    case 'state':
      return event.data.state === 'queued' || isFinal(event.data.state);
    case 'decision':
      return event.data.id !== 'plan' || event.data.answer === 'allow';
    case 'notice':
      return event.data.code === 'resumed';
    default:
      return SHOWN.includes(event.kind);
  }
}
