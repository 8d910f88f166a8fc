/** What an operation tells of files, as lines a person reads. The shapes are those of package tools. */

/** One file or thing that is told of. */
export interface Told {
  /** The file it is about, as the workroom names it. */
  path?: string;
  facts: Fact[];
}

export type Fact = { name: string } & (
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; bytes: number }
  | { kind: 'yes'; yes: boolean }
  | { kind: 'rows'; rows: string[][] }
  | { kind: 'things'; things: Told[] }
);

const BYTES = ['size', 'bytes', 'spare'];
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A time as cameras have it, without a zone, and as the form of metadata takes it. */
const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)Z$/;

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (isObject(value)) return Object.values(value).map(plain).filter(Boolean).join(' · ');
  if (typeof value === 'string') return value.replace(TIME, '$1 $2');
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function factOf(name: string, value: unknown): Fact[] {
  if (typeof value === 'boolean') return [{ name, kind: 'yes', yes: value }];
  if (typeof value === 'number' && BYTES.includes(name)) return [{ name, kind: 'bytes', bytes: value }];
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    if (value.every(Array.isArray)) return [{ name, kind: 'rows', rows: value.map((row) => row.map(plain)) }];
    if (value.every(isObject)) return [{ name, kind: 'things', things: value.map(tell) }];
  }
  // Tags of a file by their own names.
  if (isObject(value)) return Object.entries(value).flatMap(([key, inner]) => factOf(key, inner));
  const text = plain(value);
  return text ? [{ name, kind: 'text', text }] : [];
}

function tell(value: unknown): Told {
  if (!isObject(value)) return { facts: factOf('', value) };
  const { path, ...rest } = value;
  return {
    ...(typeof path === 'string' ? { path } : {}),
    facts: Object.entries(rest).flatMap(([name, inner]) => factOf(name, inner))
  };
}

export const toldOf = (info: readonly unknown[]): Told[] => info.map(tell);
