/** The models that can do a task in a person's own words, and the keys for them. */
import { api, problemOf } from '$lib/api/client';
import type { KeyInfo, ModelInfo, Models as Record_, ModelWord, Problem } from '$lib/api/types';

class Models {
  known = $state.raw<Record_>();
  keys = $state.raw<KeyInfo[]>();
  failure = $state.raw<Problem>();
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
    try {
      this.known = await api.models();
    } catch {
      this.known = undefined; // a home without a field is what remains; settings say why
    }
  }

  async loadKeys(): Promise<void> {
    try {
      this.keys = await api.keys();
      this.failure = undefined;
    } catch (failure) {
      this.failure = problemOf(failure);
    }
  }

  /** Says what a model of one's own service can do. */
  async say(word: ModelWord): Promise<void> {
    try {
      this.known = await api.sayOfModel(word);
      this.failure = undefined;
    } catch (failure) {
      this.failure = problemOf(failure);
    }
  }

  async choose(model: string): Promise<void> {
    try {
      this.known = await api.setModel(model);
      this.failure = undefined;
    } catch (failure) {
      this.failure = problemOf(failure);
    }
  }
}

export const models = new Models();
