/** The records of the controller's document (schema.gen.ts), some by shorter names, and what follows from them. */
import type * as Schemas from './schema.gen';
import type { paths } from './schema.gen';

export type * from './schema.gen';

export type Params = Record<string, unknown>;

export type Report = Schemas.StatusReport;
export type Progress = Schemas.ProgressData;

export type ParamInfo = Schemas.ChoreParam;
export type Effect = Schemas.ChangeEffect;

/** The operations on files, and what each can be told: every one has a route of its own. */
export type ToolInfo = Schemas.ToolDescription;
export interface ToolRequest {
  /** Absolute paths on this computer. */
  in: string[];
  /** Of what is made, in a folder that is there; without it, it is kept with the task. */
  out?: string;
  params: Params;
}
type ToolPath = Extract<keyof paths, `/api/tools/${string}`>;
export type ToolName = ToolPath extends `/api/tools/${infer N}` ? N : never;
/** Never as a key where anything is one: an operation without parameters. */
type Named<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
export type ToolParams<N extends ToolName> = Named<
  Required<paths[`/api/tools/${N}`]['post']['requestBody']['content']['application/json']>['params']
>;
/** All parameters that any operation has, by their names. */
export type ToolParam = { [N in ToolName]: keyof ToolParams<N> }[ToolName];
type Literal<T> = T extends string ? (string extends T ? never : T) : never;
type Choice<T> = Literal<T extends readonly (infer E)[] ? E : T>;
/** What there is to choose from for a parameter, in any operation. */
export type ToolChoices<P extends ToolParam> = {
  [N in ToolName]: P extends keyof ToolParams<N> ? Choice<ToolParams<N>[P]> : never;
}[ToolName];

type Told<N extends ToolName> =
  paths[`/api/tools/${N}`]['post']['responses'][200]['content']['application/json'] extends {
    info: (infer I)[];
  }
    ? I
    : never;
/** What operations tell of each file, by the names they give it. */
export type ToolFact = Exclude<
  { [N in ToolName]: Told<N> extends infer I ? (I extends unknown ? keyof I : never) : never }[ToolName],
  number | symbol | 'path'
>;

export type Health = Schemas.HealthPage;

export type ApiEvent = Schemas.Event;
export type EventOf<K extends ApiEvent['kind']> = Extract<ApiEvent, { kind: K }>;
