/** What was looked at, as plain text: for somebody who helps from elsewhere. Nothing of the person's files is in it. */
import type { Params, Report } from '$lib/api/types';
import { i18n, pick } from '$lib/i18n/index.svelte';

/** What a check is about. */
export function checkWords(code: string, params?: Params): string {
  return (
    pick(i18n.m.checks, params?.accel === 'tcg' && code === 'accel-boot' ? 'accel-boot-slow' : code) ?? code
  );
}

export function reportText(report: Report): string {
  const lines = [`piwork ${report.version}, ${report.os}/${report.arch}, ${report.time}`, ''];
  for (const { code, state, params } of report.checks) {
    lines.push(`${checkWords(code, params)}: ${i18n.m.setup.states[state]} (${code} ${state})`);
  }
  for (const problem of report.problems) {
    const fixes = problem.fix.map((fix) => (fix.command ? `${fix.code}: ${fix.command}` : fix.code));
    lines.push('', problem.title ?? '', `${problem.code} / ${problem.cause}`);
    if (fixes.length > 0) lines.push(...fixes.map((fix) => `- ${fix}`));
    if (problem.details) lines.push(problem.details);
  }
  return lines.join('\n') + '\n';
}
