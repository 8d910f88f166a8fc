/** A task in a person's own words, as far as it is written. Its folders are those of the draft of a chore. */
import { api } from '$lib/api/client';
import type {
  FolderMode,
  FolderRequest,
  ModelInfo,
  Network,
  Program,
  Service,
  StartRequest,
  Task
} from '$lib/api/types';
import { amountOf } from '$lib/model/money';
import { Acting, Resource } from './acting.svelte';
import { draft } from './draft.svelte';
import { models } from './models.svelte';
import { type NoPictures, type Picture, readPictures } from './pictures';
import { tasks } from './tasks.svelte';

type Thinking = 'auto' | NonNullable<StartRequest['thinking']>;

/** The program that works where none is named. */
export const usual = 'pi';

class Ask extends Acting {
  prompt = $state('');
  /** The words stay written, but a chore is what comes next. */
  aside = $state(false);
  model = $state('');
  /** The AI program, '' for the usual one. */
  program = $state('');
  thinking = $state<Thinking>('auto');
  budget = $state('');
  /** How often it was to begin with a limit that is no amount. */
  unclear = $state(0);
  network = $state<Network>('restricted');
  pictures = $state.raw<Picture[]>([]);
  /** Services of the person, by their names, that the task is to use. */
  chosen = $state.raw<string[]>([]);
  readonly services = new Resource<Service[]>();
  /** Whether later tasks in the same folders find what this one fetches and builds. */
  cache = $state(false);
  /** The kind of place that alone will do; '' is the best one. */
  place = $state('');
  #modes = $state.raw<Record<string, FolderMode>>({});
  /** Pictures that are being read: whether all of them can be. */
  #reading: Promise<boolean> | undefined;

  /** Whether home is about these words, not about a chore. */
  get leads(): boolean {
    return this.prompt.trim() !== '' && !this.aside && (models.known?.list.length ?? 0) > 0;
  }

  /** Those that are installed; with one there is nothing to choose. */
  get programs(): Program[] {
    return (models.programs.known ?? []).filter((one) => one.installed);
  }

  /** The program that works on it, where that is known. */
  get works(): Program | undefined {
    return this.programs.find((one) => one.name === (this.program || usual));
  }

  /** The models that this program can use. */
  get usable(): ModelInfo[] {
    const list = models.known?.list ?? [];
    const of = this.program ? this.works?.providers : undefined;
    return of ? list.filter((model) => of.includes(model.provider)) : list;
  }

  /** Has a program work on it, with a model that it can use. */
  choose(program: string): void {
    this.program = program === usual ? '' : program;
    const now = this.model || models.standard?.id;
    if (this.program && !this.usable.some((model) => model.id === now)) this.model = this.usable[0]?.id ?? '';
  }

  /** The services that a task can use: those that have their secret, or need none. */
  get lent(): Service[] {
    return (this.services.known ?? []).filter(({ secret }) => secret !== 'missing');
  }

  /** Those that the task does use. Without a network it reaches none. */
  get uses(): string[] {
    if (this.network === 'off') return [];
    return this.lent.map(({ name }) => name).filter((name) => this.chosen.includes(name));
  }

  use(service: string, yes: boolean): void {
    this.chosen = [...this.chosen.filter((one) => one !== service), ...(yes ? [service] : [])];
  }

  /** Reads the services again. Without an answer there are none to choose. */
  async loadServices(): Promise<void> {
    await this.services.read(() => api.listServices().catch(() => []));
  }

  /** As they are shown: what is chosen here holds for these folders from then on. */
  get folders(): FolderRequest[] {
    return draft.folders.map(({ path, mode }) => ({ path, mode: mode ?? this.modeOf(path) }));
  }

  /** What an AI may do with a folder when nothing else is chosen: nothing changes before the person says yes. */
  modeOf(path: string): FolderMode {
    return this.#modes[path] ?? 'review';
  }

  /** Reads what was chosen for folders before. */
  async load(): Promise<void> {
    try {
      const choices = await api.listFolderChoices();
      this.#modes = Object.fromEntries(choices.map(({ path, mode }) => [path, mode]));
    } catch {
      // Without it every folder is reviewed first.
    }
  }

  /** Adds pictures, one choice after the other. Answers why they were not taken. */
  async attach(files: readonly File[]): Promise<NoPictures | undefined> {
    const before = this.#reading;
    const adding = (async () => {
      await before;
      const added = await readPictures(this.pictures, files);
      if ('why' in added) return added;
      this.pictures = [...this.pictures, ...added]; // some may have been removed meanwhile
      return undefined;
    })();
    const reading = (async () => (await adding) === undefined && (await before) !== false)();
    this.#reading = reading;
    const hindrance = await adding;
    if (this.#reading === reading) this.#reading = undefined;
    return hindrance;
  }

  async start(): Promise<Task | undefined> {
    if (this.busy || !this.prompt.trim()) return undefined;
    const budget = amountOf(this.budget);
    if (budget === undefined) {
      this.unclear++;
      return undefined;
    }
    this.unclear = 0;
    return this.run('working', async () => {
      // A task does not go without the pictures that were chosen for it.
      if ((await this.#reading) === false) return undefined;
      const { prompt, pictures } = this;
      const task = await tasks.begin(
        api.startTask({
          kind: 'ai',
          prompt: prompt.trim(),
          folders: this.folders,
          network: this.network,
          ...(this.program && this.works ? { program: this.program } : {}),
          ...(this.model ? { model: this.model } : {}),
          ...(this.thinking === 'auto' || this.works?.thinks === false ? {} : { thinking: this.thinking }),
          ...(budget > 0 ? { budget } : {}),
          ...(pictures.length > 0 ? { images: pictures.map(({ name, data }) => ({ name, data })) } : {}),
          ...(this.uses.length > 0 ? { services: this.uses } : {}),
          ...(this.cache && draft.folders.length > 0 ? { cache: '.' } : {}),
          ...(this.place ? { runtime: this.place } : {}),
          detached: true // a window that is closed and opened again finds its task
        })
      );
      // What was written or added meanwhile is for another task.
      if (this.prompt === prompt) this.prompt = '';
      this.pictures = this.pictures.filter((one) => !pictures.includes(one));
      draft.more = [];
      // What was lent to this task, and what it may reach, is for no other.
      this.chosen = [];
      this.network = 'restricted';
      this.cache = false;
      this.place = '';
      return task;
    });
  }
}

export const ask = new Ask();
