/** The words of the window in the person's language. */
import { compile } from './compile';
import { makeFormat, type Format } from './format';
import { matchLocale, regional, type Locale } from './locale';
import type { Messages } from './messages.gen';

const load = {
  en: () => import('./en.json'),
  de: () => import('./de.json')
} satisfies Record<Locale, unknown>;

interface Language {
  locale: Locale;
  words: Messages;
  format: Format;
}

let current = $state.raw<Language>();

function language(): Language {
  if (!current) throw new Error('no language is loaded');
  return current;
}

/** The present language's words and formats. Reading them in a component follows a change. */
export const i18n = {
  get locale(): Locale {
    return language().locale;
  },
  get m(): Messages {
    return language().words;
  },
  get f(): Format {
    return language().format;
  }
};

/** The words for a name that came from outside, if there are any. */
export function pick<T>(words: Record<string, T>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(words, name) ? words[name] : undefined;
}

/** Loads a language, or the one that the system prefers, and makes it the present one. */
export async function useLocale(chosen: Locale | 'system'): Promise<void> {
  const locale = chosen === 'system' ? matchLocale(navigator.languages) : chosen;
  const words = compile<Messages>((await load[locale]()).default, locale);
  current = { locale, words, format: makeFormat(regional(locale, navigator.languages), words.time) };
  document.documentElement.lang = locale;
}
