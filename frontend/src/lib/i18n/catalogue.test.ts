// The words: complete in every language, for every code that the Go side knows, and in the language of the people they are for.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile, isPlural, placeholders } from './compile';
import germanWords from './de.json';
import englishWords from './en.json';
import type { Messages } from './messages.gen';

const root = join(process.cwd(), '..'); // vitest runs in frontend/

/** String constants of a Go package whose names match. */
function constants(dir: string, name: RegExp): string[] {
  const found: string[] = [];
  for (const file of readdirSync(join(root, dir))) {
    if (!file.endsWith('.go') || file.endsWith('_test.go')) continue;
    const source = readFileSync(join(root, dir, file), 'utf8');
    for (const [, constant, value] of source.matchAll(/^\s*(\w+)(?:\s+\w+)?\s*=\s*"([a-z0-9-]+)"/gm)) {
      if (constant && value && name.test(constant)) found.push(value);
    }
  }
  return [...new Set(found)];
}

it('has words for every check of the Go side', () => {
  const codes = constants('app/setup', /^Check(?!Passed$|Failed$|Unknown$|Skipped$)[A-Z]/);
  expect(codes.length).toBeGreaterThan(2);
  expect(codes.filter((code) => !(code in englishWords.checks))).toEqual([]);
});

const en = compile<Messages>(englishWords, 'en');
const de = compile<Messages>(germanWords, 'de');
const languages: [string, Messages][] = [
  ['en', en],
  ['de', de]
];

/** Every text of a catalogue, with functions called for one and for many. */
function texts(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    const call = value as (...args: unknown[]) => unknown;
    const calls = [[{ n: 1 }], [{ n: 3 }]];
    return calls.flatMap((args) => texts(call(...args), `${path}(${JSON.stringify(args[0])})`));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => texts(inner, `${path}.${key}`));
}

/** Paths of everything, so that two catalogues can be compared. */
function shape(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}: ${typeof value}`];
  return Object.entries(value).flatMap(([key, inner]) => shape(inner, `${path}.${key}`));
}

/** Each text of the data, with its placeholders and the numbers it tells apart. */
function leaves(words: object, path = ''): Map<string, { places: string[]; counts: string[] }> {
  const all = new Map<string, { places: string[]; counts: string[] }>();
  for (const [key, text] of Object.entries(words) as [string, string | Record<string, string>][])
    if (typeof text === 'string' || isPlural(text))
      all.set(`${path}.${key}`, {
        places: placeholders(text).sort(),
        counts: typeof text === 'string' ? [] : Object.keys(text).sort()
      });
    else for (const [inner, leaf] of leaves(text, `${path}.${key}`)) all.set(inner, leaf);
  return all;
}

describe.each([
  ['en', englishWords],
  ['de', germanWords]
])('words of %s', (locale, words) => {
  it('has the texts and placeholders of English', () => {
    const places = (all: ReturnType<typeof leaves>) => [...all].map(([path, leaf]) => [path, leaf.places]);
    expect(places(leaves(words))).toEqual(places(leaves(englishWords)));
  });

  it('has every plural category of the language, and no other', () => {
    const categories = new Intl.PluralRules(locale).resolvedOptions().pluralCategories.toSorted();
    for (const [path, { counts }] of leaves(words))
      if (counts.length > 0)
        expect(
          counts.filter((one) => !/^\d+$/.test(one)),
          path
        ).toEqual(categories);
  });
});

describe.each(languages)('catalogue %s', (_locale, catalogue) => {
  const all = texts(catalogue);

  it('has the same words as the others', () => {
    expect(shape(catalogue).sort()).toEqual(shape(en).sort());
  });

  it('has no empty text where something is to be said', () => {
    expect(all.filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('speaks of people’s things, not of machinery', () => {
    const machinery =
      /\b(VM|VMs|virtual machine|virtuelle Maschine|container|mount(ed)?|RPC|job|QEMU|guest agent)\b/i;
    expect(all.filter(([, text]) => machinery.test(text))).toEqual([]);
  });

  it('has no buttons that only say OK or Cancel', () => {
    const answers = '.tools.answers'; // what is told of a file, no button
    expect(
      all.filter(
        ([path, text]) =>
          /^(ok|okay|cancel|abbrechen|yes|no|ja|nein)$/i.test(text) && !path.startsWith(answers)
      )
    ).toEqual([]);
  });
});

it('the languages differ', () => {
  const english = new Map(texts(en));
  const sentence = /[a-z]{3,}\W.*\b[a-z]{3,}/i;
  const same = texts(de).filter(
    ([path, text]) => english.get(path) === text && sentence.test(text.replace(/\{\w+\}/g, ''))
  );
  expect(same).toEqual([]);
});

describe('the words', () => {
  // By the paths that the window's code reads: from i18n.m, or from what it calls a part of it.
  const PATH = String.raw`((?:\.[A-Za-z_]\w*|\['[\w-]+'\])*)`;
  const plain = (path: string) => path.replace(/\['([\w-]+)'\]/g, '.$1');
  /** Parts that are handed on whole. */
  const WHOLE = ['.time', '.settingsPages.privacy'];

  function pathsIn(code: string): string[] {
    const names = new Map([['i18n.m', '']]);
    for (let round = 0; round < 3; round++)
      for (const [, name = '', of = '', path = ''] of code.matchAll(
        new RegExp(
          String.raw`(?:let|const) (\w+)(?:: [^=]+)? = (?:\$derived\()?(i18n\.m|\w+)${PATH}\)?;`,
          'g'
        )
      )) {
        const base = names.get(of);
        if (base !== undefined) names.set(name, base + plain(path));
      }
    return [...names].flatMap(([name, base]) =>
      [...code.matchAll(new RegExp(String.raw`(?<![\w.])${name.replace('.', '\\.')}${PATH}([^]?)`, 'g'))]
        .filter(([, path, next = '']) => path || next === '[')
        .map(([, path = '']) => base + plain(path))
    );
  }

  it('are all said somewhere', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.(ts|svelte)$/.test(name) && !/\.(test|gen)\.ts$/.test(name)
    );
    const said = new Set(files.flatMap((name) => pathsIn(readFileSync(`src/${name}`, 'utf8'))));
    const all = texts(en).map(([path]) => path.replace(/\(.*/, ''));
    const isSaid = (path: string) =>
      WHOLE.some((part) => path.startsWith(part)) ||
      [...said].some((one) => path === one || path.startsWith(`${one}.`));
    expect(all.length).toBeGreaterThan(1000);
    expect(all.filter((path) => !isSaid(path))).toEqual([]);
  });
});
