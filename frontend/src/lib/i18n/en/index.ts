import { compile } from '../compile';
import words from '../en.json';
import type { Messages } from '../messages.gen';
import { checkOutcomes, checks } from './chores';
import { fixes, problems, reasons } from './problems';
import { commandLeads, restarts, steps } from './setup';

const en = {
  ...compile<Messages>(words, 'en'),
  problems,
  reasons,
  fixes,
  steps,
  commandLeads,
  restarts,
  checks,
  checkOutcomes
};
export default en;
