/**
 * Words as data. A language is one JSON file of texts with {placeholders}; a text that depends on a number n has one
 * for each CLDR plural category ("one", "other", …) and may have one for an exact number ("0").
 * intl-messageformat parses a grammar that these texts do not use; it was not tried.
 */
export type Values = Record<string, string | number>;
type Text = string | Record<string, string>;
interface Texts {
  [key: string]: Text | Texts;
}

/** {{name}} is {name} as it stands. */
const PLACE = /\{\{(\w+)\}\}|\{(\w+)\}/g;

export const isPlural = (text: Text | Texts): text is Record<string, string> =>
  typeof text === 'object' &&
  'other' in text &&
  Object.keys(text).every((key) => /^(\d+|zero|one|two|few|many|other)$/.test(key));

/** The placeholders of a text, and n where its number decides. */
export function placeholders(text: Text): string[] {
  const all = (isPlural(text) ? Object.values(text) : [text as string]).flatMap((one) =>
    [...one.matchAll(PLACE)].flatMap((match) => match[2] ?? [])
  );
  return [...new Set(isPlural(text) ? ['n', ...all] : all)];
}

/** Texts without placeholders stay as they are; each of the others becomes a function of its values. */
export function compile<Catalogue>(texts: Texts, locale: string): Catalogue {
  const plural = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  const fill = (text: string, values: Values) =>
    text.replace(PLACE, (place, plain: string | undefined, name: string) => {
      const value = plain ? `{${plain}}` : (values[name] ?? place);
      return typeof value === 'number' ? numbers.format(value) : value;
    });
  const make = (text: Text | Texts): unknown => {
    if (typeof text === 'string')
      return placeholders(text).length > 0 ? (values: Values) => fill(text, values) : fill(text, {});
    if (!isPlural(text))
      return Object.fromEntries(Object.entries(text).map(([key, inner]) => [key, make(inner)]));
    return (values: Values) => {
      const n = Number(values.n);
      return fill(text[n] ?? text[plural.select(n)] ?? text.other ?? '', values);
    };
  };
  return make(texts) as Catalogue;
}
