/** The records of the controller's document (the SDK's types.gen.ts), some by shorter names, and what follows from them. */
import type * as Schemas from '$sdk/types.gen';

export type * from '$sdk/types.gen';
export type * from './window.gen';

export type Params = Record<string, unknown>;

export type Report = Schemas.StatusReport;
export type Progress = Schemas.ProgressData;

export type ParamInfo = Schemas.ChoreParam;
export type Effect = Schemas.ChangeEffect;

/** The operations on files: every one has a route of its own. */
export type ToolInfo = Schemas.ToolDescription;
export interface ToolRequest {
  /** Absolute paths on this computer. */
  in: string[];
  /** Of what is made, in a folder that is there; without it, it is kept with the task. */
  out?: string;
  params: Params;
  /** The kind of place that alone will do; without it, the best one. */
  runtime?: string;
}
export type Health = Schemas.HealthPage;

export type ApiEvent = Schemas.Event;
export type EventOf<K extends ApiEvent['kind']> = Extract<ApiEvent, { kind: K }>;
