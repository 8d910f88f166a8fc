/** Short names for the records of the controller's document (schema.gen.ts). */
import type { components, paths } from './schema.gen';

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
export type Progress = Schemas['ProgressData'];
export type Fix = Schemas['Fix'];

export type Wizard = Schemas['Wizard'];
export type WizardStep = Schemas['WizardStep'];
export type WizardStepId = Schemas['WizardStepId'];
export type WizardAct = Schemas['WizardAct'];
export type SavedChore = Schemas['SavedChore'];
export type SaveChoreRequest = Schemas['SaveChoreRequest'];
export type DroppedFolder = Schemas['DroppedFolder'];

export type ChoreInfo = Schemas['ChoreInfo'];
export type ParamInfo = Schemas['ChoreParam'];
export type Plan = Schemas['Plan'];
export type Effect = Schemas['ChangeEffect'];

/** The operations on files, and what each can be told: every one has a route of its own. */
export type ToolInfo = Schemas['ToolDescription'];
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

export type Task = Schemas['Task'];
export type TaskState = Schemas['TaskState'];
export type Folder = Schemas['Folder'];
export type Result = Schemas['Result'];
export type Change = Schemas['Change'];
export type UndoReport = Schemas['UndoReport'];
export type UndoConflict = Schemas['UndoConflict'];
export type UndoRequest = Schemas['UndoRequest'];
export type Resolution = Schemas['Resolution'];
export type RedoReport = Schemas['RedoReport'];
export type ApplyRequest = Schemas['ApplyRequest'];
export type ApplyReport = Schemas['ApplyReport'];
export type UndoSpace = Schemas['UndoSpace'];
export type UndoSettings = Schemas['UndoSettings'];
export type UndoKeeping = Schemas['UndoKeeping'];
export type Comparison = Schemas['Comparison'];
export type ComparedSide = Schemas['ComparedSide'];
export type TextDiff = Schemas['TextDiff'];
export type TextHunk = Schemas['TextHunk'];
export type TextLine = Schemas['TextLine'];
export type TableDiff = Schemas['TableDiff'];
export type TableRow = Schemas['TableRow'];
export type ChangeFact = Schemas['ChangeFact'];
export type Question = Schemas['Question'];
export type Rule = Schemas['Rule'];
export type AnswerRequest = Schemas['AnswerRequest'];
export type FolderMode = Schemas['FolderMode'];
export type StartRequest = Schemas['StartRequest'];
export type FolderRequest = Schemas['FolderRequest'];
export type Network = Schemas['Network'];

export type Models = Schemas['Models'];
export type ModelWord = Schemas['ModelWord'];
export type ModelInfo = Schemas['ModelInfo'];
export type KeyInfo = Schemas['KeyInfo'];
export type KeyRequest = Schemas['KeyRequest'];
export type KeyTest = Schemas['KeyTest'];
export type NetworkRules = Schemas['NetworkRules'];
export type NetworkPreset = Schemas['NetworkPreset'];
export type NetworkRuleRequest = Schemas['NetworkRuleRequest'];
export type SayRequest = Schemas['SayRequest'];
export type TaskModelRequest = Schemas['TaskModelRequest'];
export type MessageData = Schemas['MessageData'];
export type DeltaData = Schemas['DeltaData'];
export type ToolData = Schemas['ToolData'];
export type NoticeData = Schemas['NoticeData'];
export type QueueData = Schemas['QueueData'];
export type Usage = Schemas['Usage'];

export type Machines = Schemas['Machines'];
export type MachineSettings = Schemas['MachineSettings'];
export type Storage = Schemas['Storage'];
export type StorageItem = Schemas['StorageItem'];
export type StorageMove = Schemas['StorageMove'];
export type MoveRequest = Schemas['MoveRequest'];
export type CleanRequest = Schemas['CleanRequest'];
export type Health = Schemas['HealthPage'];
export type Licence = Schemas['Licence'];
export type Diagnostics = Schemas['Diagnostics'];
export type DiagnosticsRequest = Schemas['DiagnosticsRequest'];
export type LogInfo = Schemas['LogInfo'];
export type WindowSettings = Schemas['WindowSettings'];
export type OpenWish = Schemas['OpenWish'];
export type Login = Schemas['Login'];
export type LoginRequest = Schemas['LoginRequest'];
export type LoginState = Schemas['LoginState'];
export type KeyStore = Schemas['KeyStore'];
export type KeyStoreChoice = Schemas['KeyStoreChoice'];
export type CloseRequest = Schemas['CloseRequest'];

export type ApiEvent = Schemas['Event'];
export type EventOf<K extends ApiEvent['kind']> = Extract<ApiEvent, { kind: K }>;
