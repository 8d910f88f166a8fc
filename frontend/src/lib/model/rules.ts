/** The person's file of rules as a text: one rule comes or goes, the rest stays as it is. Pure. */
import type { Policy, WrittenRule } from '$lib/api/types';

/** The rule that has files change where a task is kept apart, and nowhere else. */
const APART = 'change-files-only-kept-apart';
const APART_RULE = `@id("${APART}")
forbid (principal, action in [Action::"write", Action::"delete"], resource)
unless { ["vm", "container"].contains(context.runtime) };
`;

/** The rule, where it holds: of an administrator, too. */
export const keptApart = ({ rules }: Policy): WrittenRule | undefined =>
  rules.find(({ id, layer, effect }) => id === APART && effect === 'deny' && layer !== 'default');

export function withKeptApart(text: string): string {
  const before = text.trimEnd();
  return (before ? `${before}\n\n` : '') + APART_RULE;
}

/** Undefined where the text does not have the rule once, as it is. */
export function without(text: string, { cedar }: WrittenRule): string | undefined {
  const [before, after, more] = text.split(cedar);
  if (before === undefined || after === undefined || more !== undefined) return undefined;
  const head = before.trimEnd();
  const tail = after.trimStart();
  return head && tail ? `${head}\n\n${tail}` : head ? `${head}\n` : tail;
}

const HOUR = 3_600_000;
/** For how long a decision can still hold, from now on. */
export const spans = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 30 * 24 * HOUR } as const;
export type Span = keyof typeof spans;
