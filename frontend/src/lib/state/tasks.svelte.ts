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
  Change,
  ChoreInfo,
  Plan,
  Problem,
  Progress,
  Task
} from '$lib/api/types';
import type { Step } from '$lib/model/step';
import { isSaid, isTuned, joinTimeline, mayChange } from '$lib/model/conversation';
import { Order } from '$lib/model/order';
import { isFinal, taskTitle } from '$lib/model/stage';
import { phaseOf } from '$lib/model/step';
import { messages } from './messages.svelte';
import { answers } from './unsent';
import { writing } from './writing.svelte';

/** What a task that is at work does right now. */
export interface Live {
  step: Step;
  /** The step in the controller's words. */
  said?: string | undefined;
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

const LIST = 'list'; // no id of a task

function newestFirst(list: Task[]): Task[] {
  return list.sort((a, b) => (a.id < b.id ? 1 : -1)); // ids sort by creation
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
  /** What was said while a timeline is read, once for each reading. */
  readonly #arrived = new Map<string, ApiEvent[][]>();
  /** How many pages show a task with everything that belongs to it. */
  readonly #watched = new Map<string, number>();
  readonly #order = new Order();

  get(id: string): Task | undefined {
    return this.list?.find((task) => task.id === id);
  }

  chore(name: string | undefined): ChoreInfo | undefined {
    return this.chores?.find((chore) => chore.name === name);
  }

  choreTitle(name: string): string {
    return this.chore(name)?.title ?? name;
  }

  /** Reads everything again. */
  async refresh(): Promise<void> {
    const asked = this.#order.ask();
    try {
      const [list, chores] = await Promise.all([api.listTasks(), api.listChores()]);
      if (!this.#order.take(LIST, asked)) return;
      this.list = this.#merge(list, asked);
      // Some ended while nobody told of it.
      for (const task of this.list) if (isFinal(task.state)) this.live.delete(task.id);
      this.chores = chores;
      this.failure = undefined;
      for (const id of this.#watched.keys()) void this.read(id);
    } catch (failure) {
      if (this.#order.isNews(LIST, asked)) this.failure = problemOf(failure);
    }
  }

  /** A list that was asked for, without what it says of tasks that more is known of since. */
  #merge(list: readonly Task[], asked: number): Task[] {
    const read = list.filter((task) => this.#order.take(task.id, asked));
    const ids = new Set(read.map((task) => task.id));
    const newer = (this.list ?? []).filter(
      (task) => !ids.has(task.id) && !this.#order.isNews(task.id, asked)
    );
    return newer.length > 0 ? newestFirst([...read, ...newer]) : read;
  }

  /** Shows a task with everything that belongs to it, until it is closed. */
  async open(id: string): Promise<void> {
    this.#watched.set(id, (this.#watched.get(id) ?? 0) + 1);
    await this.read(id);
  }

  /** Reads a task again, with what belongs to it while somebody looks at that. */
  async read(id: string): Promise<void> {
    if (!this.#watched.has(id)) return this.#record(id);
    const asked = this.#order.ask();
    const arrived: ApiEvent[] = [];
    this.#arrived.set(id, [...(this.#arrived.get(id) ?? []), arrived]);
    try {
      const [task, timeline, changes] = await Promise.all([
        api.getTask(id),
        api.getTimeline(id),
        api.listChanges(id)
      ]);
      const planned = timeline.some((event) => event.kind === 'plan');
      const plan = planned ? await api.getPlan(id) : undefined;
      if (!this.#take(task, asked)) return;
      this.missing.delete(id);
      if (!this.#watched.has(id)) return;
      const newer = this.#order.take(`${id} changes`, asked) ? undefined : this.details.get(id);
      this.details.set(id, {
        ...(plan ? { plan } : {}),
        timeline: joinTimeline(timeline, arrived),
        changes: newer?.changes ?? changes
      });
      this.#learnStep(task, timeline);
      this.failure = undefined; // it answers again
    } catch (failure) {
      const problem = problemOf(failure);
      if (problem.code === 'not-found') this.#drop(id);
      else if (this.#watched.has(id) && this.#order.isNews(id, asked)) this.failure = problem;
    } finally {
      const others = this.#arrived.get(id)?.filter((one) => one !== arrived) ?? [];
      if (others.length > 0) this.#arrived.set(id, others);
      else this.#arrived.delete(id);
    }
  }

  /** Forgets what belongs to a task that nobody looks at any more. */
  close(id: string): void {
    const others = (this.#watched.get(id) ?? 1) - 1;
    if (others > 0) {
      this.#watched.set(id, others);
      return;
    }
    this.#watched.delete(id);
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
    if (event.kind === 'step') this.#step(event.task, event.data.step, Date.parse(event.time), event.said);
    this.#soon(event.task);
  }

  /**
   * What an AI task says and does is whole in its event: a long conversation is not read again for each of
   * them. What arrives while the timeline is read is joined to what was read.
   */
  #said(id: string, event: ApiEvent): void {
    for (const arrived of this.#arrived.get(id) ?? []) arrived.push(event);
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
    const asked = this.#order.ask();
    try {
      const changes = await api.listChanges(id);
      const detail = this.details.get(id);
      if (detail && this.#order.take(`${id} changes`, asked)) this.details.set(id, { ...detail, changes });
    } catch {
      // They are read again with whatever happens next.
    }
  }

  /** Takes the record as it was after an act; what was read meanwhile may not have seen it yet. */
  async act(answer: Promise<Task>): Promise<Task> {
    const asked = this.#order.ask();
    const task = await answer;
    if (this.#take(task, asked)) this.#order.know(task.id);
    return task;
  }

  /** The same of an act with which a task begins, or goes on: it waits, unless more was heard of it already. */
  async begin(answer: Promise<Task>): Promise<Task> {
    const task = await this.act(answer);
    if (!this.live.has(task.id) && !this.#isOver(task.id)) this.#step(task.id, 'queued', Date.now());
    return task;
  }

  /** Reads a task again after an act that answers something else. */
  async after<R>(id: string, answer: Promise<R>): Promise<R> {
    const report = await answer;
    await this.read(id);
    return report;
  }

  /** Decides what a task asks. What was decided elsewhere meanwhile is no failure: the task is read again. */
  async answer(id: string, question: string, request: AnswerRequest): Promise<void> {
    try {
      await api.answerQuestion(id, question, request);
    } catch (failure) {
      if (problemOf(failure).code !== 'question-over') throw failure;
    } finally {
      await this.read(id);
    }
  }

  /** Another name, in sight at once; the old one comes back when it is not taken. */
  async rename(id: string, title: string): Promise<void> {
    const before = this.get(id);
    if (before) this.#put({ ...before, title, called: title });
    try {
      await this.act(api.renameTask(id, { title }));
    } catch (failure) {
      const now = this.get(id);
      if (before && now) this.#put({ ...now, title: before.title, called: taskTitle(before) });
      throw failure;
    }
  }

  async remove(id: string, abandonUndo = false): Promise<void> {
    await api.deleteTask(id, abandonUndo ? { abandonUndo } : {});
    this.#drop(id);
  }

  /** Takes a record that was asked for. One that is out of date is read again. */
  #take(task: Task, asked: number): boolean {
    if (!this.#order.take(task.id, asked)) {
      this.#soon(task.id);
      return false;
    }
    this.#put(task);
    return true;
  }

  #put(task: Task): void {
    const list = this.list ?? [];
    const at = list.findIndex((known) => known.id === task.id);
    if (at >= 0) this.list = list.with(at, task);
    else this.list = newestFirst([task, ...list]);
    if (isFinal(task.state)) this.live.delete(task.id);
  }

  #drop(id: string): void {
    this.list = this.list?.filter((task) => task.id !== id) ?? [];
    this.details.delete(id);
    this.live.delete(id);
    writing.end(id);
    for (const unsent of [messages, answers]) unsent.drop(id);
    this.missing.add(id);
    this.#order.know(id);
  }

  #soon(id: string): void {
    if (this.#pending.has(id)) return;
    this.#pending.set(
      id,
      setTimeout(() => {
        this.#pending.delete(id);
        if (this.missing.has(id)) return; // the last words of a task that was forgotten
        void this.read(id);
      }, SETTLE_MS)
    );
  }

  async #record(id: string): Promise<void> {
    const asked = this.#order.ask();
    try {
      this.#take(await api.getTask(id), asked);
    } catch (failure) {
      if (problemOf(failure).code === 'not-found') this.#drop(id);
    }
  }

  #isOver(id: string): boolean {
    const task = this.get(id);
    return task !== undefined && isFinal(task.state);
  }

  #step(id: string, name: string, since: number, said?: string): void {
    const step = phaseOf(name);
    const live = this.live.get(id);
    const before: Omit<Live, 'heard'> = live?.step === step ? live : { step, since };
    this.live.set(id, { ...before, heard: Date.now(), said: said ?? before.said });
  }

  /** After a reload the step under way is in the timeline. */
  #learnStep(task: Task, timeline: ApiEvent[]): void {
    if (isFinal(task.state)) return;
    const all = timeline.filter((event) => event.kind === 'step');
    const last = all.at(-1);
    const step = last ? phaseOf(last.data.step) : 'queued';
    const live = this.live.get(task.id);
    const before = all.findLastIndex((event) => phaseOf(event.data.step) !== step);
    const since = Date.parse(all[before + 1]?.time ?? task.created);
    if (live?.step === step) this.live.set(task.id, { ...live, said: last?.said });
    else this.#step(task.id, step, since, last?.said);
  }

  #progress(id: string, data: Progress, time: number): void {
    if (!this.live.has(id) && this.#isOver(id)) return; // what came late makes nothing go on
    const live = this.live.get(id) ?? { step: 'run' as const, since: time, heard: time };
    const now = Date.now();
    const until = data.eta === undefined || data.done >= data.total ? undefined : now + data.eta * 1000;
    this.live.set(id, { ...live, heard: now, progress: data, until });
  }
}

export const tasks = new Tasks();
