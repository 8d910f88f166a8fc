/** The runtime over time: how it stands against its channel, its versions, its add-ons. */
import { api, isAway, problemOf } from '$lib/api/client';
import type { AddOnInfo, PackInfo, Problem, UpdatePhase, UpdateSettings, UpdateState } from '$lib/api/types';
import { Order } from '$lib/model/order';
import { Acting } from './acting.svelte';
import { computer } from './computer.svelte';
import { recall, remember } from './storage';

/** What the person asked for and is not answered yet. */
type Act =
  | 'check'
  | 'start'
  | 'pause'
  | 'rollback'
  | 'repair'
  | 'settings'
  | `remove ${string}`
  | `add ${string}`
  | `drop ${string}`;

export interface Notice {
  kind: 'working' | 'available' | 'updated' | 'trouble';
  version: string;
  problem?: Problem;
}

const WORKING: readonly UpdatePhase[] = ['downloading', 'installing', 'trying'];
const LOOKING: readonly UpdatePhase[] = ['checking', ...WORKING];
/** What a person should hear of without looking for it: the other problems are shown where they are solved. */
const TROUBLE = ['rolled-back', 'update-not-booting', 'key-revoked'];

const UPDATE = 'update'; // questions of which a newer answer may come first
const PACKS = 'packs';

const SEEN = 'piwork.runtime'; // the version in use that the person knows of
const DISMISSED = 'piwork.notice'; // the last notice that was closed

class Runtime extends Acting<Act> {
  update = $state.raw<UpdateState>();
  packs = $state.raw<PackInfo[]>();
  addOns = $state.raw<AddOnInfo[]>();

  readonly #order = new Order();
  #seen = $state(recall(SEEN));
  #dismissed = $state(recall(DISMISSED));

  /** Something is being brought here, whoever asked for it. */
  get working(): boolean {
    return this.update !== undefined && WORKING.includes(this.update.phase);
  }

  /** There is, or was, a download that is not over. */
  get underway(): boolean {
    return this.working || this.update?.phase === 'paused';
  }

  /** The first of some add-ons that cannot be used; undefined also while it is not known which there are. */
  lacks(names: readonly string[]): string | undefined {
    return (
      this.addOns &&
      names.find((name) => !this.addOns?.some((a) => a.name === name && a.installed && a.usable))
    );
  }

  /** A channel is known, so that the runtime can be downloaded. */
  get reachable(): boolean {
    return this.update !== undefined && this.update.phase !== 'off';
  }

  get notice(): Notice | undefined {
    const update = this.update;
    if (!update) return undefined;
    const found = this.#found(update);
    return found && `${found.kind} ${found.version}` !== this.#dismissed ? found : undefined;
  }

  #found(update: UpdateState): Notice | undefined {
    const version = update.version ?? '';
    const problem = update.problem;
    if (problem && TROUBLE.includes(problem.code))
      return { kind: 'trouble', version: update.current, problem };
    if (this.working && update.current) return { kind: 'working', version }; // the first one is home's own face
    if (update.phase === 'available' && update.current) return { kind: 'available', version };
    if (update.current && this.#seen && this.#seen !== update.current)
      return { kind: 'updated', version: update.current };
    return undefined;
  }

  dismiss(notice: Notice): void {
    this.#dismissed = `${notice.kind} ${notice.version}`;
    remember(DISMISSED, this.#dismissed);
    this.#know();
  }

  /** The person knows what is in use now. */
  #know(): void {
    const current = this.update?.current;
    if (!current) return;
    this.#seen = current;
    remember(SEEN, current);
  }

  /** How the runtime stands; for notices, so a failure is not shown. */
  async look(): Promise<void> {
    const asked = this.#order.ask();
    try {
      const update = await api.getUpdate();
      if (this.#order.take(UPDATE, asked)) this.#take(update);
    } catch {
      // The connection itself is told of elsewhere, and the page asks again.
    }
  }

  /** Which add-ons are here, for who needs one. */
  async lookAddOns(): Promise<void> {
    try {
      this.addOns = await api.listAddOns();
    } catch {
      // What is not known is no reason to keep anybody from anything: the controller says what is missing.
    }
  }

  /** Everything that the runtime's page shows. */
  async open(): Promise<void> {
    await Promise.all([this.look(), this.#list()]);
  }

  async #list(): Promise<void> {
    const asked = this.#order.ask();
    try {
      const [packs, addOns] = await Promise.all([api.listPacks(), api.listAddOns()]);
      if (this.#order.take(PACKS, asked)) [this.packs, this.addOns] = [packs, addOns];
      if (isAway(this.failure)) this.failure = undefined; // it answers again
    } catch (failure) {
      this.failure = problemOf(failure);
    }
  }

  /** Takes what the stream tells. */
  event(update: UpdateState): void {
    const before = this.update;
    this.#order.know(UPDATE);
    this.#take(update);
    const ended =
      before &&
      LOOKING.includes(before.phase) &&
      !LOOKING.includes(update.phase) &&
      update.phase !== 'paused';
    if (ended || (before && before.current !== update.current))
      this.#moved(before?.current !== update.current);
  }

  #take(update: UpdateState): void {
    this.update = update;
    if (this.#seen === null) this.#know(); // nothing was here before, as far as this window knows
  }

  /** What is installed may be another one now. */
  #moved(current: boolean): void {
    if (this.packs) void this.#list(); // the state itself came with the event, and what is asked now may be older
    if (!current) return;
    if (computer.report?.ready === false) void computer.check();
    else void computer.look();
  }

  check = () => this.#act('check', async () => this.#take(await api.checkUpdate()));

  /** Begins, tries again, or goes on after a pause. */
  start = () => this.#act('start', async () => this.event(await api.startUpdate()));
  pause = () => this.#act('pause', async () => this.event(await api.pauseUpdate()));
  rollback = () => this.#act('rollback', () => api.rollbackPack().then(() => this.#reread()));
  repair = (file = '') => this.#act('repair', () => api.repairPack({ file }).then(() => this.#reread()));
  remove = (version: string) =>
    this.#act(`remove ${version}`, () => api.removePack(version).then(() => this.#list()));
  addOn = (name: string) => this.#act(`add ${name}`, async () => this.event(await api.installAddOn(name)));
  dropAddOn = (name: string) =>
    this.#act(`drop ${name}`, () => api.removeAddOn(name).then(() => this.#list()));
  /** Tells whether the choices are kept. */
  choose = (settings: UpdateSettings) =>
    this.#act('settings', async () => this.#take(await api.setUpdates(settings)));

  /** After an act of the person: what is in use now is no news to them. */
  async #reread(): Promise<void> {
    await this.open();
    this.#know();
    if (computer.report?.ready === false) await computer.check();
    else void computer.look();
  }

  /** Reports whether it was done: one act at a time is, and it may be refused. */
  async #act(act: Act, work: () => Promise<void>): Promise<boolean> {
    return (await this.run(act, () => work().then(() => true))) ?? false;
  }
}

export const runtime = new Runtime();
