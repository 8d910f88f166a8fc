package api

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/actions"
	"piwork/app/agent/program"
	"piwork/app/api/answer"
	"piwork/app/api/toolroute"
	"piwork/app/audit"
	"piwork/app/capacity"
	"piwork/app/changes"
	"piwork/app/chore"
	"piwork/app/diagnostics"
	"piwork/app/machines"
	"piwork/app/mcpservers"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/runtimes"
	"piwork/app/samples"
	"piwork/app/setup"
	"piwork/app/setup/wizard"
	"piwork/app/task"
	"piwork/app/upkeep"
	"piwork/pack/spec"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// names of schemas that would be unclear outside of their Go package.
var names = map[reflect.Type]string{
	reflect.TypeFor[answer.Error]():            "ApiError",
	reflect.TypeFor[toolroute.File]():          "ToolFile",
	reflect.TypeFor[huma.ErrorDetail]():        "ApiErrorDetail",
	reflect.TypeFor[chore.Info]():              "ChoreInfo",
	reflect.TypeFor[chore.ParamInfo]():         "ChoreParam",
	reflect.TypeFor[chore.Operation]():         "PlanOperation",
	reflect.TypeFor[chore.Online]():            "PlanOnline",
	reflect.TypeFor[chore.Input]():             "PlanInput",
	reflect.TypeFor[chore.Kept]():              "PlanKept",
	reflect.TypeFor[setup.Report]():            "StatusReport",
	reflect.TypeFor[machines.Settings]():       "MachineSettings",
	reflect.TypeFor[machines.WarmStart]():      "Instant",
	reflect.TypeFor[journal.Report]():          "UndoReport",
	reflect.TypeFor[journal.Conflict]():        "UndoConflict",
	reflect.TypeFor[updater.State]():           "UpdateState",
	reflect.TypeFor[updater.Settings]():        "UpdateSettings",
	reflect.TypeFor[updater.Request]():         "UpdateRequest",
	reflect.TypeFor[runtimepack.Info]():        "PackInfo",
	reflect.TypeFor[runtimepack.AddOn]():       "AddOnInfo",
	reflect.TypeFor[models.Catalogue]():        "Models",
	reflect.TypeFor[program.Info]():            "Program",
	reflect.TypeFor[models.Model]():            "ModelInfo",
	reflect.TypeFor[models.Override]():         "ModelSaid",
	reflect.TypeFor[models.OverrideRequest]():  "ModelWord",
	reflect.TypeFor[models.ChoiceRequest]():    "ModelChoice",
	reflect.TypeFor[mcpservers.Server]():       "MCPServer",
	reflect.TypeFor[mcpservers.Tool]():         "MCPTool",
	reflect.TypeFor[mcpservers.Addition]():     "MCPServerAddition",
	reflect.TypeFor[mcpservers.Import]():       "MCPServerImport",
	reflect.TypeFor[mcpservers.ToolChoice]():   "MCPToolChoice",
	reflect.TypeFor[mcpservers.Reach]():        "MCPServerReach",
	reflect.TypeFor[mcpservers.LoginRequest](): "MCPLoginRequest",
	reflect.TypeFor[mcpservers.Login]():        "MCPLogin",
	reflect.TypeFor[wizard.Wizard]():           "Wizard",
	reflect.TypeFor[wizard.Step]():             "WizardStep",
	reflect.TypeFor[audit.Report]():            "AuditReport",
	reflect.TypeFor[audit.Page]():              "AuditPage",
	reflect.TypeFor[audit.Record]():            "AuditRecord",
	reflect.TypeFor[audit.Folder]():            "AuditFolder",
	reflect.TypeFor[wizard.ActRequest]():       "WizardRequest",
	reflect.TypeFor[samples.FolderRequest]():   "SamplesRequest",
	reflect.TypeFor[samples.Made]():            "SamplesFolder",
	reflect.TypeFor[capacity.Host]():           "Computer",
	reflect.TypeFor[runtimes.Need]():           "RuntimeNeed",
	reflect.TypeFor[runtimes.Status]():         "RuntimeStatus",
	reflect.TypeFor[runtimes.Choice]():         "RuntimeChoice",
	reflect.TypeFor[runtimes.Verdict]():        "RuntimeVerdict",
	reflect.TypeFor[runtimes.Settings]():       "RuntimeSettings",
	reflect.TypeFor[changes.Side]():            "ComparedSide",
	reflect.TypeFor[changes.Text]():            "TextDiff",
	reflect.TypeFor[changes.Part]():            "TextPart",
	reflect.TypeFor[changes.Hunk]():            "TextHunk",
	reflect.TypeFor[changes.Line]():            "TextLine",
	reflect.TypeFor[changes.Table]():           "TableDiff",
	reflect.TypeFor[changes.Row]():             "TableRow",
	reflect.TypeFor[changes.Cell]():            "TableCell",
	reflect.TypeFor[changes.Fact]():            "ChangeFact",
	reflect.TypeFor[capacity.Size]():           "MachineSize",
	reflect.TypeFor[vmhost.Text]():             "QuestionText",
	reflect.TypeFor[wire.FileInfo]():           "TaskFile",
	reflect.TypeFor[actions.FileContent]():     "TaskFileContent",
	reflect.TypeFor[actions.FileList]():        "TaskFileList",
	reflect.TypeFor[none]():                    "Nothing",
	reflect.TypeFor[WindowEvent]():             "WindowEventData",
	reflect.TypeFor[diagnostics.File]():        "DiagnosticsText",
	reflect.TypeFor[spec.Tool]():               "PackTool",
	reflect.TypeFor[tools.Description]():       "ToolDescription",
	reflect.TypeFor[tools.Bounds]():            "ToolBounds",
	reflect.TypeFor[tools.TimeBound]():         "ToolTimeBound",
	reflect.TypeFor[tools.BytesBound]():        "ToolBytesBound",
	reflect.TypeFor[tools.Made]():              "MadeFile",
	reflect.TypeFor[tools.Move]():              "PlannedMove",
	reflect.TypeFor[tools.Extracted]():         "ExtractedText",
}

func namer(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n, ok := names[t]; ok {
		return n
	}
	return huma.DefaultSchemaNamer(t, hint)
}

func newRegistry() huma.Registry {
	r := huma.NewMapRegistry(toolroute.SchemaPrefix, namer)
	for _, e := range enums {
		r.RegisterTypeAlias(e.typ, e.schema)
	}
	r.RegisterTypeAlias(reflect.TypeFor[task.Event](), reflect.TypeFor[eventSchema]())
	return r
}

// enums are the string types with a fixed set of values, as schemas by name.
var enums = []enum{
	enumOf("TaskKind", task.KindChore, task.KindAI, task.KindExec, task.KindTool),
	enumOf("TaskState", task.StateQueued, task.StatePreparing, task.StateRunning, task.StateWaiting, task.StateDone, task.StateFailed, task.StateCancelled),
	enumOf("FolderMode", task.ModeReadOnly, task.ModeReadWrite, task.ModeReview),
	enumOf("Network", task.NetworkOff, task.NetworkRestricted, task.NetworkOn),
	enumOf("Severity", problem.Blocking, problem.Failed, problem.Warning),
	enumOf("FixKind", problem.FixAction, problem.FixLink, problem.FixCommand),
	enumOf("CheckState", setup.CheckPassed, setup.CheckFailed, setup.CheckUnknown, setup.CheckSkipped),
	enumOf("WizardStepId", wizard.Welcome, wizard.Check, wizard.Runtime, wizard.First),
	enumOf("WizardStepState", wizard.Open, wizard.Now, wizard.Done, wizard.Skipped),
	enumOf("WizardAct", wizard.ActDone, wizard.ActSkip, wizard.ActReset),
	enumOf("PlanEffect", chore.EffectCreate, chore.EffectMove, chore.EffectChange, chore.EffectDelete),
	enumOf("ChangeEffect", journal.EffectCreate, journal.EffectChange, journal.EffectMove, journal.EffectDelete),
	enumOf("Resolution", journal.Keep, journal.Restore, journal.Both),
	enumOf("ComparisonKind", changes.KindText, changes.KindTable, changes.KindImage, changes.KindOther, changes.KindNone),
	enumOf("DiffOp", changes.Same, changes.Added, changes.Removed, changes.Changed),
	enumOf("ChangeSide", changes.Before, changes.After),
	enumOf("FactCode", changes.FactMoved, changes.FactMode, changes.FactTime, changes.FactTarget, changes.FactAttributes, changes.FactEncoding, changes.FactLineEnds, changes.FactSameContent),
	enumOf("TextEncoding", changes.UTF8, changes.UTF8BOM, changes.UTF16LE, changes.UTF16BE, changes.Latin1),
	enumOf("ToolOutput", tools.OutNone, tools.OutFile, tools.OutFolder, tools.OutEach),
	enumOf("PackKind", runtimepack.KindRuntime, runtimepack.KindAddOn, runtimepack.KindBundle),
	enumOf("UpdatePhase", updater.PhaseOff, updater.PhaseIdle, updater.PhaseChecking, updater.PhaseAvailable, updater.PhaseDownloading, updater.PhasePaused,
		updater.PhaseInstalling, updater.PhaseTrying, updater.PhaseUpToDate, updater.PhaseFailed, updater.PhaseOffline),
	enumOf("InstantState", machines.WarmOff, machines.WarmPending, machines.WarmMaking, machines.WarmReady, machines.WarmFailed),
	enumOf("InstantReason", machines.WarmSetup, machines.WarmTasks, machines.WarmSoon, machines.WarmUnused, machines.WarmMemory, machines.WarmDisk, machines.WarmBattery),
	enumOf("InstantMode", machines.WarmTemplate, machines.WarmSpare),
	enumOf("StorageKind", upkeep.StorageRuntime, upkeep.StorageAddOns, upkeep.StorageTemplates, upkeep.StorageCaches, upkeep.StorageTrees, upkeep.StorageImages, upkeep.StorageEnvironments, upkeep.StorageDownloads, upkeep.StorageTasks, upkeep.StorageJournals, upkeep.StorageLogs),
	enumOf("MovePhase", upkeep.MoveNone, upkeep.MovePlanned, upkeep.MoveCopying, upkeep.MoveDone, upkeep.MoveFailed, upkeep.MoveCancelled),
	enumOf("RuntimeReason", runtimes.ReasonNamed, runtimes.ReasonPreferred, runtimes.ReasonStrongest, runtimes.ReasonAllowed, runtimes.ReasonPermitted, runtimes.ReasonAsk, runtimes.ReasonOther, runtimes.ReasonWork,
		runtimes.ReasonNetwork, runtimes.ReasonFolders, runtimes.ReasonAddOns, runtimes.ReasonLimits, runtimes.ReasonCache, runtimes.ReasonIsolation, runtimes.ReasonRequired, runtimes.ReasonFiles, runtimes.ReasonRule, runtimes.ReasonGPU, runtimes.ReasonAway, runtimes.ReasonOff, runtimes.ReasonUnnamed, runtimes.ReasonProblem, runtimes.ReasonWeaker, runtimes.ReasonAfter),
	enumOf("Allowance", runtimes.AllowAsk, runtimes.AllowAlways, runtimes.AllowNever),
	enumOf("Isolation", vmhost.IsolationHardware, vmhost.IsolationEmulated, vmhost.IsolationNamespace, vmhost.IsolationNone),
	enumOf("MCPToolState", mcpservers.ToolOff, mcpservers.ToolOn, mcpservers.ToolChanged, mcpservers.ToolUnfit),
	enumOf("QuestionKind", vmhost.AskDelete, vmhost.AskOverwrite, vmhost.AskMassChange, vmhost.AskNetwork, vmhost.AskCommand, vmhost.AskApply, vmhost.AskUndoSpace, vmhost.AskUnpack, vmhost.AskRuntime, vmhost.AskFolder, vmhost.AskServer, vmhost.AskRule),
}

type enum struct {
	name        string
	typ, schema reflect.Type
	values      []any
}

func enumOf[T ~string](name string, values ...T) enum {
	e := enum{name: name, typ: reflect.TypeFor[T](), schema: reflect.TypeFor[enumSchema[T]]()}
	for _, v := range values {
		e.values = append(e.values, string(v))
	}
	return e
}

// enumSchema stands for the string type T in the document.
type enumSchema[T ~string] string

// Schema implements huma.SchemaProvider.
func (enumSchema[T]) Schema(r huma.Registry) *huma.Schema {
	e := enums[slices.IndexFunc(enums, func(e enum) bool { return e.typ == reflect.TypeFor[T]() })]
	if r.Map()[e.name] == nil {
		s := &huma.Schema{Type: huma.TypeString, Enum: e.values}
		s.PrecomputeMessages()
		r.Map()[e.name] = s
	}
	return &huma.Schema{Ref: toolroute.SchemaPrefix + e.name}
}

// eventSchema stands for task.Event: one object per kind.
type eventSchema struct{}

// Schema implements huma.SchemaProvider.
func (eventSchema) Schema(r huma.Registry) *huma.Schema {
	const name = "Event"
	if r.Map()[name] != nil {
		return &huma.Schema{Ref: toolroute.SchemaPrefix + name}
	}
	union := &huma.Schema{
		Description:   "What happened. Kinds that are not listed may be added: ignore them.",
		Discriminator: &huma.Discriminator{PropertyName: "kind", Mapping: map[string]string{}},
	}
	r.Map()[name] = union
	for _, e := range append(slices.Clone(answer.EventTypes), answer.EventType{Name: "WindowEvent", Kind: EventWindow, Data: reflect.TypeFor[WindowEvent]()}) {
		r.Map()[e.Name] = &huma.Schema{
			Type: huma.TypeObject,
			Properties: map[string]*huma.Schema{
				"v":    {Type: huma.TypeInteger, Description: "version of the record, 1"},
				"seq":  {Type: huma.TypeInteger, Format: "int64", Description: "0 for volatile events"},
				"time": {Type: huma.TypeString, Format: "date-time"},
				"task": {Type: huma.TypeString, Description: "id, empty for what belongs to no task"},
				"kind": {Type: huma.TypeString, Enum: []any{string(e.Kind)}},
				"data": r.Schema(e.Data, true, e.Name+"Data"),
				"said": {Type: huma.TypeString, Description: "the event in one line, where there is one"},
			},
			Required: []string{"v", "seq", "time", "task", "kind", "data"},
		}
		ref := toolroute.SchemaPrefix + e.Name
		union.OneOf = append(union.OneOf, &huma.Schema{Ref: ref})
		union.Discriminator.Mapping[string(e.Kind)] = ref
	}
	return &huma.Schema{Ref: toolroute.SchemaPrefix + name}
}

// requests are what clients send: an unknown member is refused, lest a wish be
// ignored. Everything else may gain members, and the document says so.
var requests = []string{"StartRequest", "FolderRequest", "UndoRequest", "RedoRequest", "ApplyRequest", "UndoSettings", "AuditSettings", "AnswerRequest", "FileRequest", "SlowMode",
	"PickRequest", "OpenRequest", "SaveRequest", "Notice", "NoticeClaim", "CloseRequest", "NewWindowRequest", "CleanRequest", "DiagnosticsRequest", "WindowSettings", "UpdateRequest", "UpdateSettings", "MachineSettings", "RuntimeSettings", "RuntimeNeed", "WizardRequest", "SamplesRequest", "DroppedRequest", "SaveChoreRequest", "RepairRequest", "BundleRequest", "ToolParams", "Limits", "MCPServerAddition", "MCPServerImport", "MCPToolChoice", "MCPLoginRequest"}

// openAnswers opens what is no request; more are names of some.
func openAnswers(r huma.Registry, more []string) {
	for name, s := range r.Map() {
		if closed, isBool := s.AdditionalProperties.(bool); isBool && !closed && !slices.Contains(requests, name) && !slices.Contains(more, name) {
			s.AdditionalProperties = nil
		}
	}
}
