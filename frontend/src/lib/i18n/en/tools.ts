import type { ToolFact } from '$lib/api/types';
import type { OperationsWords } from '../tools';
import { toolParams } from './toolParams';

const files = (n: number) => (n === 1 ? '1 file' : `${n} files`);

const operations: OperationsWords = {
  'image.info': {
    name: 'What a picture is',
    about: 'Tells size, kind and when it was taken, without changing anything.'
  },
  'image.convert': {
    name: 'Convert pictures',
    about: 'Makes JPEG, PNG, WebP, TIFF or GIF of pictures, or one PDF of all of them.',
    params: { quality: { hint: 'Of JPEG and WebP: 1 is small, 100 is best.' } }
  },
  'image.resize': {
    name: 'Make pictures smaller or larger',
    about: 'Gives pictures another size in pixels.',
    params: { quality: { hint: 'Of JPEG and WebP: 1 is small, 100 is best.' } }
  },
  'pdf.info': { name: 'What a PDF is', about: 'Tells pages, size, title and whether it has a password.' },
  'pdf.merge': { name: 'Join PDFs', about: 'Makes one PDF of several, in their order.' },
  'pdf.split': { name: 'Split a PDF', about: 'Makes several PDFs of one, by number of pages or by parts.' },
  'pdf.rotate': { name: 'Turn pages of a PDF', about: 'Turns all pages, or those you name, clockwise.' },
  'pdf.compress': {
    name: 'Make a PDF smaller',
    about: 'Saves the pictures in it more tightly. What would not become smaller stays as it is.'
  },
  'pdf.text': { name: 'Text of a PDF', about: 'Writes the words of a PDF into a text file.' },
  'pdf.ocr': {
    name: 'Make scans searchable',
    about: 'Reads scans and photos, and makes a searchable PDF or a text file.',
    params: { language: { label: 'Language of the scans' } }
  },
  'pdf.images': {
    name: 'Pictures of a PDF',
    about: 'Takes the pictures out of a PDF, or makes a picture of each page.',
    params: { format: { label: 'Pages become' } }
  },
  'pdf.protect': {
    name: 'Put a password on a PDF',
    about: 'Only who knows the password can open the new PDF.',
    params: { password: { hint: 'It is not kept. Without it, nobody can open the new PDF.' } }
  },
  'pdf.unlock': {
    name: 'Take the password off a PDF',
    about: 'Makes a PDF that opens without the password, which you must know.'
  },
  'archive.list': {
    name: 'What is in an archive',
    about: 'Lists the files in a ZIP, 7z, RAR or TAR without unpacking it.',
    params: { password: { hint: 'Only if it has one. It is not kept.' } }
  },
  'archive.info': {
    name: 'How much an archive holds',
    about: 'Counts the files in a ZIP, 7z, RAR or TAR, and how large they become.',
    params: { password: { hint: 'Only if it has one. It is not kept.' } }
  },
  'archive.extract': {
    name: 'Unpack an archive',
    about: 'Takes the files out of a ZIP, 7z, RAR or TAR.',
    params: { password: { hint: 'Only if it has one. It is not kept.' } }
  },
  'archive.create': { name: 'Pack an archive', about: 'Puts files and folders into one ZIP or TAR.' },
  'table.read': {
    name: 'Look into a table',
    about: 'Tells columns, rows and the first cells of CSV, TSV, Excel or JSON.'
  },
  'table.convert': { name: 'Convert tables', about: 'Makes CSV, TSV, Excel or JSON of one another.' },
  'table.clean': {
    name: 'Clean tables',
    about: 'Takes out doubled rows, empty columns and needless spaces.'
  },
  'table.merge': {
    name: 'Join tables',
    about: 'Puts the rows of several tables one below the other, columns by their names.'
  },
  'table.receipts': {
    name: 'Receipts to a table',
    about: 'Makes a table of receipts and invoices, and says how sure it is of each.',
    params: { language: { label: 'Names of the columns' } }
  },
  'file.hash': { name: 'Checksums', about: 'Tells the size and the SHA-256 checksum of files.' },
  'file.report': {
    name: 'Report on a folder',
    about: 'Writes down what is in a folder: the largest, the oldest, by kind.',
    params: { language: { label: 'Language of the report' } }
  },
  'file.duplicates': {
    name: 'Find doubles',
    about: 'Finds files that are there more than once. Nothing is moved.'
  },
  'file.organize': {
    name: 'Where files would go',
    about: 'Proposes folders for the files of a folder. Nothing is moved.',
    params: { language: { label: 'Names of the folders' } }
  },
  'file.rename': {
    name: 'Try out new names',
    about: 'Shows which names files would get by a pattern. Nothing is renamed.'
  },
  'file.cleanup': {
    name: 'What there is to clean up',
    about: 'Proposes how a folder would be cleaned up. Nothing is moved.',
    params: { language: { label: 'Names of the folders' } }
  },
  'file.move': {
    name: 'Move or rename files',
    about: 'Moves each file to the place you name. It can be put back.',
    params: {
      to: {
        label: 'New places',
        hint: 'One in each line, in full, for each file: /home/you/Letters/2026.pdf'
      }
    }
  },
  'file.remove': {
    name: 'Delete',
    about: 'Deletes empty folders, and files if you say so. It can be put back.'
  },
  'metadata.read': {
    name: 'What is noted in files',
    about: 'Shows notes in pictures, documents and recordings: camera, place, author.'
  },
  'metadata.write': {
    name: 'Note something in files',
    about: 'Writes title, author, keywords or date into copies of pictures and documents.'
  },
  'metadata.strip': {
    name: 'Take notes out of files',
    about: 'Makes copies without camera, place and names, before you share them.'
  },
  'plist.validate': {
    name: 'Check property lists',
    about: 'Tells whether property lists of a Mac are in order.'
  },
  'plist.convert': {
    name: 'Convert property lists',
    about: 'Makes XML, binary, JSON or OpenStep of property lists.'
  },
  'text.convert': {
    name: 'Convert documents',
    about: 'Makes PDF, Word, web pages or plain text of documents.'
  },
  'text.extract': {
    name: 'Text of documents',
    about: 'Writes the words of documents, scans and photos into text files.'
  },
  'audio.info': { name: 'What a recording is', about: 'Tells length, kind and quality of sound and video.' },
  'audio.transcode': {
    name: 'Convert recordings',
    about: 'Makes MP3, M4A, Opus, Ogg, FLAC or WAV of sound and video.'
  },
  'csound.perform': { name: 'Play a Csound piece', about: 'Makes a sound file of a Csound file (CSD).' },
  'lilypond.render': {
    name: 'Engrave sheet music',
    about: 'Makes a PDF, pictures and MIDI of a LilyPond score.'
  }
};

/** The tools: single operations on files. */
export const tools = {
  title: 'Tools',
  lead: 'One thing at a time, on files you choose: for when you know exactly what you want.',
  fromHome: 'Single tools for files',
  find: 'Find a tool',
  none: 'No tool fits.',
  found: (n: number) => (n === 1 ? '1 tool' : `${n} tools`),
  all: 'All tools',
  missing: 'There is no such tool',
  missingText: 'Perhaps it belongs to another version of piwork.',
  groups: {
    image: 'Pictures',
    pdf: 'PDF',
    text: 'Text and documents',
    table: 'Tables',
    file: 'Files and folders',
    archive: 'Archives',
    audio: 'Sound and music',
    metadata: 'Notes in files',
    plist: 'Property lists',
    other: 'More'
  },

  needs: (addOn: string) => `needs the add-on ${addOn}`,
  needsTitle: (addOn: string) => `This tool needs the add-on “${addOn}”`,
  needsText: 'It is not installed. Your files can be chosen already; the tool runs when the add-on is there.',
  needsButton: 'See the add-on',

  filesTitle: 'Files',
  fileTitle: 'File',
  folderTitle: 'Folder',
  filesFoldersTitle: 'Files and folders',
  dropHere: 'Drop files here',
  dropFolderHere: 'Drop files or folders here',
  accepts: (kinds: string) => `It can use ${kinds}.`,
  addFile: 'Choose a file',
  addFiles: 'Choose files',
  addFolder: 'Choose a folder',
  another: 'Choose more files',
  choosing: 'Waiting for your choice…',
  pathLabel: 'Place of a file',
  pathLabelFolder: 'Place of a file or folder',
  pathHint: 'For example /home/you/Documents/letter.pdf',
  add: 'Add it',
  pathless:
    'A browser does not tell where a dropped file is. Please write its place below, or use piwork’s own window.',
  chosen: (n: number) => `${files(n)} chosen`,
  remove: (name: string) => `Leave out ${name}`,
  up: (name: string) => `Move ${name} up`,
  tooMany: (n: number) =>
    `It takes ${n === 1 ? 'one file' : `at most ${n} files`}. The others were left out.`,

  options: 'How',
  more: 'More options',
  listHint: 'One in each line.',
  tooSmall: (n: number) => `At least ${n}.`,
  tooLarge: (n: number) => `At most ${n}.`,
  whole: 'A whole number, please.',

  where: 'Where the result goes',
  keep: 'With the task',
  keepAbout: 'It stays in piwork; you can save it anywhere afterwards. Your folders are only read.',
  intoFolder: 'Into a folder',
  folderAbout: 'It is listed as a change and can be taken back.',
  folder: 'Folder',
  otherFolder: 'Another folder',
  folderLabel: 'Place of the folder',
  folderHint: 'For example /home/you/Documents',
  useFolder: 'Use this folder',
  fileName: 'Name of the new file',
  newFolder: 'Name of the new folder',

  run: 'Do it',
  starting: 'Starting…',
  needFiles: 'Choose what it should work on first.',
  needPassword: 'Type the password first.',
  needValue: (label: string) => `Fill in “${label}” first.`,
  wrongValue: (label: string) => `Look at “${label}” once more.`,
  needFolder: 'Choose the folder for the result first.',
  needName: 'The result needs a name.',
  reads: 'It only reads your files and tells what it finds.',
  makes: 'It makes something new; your files stay as they are.',
  changes: 'It changes your files; everything can be put back.',
  works: (n: number) => `${files(n)}. The work is done in the closed workroom.`,

  made: (n: number) => (n === 0 ? 'Done, nothing was made' : `${files(n)} made`),
  changed: (n: number) => (n === 1 ? '1 change made' : `${n} changes made`),
  told: 'Done, here is what it found',

  report: 'What it found',
  reportNone: 'It found nothing.',
  answers: { yes: 'yes', no: 'no' },

  /** What is told of a file, by the names that the operations give it; a note of a file keeps its own name. */
  facts: {
    alpha: 'Transparent',
    archive: 'Archive',
    biggest: 'The largest',
    bitrate: 'Bits in a second',
    bytes: 'Together',
    channels: 'Channels',
    codec: 'Kind of sound',
    columns: 'Columns',
    confidence: 'How sure',
    currency: 'Currency',
    date: 'Date',
    delimiter: 'Between the columns',
    empty: 'Empty',
    emptyFolders: 'Empty folders',
    encoding: 'Encoding',
    encrypted: 'Has a password',
    files: 'Files',
    folders: 'Folders',
    format: 'Kind',
    frames: 'Pictures in it',
    height: 'Height',
    kind: 'Kind',
    kinds: 'By kind',
    leftOut: 'Left out',
    links: 'Links',
    listed: 'Listed',
    times: 'Times as large',
    mtime: 'Changed',
    name: 'Name',
    newest: 'The newest',
    note: 'Note',
    number: 'Number',
    oldest: 'The oldest',
    orientation: 'Orientation',
    others: 'Others',
    out: 'Result',
    pages: 'Pages',
    parts: 'Folders in it',
    rows: 'Rows',
    sample: 'The first rows',
    rate: 'Samples in a second',
    seconds: 'Length in seconds',
    seller: 'Seller',
    sha256: 'Checksum (SHA-256)',
    sheets: 'Sheets',
    size: 'Size',
    spare: 'Could be spared',
    tags: 'Notes in it',
    taken: 'Taken',
    tax: 'Tax',
    title: 'Title',
    to: 'New place',
    total: 'Total',
    unsafe: 'Is left out when unpacked',
    unsure: 'Not sure of',
    version: 'Version',
    width: 'Width',
    words: 'Words'
  } satisfies Record<ToolFact | 'name', string>,

  operations,
  params: toolParams
};
