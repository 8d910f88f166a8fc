/** Starts the same as a new task: folders and options as they were, the plan is made anew. */
import { api, problemOf } from '$lib/api/client';
import type { Task } from '$lib/api/types';
import { draft } from '$lib/state/draft.svelte';
import { where } from '$lib/state/place.svelte';
import { tasks } from '$lib/state/tasks.svelte';

/** A password is kept nowhere: what needs one leads to its form. A runtime is where the new task
 * works, in place of where the other one was to. */
export async function again(task: Task, runtime?: string): Promise<void> {
  const chore = tasks.chores?.find((one) => one.name === task.chore);
  if (chore?.params.some((param) => param.type === 'password')) {
    draft.like(task);
    where.go({ name: 'home' });
    return;
  }
  try {
    const started = await tasks.begin(
      api.startAgain(task.id, { detached: true, ...(runtime && { runtime }) })
    );
    where.go({ name: 'task', id: started.id });
  } catch (cause) {
    const tool = task.params?.op;
    if (typeof tool === 'string' && problemOf(cause).code === 'not-repeatable')
      where.go({ name: 'tools', tool });
    throw cause;
  }
}
