import { compile } from '../compile';
import words from '../de.json';
import type { Messages } from '../messages.gen';
import type { Catalogue } from '../catalogue';
import { checkOutcomes, checks } from './chores';
import { fixes, problems, reasons } from './problems';
import { commandLeads, restarts, steps } from './setup';

const de: Catalogue = {
  ...compile<Messages>(words, 'de'),
  problems,
  reasons,
  fixes,
  steps,
  commandLeads,
  restarts,
  checks,
  checkOutcomes
};
export default de;
