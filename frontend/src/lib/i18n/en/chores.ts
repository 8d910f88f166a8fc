import type { Params } from '$lib/api/types';
import type { CheckCode } from '../codes';
import { aidingChores } from './aiding';
import { makingChores } from './making';

export interface ChoreWords {
  name: string;
  about: string;
  /** What a task with this chore is called: what tells it from others comes first. */
  task: (folder: string) => string;
  /** The plan in one line. */
  plan: (inputs: number, outputs: number) => string;
  /** The button that carries the plan out. */
  run: (outputs: number) => string;
  /** What is counted while it works. */
  progress: (done: number, total: number) => string;
  params: Record<string, { label: string; hint?: string; choices?: Record<string, string> }>;
}

const files = (n: number) => (n === 1 ? '1 file' : `${n} files`);
const pictures = (n: number) => (n === 1 ? '1 picture' : `${n} pictures`);

export const chores: Record<string, ChoreWords> = {
  'pictures-to-pdf': {
    name: 'Pictures → PDF',
    about: 'Puts all pictures of a folder into one PDF, in order of their names.',
    task: (folder) => `${folder} → PDF`,
    plan: (inputs, outputs) => `${pictures(inputs)} → ${outputs} ${outputs === 1 ? 'PDF' : 'PDFs'}`,
    run: (outputs) => (outputs === 1 ? 'Make the PDF' : `Make the ${outputs} PDFs`),
    progress: (done, total) => `${done} of ${pictures(total)}`,
    params: {
      name: {
        label: 'Name of the PDF',
        hint: '“.pdf” is added by itself. A file that is there is never replaced.'
      },
      order: {
        label: 'Order of the pages',
        choices: { name: 'by name', date: 'by the date of the picture' }
      },
      recursive: { label: 'Pictures in the folders inside, too' },
      page: { label: 'Size of the pages', choices: { fit: 'as large as each picture', a4: 'A4 for all' } }
    }
  },
  ...makingChores,
  ...aidingChores,
  'cleanup-downloads': {
    name: 'Clean up Downloads',
    about: 'Puts what lies around into folders by kind and month. Nothing is deleted but empty folders.',
    task: (folder) => `Clean up ${folder}`,
    plan: (_, steps) => (steps === 0 ? 'Everything is tidy already' : `${files(steps)} get a tidy place`),
    run: () => 'Clean up',
    progress: (done, total) => `${done} of ${files(total)}`,
    params: {
      months: { label: 'A folder for each month' },
      installers: { label: 'Old installers into a folder of their own' },
      archives: { label: 'Old archives into a folder of their own' },
      days: { label: 'Old means: not changed for this many days' },
      empty: { label: 'Remove empty folders' },
      language: { label: 'Names of the folders', choices: { en: 'English', de: 'German' } }
    }
  },
  'sort-photos': {
    name: 'Sort photos by date',
    about: 'Puts photos and videos into folders by the day they were taken.',
    task: (folder) => `Sort ${folder}`,
    plan: (_, steps) =>
      steps === 0 ? 'All photos are in their place already' : `${files(steps)} into folders by date`,
    run: () => 'Sort',
    progress: (done, total) => `${done} of ${files(total)}`,
    params: {
      by: { label: 'Folders', choices: { 'taken-month': 'by month', 'taken-year': 'by year' } },
      recursive: { label: 'Photos in the folders inside, too' }
    }
  },
  'find-duplicates': {
    name: 'Find duplicates',
    about: 'Finds files that are there more than once, and puts all but one of each aside.',
    task: (folder) => `Duplicates in ${folder}`,
    plan: (_, steps) => (steps === 0 ? 'There are no duplicates' : `${files(steps)} are put aside`),
    run: () => 'Put them aside',
    progress: (done, total) => `${done} of ${files(total)}`,
    params: {
      similar: { label: 'Pictures that look the same, too', hint: 'The largest one stays where it is.' },
      language: { label: 'Name of the folder', choices: { en: 'Duplicates', de: 'Doppelte' } }
    }
  },
  'rename-files': {
    name: 'Rename many files',
    about: 'Gives the files of a folder new names by a pattern.',
    task: (folder) => `Rename in ${folder}`,
    plan: (_, steps) =>
      steps === 0 ? 'All files have these names already' : `${files(steps)} get a new name`,
    run: () => 'Rename',
    progress: (done, total) => `${done} of ${files(total)}`,
    params: {
      pattern: {
        label: 'New name',
        hint: '{name} is the old one, {ext} its ending, {date} and {time} when it was changed, {taken} when a photo was taken, {n} a number.'
      },
      find: { label: 'Replace in the old name' },
      with: { label: 'by' },
      case: {
        label: 'Letters',
        choices: { keep: 'as they are', lower: 'all small', upper: 'all capital' }
      },
      spaces: {
        label: 'Spaces',
        choices: { keep: 'as they are', dash: 'as dashes', underscore: 'as underscores' }
      },
      start: { label: 'Numbers begin with' }
    }
  }
};

/** For a chore or a parameter that this catalogue has no words for yet. */
export const otherChore: Omit<ChoreWords, 'name' | 'task' | 'params'> = {
  about: '',
  plan: (inputs, outputs) => `${inputs === 1 ? '1 file' : `${inputs} files`} → ${outputs}`,
  run: () => 'Do it',
  progress: (done, total) => `${done} of ${total}`
};

/** What is looked at; the outcome stands behind it. */
export const checks: Record<CheckCode, (p: Params) => string> = {
  'pack-installed': () => 'Runtime',
  'pack-verified': () => 'Signature and files of the runtime',
  'accel-cpu': () => 'Virtualization in the processor',
  'accel-firmware': () => 'Virtualization in the firmware',
  'accel-system': () => 'Virtualization in the system',
  'accel-device': () => 'Acceleration for piwork',
  'accel-boot': (p) => (p.accel === 'tcg' ? 'Opening the workroom slowly' : 'Opening the workroom'),
  'slow-mode': () => 'Slow mode, chosen on purpose'
};

/** Outcomes that have better words than those for all checks. */
export const checkOutcomes: Partial<Record<CheckCode, Partial<Record<'passed' | 'failed', string>>>> = {
  'pack-installed': { passed: 'installed', failed: 'not installed' },
  'accel-cpu': { passed: 'there', failed: 'not there' },
  'accel-firmware': { passed: 'switched on', failed: 'switched off' },
  'accel-system': { passed: 'switched on', failed: 'not switched on' },
  'accel-device': { passed: 'may be used', failed: 'cannot be used' },
  'accel-boot': { passed: 'it opened', failed: 'it did not open' },
  'slow-mode': { passed: 'on' }
};
