/** The models that can do a task in a person's own words, and the keys for them. */
import { api, problemOf } from '$lib/api/client';
import type { KeyInfo, ModelInfo, Models as Record_, ModelWord, Problem } from '$lib/api/types';
import { Order } from '$lib/model/order';

const MODELS = 'models';
const KEYS = 'keys';

class Models {
  known = $state.raw<Record_>();
  keys = $state.raw<KeyInfo[]>();
  failure = $state.raw<Problem>();
  /** How often a file was asked for in place of the keychain. */
  fileWanted = $state(0);
  readonly #order = new Order();
  #changes = 0;

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
    const asked = this.#order.ask();
    // Without them a home without a field is what remains; settings say why.
    const known = await api.models().catch(() => undefined);
    if (this.#order.take(MODELS, asked)) this.known = known;
  }

  async loadKeys(): Promise<void> {
    const asked = this.#order.ask();
    try {
      const keys = await api.keys();
      if (!this.#order.take(KEYS, asked)) return;
      this.keys = keys;
      this.failure = undefined;
    } catch (failure) {
      if (this.#order.take(KEYS, asked)) this.failure = problemOf(failure);
    }
  }

  /** Says what a model of one's own service can do. */
  say(word: ModelWord): Promise<void> {
    return this.#change(() => api.sayOfModel(word));
  }

  choose(model: string): Promise<void> {
    return this.#change(() => api.setModel(model));
  }

  /** What the last change answers with is newer than all that was asked for until then. */
  async #change(change: () => Promise<Record_>): Promise<void> {
    const turn = ++this.#changes;
    try {
      const known = await change();
      if (turn !== this.#changes) return;
      this.#order.know(MODELS);
      this.known = known;
      this.failure = undefined;
    } catch (failure) {
      this.failure = problemOf(failure);
    }
  }
}

export const models = new Models();
