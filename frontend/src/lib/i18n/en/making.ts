import type { ChoreWords } from './chores';

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
const language = (label = 'Name of the folder') => ({
  label,
  choices: { en: 'English', de: 'German' }
});
const order = (label: string) => ({
  label,
  choices: { name: 'by name', date: 'by the date of the last change' }
});

/** The words of a chore that makes new files and leaves those that are there alone. */
function making(
  words: Pick<ChoreWords, 'name' | 'about' | 'params'>,
  one: string,
  many: string,
  task: ChoreWords['task'],
  result: (outputs: number) => string,
  run: string
): ChoreWords {
  return {
    ...words,
    task,
    plan: (inputs, outputs) =>
      outputs === 0 ? 'Everything is so already' : `${count(inputs, one, many)} → ${result(outputs)}`,
    run: () => run,
    progress: (done, total) => `${done} of ${count(total, one, many)}`
  };
}

/** Chores that make new files. */
export const makingChores = {
  'convert-pictures': making(
    {
      name: 'Convert and shrink pictures',
      about: 'Makes JPEG of photos of a phone (HEIC), or smaller pictures for a message, in a new folder.',
      params: {
        format: { label: 'New format', choices: { jpeg: 'JPEG', png: 'PNG', webp: 'WebP' } },
        side: {
          label: 'Longest side in pixels',
          hint: '0 leaves the size as it is. 2048 is good for a message.'
        },
        quality: { label: 'Quality of JPEG and WebP', hint: 'From 1 to 100.' },
        recursive: { label: 'Pictures in the folders inside, too' },
        language: language()
      }
    },
    'picture',
    'pictures',
    (folder) => `Convert ${folder}`,
    (n) => count(n, 'new picture', 'new pictures'),
    'Convert'
  ),
  'strip-metadata': making(
    {
      name: 'Remove hidden information',
      about: 'Makes copies of pictures, films and PDFs that do not say who made them, when and where.',
      params: {
        keepDate: { label: 'Keep when it was taken' },
        recursive: { label: 'Files in the folders inside, too' },
        language: language()
      }
    },
    'file',
    'files',
    (folder) => `Clean copies of ${folder}`,
    (n) => count(n, 'copy for sharing', 'copies for sharing'),
    'Make the copies'
  ),
  'voice-memo': making(
    {
      name: 'Voice memos → MP3',
      about: 'Makes small MP3 files of recordings, in a new folder.',
      params: {
        quality: { label: 'Good for', choices: { speech: 'speech', music: 'music' } },
        mono: { label: 'One channel is enough' },
        level: { label: 'Make what is quiet louder' },
        recursive: { label: 'Recordings in the folders inside, too' },
        language: language()
      }
    },
    'recording',
    'recordings',
    (folder) => `${folder} → MP3`,
    (n) => count(n, 'MP3', 'MP3s'),
    'Make MP3'
  ),
  'merge-pdf': making(
    {
      name: 'Merge PDFs',
      about: 'Puts all PDFs of a folder into one, in order of their names.',
      params: {
        name: {
          label: 'Name of the new PDF',
          hint: '“.pdf” is added by itself. A file that is there is never replaced.'
        },
        order: order('Order of the PDFs'),
        recursive: { label: 'PDFs in the folders inside, too' }
      }
    },
    'PDF',
    'PDFs',
    (folder) => `Merge ${folder}`,
    () => 'one PDF',
    'Merge'
  ),
  'split-pdf': making(
    {
      name: 'Split PDFs',
      about: 'Makes a folder of each PDF, with every page as a PDF of its own.',
      params: {
        every: { label: 'Pages in each part' },
        recursive: { label: 'PDFs in the folders inside, too' }
      }
    },
    'PDF',
    'PDFs',
    (folder) => `Split ${folder}`,
    (n) => count(n, 'folder with its parts', 'folders with their parts'),
    'Split'
  ),
  'compress-pdf': making(
    {
      name: 'Make PDFs smaller',
      about: 'Makes smaller copies of PDFs for sending, in a new folder.',
      params: {
        quality: {
          label: 'Pictures in it stay good for',
          choices: { screen: 'a screen', reading: 'reading', printing: 'printing' }
        },
        recursive: { label: 'PDFs in the folders inside, too' },
        language: language()
      }
    },
    'PDF',
    'PDFs',
    (folder) => `Smaller PDFs of ${folder}`,
    (n) => count(n, 'smaller copy', 'smaller copies'),
    'Make them smaller'
  ),
  'unlock-pdf': making(
    {
      name: 'Unlock PDFs',
      about: 'Makes copies of PDFs that no longer ask for the password that you know.',
      params: {
        password: { label: 'Password of the PDFs', hint: 'It is kept nowhere.' },
        recursive: { label: 'PDFs in the folders inside, too' },
        language: language()
      }
    },
    'PDF',
    'PDFs',
    (folder) => `Unlock ${folder}`,
    (n) => count(n, 'copy without a password', 'copies without a password'),
    'Unlock'
  ),
  'searchable-scans': making(
    {
      name: 'Scans → searchable PDFs',
      about: 'Reads the text in scans and photos of pages, so that you can search it and copy from it.',
      params: {
        text: { label: 'A text file of each, too' },
        reads: {
          label: 'Language of the text',
          choices: { 'eng+deu': 'English and German', eng: 'English', deu: 'German' }
        },
        force: { label: 'Also PDFs that can be searched already' },
        recursive: { label: 'Scans in the folders inside, too' },
        language: language()
      }
    },
    'scan',
    'scans',
    (folder) => `Read ${folder}`,
    (n) => count(n, 'new file', 'new files'),
    'Read them'
  ),
  'unpack-archives': making(
    {
      name: 'Unpack archives',
      about: 'Unpacks each archive (ZIP, RAR, 7z and others) into a folder of its name.',
      params: { recursive: { label: 'Archives in the folders inside, too' } }
    },
    'archive',
    'archives',
    (folder) => `Unpack in ${folder}`,
    (n) => count(n, 'folder', 'folders'),
    'Unpack'
  ),
  'extract-text': making(
    {
      name: 'Text of documents',
      about: 'Makes a text file of each PDF, Word or OpenDocument file and web page. Scans are read.',
      params: {
        layout: { label: 'Lines of a PDF stay where they are on the page' },
        reads: {
          label: 'Language of scans',
          choices: { 'eng+deu': 'English and German', eng: 'English', deu: 'German' }
        },
        recursive: { label: 'Documents in the folders inside, too' },
        language: language()
      }
    },
    'document',
    'documents',
    (folder) => `Text of ${folder}`,
    (n) => count(n, 'text file', 'text files'),
    'Take the text out'
  ),
  'receipts-to-table': making(
    {
      name: 'Receipts → table',
      about:
        'Makes a table of receipts and invoices: date, seller, total, tax. It says where you should look again.',
      params: {
        name: {
          label: 'Name of the table',
          hint: 'Its ending is added by itself. A file that is there is never replaced.'
        },
        format: { label: 'Format', choices: { csv: 'CSV', xlsx: 'Excel' } },
        dates: {
          label: '03/04 means',
          choices: { auto: 'find out', dmy: 'the 3rd of April', mdy: 'the 4th of March' }
        },
        reads: {
          label: 'Language of scans and photos',
          choices: { 'eng+deu': 'English and German', eng: 'English', deu: 'German' }
        },
        recursive: { label: 'Receipts in the folders inside, too' },
        language: language('Names of the columns')
      }
    },
    'receipt',
    'receipts',
    (folder) => `Receipts of ${folder}`,
    () => 'one table',
    'Make the table'
  ),
  'folder-report': making(
    {
      name: 'What is in a folder',
      about: 'Writes a report: how much of what, the biggest, newest and oldest files, empty folders.',
      params: {
        name: {
          label: 'Name of the report',
          hint: 'Its ending is added by itself. A file that is there is never replaced.'
        },
        format: {
          label: 'Format',
          choices: { html: 'page for the browser', md: 'Markdown', csv: 'CSV', xlsx: 'Excel' }
        },
        top: { label: 'Length of each list' },
        language: language('Language of the report')
      }
    },
    'folder',
    'folders',
    (folder) => `Report of ${folder}`,
    (n) => count(n, 'report', 'reports'),
    'Write the report'
  ),
  'clean-table': making(
    {
      name: 'Clean up tables',
      about: 'Makes copies of tables (CSV, Excel) without empty and doubled rows and needless spaces.',
      params: {
        format: { label: 'Format', choices: { same: 'as each table', csv: 'CSV', xlsx: 'Excel' } },
        trim: { label: 'Remove needless spaces' },
        dropEmpty: { label: 'Remove empty rows and columns' },
        duplicates: { label: 'Remove rows that were there before' },
        recursive: { label: 'Tables in the folders inside, too' },
        language: language()
      }
    },
    'table',
    'tables',
    (folder) => `Clean tables of ${folder}`,
    (n) => count(n, 'clean table', 'clean tables'),
    'Clean up'
  ),
  'join-tables': making(
    {
      name: 'Join tables',
      about: 'Makes one table of several (CSV, Excel): columns of the same name come together.',
      params: {
        name: {
          label: 'Name of the new table',
          hint: 'Its ending is added by itself. A file that is there is never replaced.'
        },
        format: { label: 'Format', choices: { csv: 'CSV', xlsx: 'Excel' } },
        source: { label: 'A column that says from which file a row is' },
        order: order('Order of the tables'),
        recursive: { label: 'Tables in the folders inside, too' },
        language: language('Name of that column')
      }
    },
    'table',
    'tables',
    (folder) => `Join ${folder}`,
    () => 'one table',
    'Join'
  )
} satisfies Record<string, ChoreWords>;
