import type { ChoreWords } from './chores';

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

/** The words of a chore to which an AI adds something. */
function aiding(
  name: string,
  about: string,
  one: string,
  many: string,
  task: ChoreWords['task'],
  own: ChoreWords['params'] = {}
): ChoreWords {
  return {
    name,
    about,
    task,
    plan: (inputs, outputs) => (outputs === 0 ? 'Nothing to do' : count(inputs, one, many)),
    run: () => 'Do it',
    progress: (done, total) => `${done} of ${count(total, one, many)}`,
    params: {
      recursive: { label: 'Files in the folders inside, too' },
      reads: {
        label: 'Languages of scans',
        choices: { 'eng+deu': 'English and German', eng: 'English', deu: 'German' }
      },
      language: { label: 'Language of what is written', choices: { en: 'English', de: 'German' } },
      ...own
    }
  };
}

/** Chores that use an AI where there is a key for one. */
export const aidingChores = {
  'summarise-notes': aiding(
    'Summarise notes',
    'Makes text of notes and documents. An AI writes one summary of them: what matters, what is to be done, each topic.',
    'note',
    'notes',
    (folder) => `Summary of ${folder}`
  ),
  'contract-summary': aiding(
    'Summarise contracts',
    'Makes text of contracts. An AI writes who, what, until when, how each ends and what it costs, with the sentences.',
    'contract',
    'contracts',
    (folder) => `Contracts in ${folder}`
  ),
  'check-receipts': aiding(
    'Check a table of receipts',
    'Makes a table of receipts. An AI looks again at the rows that are not sure, and fills in what is missing.',
    'receipt',
    'receipts',
    (folder) => `Checked receipts of ${folder}`,
    {
      name: {
        label: 'Name of the table',
        hint: 'Its ending is added by itself. A file that is there is never replaced.'
      },
      dates: {
        label: 'What 03/04 means',
        choices: { auto: 'found out', dmy: 'day first', mdy: 'month first' }
      }
    }
  ),
  'clean-csv': aiding(
    'Clean up a table thoroughly',
    'Makes clean copies of tables. An AI makes one way of writing of several, and one form of dates and numbers.',
    'table',
    'tables',
    (folder) => `Clean tables of ${folder}`,
    {
      trim: { label: 'Remove needless spaces' },
      dropEmpty: { label: 'Remove empty rows and columns' },
      duplicates: { label: 'Remove rows that were there before' }
    }
  ),
  'folder-dashboard': aiding(
    'Overview page of a folder',
    'Writes a report of a folder. An AI makes a page of it that says what the folder is for and what is in it.',
    'folder',
    'folders',
    (folder) => `Overview of ${folder}`
  ),
  'rename-photos': aiding(
    'Name photos by what is on them',
    'An AI looks at each picture and gives it a name. The new names wait for your yes.',
    'picture',
    'pictures',
    (folder) => `Names for ${folder}`
  )
};
