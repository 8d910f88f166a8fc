/** What is done with the changes of a task, on its page and on the page of its changes. */
import { api } from '$lib/api/client';
import type { Resolution, UndoConflict } from '$lib/api/types';
import { i18n } from '$lib/i18n/index.svelte';
import { visible } from '$lib/model/changes';
import { announcer } from '$lib/ui/announcer.svelte';
import { Acting } from './acting.svelte';
import { tasks } from './tasks.svelte';

export type Act = 'undo' | 'redo' | 'apply' | 'discard';

export class Changing extends Acting<Act> {
  /** What the act under way is about: ids of changes, none meaning all. */
  about = $state.raw<readonly string[]>([]);
  /** What came of the last act, in words. */
  outcome = $state('');
  /** What the last act left as it was. */
  left = $state.raw<{ conflicts: readonly UndoConflict[]; by: Act }>();
  /** What the last undo took back. */
  undone = $state.raw<string[]>([]);

  readonly #task: () => string;

  constructor(task: () => string) {
    super();
    this.#task = task;
  }

  undo(ids: string[], resolve?: Record<string, Resolution>): Promise<boolean> {
    return this.#act('undo', ids, async () => {
      const report = await tasks.after(
        this.#task(),
        api.undoTask(this.#task(), { ids, ...(resolve ? { resolve } : {}) })
      );
      this.outcome = i18n.m.task.undoDone({ n: report.undone.length });
      for (const name of Object.values(report.beside ?? {}))
        this.outcome += ` ${i18n.m.changes.besideAs({ name: visible(name) })}.`;
      this.undone = report.undone.map((change) => change.id);
      return report.conflicts;
    });
  }

  redo(ids: string[]): Promise<boolean> {
    return this.#act('redo', ids, async () => {
      const report = await tasks.after(this.#task(), api.redoTask(this.#task(), { ids }));
      this.outcome = i18n.m.changes.redone({ n: report.redone.length });
      return report.conflicts;
    });
  }

  apply(ids: string[], resolve?: Record<string, Resolution>): Promise<boolean> {
    return this.#act('apply', ids, async () => {
      const report = await tasks.after(
        this.#task(),
        api.applyTask(this.#task(), { ids, ...(resolve ? { resolve } : {}) })
      );
      this.outcome = i18n.m.changes.applied({ n: report.applied.length });
      return report.conflicts;
    });
  }

  discard(ids: string[]): Promise<boolean> {
    return this.#act('discard', ids, async () => {
      const report = await tasks.after(this.#task(), api.applyTask(this.#task(), { ids, discard: true }));
      this.outcome = i18n.m.changes.discarded({ n: report.discarded.length });
      return [];
    });
  }

  /** Reports whether it was done, and says what came of it. */
  async #act(
    by: Act,
    ids: readonly string[],
    work: () => Promise<readonly UndoConflict[]>
  ): Promise<boolean> {
    if (this.busy) return false;
    this.about = ids;
    this.outcome = '';
    this.left = undefined;
    this.undone = [];
    const conflicts = await this.run(by, work);
    if (!conflicts) return false;
    if (conflicts.length > 0) this.left = { conflicts, by };
    announcer.say(this.outcome);
    return true;
  }
}
