// The words: complete in every language, for every code that the Go side knows, and in the language of the people they are for.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Catalogue } from './catalogue';
import {
  accelCauses,
  channelFaults,
  checkCodes,
  fixCodes,
  packFaults,
  problemCodes,
  products,
  refusals,
  restarts,
  steps,
  transferFaults,
  undoReasons
} from './codes';
import { isPlural, placeholders } from './compile';
import de from './de/index';
import germanWords from './de.json';
import en from './en/index';
import englishWords from './en.json';

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

describe('codes of the Go side', () => {
  it.each([
    ['problems', 'app/problem', /^Code[A-Z]/, problemCodes],
    ['problems of the API', 'app/api', /^Code[A-Z]/, problemCodes],
    ['fixes', 'app/problem', /^Fix(?!Action$|Link$|Command$)[A-Z]/, fixCodes],
    ['causes', 'app/setup', /^Cause[A-Z]/, accelCauses],
    ['products', 'app/setup', /^Outer[A-Z]/, products],
    ['restarts', 'app/problem', /^Restart[A-Z]/, restarts],
    ['checks', 'app/setup', /^Check(?!Passed$|Failed$|Unknown$|Skipped$)[A-Z]/, checkCodes],
    ['faults of a pack', 'pack/spec', /^Kind[A-Z]/, packFaults],
    ['faults of a channel', 'pack/trust/channel', /^Kind[A-Z]/, channelFaults],
    ['faults of a transfer', 'pack/update', /^Code[A-Z]/, transferFaults]
  ] as const)('%s all have words', (_name, dir, pattern, known) => {
    const codes = constants(dir, pattern);
    expect(codes.length).toBeGreaterThan(2);
    expect(codes.filter((code) => !(known as readonly string[]).includes(code))).toEqual([]);
  });

  it('lists no code twice', () => {
    for (const list of [
      problemCodes,
      fixCodes,
      checkCodes,
      accelCauses,
      products,
      packFaults,
      channelFaults,
      transferFaults,
      refusals,
      steps,
      undoReasons
    ])
      expect(new Set(list).size).toBe(list.length);
  });
});

/** What is known of a computer at most. */
const everything = {
  accel: 'kvm',
  outer: 'vmware',
  holder: 'virtualbox',
  confined: 'snap',
  group: 'kvm',
  blocked: '/etc/modprobe.d/x.conf',
  firmwareKey: 'F2',
  firmwarePath: 'Advanced > SVM Mode'
};

const languages: [string, Catalogue][] = [
  ['en', en],
  ['de', de]
];

/** Every text of a catalogue, with functions called for one and for many. */
function texts(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    const call = value as (...args: unknown[]) => unknown;
    const fromOutside = ['.problems', '.checks', '.steps'].some((part) => path.startsWith(part));
    const calls = fromOutside
      ? [[{ path: '/a/b.jpg', cpuFlag: '' }, 'kvm-missing']]
      : [[{ n: 1 }], [{ n: 3 }]];
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
    expect(all.filter(([path, text]) => text.trim() === '' && !path.startsWith('.otherChore.about'))).toEqual(
      []
    );
  });

  it('says what happened and what it means, for every problem, cause and parameter', () => {
    for (const code of problemCodes) {
      for (const params of [{}, { path: '/home/anna/Sea/a.jpg' }, { path: 7, folders: 'x' }]) {
        const { title, meaning } = catalogue.problems[code](params, '');
        expect(title, code).toMatch(/\S/);
        expect(meaning, code).toMatch(/[.!]$/);
        expect(`${title} ${meaning}`).not.toMatch(/undefined|null|NaN|\[object|“”|„“/);
      }
    }
    for (const refusal of refusals)
      expect(catalogue.problems['folder-refused']({ path: '/x' }, refusal).meaning).not.toBe(
        catalogue.problems['folder-refused']({ path: '/x' }, '').meaning
      );
    for (const fault of packFaults)
      expect(catalogue.problems['pack-invalid']({}, fault).meaning.length).toBeGreaterThan(
        catalogue.problems['pack-invalid']({}, '').meaning.length
      );
    const meaning = (code: (typeof problemCodes)[number], cause: string) =>
      catalogue.problems[code]({}, cause).meaning;
    for (const fault of channelFaults.filter(
      (f) => !['unreachable', 'not-offered', 'needs-newer-form'].includes(f)
    ))
      expect(meaning(fault === 'stale' ? 'update-offline' : 'update-invalid', fault), fault).not.toBe(
        meaning(fault === 'stale' ? 'update-offline' : 'update-invalid', '')
      );
    for (const fault of transferFaults) {
      if (['no-mirror', 'disk-full', 'wrong-content'].includes(fault)) continue; // their problem says it all
      const told = (['download-failed', 'download-invalid', 'update-settings'] as const).some(
        (code) => meaning(code, fault) !== meaning(code, '')
      );
      expect(told, fault).toBe(true);
    }
    for (const accel of ['kvm', 'whpx', 'hvf']) {
      const titles = accelCauses.map((cause) => {
        const code = cause === 'guest-arch' ? cause : `${accel}-${cause}`;
        for (const params of [{}, everything]) {
          const { title, meaning } = catalogue.problems['accel-unavailable'](params, code);
          expect(`${title} ${meaning}`, code).not.toMatch(/undefined|null|NaN|\[object|\(\)/);
          expect(meaning, code).toMatch(/\.$/);
        }
        return catalogue.problems['accel-unavailable']({}, code).title;
      });
      expect(new Set(titles).size).toBe(accelCauses.length);
    }
    expect(catalogue.problems['accel-unavailable']({}, 'kvm-brandnew').title).toBe(
      catalogue.problems['accel-unavailable']({}, 'kvm-unexplained').title
    );
    for (const [code, step] of Object.entries(catalogue.steps))
      for (const params of [{}, everything, { outer: 'cloud' }])
        for (const line of step(params)) {
          expect(line, code).toMatch(/\S/);
          expect(line, code).not.toMatch(/undefined|null|\[object|\(\)/);
        }
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
