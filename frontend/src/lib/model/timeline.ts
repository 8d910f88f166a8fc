/** The timeline of a task as lines a person understands; what says nothing to them is left out. */
import { isOneOf } from '$lib/i18n/params';
import type { ApiEvent, ChoreInfo, Problem, Result, Task, TaskState } from '$lib/api/types';

const SHOWN = ['queued', 'verify', 'plan', 'boot', 'mount', 'run', 'finish'] as const;
type ShownStep = (typeof SHOWN)[number];

export type Entry = { key: string; time: string } & (
  | { kind: 'step'; step: ShownStep }
  | { kind: 'planReady' | 'accepted' | 'resumed' }
  | { kind: 'ended'; state: TaskState }
  | { kind: 'result'; result: Result }
  | { kind: 'problem'; problem: Problem; count: number }
  | { kind: 'undo' | 'redo' | 'apply'; count: number }
  | { kind: 'folderAdded' | 'folderRemoved'; name: string }
  | { kind: 'asked' }
  | { kind: 'decided'; answer: string; by: string }
);

/** Whether a chore did not get to its end and can go on with the plan that was agreed to. */
export function canResume(task: Task, chore: ChoreInfo | undefined, timeline: readonly ApiEvent[]): boolean {
  return (
    task.kind === 'chore' &&
    (task.state === 'failed' || task.state === 'cancelled') &&
    chore !== undefined &&
    !chore.params.some((param) => param.type === 'password') && // it was kept nowhere
    entriesOf(timeline).some((entry) => entry.kind === 'accepted')
  );
}

export function entriesOf(timeline: readonly ApiEvent[]): Entry[] {
  const entries: Entry[] = [];
  for (const event of timeline) {
    const last = entries.at(-1);
    const at = { key: `${event.seq}`, time: event.time };
    switch (event.kind) {
      case 'step':
        // After a question work goes on; it began before.
        if (event.data.step === 'run' && entries.some((e) => e.kind === 'asked')) break;
        if (isOneOf(SHOWN, event.data.step)) entries.push({ ...at, kind: 'step', step: event.data.step });
        break;
      case 'plan':
        entries.push({ ...at, kind: 'planReady' });
        break;
      case 'state':
        if (event.data.state === 'queued') entries.push({ ...at, kind: 'step', step: 'queued' });
        else if (['done', 'failed', 'cancelled'].includes(event.data.state))
          entries.push({ ...at, kind: 'ended', state: event.data.state });
        break;
      case 'decision':
        if (event.data.id !== 'plan')
          entries.push({ ...at, kind: 'decided', answer: event.data.answer, by: event.data.by });
        else if (event.data.answer === 'allow') entries.push({ ...at, kind: 'accepted' });
        break;
      case 'notice':
        if (event.data.code === 'resumed') entries.push({ ...at, kind: 'resumed' });
        break;
      case 'question':
        entries.push({ ...at, kind: 'asked' });
        break;
      case 'result':
        entries.push({ ...at, kind: 'result', result: event.data });
        break;
      case 'problem':
        // A hundred damaged files are one line here; they are listed by name elsewhere.
        if (last?.kind === 'problem') last.count++;
        else entries.push({ ...at, kind: 'problem', problem: event.data, count: 1 });
        break;
      case 'undo':
        entries.push({ ...at, kind: 'undo', count: event.data.undone.length });
        break;
      case 'redo':
        entries.push({ ...at, kind: 'redo', count: event.data.redone.length });
        break;
      case 'apply':
        entries.push({ ...at, kind: 'apply', count: event.data.applied.length });
        break;
      case 'folder': {
        const { removed, name } = event.data.folder;
        entries.push({ ...at, kind: removed ? 'folderRemoved' : 'folderAdded', name });
        break;
      }
    }
  }
  return entries;
}
