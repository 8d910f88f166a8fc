/** What a task cost. Amounts are millionths of a US dollar, as the controller counts. */
import { i18n } from '$lib/i18n/index.svelte';

const MICROS = 1_000_000;
const CENT = 10_000;

export function money(amount: number): string {
  if (amount === 0) return i18n.m.ai.usage.free;
  if (amount < CENT) return i18n.m.ai.usage.cents;
  return new Intl.NumberFormat(i18n.locale, { style: 'currency', currency: 'USD' }).format(amount / MICROS);
}
