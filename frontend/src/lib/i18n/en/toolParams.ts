import type { ParamsWords } from '../tools';

const readers = {
  off: 'only written words',
  eng: 'English',
  deu: 'German',
  'eng+deu': 'English and German'
};

/** What can be said to an operation. */
export const toolParams: ParamsWords = {
  after: {
    label: 'Go on after',
    hint: 'What the answer before named as its last: the list goes on after it. For very long answers.'
  },
  all: { label: 'Everything there is', hint: 'Otherwise only what people usually ask for.' },
  angle: { label: 'Turn by', hint: '90, 180 or 270 degrees, clockwise.' },
  archives: { label: 'Old archives into a folder of their own' },
  author: { label: 'Author', hint: 'What is left empty stays as it is.' },
  background: {
    label: 'Where a picture is transparent',
    choices: { white: 'white', black: 'black' }
  },
  by: {
    label: 'Folders',
    choices: {
      kind: 'by kind',
      month: 'by month',
      year: 'by year',
      'kind-month': 'by kind and month',
      'taken-month': 'by month the photo was taken',
      'taken-year': 'by year the photo was taken'
    }
  },
  case: { label: 'Letters', choices: { keep: 'as they are', lower: 'all small', upper: 'all capital' } },
  columns: {
    label: 'Columns to keep',
    hint: 'One name in each line, in the order you want. Empty keeps all.'
  },
  copyright: { label: 'Copyright' },
  days: { label: 'Old means: not changed for this many days' },
  delimiter: {
    label: 'Between the columns',
    choices: { auto: 'find out', comma: 'comma', semicolon: 'semicolon', tab: 'tab', pipe: 'vertical bar' }
  },
  description: { label: 'Description' },
  distance: {
    label: 'How different similar pictures may be',
    hint: '0 finds only those that look just the same, 16 also rather different ones.'
  },
  dpi: { label: 'Fineness, in dots per inch', hint: 'More is sharper, larger and slower.' },
  dropEmpty: { label: 'Leave out empty rows and columns' },
  duplicates: { label: 'Leave out rows that were there before' },
  empty: { label: 'Empty folders, too' },
  enlarge: { label: 'Make smaller pictures larger, too' },
  every: { label: 'Pages in each part' },
  files: { label: 'Files, too', hint: 'Otherwise only folders that are empty.' },
  find: { label: 'Replace in the old name' },
  fit: {
    label: 'When the shape is another',
    choices: { inside: 'keep the whole picture', cover: 'cut the edges off', exact: 'stretch it' }
  },
  force: { label: 'Also read PDFs that have words already' },
  format: {
    label: 'Make it',
    choices: {
      same: 'the same kind',
      pdf: 'PDF',
      jpeg: 'JPEG',
      png: 'PNG',
      webp: 'WebP',
      tiff: 'TIFF',
      gif: 'GIF',
      zip: 'ZIP',
      tar: 'TAR',
      'tar.gz': 'TAR, packed with gzip',
      'tar.zst': 'TAR, packed with Zstandard'
    }
  },
  from: {
    label: 'Which pictures',
    choices: { embedded: 'those that are in it', pages: 'one of each page' }
  },
  header: { label: 'The first row has the names of the columns' },
  height: { label: 'Height, in pixels', hint: '0: as it follows from the width.' },
  installers: { label: 'Old installers into a folder of their own' },
  keepDate: { label: 'Keep when it was taken' },
  keywords: { label: 'Keywords', hint: 'One in each line.' },
  language: {
    label: 'Language',
    choices: { en: 'English', de: 'German', eng: 'English', deu: 'German', 'eng+deu': 'English and German' }
  },
  layout: { label: 'Keep lines where they are on the page' },
  level: { label: 'Make quiet recordings louder' },
  minSize: { label: 'Only files from this many bytes' },
  mono: { label: 'One channel instead of stereo' },
  months: { label: 'A folder for each month' },
  mtimes: {
    label: 'Times when they were changed',
    hint: 'One in each line, for each file; it is left alone when another program changed it since.'
  },
  names: {
    label: 'Names of the results',
    hint: 'One in each line, for each file. Empty: named after the files.'
  },
  now: { label: 'As if today were', hint: 'For example 2026-01-31T12:00:00Z. Empty is today.' },
  ocr: { label: 'Read scans and photos as', choices: readers },
  order: {
    label: 'Dates such as 03/04/2026 are',
    choices: { auto: 'find out', dmy: 'day first', mdy: 'month first' }
  },
  outputs: {
    label: 'What to make',
    hint: 'Nothing chosen: a PDF and MIDI.',
    choices: { pdf: 'PDF', svg: 'SVG', png: 'PNG', midi: 'MIDI' }
  },
  page: {
    label: 'Size of the pages',
    choices: { fit: 'as large as each picture', a4: 'A4', letter: 'Letter' }
  },
  pages: { label: 'Which pages', hint: 'For example 1-3,7. “z” is the last one: 1-z are all.' },
  password: { label: 'Password', hint: 'It is not kept.' },
  pattern: {
    label: 'New name',
    hint: '{name} is the old one, {ext} its ending, {date} and {time} when it was changed, {taken} when a photo was taken, {n} a number.'
  },
  quality: {
    label: 'Quality',
    choices: {
      screen: 'for a screen',
      reading: 'for reading',
      printing: 'for printing',
      speech: 'speech',
      music: 'music',
      best: 'best'
    }
  },
  ranges: {
    label: 'Parts',
    hint: 'One in each line: 3, 1-5, or 7-z (to the end). Empty: as many pages as said above.'
  },
  rate: { label: 'Samples in a second', hint: '44100 is a CD, 48000 is usual for video.' },
  recursive: { label: 'What is in the folders inside, too' },
  replace: { label: 'Replace what is there already', hint: 'What was replaced can be put back.' },
  rows: { label: 'Rows to show' },
  safe: { label: 'Make sure that no text is taken for a formula' },
  sheet: { label: 'Sheet of the workbook', hint: 'Its name. Empty: the first one.' },
  similar: { label: 'Pictures that look the same, too' },
  sizesOnly: { label: 'Only sizes, no checksums', hint: 'Much faster: no file is read.' },
  source: { label: 'Name of a column that says which file a row is from', hint: 'Empty: there is none.' },
  spaces: {
    label: 'Spaces',
    choices: { keep: 'as they are', dash: 'as dashes', underscore: 'as underscores' }
  },
  start: { label: 'Numbers begin with' },
  taken: { label: 'When it was taken', hint: 'For example 2026-05-31 12:00:00' },
  title: { label: 'Title', hint: 'What is left empty stays as it is.' },
  to: {
    label: 'Make it',
    choices: {
      pdf: 'PDF',
      text: 'plain text',
      html: 'web page (HTML)',
      md: 'Markdown',
      txt: 'plain text',
      rtf: 'RTF',
      docx: 'Word (DOCX)',
      odt: 'OpenDocument (ODT)',
      csv: 'CSV',
      tsv: 'TSV',
      xlsx: 'Excel (XLSX)',
      json: 'JSON',
      xml: 'XML',
      binary: 'binary',
      openstep: 'OpenStep',
      mp3: 'MP3',
      m4a: 'M4A (AAC)',
      opus: 'Opus',
      ogg: 'Ogg',
      flac: 'FLAC',
      wav: 'WAV'
    }
  },
  top: { label: 'Lines in each list' },
  trim: { label: 'Take away needless spaces' },
  width: { label: 'Width, in pixels', hint: '0: as it follows from the height.' },
  with: { label: 'by' }
};
