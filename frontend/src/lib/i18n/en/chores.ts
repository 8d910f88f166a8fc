import type { Params } from '$lib/api/types';
import type { CheckCode } from '../codes';

/** What is looked at; the outcome stands behind it. */
export const checks: Record<CheckCode, (p: Params) => string> = {
  'pack-installed': () => 'Runtime',
  'pack-verified': () => 'Signature and files of the runtime',
  'accel-cpu': () => 'Virtualization in the processor',
  'accel-firmware': () => 'Virtualization in the firmware',
  'accel-system': () => 'Virtualization in the system',
  'accel-device': () => 'Acceleration for piwork',
  'accel-boot': (p) => (p.accel === 'tcg' ? 'Opening the workroom slowly' : 'Opening the workroom'),
  'slow-mode': () => 'Slow mode, chosen on purpose'
};

/** Outcomes that have better words than those for all checks. */
export const checkOutcomes: Partial<Record<CheckCode, Partial<Record<'passed' | 'failed', string>>>> = {
  'pack-installed': { passed: 'installed', failed: 'not installed' },
  'accel-cpu': { passed: 'there', failed: 'not there' },
  'accel-firmware': { passed: 'switched on', failed: 'switched off' },
  'accel-system': { passed: 'switched on', failed: 'not switched on' },
  'accel-device': { passed: 'may be used', failed: 'cannot be used' },
  'accel-boot': { passed: 'it opened', failed: 'it did not open' },
  'slow-mode': { passed: 'on' }
};
