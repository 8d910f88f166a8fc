/** How a file is shown, by its name, and its bytes as what is shown. */

export type PreviewKind = 'image' | 'pdf' | 'table' | 'markdown' | 'text' | 'html' | 'none';

/** The type that a browser needs to know a picture by. An SVG in a picture element runs nothing. */
const PICTURES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  svg: 'image/svg+xml'
};
const KINDS: Record<string, PreviewKind> = {
  pdf: 'pdf',
  csv: 'table',
  tsv: 'table',
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
  txt: 'text',
  log: 'text',
  json: 'text',
  jsonl: 'text',
  xml: 'text',
  yaml: 'text',
  yml: 'text',
  ini: 'text',
  toml: 'text',
  srt: 'text',
  vcf: 'text',
  ics: 'text',
  tex: 'text',
  ly: 'text',
  csd: 'text',
  py: 'text',
  js: 'text',
  sh: 'text',
  css: 'text',
  plist: 'text'
};

function ending(path: string): string {
  return /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

export function pictureType(path: string): string | undefined {
  return PICTURES[ending(path)];
}

export const TEXT_BYTES = 1_000_000; // of a text, from its beginning
const WHOLE_BYTES = 60_000_000; // of what can only be shown whole

export function previewKind(path: string, size: number): PreviewKind {
  const end = ending(path);
  const kind = PICTURES[end] ? 'image' : (KINDS[end] ?? 'none');
  return (kind === 'image' || kind === 'pdf') && size > WHOLE_BYTES ? 'none' : kind;
}

/** Bytes as text: by their mark, as UTF-8, and otherwise as Western European programs write. */
export function decodeText(bytes: Uint8Array, cut: boolean): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    // A letter that was cut in two is not the fault of the file.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const DELIMITERS = [',', ';', '\t', '|'];

/** The sign between cells: the one that the first line has most of, outside of quotes. */
export function delimiterOf(text: string): string {
  const line = (/^(?:"(?:[^"]|"")*"|[^\r\n"])*/.exec(text)?.[0] ?? '').replace(/"(?:[^"]|"")*"/g, '');
  const count = (sign: string) => line.split(sign).length;
  return DELIMITERS.reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

/** Cells as in RFC 4180, at most so many rows; the last row of a text that was cut may be a part of one. */
export function parseTable(text: string, most: number): string[][] {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const delimiter = delimiterOf(source);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < source.length && rows.length < most; i++) {
    const sign = source[i] ?? '';
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (source[i + 1] === '"') cell += source[++i] ?? '';
      else quoted = false;
    } else if (sign === '"' && cell === '') quoted = true;
    else if (sign === delimiter) {
      row.push(cell);
      cell = '';
    } else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && source[i + 1] === '\n') i++;
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += sign;
  }
  if (rows.length < most && (cell || row.length > 0)) rows.push([...row, cell]);
  return rows.filter((cells) => cells.length > 1 || cells[0] !== '');
}
