/** Opens what a task made: in the person's own program, or, in a browser, by saving it. */
import { api, problemOf } from '$lib/api/client';
import { inWindow } from '$lib/api/transport';
import type { Problem, Result } from '$lib/api/types';
import { baseName } from '$lib/i18n/params';
import { saveAs } from '$lib/ui/saveAs';

export class Opener {
  failure = $state.raw<Problem>();

  async open(task: string, index: number, result: Result): Promise<void> {
    this.failure = undefined;
    try {
      if (inWindow()) await api.open(task, index);
      else saveAs(await api.result(task, index), baseName(result.path));
    } catch (cause) {
      this.failure = problemOf(cause);
    }
  }
}
