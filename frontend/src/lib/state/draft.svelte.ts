/** What the person is about to start. It survives a look at a task and back. */
import { api, problemOf } from '$lib/api/client';
import type {
  ChoreInfo,
  DroppedFolder,
  FolderMode,
  FolderRequest,
  ParamInfo,
  Params,
  SavedChore,
  Task
} from '$lib/api/types';
import { i18n } from '$lib/i18n/index.svelte';
import { Acting } from './acting.svelte';
import { tasks } from './tasks.svelte';

class Draft extends Acting<'choosing' | 'starting'> {
  folder = $state('');
  /** What the task may do with the folder; '' is what the chore needs. */
  mode = $state<'' | FolderMode>('');
  /** More folders, each with its mode. */
  more = $state.raw<readonly { path: string; mode: '' | FolderMode }[]>([]);
  chore = $state('');
  params = $state.raw<Record<string, Params>>({});
  /** The kinds of places that alone will do, by chores. */
  places = $state.raw<Record<string, string>>({});
  /** What was dropped on the window last, the folder of the draft first. */
  dropped = $state.raw<DroppedFolder[]>([]);

  get chosen(): ChoreInfo | undefined {
    return tasks.chores?.find((chore) => chore.name === this.chore) ?? tasks.chores?.[0];
  }

  /** The values of the chosen chore's parameters: what was set, the defaults otherwise. */
  get values(): Params {
    const chore = this.chosen;
    if (!chore) return {};
    // Names of new folders are in the language of the window.
    const ours = (param: ParamInfo) => param.name === 'language' && param.choices?.includes(i18n.locale);
    const defaults = Object.fromEntries(
      chore.params.map((param) => [param.name, ours(param) ? i18n.locale : param.default])
    );
    return { ...defaults, ...this.params[chore.name] };
  }

  /** The kind of place that alone will do for the chosen chore; '' is the best one. */
  get place(): string {
    return this.places[this.chosen?.name ?? ''] ?? '';
  }

  set place(kind: string) {
    this.#workIn(this.chosen?.name, kind);
  }

  #workIn(chore: string | undefined, kind = ''): void {
    if (chore) this.places = { ...this.places, [chore]: kind };
  }

  /** A password that has to be typed first. */
  get lacksPassword(): boolean {
    return this.chosen?.params.some((p) => p.type === 'password' && !this.values[p.name]) ?? false;
  }

  /** Another chore, as if nothing had been set for it. */
  choose(chore: string): void {
    this.chore = chore;
    this.params = Object.fromEntries(Object.entries(this.params).filter(([name]) => name !== chore));
    this.mode = '';
    this.#workIn(chore);
  }

  set(name: string, value: unknown): void {
    const chore = this.chosen?.name;
    if (chore) this.params = { ...this.params, [chore]: { ...this.params[chore], [name]: value } };
  }

  /** All folders, as a task is asked for with them. */
  get folders(): FolderRequest[] {
    if (!this.folder) return [];
    return [{ path: this.folder, mode: this.mode }, ...this.more].map(({ path, mode }) => ({
      path,
      ...(mode ? { mode } : {})
    }));
  }

  /** This folder, and no other. */
  use(folder: string): void {
    const wanted = folder.trim();
    if (wanted !== this.folder) this.mode = ''; // it was chosen for the other one
    this.folder = wanted;
    this.more = [];
    this.failure = undefined;
    if (!this.dropped.some((one) => one.path === this.folder)) this.dropped = [];
  }

  addFolder(path: string, mode: '' | FolderMode = ''): void {
    const wanted = path.trim();
    if (!wanted || this.folders.some((folder) => folder.path === wanted)) return;
    if (this.folder) this.more = [...this.more, { path: wanted, mode }];
    else this.use(wanted);
  }

  setMode(path: string, mode: FolderMode): void {
    this.more = this.more.map((folder) => (folder.path === path ? { path, mode } : folder));
  }

  /** Without the first one, the next is the first. */
  removeFolder(path: string): void {
    if (path === this.folder) this.#takeFolders(this.folders.slice(1));
    else this.more = this.more.filter((folder) => folder.path !== path);
  }

  #takeFolders(folders: readonly { path: string; mode?: FolderMode }[]): void {
    const [first, ...rest] = folders;
    this.use(first?.path ?? '');
    this.mode = first?.mode ?? '';
    for (const one of rest) this.addFolder(one.path, one.mode ?? '');
  }

  /** Takes what was dropped on the window: the folders that a task may have. Without one, what was chosen stays. */
  async drop(paths: string[]): Promise<DroppedFolder[]> {
    try {
      const folders = await api.lookAtDropped({ paths });
      const fine = folders.filter((one) => !one.problem);
      const [first, ...rest] = fine;
      if (first) {
        this.dropped = fine;
        this.use(first.path);
        for (const one of rest) this.addFolder(one.path);
      }
      this.failure = folders.find((one) => one.problem)?.problem;
      return fine;
    } catch (failure) {
      this.failure = problemOf(failure);
      return [];
    }
  }

  /** Takes over a chore that was kept. */
  take(one: SavedChore): void {
    this.chore = one.chore;
    this.params = { ...this.params, [one.chore]: one.params };
    this.#workIn(one.chore, one.runtime);
    this.#takeFolders(one.folders);
  }

  /** Takes over what a task was started with. */
  like(task: Task): void {
    this.#takeFolders(task.folders.filter((folder) => !folder.removed));
    if (!task.chore) return;
    this.chore = task.chore;
    this.params = { ...this.params, [task.chore]: task.params ?? {} };
    this.#workIn(task.chore, task.asked?.runtime);
  }

  /** Lets the person choose a folder in the system's dialog, where there is one. */
  async pick(title: string): Promise<void> {
    const path = await this.run('choosing', () => api.pickFolder({ title }).then(({ path }) => path));
    if (path) this.use(path);
  }

  /** Starts a task that waits with its plan. */
  async start(): Promise<Task | undefined> {
    const chore = this.chosen;
    if (!chore || !this.folder) return undefined;
    return this.run('starting', async () => {
      const task = await tasks.begin(
        api.startTask({
          kind: 'chore',
          chore: chore.name,
          params: this.values,
          folders: this.folders,
          ...(this.place ? { runtime: this.place } : {}),
          detached: true // a window that is closed and opened again finds its task
        })
      );
      this.#workIn(chore.name); // it was chosen for this task alone
      for (const param of chore.params) if (param.type === 'password') this.set(param.name, '');
      return task;
    });
  }
}

export const draft = new Draft();
