/** Short names for the records of the controller's document (schema.gen.ts). */
import type { components } from './schema.gen';

type Schemas = components['schemas'];

export type Params = Record<string, unknown>;

export type Report = Schemas['StatusReport'];
export type Check = Schemas['Check'];
export type PackInfo = Schemas['PackInfo'];
export type UpdateState = Schemas['UpdateState'];
export type UpdatePhase = Schemas['UpdatePhase'];
export type UpdateSettings = Schemas['UpdateSettings'];
export type AddOnInfo = Schemas['AddOnInfo'];
export type Problem = Schemas['Problem'];
export type Fix = Schemas['Fix'];

export type ChoreInfo = Schemas['ChoreInfo'];
export type ParamInfo = Schemas['ChoreParam'];
export type Plan = Schemas['Plan'];
export type Operation = Schemas['PlanOperation'];
export type Effect = Schemas['ChangeEffect'];

export type Task = Schemas['Task'];
export type TaskState = Schemas['TaskState'];
export type Folder = Schemas['Folder'];
export type Result = Schemas['Result'];
export type Change = Schemas['Change'];
export type UndoReport = Schemas['UndoReport'];
export type UndoConflict = Schemas['UndoConflict'];
export type StartRequest = Schemas['StartRequest'];

export type ApiEvent = Schemas['Event'];
export type EventOf<K extends ApiEvent['kind']> = Extract<ApiEvent, { kind: K }>;
