import { compile } from '../compile';
import words from '../de.json';
import type { Messages } from '../messages.gen';
import type { Catalogue } from '../catalogue';
import { checkOutcomes, checks, chores, otherChore } from './chores';
import { fixes, problems, reasons } from './problems';
import { commandLeads, restarts, steps } from './setup';
import { tools } from './tools';

const de: Catalogue = {
  ...compile<Messages>(words, 'de'),
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
