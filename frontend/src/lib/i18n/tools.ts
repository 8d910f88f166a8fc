/**
 * What the words for operations on files have to cover: the operations, their
 * parameters and choices as the controller's document has them. One without
 * words in a language does not compile.
 */
import type { ToolChoices, ToolName, ToolParam, ToolParams } from '$lib/api/types';

/** Words of a parameter, the same wherever it stands; each choice has its own. */
type ParamWords<P extends ToolParam = ToolParam> = { label: string; hint?: string } & ([
  ToolChoices<P>
] extends [never]
  ? { choices?: never }
  : { choices: Record<ToolChoices<P>, string> });

export type ParamsWords = { [P in ToolParam]: ParamWords<P> };

export interface OperationWords {
  name: string;
  about: string;
  /** Of this operation alone, where the common words would mislead. */
  params?: Record<string, { label?: string; hint?: string; choices?: Record<string, string> }>;
}

/** For operations and what can be said to each. */
export type OperationsWords = {
  [N in ToolName]: Omit<OperationWords, 'params'> & {
    params?: {
      [P in keyof ToolParams<N>]?: { label?: string; hint?: string; choices?: Record<string, string> };
    };
  };
};
