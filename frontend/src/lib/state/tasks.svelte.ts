/**
 * All tasks, and what is known of those that are at work. Records are never
 * computed from events: an event says that a record is worth reading again.
 * Only what is not recorded (progress) is taken from the event itself.
 */
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { api, problemOf } from '$lib/api/client';
import type {
  AnswerRequest,
  ApiEvent,
  ApplyReport,
  ApplyRequest,
  Change,
  ChoreInfo,
  Plan,
  Problem,
  Progress,
  RedoReport,
  SayRequest,
  StartRequest,
  Task,
  TaskModelRequest,
  UndoReport,
  UndoRequest,
  ToolRequest
} from '$lib/api/types';
import type { Step } from '$lib/i18n/codes';
import { isSaid, isTuned, joinTimeline, mayChange } from '$lib/model/conversation';
import { isFinal } from '$lib/model/stage';
import { phaseOf } from '$lib/model/step';
import { writing } from './writing.svelte';

/** What a task that is at work does right now. */
export interface Live {
  step: Step;
  /** When the step began. */
  since: number;
  /** When the last sign of life came. */
  heard: number;
  progress?: Progress;
  /** When it will be done, when that can be said. */
  until?: number | undefined;
}

/** What belongs to a task beyond its record. */
export interface Detail {
  plan?: Plan;
  timeline: ApiEvent[];
  changes: Change[];
}

const SETTLE_MS = 40; // events come in bursts; one reading serves all of them

class Tasks {
  list = $state.raw<Task[]>();
  chores = $state.raw<ChoreInfo[]>();
  failure = $state.raw<Problem>();
  readonly live = new SvelteMap<string, Live>();
  readonly details = new SvelteMap<string, Detail>();
  /** Tasks that are known not to be there. */
  readonly missing = new SvelteSet<string>();

  readonly #pending = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #telling = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #news = new Map<string, ApiEvent[]>();
  /** What was said while a timeline is read. */
  readonly #arrived = new Map<string, ApiEvent[]>();

  get(id: string): Task | undefined {
    return this.list?.find((task) => task.id === id);
  }

  /** Reads everything again. */
  async refresh(): Promise<void> {
    try {
      const [list, chores] = await Promise.all([api.tasks(), api.chores()]);
      this.list = list;
      this.chores = chores;
      this.failure = undefined;
      for (const id of this.details.keys()) void this.open(id);
    } catch (failure) {
      this.failure = problemOf(failure);
    }
  }

  /** Reads a task with everything that belongs to it. */
  async open(id: string): Promise<void> {
    const arrived: ApiEvent[] = [];
    this.#arrived.set(id, arrived);
    try {
      const [task, timeline, changes] = await Promise.all([api.task(id), api.timeline(id), api.changes(id)]);
      const planned = timeline.some((event) => event.kind === 'plan');
      const plan = planned ? await api.plan(id) : undefined;
      this.#put(task);
      this.missing.delete(id);
      this.details.set(id, { ...(plan ? { plan } : {}), timeline: joinTimeline(timeline, arrived), changes });
      this.#learnStep(task, timeline);
      this.failure = undefined; // it answers again
    } catch (failure) {
      const problem = problemOf(failure);
      if (problem.code === 'not-found' || problem.code === 'task-deleted') this.#drop(id);
      else this.failure = problem;
    } finally {
      if (this.#arrived.get(id) === arrived) this.#arrived.delete(id);
    }
  }

  /** Forgets what belongs to a task that nobody looks at any more. */
  close(id: string): void {
    this.details.delete(id);
  }

  event(event: ApiEvent): void {
    if (!event.task) return;
    if (event.kind === 'progress') {
      this.#progress(event.task, event.data, Date.parse(event.time));
      return;
    }
    if (event.kind === 'output') return;
    if (event.kind === 'delta') {
      writing.add(event.task, event.data);
      return;
    }
    if (event.kind === 'message') writing.end(event.task, event.data.id);
    // A record that changed while it writes ends nothing.
    if (event.kind === 'state' && event.data.state !== 'running') writing.end(event.task);
    if (isSaid(event)) {
      this.#said(event.task, event);
      return;
    }
    if (event.kind === 'step') this.#step(event.task, event.data.step, Date.parse(event.time));
    this.#soon(event.task);
  }

  /**
   * What an AI task says and does is whole in its event: a long conversation is not read again for each of
   * them. What arrives while the timeline is read is joined to what was read.
   */
  #said(id: string, event: ApiEvent): void {
    this.#arrived.get(id)?.push(event);
    const detail = this.details.get(id);
    if (!detail) return;
    this.#news.set(id, [...(this.#news.get(id) ?? []), event]);
    if (this.#telling.has(id)) return;
    this.#telling.set(
      id,
      setTimeout(() => {
        this.#telling.delete(id);
        const news = this.#news.get(id) ?? [];
        this.#news.delete(id);
        const now = this.details.get(id);
        if (now) this.details.set(id, { ...now, timeline: joinTimeline(now.timeline, news) });
        if (news.some(mayChange)) void this.#changes(id);
        if (news.some(isTuned)) void this.#record(id);
      }, SETTLE_MS)
    );
  }

  async #changes(id: string): Promise<void> {
    try {
      const changes = await api.changes(id);
      const detail = this.details.get(id);
      if (detail) this.details.set(id, { ...detail, changes });
    } catch {
      // They are read again with whatever happens next.
    }
  }

  async start(request: StartRequest): Promise<Task> {
    const task = await api.start(request);
    this.#put(task);
    this.#step(task.id, 'queued', Date.now());
    return task;
  }

  /** Starts one operation on files; it goes on without this window. */
  async runTool(name: string, request: ToolRequest): Promise<Task> {
    const task = await api.runTool(name, request);
    this.#put(task);
    this.#step(task.id, 'queued', Date.now());
    return task;
  }

  async accept(id: string): Promise<void> {
    this.#put(await api.accept(id));
  }

  /** Decides what a task asks. What was decided elsewhere meanwhile is no failure: the task is read again. */
  async answer(id: string, question: string, request: AnswerRequest): Promise<void> {
    try {
      await api.answer(id, question, request);
    } catch (failure) {
      if (problemOf(failure).code !== 'question-over') throw failure;
    } finally {
      await this.open(id);
    }
  }

  async resume(id: string): Promise<void> {
    this.#put(await api.resume(id));
    this.#step(id, 'queued', Date.now());
  }

  async cancel(id: string): Promise<void> {
    this.#put(await api.cancel(id));
  }

  /** Tells an AI task something; one that is over goes on with it. */
  async say(id: string, request: SayRequest): Promise<void> {
    this.#put(await api.say(id, request));
  }

  /** Takes back a message that an AI task has not heard yet. */
  async takeBack(id: string, message: string): Promise<void> {
    this.#put(await api.takeBack(id, message));
  }

  /** Another model for an AI task, or another time to think. */
  async tune(id: string, request: TaskModelRequest): Promise<void> {
    this.#put(await api.tune(id, request));
  }

  /** Has a summary take the place of the older messages; the task goes on for that only. */
  async compact(id: string): Promise<void> {
    this.#put(await api.compact(id));
    this.#step(id, 'queued', Date.now());
  }

  /** Ends what an AI task does at the moment. */
  async interrupt(id: string): Promise<void> {
    this.#put(await api.interrupt(id));
  }

  async undo(id: string, request: UndoRequest): Promise<UndoReport> {
    const report = await api.undo(id, request);
    await this.open(id);
    return report;
  }

  async redo(id: string, ids: string[]): Promise<RedoReport> {
    const report = await api.redo(id, ids);
    await this.open(id);
    return report;
  }

  /** Decides about changes that wait in front of a folder. */
  async apply(id: string, request: ApplyRequest): Promise<ApplyReport> {
    const report = await api.apply(id, request);
    await this.open(id);
    return report;
  }

  /** Another name, in sight at once; the old one comes back when it is not taken. */
  async rename(id: string, title: string): Promise<void> {
    const before = this.get(id);
    if (before) this.#put({ ...before, title });
    try {
      this.#put(await api.rename(id, title));
    } catch (failure) {
      if (before) this.#put(before);
      throw failure;
    }
  }

  /** The same as a new task. */
  async again(id: string): Promise<Task> {
    const task = await api.again(id);
    this.#put(task);
    this.#step(task.id, 'queued', Date.now());
    return task;
  }

  async remove(id: string): Promise<void> {
    await api.remove(id);
    this.#drop(id);
  }

  #put(task: Task): void {
    const list = this.list ?? [];
    const at = list.findIndex((known) => known.id === task.id);
    if (at >= 0) this.list = list.with(at, task);
    else this.list = [task, ...list].sort((a, b) => (a.id < b.id ? 1 : -1)); // ids sort by creation
    if (isFinal(task.state)) this.live.delete(task.id);
  }

  #drop(id: string): void {
    this.list = this.list?.filter((task) => task.id !== id) ?? [];
    this.details.delete(id);
    this.live.delete(id);
    this.missing.add(id);
  }

  #soon(id: string): void {
    if (this.#pending.has(id)) return;
    this.#pending.set(
      id,
      setTimeout(() => {
        this.#pending.delete(id);
        if (this.missing.has(id)) return; // the last words of a task that was forgotten
        if (this.details.has(id)) void this.open(id);
        else void this.#record(id);
      }, SETTLE_MS)
    );
  }

  async #record(id: string): Promise<void> {
    try {
      this.#put(await api.task(id));
    } catch (failure) {
      if (problemOf(failure).code === 'not-found') this.#drop(id);
    }
  }

  #step(id: string, name: string, since: number): void {
    const step = phaseOf(name);
    const live = this.live.get(id);
    if (live?.step === step) {
      this.live.set(id, { ...live, heard: Date.now() });
      return;
    }
    this.live.set(id, { step, since, heard: Date.now() });
  }

  /** After a reload the step under way is in the timeline. */
  #learnStep(task: Task, timeline: ApiEvent[]): void {
    if (isFinal(task.state)) return;
    const all = timeline.filter((event) => event.kind === 'step');
    const last = all.at(-1);
    const step = last ? phaseOf(last.data.step) : 'queued';
    if (this.live.get(task.id)?.step === step) return;
    const before = all.findLastIndex((event) => phaseOf(event.data.step) !== step);
    this.#step(task.id, step, Date.parse(all[before + 1]?.time ?? task.created));
  }

  #progress(id: string, data: Progress, time: number): void {
    const live = this.live.get(id) ?? { step: 'run' as const, since: time, heard: time };
    const now = Date.now();
    const until = data.eta === undefined || data.done >= data.total ? undefined : now + data.eta * 1000;
    this.live.set(id, { ...live, heard: now, progress: data, until });
  }
}

export const tasks = new Tasks();
