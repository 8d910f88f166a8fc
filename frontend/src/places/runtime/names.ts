/** What add-ons are called. */
import { i18n } from '$lib/i18n/index.svelte';

export function addOnName(name: string): string {
  return i18n.m.runtime.addOn[name]?.name ?? name;
}
