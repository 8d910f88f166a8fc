import type { Catalogue } from '../catalogue';
import { commands } from '../en/problems';
import { checkOutcomes, checks, chores, otherChore } from './chores';
import { fixes, problems, reasons } from './problems';
import { ui } from './ui';

const de: Catalogue = {
  ...ui,
  problems,
  reasons,
  fixes,
  commands,
  chores,
  otherChore,
  checks,
  checkOutcomes
};
export default de;
