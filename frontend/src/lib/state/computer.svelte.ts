/** What is known about this computer: the report, and what is being done about it. */
import { api, isAway, problemOf } from '$lib/api/client';
import type { Check, EventOf, PackInfo, Problem, Report } from '$lib/api/types';

export type MachineState = 'ready' | 'slow' | 'checking' | 'attention' | 'offline';

class Computer {
  report = $state.raw<Report>();
  /** When the look that is under way began; undefined when none is. */
  since = $state<number>();
  /** What the look that is under way has found out so far. */
  found = $state.raw<readonly Check[]>([]);
  /** What went wrong with the last act: not with the computer itself, that is in the report. */
  failure = $state.raw<Problem>();
  connection = $state<'open' | 'lost' | 'refused'>('open');

  /** The code of the step that an administrator is asked for. */
  mending = $state('');
  installing = $state(false);
  installed = $state.raw<PackInfo>();
  progress = $state.raw<{ done: number; total: number }>();

  #turn = 0;

  get state(): MachineState {
    if (this.connection === 'lost') return 'offline';
    if (this.since !== undefined || this.installing) return 'checking';
    if (!this.report) return this.failure ? 'attention' : 'checking';
    if (!this.report.ready) return 'attention';
    return this.report.accel.slowMode ? 'slow' : 'ready';
  }

  /** The last report. Where there is one already, nothing moves on the screen meanwhile. */
  look(): Promise<void> {
    return this.#take(() => api.getStatus(), this.report !== undefined);
  }

  /** A new one: everything is looked at again. */
  check(): Promise<void> {
    return this.#take(() => api.checkStatus());
  }

  setSlowMode(on: boolean): Promise<void> {
    return this.#take(() => api.setSlowMode({ on }));
  }

  /** Has the system ask for an administrator. Reports whether the person said no there. */
  async mend(fix: string): Promise<boolean> {
    if (this.mending) return false;
    this.mending = fix;
    this.failure = undefined;
    try {
      const { declined, report } = await api.mend({ fix });
      this.#know(report);
      return declined;
    } catch (failure) {
      this.failure = problemOf(failure);
      return false;
    } finally {
      this.mending = '';
    }
  }

  async install(file: string): Promise<void> {
    if (this.installing) return;
    this.installing = true;
    this.failure = undefined;
    this.installed = undefined;
    this.progress = undefined;
    try {
      this.installed = await api.installPack({ file });
    } catch (failure) {
      this.failure = problemOf(failure);
    } finally {
      this.installing = false;
      this.progress = undefined;
    }
    if (this.installed) await this.check();
  }

  packEvent(data: EventOf<'pack'>['data']): void {
    if (this.installing) this.progress = { done: data.done, total: data.total };
  }

  checkEvent(check: EventOf<'check'>['data']): void {
    if (this.since === undefined) return; // of a look that nobody waits for
    this.found = [...this.found.filter(({ code }) => code !== check.code), check];
  }

  /** A report that was made for somebody else: another window, the command line, a task that could not begin. */
  statusEvent(report: EventOf<'status'>['data']): void {
    if (this.since === undefined) this.#know(report); // else what is asked for here comes
  }

  /** A report that came by itself, or after an act: a look that is under way is older. */
  #know(report: Report): void {
    this.#turn++;
    this.since = undefined;
    this.report = report;
    if (isAway(this.failure)) this.failure = undefined; // it answers again
  }

  /** Only the newest of several looks counts. */
  async #take(ask: () => Promise<Report>, quiet = false): Promise<void> {
    if (quiet && this.since !== undefined) return; // a look that is under way knows more
    const turn = ++this.#turn;
    if (!quiet) {
      this.since = Date.now();
      this.found = [];
      this.failure = undefined;
    }
    try {
      const report = await ask();
      if (turn !== this.#turn) return;
      this.report = report;
      if (isAway(this.failure)) this.failure = undefined; // it answers again
    } catch (failure) {
      if (turn === this.#turn) this.failure = problemOf(failure);
    } finally {
      if (turn === this.#turn) this.since = undefined;
    }
  }
}

export const computer = new Computer();
