import { checkOutcomes, checks, chores, otherChore } from './chores';
import { commands, fixes, problems, reasons } from './problems';
import { ui } from './ui';

const en = { ...ui, problems, reasons, fixes, commands, chores, otherChore, checks, checkOutcomes };
export default en;
