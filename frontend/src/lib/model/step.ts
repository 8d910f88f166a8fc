/** What a task waits for, in the few phases that mean something to a person. */
import { isOneOf } from '$lib/i18n/params';

/** Steps of app/task/record.go, and `queued` before the first. */
const steps = [
  'queued',
  'turn',
  'cores',
  'memory',
  'verify',
  'send',
  'boot',
  'mount',
  'plan',
  'accept',
  'agent-start',
  'run',
  'finish'
] as const;
export type Step = (typeof steps)[number];

// The workroom opens in many small steps (vmhost/vm); all of them are one wait.
const OPENING = new Set(['restore', 'disk', 'machine', 'kernel', 'agent', 'prepare', 'place']);

/** The phase that a step of the controller belongs to. */
export function phaseOf(step: string): Step {
  if (isOneOf(steps, step)) return step;
  return OPENING.has(step) ? 'boot' : 'queued';
}
