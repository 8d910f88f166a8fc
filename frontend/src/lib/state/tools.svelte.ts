/** The operations on files, and what the next one is to be done with. */
import { api, runTool } from '$lib/api/client';
import type { Params, Task, ToolInfo } from '$lib/api/types';
import { i18n } from '$lib/i18n/index.svelte';
import { baseName } from '$lib/i18n/params';
import { fieldsOf, folderOf, joined, joinPath, makesFile, nameFor, paramsOf } from '$lib/model/tools';
import { Acting, Resource } from './acting.svelte';
import { runtime } from './runtime.svelte';
import { tasks } from './tasks.svelte';

class Tools extends Resource<ToolInfo[]> {
  /** What the list is narrowed to. */
  query = $state('');

  titleOf(name: string): string {
    return this.known?.find((tool) => tool.name === name)?.title ?? name;
  }

  /** Reads the list, once; after a change of the language, anew. */
  async load(anew = false): Promise<void> {
    void runtime.lookAddOns();
    if (anew || !this.known) await this.read(() => api.listTools());
  }
}

export const tools = new Tools();

/** One operation that is about to be run. */
export class ToolDraft extends Acting<'choosing' | 'choosing folder' | 'starting'> {
  inputs = $state.raw<readonly string[]>([]);
  values = $state.raw<Params>({});
  /** Where the result goes: '' keeps it with the task. */
  folder = $state('');
  /** Of what is made in a folder; undefined: made from the first input. */
  named = $state<string>();
  /** It goes into a folder of the person's. */
  into = $state(false);
  /** The kind of place that alone will do; '' is the best one. */
  place = $state('');
  /** More was given than the operation takes. */
  cut = $state(false);

  constructor(public tool: ToolInfo) {
    super();
    this.values = Object.fromEntries(
      this.fields.map((field) => [
        field.name,
        // What is written is in the language of the window.
        field.name === 'language' && field.choices?.includes(i18n.locale) ? i18n.locale : field.default
      ])
    );
  }

  get fields() {
    return fieldsOf(this.tool);
  }

  get makesFile(): boolean {
    return makesFile(this.tool, this.inputs.length, this.values);
  }

  get name(): string {
    const first = baseName(this.inputs[0] ?? '');
    return this.named ?? (first ? nameFor(this.tool, first, this.makesFile, this.values) : '');
  }

  set(name: string, value: unknown): void {
    this.values = { ...this.values, [name]: value };
  }

  add(paths: readonly string[]): void {
    const all = joined(this.inputs, paths);
    this.cut = all.length > this.tool.maxIn;
    this.inputs = all.slice(0, this.tool.maxIn);
    this.failure = undefined;
  }

  remove(path: string): void {
    this.inputs = this.inputs.filter((one) => one !== path);
    this.cut = false;
  }

  /** The order counts where one thing is made of several. */
  up(path: string): void {
    const at = this.inputs.indexOf(path);
    if (at < 1) return;
    const next = [...this.inputs];
    next.splice(at - 1, 2, path, next[at - 1] ?? path);
    this.inputs = next;
  }

  /** Beside the first file, until another folder is chosen. */
  intoFolder(): void {
    this.folder = this.inputs[0] ? folderOf(this.inputs[0]) : '';
  }

  async pickInput(what: 'file' | 'folder', title: string): Promise<void> {
    const paths = await this.run('choosing', async () => {
      if (what === 'file' && this.tool.maxIn > 1)
        return api.pickFiles({ title, patterns: [] }).then(({ paths }) => paths);
      return [
        await (what === 'file'
          ? api.pickFile({ title, patterns: [] }).then(({ path }) => path)
          : api.pickFolder({ title }).then(({ path }) => path))
      ];
    });
    if (paths?.some(Boolean)) this.add(paths);
  }

  async pickTarget(title: string): Promise<void> {
    const path = await this.run('choosing folder', () => api.pickFolder({ title }).then(({ path }) => path));
    if (path) this.folder = path;
  }

  /** A form shows it: passwords are kept for no other time. */
  shown = false;

  leave(): void {
    this.shown = false;
    if (this.busy !== 'starting') this.forgetPasswords();
  }

  /** Starts it as a task that goes on without this window. */
  async start(): Promise<Task | undefined> {
    const task = await this.run('starting', async () => {
      const task = await tasks.begin(
        runTool(this.tool.name, {
          in: [...this.inputs],
          params: paramsOf(this.fields, this.values),
          ...(this.into ? { out: joinPath(this.folder, this.name.trim()) } : {}),
          ...(this.place ? { runtime: this.place } : {})
        })
      );
      this.forgetPasswords();
      if (drafts.get(this.tool.name) === this) drafts.delete(this.tool.name);
      return task;
    });
    if (!this.shown) this.forgetPasswords();
    return task;
  }

  forgetPasswords(): void {
    for (const field of this.fields) if (field.type === 'password') this.set(field.name, '');
  }
}

// eslint-disable-next-line svelte/prefer-svelte-reactivity -- nothing is shown of it
const drafts = new Map<string, ToolDraft>();

/** What was set for an operation and not started yet: a look at another place loses none of it. */
export function draftOf(tool: ToolInfo): ToolDraft {
  const draft = drafts.get(tool.name) ?? new ToolDraft(tool);
  draft.tool = tool; // its words may be in another language now
  draft.failure = undefined;
  drafts.set(tool.name, draft);
  return draft;
}

export const forgetDrafts = () => drafts.clear();
