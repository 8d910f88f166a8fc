import type { Params } from '$lib/api/types';
import type { CheckCode } from '../codes';

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
