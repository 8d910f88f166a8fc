/** Messages of the system about tasks, while nobody looks at the window. In a browser they need its permission. */
import { api } from '$lib/api/client';
import { inWindow } from '$lib/api/transport';
import type { ApiEvent, TaskState } from '$lib/api/types';
import { i18n } from '$lib/i18n/index.svelte';
import { taskTitle } from '$lib/model/stage';
import { chosen } from './chosen.svelte';
import { where } from './place.svelte';
import { tasks } from './tasks.svelte';

const TELLS: Partial<Record<TaskState, 'done' | 'failed' | 'waiting'>> = {
  done: 'done',
  failed: 'failed',
  waiting: 'waiting'
};

const HEAD_START_MS = 500; // of the window in front, which keeps the others quiet

export class Notices {
  denied = $state(false);
  /** How each task stands, as far as this window heard. */
  #states: Record<string, TaskState> = {};

  /** Takes how tasks stand while all of them are read: nothing of it is news. */
  async learn(reading: Promise<void>): Promise<void> {
    this.#states = {}; // of what happened without a connection nobody heard
    await reading;
    for (const { id, state } of tasks.list ?? []) this.#states[id] ??= state;
  }

  /** Asks a browser for its permission; only after an act of the person. */
  async ask(): Promise<void> {
    if (inWindow() || !('Notification' in window)) return;
    this.denied = (await Notification.requestPermission()) !== 'granted';
  }

  /** Tells of a task that is over or waits, when no window is in front. Of several, one does. */
  async event(event: ApiEvent): Promise<void> {
    if (event.kind !== 'state' || !event.task) return;
    // The state is told again when something else of the task changes: its name, its model.
    const before = this.#states[event.task];
    this.#states[event.task] = event.data.state;
    if (before === event.data.state || !chosen.window.known?.notify) return;
    const what = TELLS[event.data.state];
    const task = tasks.get(event.task);
    if (!what || !task) return;
    const title = taskTitle(task);
    const words = i18n.m.list.notify[what];
    try {
      const inFront = document.hasFocus();
      if (!inFront) await new Promise((later) => setTimeout(later, HEAD_START_MS));
      const first = await api.claimNotice({ event: event.seq }).then(({ first }) => first);
      if (!first || inFront || document.hasFocus()) return; // another window told of it, or is looked at
      if (inWindow()) await api.notify({ title, body: words, task: task.id });
      else if ('Notification' in window && Notification.permission === 'granted') {
        const notice = new Notification(title, { body: words, tag: task.id });
        notice.onclick = () => {
          window.focus();
          where.go({ name: 'task', id: task.id });
        };
      }
    } catch {
      // What a message would have said stands in the list.
    }
  }
}

export const notices = new Notices();
