import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Params, ToolInfo } from '$lib/api/types';
import {
  faultOf,
  fieldsOf,
  findTools,
  folderOf,
  groupOf,
  joinPath,
  makesFile,
  nameFor,
  paramsOf
} from './tools';
import { toldOf } from './report';
import { said } from '../../test/controller';

/** What the controller answers, as its own tests hold it. */
const catalogue = said(JSON.parse(readFileSync('../app/api/testdata/tools.json', 'utf8')) as ToolInfo[]);
const tool = (name: string) => {
  const found = catalogue.find((one) => one.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
};

describe('the list of tools', () => {
  const found = (query: string) =>
    findTools(catalogue, query).flatMap((part) => part.tools.map((one) => one.name));

  it('has all of them, each in the group of what it is about', () => {
    expect(found('').sort()).toEqual(catalogue.map((one) => one.name).sort());
    expect(findTools(catalogue, '').map(({ group }) => group)).not.toContain('other');
    expect(groupOf('csound.perform')).toBe('audio');
    expect(groupOf('brand.new')).toBe('other');
  });

  it('is found by name, by description, by what is used, and by the name that programs use', () => {
    expect(found('combines')).toEqual(['image.convert', 'pdf.merge', 'table.merge']);
    expect(found('heic')).toContain('image.convert');
    expect(found('pdf.merge')).toEqual(['pdf.merge']);
    expect(found('no such thing')).toEqual([]);
  });
});

describe('the form of a tool', () => {
  it('has a field for each parameter, what is needed first and switches last', () => {
    const fields = fieldsOf(tool('table.clean'));
    expect(fields[0]).toMatchObject({ name: 'to', type: 'choice', required: true, default: 'csv' });
    expect(fields.find((field) => field.name === 'columns')).toMatchObject({ type: 'list', most: 1000 });
    expect(fields.at(-1)?.type).toBe('bool');
    expect(fieldsOf(tool('image.info'))).toEqual([]);
    expect(fieldsOf(tool('pdf.protect')).find((field) => field.name === 'password')).toMatchObject({
      type: 'password',
      required: true
    });
    expect(fieldsOf(tool('image.resize')).find((field) => field.name === 'quality')).toMatchObject({
      type: 'int',
      min: 1,
      max: 100,
      default: 85
    });
  });

  it('knows what does not fit before it is sent', () => {
    const number = { name: 'n', type: 'int', required: false, default: 1, min: 1, max: 9 } as const;
    expect([0, 1, 9, 10, 1.5, '3'].map((value) => faultOf(number, value))).toEqual([
      'small',
      undefined,
      undefined,
      'large',
      'whole',
      'whole'
    ]);
    const list = { name: 'l', type: 'list', required: true, default: [] } as const;
    expect(faultOf(list, [])).toBe('empty');
    expect(faultOf(list, ['/a'])).toBeUndefined();
    expect(faultOf({ ...list, required: false }, [])).toBeUndefined();
  });

  it('sends what was chosen, and what has no default', () => {
    const fields = fieldsOf(tool('image.convert'));
    const values = Object.fromEntries(fields.map((field) => [field.name, field.default]));
    expect(paramsOf(fields, values)).toEqual({ format: 'pdf' });
    expect(paramsOf(fields, { ...values, format: 'png', dpi: 300 })).toEqual({ format: 'png', dpi: 300 });
  });
});

describe('the name of what is made', () => {
  it.each([
    ['image.convert', 'Sea.HEIC', 1, { format: 'jpeg' }, 'Sea.jpg'],
    ['image.convert', 'Sea.HEIC', 9, { format: 'pdf' }, 'Sea.pdf'],
    ['image.convert', 'Sea.HEIC', 9, { format: 'png' }, 'Sea'],
    ['image.resize', 'Sea.png', 1, { format: 'same' }, 'Sea 2.png'],
    ['pdf.merge', 'May.pdf', 2, {}, 'May 2.pdf'],
    ['pdf.text', 'May.pdf', 1, {}, 'May.txt'],
    ['pdf.split', 'May.pdf', 1, {}, 'May'],
    ['plist.convert', 'a.json', 1, { to: 'binary' }, 'a.plist'],
    ['archive.create', 'Letters', 1, { format: 'tar.gz' }, 'Letters.tar.gz'],
    ['archive.extract', '.hidden', 1, {}, '.hidden 2']
  ])('%s of %s (%i): %o', (name, first, inputs, values, wanted) => {
    expect(nameFor(tool(name), first, makesFile(tool(name), inputs, values), values)).toBe(wanted);
  });

  // What the controller itself names, for every operation; beside its input it would be in the way.
  const named = JSON.parse(readFileSync('../app/toolcall/testdata/toolnames.json', 'utf8')) as {
    op: string;
    in: string[];
    params: Params;
    name: string;
  }[];
  it.each(named.map((row) => [JSON.stringify(row), row] as const))('%s', (_, row) => {
    const file = makesFile(tool(row.op), row.in.length, row.params);
    const beside = row.name.replace(/(\.[^.]*)?$/, ' 2$1');
    const wanted = row.name === row.in[0] ? beside : row.name;
    expect(nameFor(tool(row.op), row.in[0] ?? '', file, row.params)).toBe(wanted);
  });

  it('stands in a folder of this system', () => {
    expect(joinPath('/home/anna/', 'a.pdf')).toBe('/home/anna/a.pdf');
    expect(joinPath('C:\\Users\\Anna', 'a.pdf')).toBe('C:\\Users\\Anna\\a.pdf');
    expect(folderOf('/a.pdf')).toBe('/');
    expect(folderOf('C:\\a.pdf')).toBe('C:\\');
    expect(folderOf('/home/anna/a.pdf')).toBe('/home/anna');
  });
});

describe('what a tool tells', () => {
  it('is facts of each file, of any shape', () => {
    expect(
      toldOf([
        {
          path: '/folders/Sea/a.jpg',
          size: 12,
          alpha: false,
          sheets: ['a', 'b'],
          taken: '2026-06-01T11:20:00Z',
          tags: { 'EXIF:Make': 'X' },
          note: ''
        },
        { path: '/t.csv', columns: [{ name: 'n', kind: 'text', empty: 0 }], sample: [['1', '2']] },
        'odd',
        null
      ])
    ).toEqual([
      {
        path: '/folders/Sea/a.jpg',
        facts: [
          { name: 'size', kind: 'bytes', bytes: 12 },
          { name: 'alpha', kind: 'yes', yes: false },
          { name: 'sheets', kind: 'text', text: 'a, b' },
          { name: 'taken', kind: 'text', text: '2026-06-01 11:20:00' },
          { name: 'EXIF:Make', kind: 'text', text: 'X' }
        ]
      },
      {
        path: '/t.csv',
        facts: [
          {
            name: 'columns',
            kind: 'things',
            things: [
              {
                facts: [
                  { name: 'name', kind: 'text', text: 'n' },
                  { name: 'kind', kind: 'text', text: 'text' },
                  { name: 'empty', kind: 'text', text: '0' }
                ]
              }
            ]
          },
          { name: 'sample', kind: 'rows', rows: [['1', '2']] }
        ]
      },
      { facts: [{ name: '', kind: 'text', text: 'odd' }] },
      { facts: [] }
    ]);
  });
});
