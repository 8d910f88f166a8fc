/** The folders of a task while it runs. */
import type { Task } from '$lib/api/types';
import { isFinal } from './stage';

/** Whether a task can be given folders, and lose some: a chore works on those of its plan, a tool on named files. */
export const takesFolders = (task: Task) =>
  !isFinal(task.state) && (task.kind === 'exec' || (task.kind === 'ai' && !task.chore));
