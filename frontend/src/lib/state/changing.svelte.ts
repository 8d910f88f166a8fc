/** What is done with the changes of a task, on its page and on the page of its changes. */
import { api, ApiFailure } from '$lib/api/client';
import type { Change, Resolution, UndoConflict } from '$lib/api/types';
import { i18n } from '$lib/i18n/index.svelte';
import { visible } from '$lib/model/changes';
import { announcer } from '$lib/ui/announcer.svelte';
import { Acting } from './acting.svelte';
import { tasks } from './tasks.svelte';

export type Act = 'undo' | 'redo' | 'apply' | 'discard';

export class Changing extends Acting<Act> {
  /** What the act under way is about: ids of changes. */
  about = $state.raw<readonly string[]>([]);
  /** What came of the last act, in words. */
  outcome = $state('');
  /** What the last act left as it was. */
  left = $state.raw<{ conflicts: readonly UndoConflict[]; by: Act }>();
  /** All that would be done, where more goes along with what was chosen, and what a yes to it does. */
  asked = $state.raw<{ by: Act; changes: readonly Change[]; yes: () => Promise<boolean> }>();
  /** What the last undo took back. */
  undone = $state.raw<string[]>([]);

  readonly #task: () => string;

  constructor(task: () => string) {
    super();
    this.#task = task;
  }

  undo(ids: string[], resolve?: Record<string, Resolution>): Promise<boolean> {
    return this.#act('undo', ids, resolve, async (digest) => {
      const report = await tasks.after(
        this.#task(),
        api.undoTask(this.#task(), { ids, ...digest, ...(resolve ? { resolve } : {}) })
      );
      this.outcome = i18n.m.task.undoDone({ n: report.undone.length });
      for (const name of Object.values(report.beside ?? {}))
        this.outcome += ` ${i18n.m.changes.besideAs({ name: visible(name) })}.`;
      this.undone = report.undone.map((change) => change.id);
      return report.conflicts;
    });
  }

  redo(ids: string[]): Promise<boolean> {
    return this.#act('redo', ids, undefined, async (digest) => {
      const report = await tasks.after(this.#task(), api.redoTask(this.#task(), { ids, ...digest }));
      this.outcome = i18n.m.changes.redone({ n: report.redone.length });
      return report.conflicts;
    });
  }

  apply(ids: string[], resolve?: Record<string, Resolution>): Promise<boolean> {
    return this.#act('apply', ids, resolve, async (digest) => {
      const report = await tasks.after(
        this.#task(),
        api.applyTask(this.#task(), { ids, ...digest, ...(resolve ? { resolve } : {}) })
      );
      this.outcome = i18n.m.changes.applied({ n: report.applied.length });
      return report.conflicts;
    });
  }

  discard(ids: string[]): Promise<boolean> {
    return this.#act('discard', ids, undefined, async (digest) => {
      const report = await tasks.after(
        this.#task(),
        api.applyTask(this.#task(), { ids, ...digest, discard: true })
      );
      this.outcome = i18n.m.changes.discarded({ n: report.discarded.length });
      return [];
    });
  }

  /** Has the act under way stop between two files. */
  async stop(): Promise<void> {
    await api.cancelTask(this.#task());
  }

  /**
   * Reports whether it was done, and says what came of it. What goes along with the changes that were chosen is not
   * done, but asked about: a yes is a yes to the digest of all of them.
   */
  async #act(
    by: Act,
    ids: readonly string[],
    resolve: Record<string, Resolution> | undefined,
    work: (digest: { digest?: string }) => Promise<readonly UndoConflict[]>,
    shown: { digest?: string } = {}
  ): Promise<boolean> {
    if (this.busy) return false;
    this.asked = undefined;
    this.about = ids;
    this.outcome = '';
    this.left = undefined;
    this.undone = [];
    const conflicts = await this.run(by, async () => {
      try {
        return await work(shown);
      } catch (cause) {
        if (!(cause instanceof ApiFailure) || cause.problem.cause !== 'along') throw cause;
        const all = await api.previewChanges(this.#task(), {
          how: by,
          ids: [...ids],
          ...(resolve ? { resolve } : {})
        });
        const yes = () => this.#act(by, ids, resolve, work, { digest: all.digest });
        this.asked = { by, changes: all.changes, yes };
        return undefined;
      }
    });
    if (!conflicts) return false;
    if (conflicts.length > 0) this.left = { conflicts, by };
    announcer.say(this.outcome);
    return true;
  }
}
