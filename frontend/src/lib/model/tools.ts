/** Operations on files as a person meets them: in groups, found by words, with a form made from the schema. */
import type { ParamInfo, Params, ToolInfo } from '$lib/api/types';
import { folded, hasWords } from './find';

const toolGroups = [
  'image',
  'pdf',
  'text',
  'table',
  'file',
  'archive',
  'audio',
  'metadata',
  'plist',
  'other'
] as const;
export type ToolGroup = (typeof toolGroups)[number];

const MUSIC = ['csound', 'lilypond'];

/** Where an operation stands, by what it is done to: the part of its name before the dot. */
export function groupOf(name: string): ToolGroup {
  const domain = name.split('.')[0] ?? '';
  if (MUSIC.includes(domain)) return 'audio';
  return toolGroups.find((group) => group === domain) ?? 'other';
}

/** Operations by group, those that fit what is looked for; a group without any is left out. */
export function findTools(
  all: readonly ToolInfo[],
  query: string
): { group: ToolGroup; tools: ToolInfo[] }[] {
  const wanted = query.trim();
  const fits = ({ name, title = '', about = '', accepts }: ToolInfo) =>
    !wanted || hasWords(wanted, [name, title, about, ...accepts]);
  const rank = ({ title = '' }: ToolInfo) => (wanted && folded(title).startsWith(folded(wanted)) ? 0 : 1);
  return toolGroups
    .map((group) => ({
      group,
      tools: all
        .filter((tool) => groupOf(tool.name) === group && fits(tool))
        .sort((a, b) => rank(a) - rank(b))
    }))
    .filter(({ tools }) => tools.length > 0);
}

/** One line of a form. `list` is a list of texts; with choices, any of them. */
export type Field = Omit<ParamInfo, 'type'> & {
  type: 'string' | 'choice' | 'bool' | 'int' | 'password' | 'list';
  required: boolean;
  most?: number;
};

/** What few people need: it is folded away. */
const RARE = [
  'background',
  'dpi',
  'distance',
  'after',
  'names',
  'now',
  'replace',
  'mtimes',
  'minSize',
  'rate',
  'safe',
  'sheet',
  'delimiter'
];

interface Schema {
  type?: string;
  default?: unknown;
  enum?: string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
}

/** The form of an operation, from the JSON schema of its parameters. */
export function fieldsOf(tool: ToolInfo): Field[] {
  const { properties = {}, required = [] } = tool.params as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  const fields = Object.entries(properties).map(([name, s]): Field => {
    const words = tool.words?.[name];
    const one = { name, required: required.includes(name), ...(words ? { words } : {}) };
    if (s.type === 'array')
      return {
        ...one,
        type: 'list',
        default: s.default ?? [],
        ...(s.items?.enum ? { choices: s.items.enum } : {}),
        ...(s.maxItems === undefined ? {} : { most: s.maxItems })
      };
    if (s.enum) return { ...one, type: 'choice', default: s.default ?? s.enum[0], choices: s.enum };
    if (s.type === 'boolean') return { ...one, type: 'bool', default: s.default ?? false };
    if (s.type === 'integer')
      return {
        ...one,
        type: 'int',
        default: s.default ?? s.minimum ?? 0,
        ...(s.minimum === undefined ? {} : { min: s.minimum }),
        ...(s.maximum === undefined ? {} : { max: s.maximum })
      };
    return { ...one, type: s.format === 'password' ? 'password' : 'string', default: s.default ?? '' };
  });
  // What has to be said comes first, switches last.
  const weight = (field: Field) => (field.required ? 0 : field.type === 'bool' ? 2 : 1);
  return fields.sort((a, b) => weight(a) - weight(b));
}

export const isRare = (field: Field) => RARE.includes(field.name) && !field.required;

/** What is wrong with a value, before it is sent. */
export function faultOf(field: Field, value: unknown): 'empty' | 'whole' | 'small' | 'large' | undefined {
  if (field.type === 'int') {
    if (typeof value !== 'number' || !Number.isInteger(value)) return 'whole';
    if (field.min !== undefined && value < field.min) return 'small';
    if (field.max !== undefined && value > field.max) return 'large';
  } else if (
    field.required &&
    (Array.isArray(value) ? value.length === 0 : value === '' || value === undefined)
  ) {
    return 'empty';
  }
  return undefined;
}

/** Only what differs from what the operation does by itself; the name of a choice without a default always. */
export function paramsOf(fields: readonly Field[], values: Params): Params {
  return Object.fromEntries(
    fields
      .filter(
        (field) => field.required || JSON.stringify(values[field.name]) !== JSON.stringify(field.default)
      )
      .map((field) => [field.name, values[field.name]])
  );
}

/** Whether what is made is one file, which needs an ending, and not files in a folder (app/toolcall.go). */
export function makesFile(tool: ToolInfo, inputs: number, values: Params): boolean {
  if (tool.out === 'file') return true;
  if (tool.out !== 'each') return false;
  const names = values.names;
  const named = Array.isArray(names) && names.length > 0;
  return (inputs <= 1 && !named) || (tool.name === 'image.convert' && values.format === 'pdf');
}

const ENDINGS: Record<string, string> = {
  jpeg: 'jpg',
  tiff: 'tif',
  text: 'txt',
  binary: 'plist',
  xml: 'plist',
  openstep: 'plist'
};

/** Pictures that stay what they are; others become the first where they should. */
const WRITTEN = ['jpg', 'jpeg', 'png', 'webp', 'tif', 'tiff', 'gif'];

/**
 * A name for what is made: the person may choose another, the operation does not look at it. Named as the
 * controller names what is kept with the task (app/toolcall/testdata/toolnames.json), and never as the input beside it.
 */
export function nameFor(tool: ToolInfo, first: string, file: boolean, values: Params): string {
  const dot = first.lastIndexOf('.');
  const stem = dot > 0 ? first.slice(0, dot) : first;
  const own = dot > 0 ? first.slice(dot + 1) : '';
  const ending = file ? endingOf(tool.name, own, values.format ?? values.to) : '';
  const name = ending ? `${stem}.${ending}` : stem;
  if (name !== first) return name;
  return ending ? `${stem} 2.${ending}` : `${stem} 2`;
}

function endingOf(operation: string, own: string, kind: unknown): string {
  if (kind === 'same') return WRITTEN.includes(own.toLowerCase()) ? own : 'jpg';
  if (typeof kind === 'string') return ENDINGS[kind] ?? kind;
  if (operation === 'text.extract' || operation === 'pdf.text') return 'txt';
  return operation.startsWith('pdf.') ? 'pdf' : own;
}

/** A place in a folder, with the separator of this computer. */
export function joinPath(folder: string, name: string): string {
  const separator = /^[A-Za-z]:|^\\\\/.test(folder) ? '\\' : '/';
  return folder.replace(/[/\\]+$/, '') + separator + name;
}

/** The folder that a file lies in. */
export function folderOf(path: string): string {
  const cut = path.replace(/[/\\]+$/, '').replace(/[/\\][^/\\]*$/, '');
  return /^[A-Za-z]:$/.test(cut) ? `${cut}\\` : cut || '/';
}

/** Those that were chosen and some more, each once. */
export const joined = (chosen: readonly string[], more: readonly string[]): string[] => [
  ...new Set([...chosen, ...more.map((path) => path.trim()).filter(Boolean)])
];
