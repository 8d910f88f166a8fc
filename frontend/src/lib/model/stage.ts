/** Where a task is on its way: Plan ─► Working ─► Done. */
import type { ApiEvent, Task, TaskState } from '$lib/api/types';

export type Stage = 'plan' | 'working' | 'done';
export const stages: readonly Stage[] = ['plan', 'working', 'done'];

/** What a task is called, in the controller's words. */
export const taskTitle = (task: Task): string => task.called ?? task.title;

export function isFinal(state: TaskState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

const WORKING = new Set(['run', 'finish']);

/** Whether somebody agreed to the plan; from then on the workroom may be opened once more. */
export function accepted(timeline: readonly ApiEvent[]): boolean {
  return timeline.some(
    (event) => event.kind === 'decision' && event.data.id === 'plan' && event.data.answer === 'allow'
  );
}

/** The step that a timeline ended with. */
function lastStep(timeline: readonly ApiEvent[]): string | undefined {
  const last = timeline.findLast((event) => event.kind === 'step');
  return last?.kind === 'step' ? last.data.step : undefined;
}

/** The stage of a task, from its record, its timeline and the step it is at. */
export function stageOf(task: Task, timeline: readonly ApiEvent[], step = lastStep(timeline)): Stage {
  if (isFinal(task.state)) return 'done';
  if (task.kind !== 'chore') return 'working';
  const agreed = accepted(timeline);
  if (task.state === 'waiting' && !agreed) return 'plan';
  return agreed || (step !== undefined && WORKING.has(step)) ? 'working' : 'plan';
}

/** How far a task that is over had come. */
export function reached(timeline: readonly ApiEvent[]): Stage {
  const worked = timeline.some((event) => event.kind === 'step' && WORKING.has(event.data.step));
  return worked || accepted(timeline) ? 'working' : 'plan';
}
