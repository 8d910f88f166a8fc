/** Which languages there are and which one this person reads. */
export const locales = ['en', 'de'] as const;
export type Locale = (typeof locales)[number];

/** The first of the preferred languages that there is, English otherwise. */
export function matchLocale(preferred: readonly string[]): Locale {
  for (const tag of preferred) {
    const language = tag.toLowerCase().split('-')[0];
    const found = locales.find((locale) => locale === language);
    if (found) return found;
  }
  return 'en';
}

/** The language as it is written where the person lives: dates and the clock differ between regions. */
export function regional(locale: Locale, wanted: readonly string[]): string {
  return wanted.find((one) => one.toLowerCase().startsWith(`${locale}-`)) ?? locale;
}
