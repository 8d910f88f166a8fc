import { compile } from '../compile';
import words from '../en.json';
import type { Messages } from '../messages.gen';
import { checkOutcomes, checks, chores, otherChore } from './chores';
import { fixes, problems, reasons } from './problems';
import { commandLeads, restarts, steps } from './setup';
import { tools } from './tools';

const en = {
  ...compile<Messages>(words, 'en'),
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
export default en;
