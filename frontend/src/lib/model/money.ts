/** What a task cost. Amounts are millionths of a US dollar, as the controller counts. */
import { i18n } from '$lib/i18n/index.svelte';

const MICROS = 1_000_000;
const CENT = 10_000;

export function money(amount: number): string {
  if (amount === 0) return i18n.m.ai.usage.free;
  if (amount < CENT) return i18n.m.ai.usage.cents;
  return new Intl.NumberFormat(i18n.locale, { style: 'currency', currency: 'USD' }).format(amount / MICROS);
}

const AMOUNT = /^(?:us)?\$? ?(\d{0,6})(?:[.,](\d{1,2}))? ?(?:\$|us\$|usd|dollars?)?$/i;

/**
 * The amount that somebody wrote: "5", "0,50", "$5", "5 USD". 0 when nothing is
 * written, undefined when it is no amount above zero: nobody guesses what was meant.
 */
export function amountOf(written: string): number | undefined {
  const text = written.trim();
  if (!text) return 0;
  const [, whole, cents] = AMOUNT.exec(text) ?? [];
  const amount = Number(whole || 0) * MICROS + Number((cents ?? '').padEnd(2, '0')) * CENT;
  return amount > 0 ? amount : undefined;
}
