/** What a task asks in the middle of its work. */
import type { ApiEvent, Question, Task } from '$lib/api/types';

/**
 * The question that a task waits with: of several that have no answer the one that was asked first, so that
 * none takes the place of another under the pointer. What was asked before the task began anew is over, and
 * its ids are used again.
 */
export function openQuestion(task: Task, timeline: readonly ApiEvent[]): Question | undefined {
  if (task.state !== 'waiting') return undefined;
  const open = new Map<string, Question>();
  for (const event of timeline) {
    if (event.kind === 'question') open.set(event.data.id, event.data);
    else if (event.kind === 'decision') open.delete(event.data.id);
    else if (event.kind === 'state' && event.data.state !== 'running' && event.data.state !== 'waiting')
      open.clear();
  }
  return open.values().next().value;
}

/** Whether a yes needs care: where nobody said that there is little risk, there may be much. */
export const isRisky = (question: Question) => question.risk !== 'none' && question.risk !== 'low';
