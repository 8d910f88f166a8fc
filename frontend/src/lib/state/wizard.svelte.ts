/** The way to the first finished chore, as the controller sees it, and chores that are kept to be done again. */
import { api, ApiFailure, gone } from '$lib/api/client';
import type { SavedChore, Task, Wizard, WizardAct, WizardStepId } from '$lib/api/types';
import { i18n } from '$lib/i18n/index.svelte';
import { isFinal } from '$lib/model/stage';
import { Acting, Resource } from './acting.svelte';
import { draft } from './draft.svelte';
import { tasks } from './tasks.svelte';

class Guide extends Resource<Wizard | undefined> {
  /** Whether it was asked for: before, nobody knows which face home has. */
  settled = $state(false);
  /** The runtime was asked for by the wizard itself: it does so once. */
  fetched = $state(false);
  /** The folder with pictures to try a chore on. */
  samples = $state('');

  /** A person who goes this way for the first time, or has not come to its end. */
  get leads(): boolean {
    return this.known !== undefined && !this.known.done && !this.known.again;
  }

  get now(): WizardStepId | undefined {
    return this.known?.steps.find((step) => step.state === 'now')?.id;
  }

  step(id: WizardStepId) {
    return this.known?.steps.find((step) => step.id === id);
  }

  /** The first chore, where it was started and is not over. */
  get waiting(): Task | undefined {
    return tasks.list?.find((task) => task.kind === 'chore' && !isFinal(task.state));
  }

  async load(): Promise<void> {
    // Home has its other face without it, and what cannot be reached is told of elsewhere.
    await this.read(() => api.getWizard().catch(() => this.known));
    this.settled = true;
  }

  /** Reports whether it is so now. */
  async act(step: WizardStepId, act: WizardAct): Promise<boolean> {
    this.busy = 'working';
    this.failure = undefined;
    const done = await this.change(() => api.actWizard(step, { act }));
    this.busy = undefined;
    return done;
  }

  /** Starts the first chore on pictures that nobody can lose. */
  tryOut(): Promise<Task | undefined> {
    return this.run('working', async () => {
      const { path } = await api.makeSamples({ language: i18n.locale });
      this.samples = path;
      draft.choose('pictures-to-pdf');
      draft.use(path);
      const task = await draft.start();
      const { failure } = draft;
      draft.failure = undefined;
      if (failure) throw new ApiFailure(failure);
      if (task) draft.use('');
      return task;
    });
  }
}

export const guide = new Guide();

/** The controller keeps one chore of a name (app/saved). */
const sameName = (a: string, b: string) => plain(a) === plain(b);
const plain = (name: string) => name.trim().replace(/\s+/g, ' ').toLowerCase();

class Saved extends Acting {
  list = $state.raw<SavedChore[]>([]);
  /** Said where they are listed, not where one is kept. */
  readonly removing = new Acting();

  async load(): Promise<void> {
    try {
      this.list = await api.listSavedChores();
    } catch {
      // They make things shorter; nothing depends on them.
    }
  }

  /** Whether keeping under this name would replace a chore. Another window may have kept it. */
  async has(name: string): Promise<boolean> {
    await this.load();
    return this.list.some((one) => sameName(one.name, name));
  }

  /** Keeps what a task did, or what is about to be started. */
  async keep(name: string, of: Task | 'draft'): Promise<boolean> {
    const one = await this.run('working', () =>
      api.saveChore(
        of === 'draft'
          ? {
              name,
              chore: draft.chosen?.name ?? '',
              params: draft.values,
              folders: draft.folders,
              ...(draft.place ? { runtime: draft.place } : {})
            }
          : { name, task: of.id }
      )
    );
    if (!one) return false;
    this.list = [one, ...this.list.filter((other) => !sameName(other.name, one.name))];
    return true;
  }

  async remove(id: string): Promise<void> {
    await this.removing.run('working', async () => {
      await gone(api.removeSavedChore(id));
      this.list = this.list.filter((one) => one.id !== id);
    });
  }
}

export const saved = new Saved();
