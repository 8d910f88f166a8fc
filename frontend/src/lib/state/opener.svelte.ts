/** What a task made: a look at it here, opened in the person's own program, shown in its folder, or kept elsewhere. */
import { api } from '$lib/api/client';
import { inWindow } from '$lib/api/transport';
import type { Result } from '$lib/api/types';
import { i18n } from '$lib/i18n/index.svelte';
import { baseName } from '$lib/i18n/params';
import { kept, saveAs } from '$lib/ui/saveAs';
import { Acting } from './acting.svelte';

export class Opener extends Acting {
  /** The result that is looked at. */
  looking = $state<number>();
  /** What came of saving it, in words. */
  saved = $state('');

  look(index: number | undefined): void {
    this.looking = index;
    this.failure = undefined;
    this.saved = '';
  }

  /** In a browser, which has no programs, it is saved. */
  open(task: string, index: number, result: Result): Promise<void> {
    if (!inWindow()) return this.save(task, index, result);
    return this.#act(async () => void (await api.openResult({ task, index, reveal: false })));
  }

  /** Shows it in its folder; there is no such thing in a browser. */
  show(task: string, index: number): Promise<void> {
    return this.#act(async () => void (await api.openResult({ task, index, reveal: true })));
  }

  save(task: string, index: number, result: Result): Promise<void> {
    return this.#act(async () => {
      const words = i18n.m.list.preview;
      const name = baseName(result.path);
      const path = await saveAs(kept.result(task, index), name, i18n.m.task.saveName({ name }));
      if (path) this.saved = inWindow() ? words.saved({ path }) : words.savedHere;
    });
  }

  async #act(work: () => Promise<void>): Promise<void> {
    this.saved = '';
    await this.run('working', work);
  }
}
