import { checkOutcomes, checks, chores, otherChore } from './chores';
import { fixes, problems, reasons } from './problems';
import { commandLeads, restarts, steps } from './setup';
import { ui } from './ui';

const en = {
  ...ui,
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
export default en;
