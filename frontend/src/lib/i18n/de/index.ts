import type { Catalogue } from '../catalogue';
import { ai } from './ai';
import { changes } from './changes';
import { checkOutcomes, checks, chores, otherChore } from './chores';
import { list } from './list';
import { fixes, problems, reasons } from './problems';
import { questions } from './questions';
import { settingsPages } from './settings';
import { commandLeads, restarts, steps } from './setup';
import { start } from './start';
import { tools } from './tools';
import { ui } from './ui';

const de: Catalogue = {
  ...ui,
  ai,
  changes,
  list,
  settingsPages,
  start,
  questions,
  problems,
  reasons,
  fixes,
  steps,
  commandLeads,
  restarts,
  chores,
  tools,
  otherChore,
  checks,
  checkOutcomes
};
export default de;
