/** A task as its page shows it: how it stands, and what a person does with it there. Its parts share one. */
import { api } from '$lib/api/client';
import type { Task } from '$lib/api/types';
import { viewChanges } from '$lib/model/changes';
import { leftOut } from '$lib/model/plan';
import { openQuestion } from '$lib/model/question';
import { isFinal, reached, stageOf } from '$lib/model/stage';
import { Acting } from '$lib/state/acting.svelte';
import { Opener } from '$lib/state/opener.svelte';
import { tasks } from '$lib/state/tasks.svelte';
import { again } from './again';

export class TaskPage extends Acting<'accepting' | 'stopping' | 'resuming'> {
  readonly opener = new Opener();
  /** What is done with the task as a thing, beside its work. */
  readonly aside = new Acting<'again' | 'compacting' | 'exporting' | 'removing'>();
  /** The person is asked whether it is to be deleted. */
  forgetting = $state(false);
  /** The same, with an undo that waits for its folder. */
  abandoning = $state(false);

  readonly task = $derived.by(() => tasks.get(this.id));
  readonly detail = $derived.by(() => tasks.details.get(this.id));
  readonly live = $derived.by(() => tasks.live.get(this.id));
  readonly timeline = $derived.by(() => this.detail?.timeline ?? []);
  readonly over = $derived.by(() => this.task !== undefined && isFinal(this.task.state));
  readonly stage = $derived.by(() =>
    this.task ? stageOf(this.task, this.timeline, this.live?.step) : 'plan'
  );
  readonly question = $derived.by(() => (this.task ? openQuestion(this.task, this.timeline) : undefined));
  /** It waits with its plan. */
  readonly asking = $derived.by(
    () => this.task?.state === 'waiting' && this.detail?.plan !== undefined && this.stage === 'plan'
  );
  readonly planned = $derived.by(
    () => this.detail?.plan !== undefined && (this.asking || (!this.over && this.stage === 'plan'))
  );
  /** How far it came. */
  readonly shownStage = $derived.by(() =>
    this.over && this.task?.state !== 'done' ? reached(this.timeline) : this.stage
  );
  /** A person can have a shell in its workroom, as the controller has it (app/tasks.PlaceOf). */
  readonly terminals = $derived.by(
    () =>
      (this.task?.kind === 'exec' || (this.task?.kind === 'ai' && !this.task.chore)) &&
      (this.task.state === 'running' || this.task.state === 'waiting')
  );
  /** Its panel is on the page. */
  terminal = $state(false);
  readonly left = $derived.by(() => (this.task ? leftOut(this.detail?.plan, this.task) : []));
  /** Everything that it changed was undone. */
  readonly undone = $derived.by(() => {
    const view = viewChanges(this.detail?.changes ?? []);
    return view.undone > 0 && view.standing.length === 0;
  });
  readonly trouble = $derived.by(() => this.failure ?? this.aside.failure ?? this.opener.failure);

  readonly #id: () => string;

  constructor(id: () => string) {
    super();
    this.#id = id;
  }

  get id(): string {
    return this.#id();
  }

  readonly accept = () => this.run('accepting', () => tasks.act(api.acceptPlan(this.id)));

  /** An AI task that is stopped at work can be told something else. */
  readonly stop = () =>
    this.run('stopping', () =>
      this.task?.kind === 'ai' && (this.task.state === 'running' || this.task.state === 'waiting')
        ? tasks.act(api.interrupt(this.id))
        : tasks.act(api.cancelTask(this.id))
    );

  /** What was agreed to, from where it stopped. */
  readonly goOn = () => this.run('resuming', () => tasks.begin(api.resumeTask(this.id, { detached: true })));

  /** What was said of an earlier act does not hold any more. */
  beside<R>(
    what: NonNullable<typeof this.aside.busy>,
    work: (task: Task) => Promise<R>
  ): Promise<R | undefined> {
    this.failure = undefined;
    const { task } = this;
    return task ? this.aside.run(what, () => work(task)) : Promise.resolve(undefined);
  }

  readonly again = () => this.beside('again', (task) => again(task));
  readonly elsewhere = () => this.beside('again', (task) => again(task, 'vm'));
}
