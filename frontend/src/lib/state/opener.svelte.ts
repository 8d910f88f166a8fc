/** What a task made: a look at it here, opened in the person's own program, or, in a browser, saved. */
import { api, problemOf } from '$lib/api/client';
import { inWindow } from '$lib/api/transport';
import type { Problem, Result } from '$lib/api/types';
import { baseName } from '$lib/i18n/params';
import { saveAs } from '$lib/ui/saveAs';

export class Opener {
  failure = $state.raw<Problem>();
  /** The result that is looked at. */
  looking = $state<number>();

  open(task: string, index: number, result: Result): Promise<void> {
    return this.#act(async () => {
      if (inWindow()) await api.open(task, index);
      else saveAs(await api.result(task, index), baseName(result.path));
    });
  }

  save(task: string, index: number, result: Result): Promise<void> {
    return this.#act(async () => saveAs(await api.result(task, index), baseName(result.path)));
  }

  async #act(work: () => Promise<void>): Promise<void> {
    this.failure = undefined;
    try {
      await work();
    } catch (cause) {
      this.failure = problemOf(cause);
    }
  }
}
