/** Numbers, sizes and times as a person says them. */
import type { Messages } from './messages.gen';

const UNITS = ['kB', 'MB', 'GB', 'TB'];

export interface Format {
  number(n: number): string;
  bytes(n: number): string;
  /** Exact enough for what is over: "12 seconds", "about 4 minutes". */
  duration(ms: number): string;
  /** As rough as a guess is: "about 20 seconds", "about 2 minutes". */
  estimate(ms: number): string;
  /** "5 minutes ago", or the date when it is long ago. */
  ago(time: string, now: number): string;
  /** A date: "2 Jan 2026". */
  day(time: string): string;
  clock(time: string): string;
  /** "PDF, PNG or SVG" */
  any(words: readonly string[]): string;
}

/** locale: a language, with the region if one is known: "en-GB". */
export function makeFormat(locale: string, words: Messages['time']): Format {
  const plain = new Intl.NumberFormat(locale);
  const short = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const any = new Intl.ListFormat(locale, { type: 'disjunction' });
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

  const minutesOrHours = (ms: number) => {
    const minutes = Math.round(ms / 60_000);
    return minutes < 60
      ? words.aboutMinutes({ n: Math.max(1, minutes) })
      : words.aboutHours({ n: Math.round(minutes / 60) });
  };

  return {
    number: (n) => plain.format(n),
    bytes(n) {
      if (n < 1000) return `${plain.format(n)} B`;
      const power = Math.min(UNITS.length, Math.floor(Math.log10(n) / 3));
      const value = n / 1000 ** power;
      return `${value < 10 ? short.format(value) : plain.format(Math.round(value))} ${UNITS[power - 1]}`;
    },
    duration(ms) {
      const seconds = Math.round(ms / 1000);
      if (seconds < 1) return words.moment;
      return seconds < 60 ? words.seconds({ n: seconds }) : minutesOrHours(ms);
    },
    estimate(ms) {
      if (ms < 55_000) return words.aboutSeconds({ n: Math.max(5, Math.ceil(ms / 5000) * 5) });
      return minutesOrHours(ms);
    },
    ago(time, now) {
      const ms = now - Date.parse(time);
      if (ms < 45_000) return words.now;
      if (ms < 3_600_000) return relative.format(-Math.max(1, Math.round(ms / 60_000)), 'minute');
      if (ms < 86_400_000) return relative.format(-Math.round(ms / 3_600_000), 'hour');
      if (ms < 7 * 86_400_000) return relative.format(-Math.round(ms / 86_400_000), 'day');
      return day.format(new Date(time));
    },
    day: (time) => day.format(new Date(time)),
    clock: (time) => clock.format(new Date(time)),
    any: (words) => any.format(words)
  };
}
