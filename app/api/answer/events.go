package answer

import (
	"reflect"

	"piwork/app/chore"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/vmhost"
)

// Nothing is what a value has that says nothing.
type Nothing struct{}

// EventType is a kind of events.
type EventType struct {
	Name string // of its schema
	Kind task.EventKind
	Data reflect.Type // of what it carries
}

// EventTypes is what each kind of event carries.
var EventTypes = []EventType{
	{"StateEvent", task.EventState, reflect.TypeFor[task.StateData]()},
	{"StepEvent", task.EventStep, reflect.TypeFor[task.StepData]()},
	{"PlanEvent", task.EventPlan, reflect.TypeFor[chore.Plan]()},
	{"ProgressEvent", task.EventProgress, reflect.TypeFor[task.ProgressData]()},
	{"OutputEvent", task.EventOutput, reflect.TypeFor[task.OutputData]()},
	{"ProblemEvent", task.EventProblem, reflect.TypeFor[problem.Problem]()},
	{"ResultEvent", task.EventResult, reflect.TypeFor[task.Result]()},
	{"QuestionEvent", task.EventQuestion, reflect.TypeFor[vmhost.Question]()},
	{"DecisionEvent", task.EventDecision, reflect.TypeFor[vmhost.Decision]()},
	{"UndoEvent", task.EventUndo, reflect.TypeFor[task.UndoData]()},
	{"RedoEvent", task.EventRedo, reflect.TypeFor[task.RedoData]()},
	{"ApplyEvent", task.EventApply, reflect.TypeFor[task.ApplyData]()},
	{"FolderEvent", task.EventFolder, reflect.TypeFor[task.FolderData]()},
	{"MessageEvent", task.EventMessage, reflect.TypeFor[task.MessageData]()},
	{"DeltaEvent", task.EventDelta, reflect.TypeFor[task.DeltaData]()},
	{"ToolEvent", task.EventTool, reflect.TypeFor[task.ToolData]()},
	{"UsageEvent", task.EventUsage, reflect.TypeFor[task.Usage]()},
	{"NoticeEvent", task.EventNotice, reflect.TypeFor[task.NoticeData]()},
	{"QueueEvent", task.EventQueue, reflect.TypeFor[task.QueueData]()},
	{"PackEvent", task.EventPack, reflect.TypeFor[task.PackData]()},
	{"UpdateEvent", task.EventUpdate, reflect.TypeFor[updater.State]()},
	{"MachinesEvent", task.EventMachines, reflect.TypeFor[machines.Machines]()},
	{"StatusEvent", task.EventStatus, reflect.TypeFor[setup.Report]()},
	{"CheckEvent", task.EventCheck, reflect.TypeFor[setup.Check]()},
	{"ResetEvent", task.EventReset, reflect.TypeFor[Nothing]()},
	{"SettingsEvent", task.EventSettings, reflect.TypeFor[Nothing]()},
	{"GoneEvent", task.EventGone, reflect.TypeFor[Nothing]()},
}

// EventData is the type of the data of events of a kind, nil where they have none.
func EventData(kind task.EventKind) reflect.Type {
	for _, e := range EventTypes {
		if e.Kind == kind && e.Data != reflect.TypeFor[Nothing]() {
			return e.Data
		}
	}
	return nil
}
