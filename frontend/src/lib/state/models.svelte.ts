/** The models that can do a task in a person's own words, and the keys for them. */
import { api } from '$lib/api/client';
import type { KeyInfo, ModelInfo, Models as Known, ModelWord, Program } from '$lib/api/types';
import { Resource } from './acting.svelte';

class Models extends Resource<Known | undefined> {
  readonly keys = new Resource<KeyInfo[]>();
  /** The AI programs that can work on a task. */
  readonly programs = new Resource<Program[]>();
  /** How often a file was asked for in place of the keychain. */
  fileWanted = $state(0);

  /** The model that a task gets when none is named. */
  get standard(): ModelInfo | undefined {
    return this.find(this.known?.default ?? '');
  }

  find(id: string): ModelInfo | undefined {
    return this.known?.list.find((model) => model.id === id);
  }

  /** What a model is called; a task may have one that is not there any more. */
  name(id: string): string {
    return this.find(id)?.name ?? id.replace(/^[^/]*\//, '');
  }

  /** Reads the models again. A controller that has no part for them knows none. */
  async load(): Promise<void> {
    // Without them a home without a field is what remains; settings say why. What is known stays: somebody may be typing.
    await this.read(() => api.listModels().catch(() => this.known));
  }

  async loadKeys(): Promise<void> {
    await this.keys.read(() => api.listKeys());
  }

  /** Reads the programs again. Without an answer there is no choice, and the usual one works. */
  async loadPrograms(): Promise<void> {
    await this.programs.read(() => api.listPrograms().catch(() => []));
  }

  /** Says what a model of one's own service can do. */
  async say(word: ModelWord): Promise<void> {
    await this.change(() => api.sayOfModel(word));
  }

  async choose(model: string): Promise<void> {
    await this.change(() => api.setModel({ model }));
  }
}

export const models = new Models();
