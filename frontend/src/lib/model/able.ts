/** What is known of what a model can do, in a line; empty when nothing is. */
import type { ModelInfo } from '$lib/api/types';
import { i18n } from '$lib/i18n/index.svelte';

export function ableWords(model: ModelInfo): string {
  const words = i18n.m.ai.able;
  const parts = [
    model.images === undefined ? '' : model.images ? words.pictures : words.noPictures,
    model.thinks ? words.thinks : '',
    model.context ? words.context({ n: i18n.f.number(model.context) }) : ''
  ].filter(Boolean);
  const line = parts.join(', ');
  return line && `${line[0]?.toUpperCase()}${line.slice(1)}.`;
}
