/** What add-ons and news of updates are called. */
import { i18n, pick } from '$lib/i18n/index.svelte';
import type { Notice } from '$lib/state/runtime.svelte';

export function addOnName(name: string): string {
  return pick(i18n.m.runtime.addOn, name)?.name ?? name;
}

export function noticeWords({ kind, version, problem }: Notice): string {
  if (kind === 'trouble' && problem?.title && problem.code !== 'rolled-back') return problem.title;
  if (kind !== 'working') return i18n.m.runtime.notices[kind]({ version });
  return version ? i18n.m.runtime.notices.workingVersion({ version }) : i18n.m.runtime.notices.working;
}
