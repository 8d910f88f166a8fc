import type { Catalogue } from '../catalogue';
import { ai } from './ai';
import { changes } from './changes';
import { checkOutcomes, checks, chores, otherChore } from './chores';
import { fixes, problems, reasons } from './problems';
import { questions } from './questions';
import { commandLeads, restarts, steps } from './setup';
import { ui } from './ui';

const de: Catalogue = {
  ...ui,
  ai,
  changes,
  questions,
  problems,
  reasons,
  fixes,
  steps,
  commandLeads,
  restarts,
  chores,
  otherChore,
  checks,
  checkOutcomes
};
export default de;
