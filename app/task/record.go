// Package task is the record of what a person asked for: one directory per
// task with plain files that are replaced atomically or only appended to.
//
//	tasks/<id>/task.json       the record (Task)
//	tasks/<id>/timeline.jsonl  what happened (Event), append-only
//	tasks/<id>/plan.json       of a chore: its plan, accepted or not
//	tasks/<id>/journal/        before-images and changes (vmhost/share/journal)
//	tasks/<id>/changes.json    the list that stays when the journal is given up (app/history)
//	tasks/<id>/undo-since      when these were first looked at (app/history)
//	tasks/<id>/results/        files made for the person
//	tasks/<id>/state/          of an AI task: what the guest sees as /state
//	tasks/<id>/agent.jsonl     of an AI task: the agent's events, untouched
//
// The record is the truth; every index can be rebuilt from it. Records are
// extended by new members, never reshaped: an older program reads what it
// knows and keeps the rest.
package task

import (
	"math"
	"slices"
	"time"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// RecordVersion is the "v" of Task and Event.
const RecordVersion = 1

// Kind says what sort of work a task is.
type Kind string

// Kinds of tasks.
const (
	KindChore Kind = "chore"
	KindAI    Kind = "ai"
	KindExec  Kind = "exec"
	KindTool  Kind = "tool"
)

// State is where a task is in its life.
type State string

// States of a task. Done, failed and cancelled are final.
const (
	StateQueued    State = "queued"
	StatePreparing State = "preparing"
	StateRunning   State = "running"
	StateWaiting   State = "waiting"
	StateDone      State = "done"
	StateFailed    State = "failed"
	StateCancelled State = "cancelled"
)

// Unfinished are the states of a task that is not over.
var Unfinished = []State{StateQueued, StatePreparing, StateRunning, StateWaiting}

// Final reports whether a task in this state is over.
func (s State) Final() bool {
	return s == StateDone || s == StateFailed || s == StateCancelled
}

// Mode says what a task may do with a folder.
type Mode string

// Modes of a folder.
const (
	ModeReadOnly  Mode = "ro"
	ModeReadWrite Mode = "rw"
	ModeReview    Mode = "review" // changes are staged until the person applies them
)

// Exceeds reports whether a mode lets a task do more than another; one that is none lets it do most.
func (m Mode) Exceeds(bound Mode) bool {
	return exceeds(m, bound, ModeReadOnly, ModeReview, ModeReadWrite)
}

// Network is what a task may reach.
type Network string

// Network choices of a task.
const (
	NetworkOff        Network = "off"
	NetworkRestricted Network = "restricted"
	NetworkOn         Network = "on"
)

// Exceeds is [Mode.Exceeds] of networks.
func (n Network) Exceeds(bound Network) bool {
	return exceeds(n, bound, NetworkOff, NetworkRestricted, NetworkOn)
}

// exceeds reports whether one word is beyond another in an order, in which all other words are last.
func exceeds[T comparable](word, bound T, order ...T) bool {
	after, at := slices.Index(order, bound), slices.Index(order, word)
	return after >= 0 && (at < 0 || at > after)
}

// Folder is a folder that the person chose.
type Folder struct {
	ID   string `json:"id"`   // unique in the task
	Path string `json:"path"` // absolute, on the host
	Name string `json:"name"` // in the guest: /folders/<name>, unique in the task
	Mode Mode   `json:"mode"`

	// Removed is when the person took the folder from a task that ran. What the task
	// changed in the folder stays listed and can be undone.
	Removed *time.Time `json:"removed,omitempty"`
}

// Paths are where folders are on the host.
func Paths(folders []Folder) []string {
	paths := make([]string, len(folders))
	for i, f := range folders {
		paths[i] = f.Path
	}
	return paths
}

// Task is the content of task.json.
type Task struct {
	V       int       `json:"v"`
	ID      string    `json:"id"` // UUIDv7: sorts by creation
	Kind    Kind      `json:"kind"`
	Title   string    `json:"title"`
	State   State     `json:"state"`
	Created time.Time `json:"created"` // RFC 3339, UTC
	Timing
	Folders []Folder `json:"folders"`
	Network Network  `json:"network"`
	Place
	Error *problem.Problem `json:"error,omitempty"`

	// Since the first release of the records; absent where they do not apply.
	Chore  string         `json:"chore,omitempty"`  // name of the chore
	Params map[string]any `json:"params,omitempty"` // of the chore or the tool
	Argv   []string       `json:"argv,omitempty"`   // of exec
	Outcome
	AI *AI `json:"ai,omitempty"` // of an AI task
	Report
	Naming
	Asked *Asked `json:"asked,omitempty"` // absent in lists

	Policy
}

// Naming says where the title comes from, and what it is in words.
type Naming struct {
	Titled bool   `json:"titled,omitempty"`               // the title is in a person's own words
	Called string `json:"called,omitempty" words:"shown"` // written by package words where a task is shown; never stored
	Stands string `json:"stands,omitempty" words:"shown"` // its state
	Where  string `json:"where,omitempty" words:"shown"`  // it works
}

// Policy is what a task may do beyond the usual.
type Policy struct {
	// Loosened says in which ways the task may do more than one usually may, or may
	// it without being asked: codes "network-on", "no-asking" (about commands),
	// "preset" (a group of hosts) and "allowed-always" (by a rule of a folder or of
	// everywhere).
	Loosened []string `json:"loosened,omitempty"`
	PolicyRequest
}

// PolicyRequest is what of a task's policy was asked for.
type PolicyRequest struct {
	Presets  []string `json:"presets,omitempty" maxItems:"16"`  // groups of hosts that it may reach, as consent.NetworkPreset has them
	Services []string `json:"services,omitempty" maxItems:"16"` // of the person, that it may use with their secrets; see package services
	Client   string   `json:"client,omitempty"`                 // name of the token of who started it, see package access; of the person none
	Door     string   `json:"door,omitempty" maxLength:"16"`    // by which its request came, see DoorOf
	Agent    bool     `json:"agent,omitempty"`                  // a model of another program decides what is done, not the person, who is asked as of an AI task
}

// Report is what a tool says of its inputs and of itself.
type Report struct {
	Info     []any             `json:"info,omitempty"`     // of a tool that reports: one object for each input
	Versions map[string]string `json:"versions,omitempty"` // of the programs that a tool used, by their names
}

// Outcome is how a task ran and what came of it.
type Outcome struct {
	ExitCode *int              `json:"exitCode,omitempty"` // of exec
	CPUMS    int64             `json:"cpuMs,omitempty"`    // of exec: processor time
	PeakKB   int64             `json:"peakKb,omitempty"`   // of exec: memory, KiB; 0 is unknown
	Accel    string            `json:"accel,omitempty"`    // that it ran with: "kvm", "hvf", "whpx", "tcg"
	Results  []Result          `json:"results,omitempty"`
	Problems []problem.Problem `json:"problems,omitempty"` // what could not be done while the rest was
}

// Place is where a task runs.
type Place struct {
	Runtime string `json:"runtime"`
	Pack    string `json:"pack"` // version of the runtime pack it runs on
}

// Timing says when a task began and ended.
type Timing struct {
	Started *time.Time `json:"started,omitempty"`
	Ended   *time.Time `json:"ended,omitempty"`
}

// Shared are the folders that the task has: those that were not removed from it.
func (t Task) Shared() []Folder {
	return slices.DeleteFunc(slices.Clone(t.Folders), func(f Folder) bool { return f.Removed != nil })
}

// Asked is what a request said that no other member of the record does: with both,
// the same can be asked for again.
type Asked struct {
	Prompt   string              `json:"prompt,omitempty"` // of an AI task: its first message
	Images   []string            `json:"images,omitempty"` // of an AI task: names in its uploads that go with it
	Cwd      string              `json:"cwd,omitempty"`    // of exec
	Limits   wire.Limits         `json:"limits,omitzero"`
	MemoryMB int                 `json:"memoryMb,omitempty"`        // of its machine, MiB
	Cache    string              `json:"cache,omitempty"`           // name of the project whose cache it uses, or a dot for that of its folders
	CacheOf  []string            `json:"cacheOf,omitempty"`         // with a dot: paths of the folders that it began with, whose cache it uses for good
	CPUs     int                 `json:"cpus,omitempty"`            // of its machine
	Runtime  string              `json:"runtime,omitempty"`         // kind of place that alone would do
	Requires *vmhost.Requirement `json:"requiresRuntime,omitempty"` // what else its place had to be
	PlanOnly bool                `json:"planOnly,omitempty"`

	// Lost is what was part of the request and was kept nowhere: "password", "files"
	// (that came with it), "input" (its standard input) or "environment" (its variables).
	Lost string `json:"lost,omitempty"`
}

// MaxResult is the largest file that a task keeps in its own results directory, in bytes: each
// is copied there, through the guest protocol or from the state.
const MaxResult = 1 << 30

// Result is a file that a task made for the person.
type Result struct {
	Folder string `json:"folder,omitempty"` // Folder.ID, "" for the task's own results directory
	Path   string `json:"path"`             // relative to it, slash-separated
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"`
}

// EventKind says what an event is about.
type EventKind string

// Kinds of events and what their data is.
const (
	EventState    EventKind = "state"    // StateData: the record changed
	EventStep     EventKind = "step"     // StepData: what is waited for
	EventPlan     EventKind = "plan"     // chore.Plan
	EventProgress EventKind = "progress" // ProgressData: not stored, carries no seq in the timeline
	EventOutput   EventKind = "output"   // OutputData: of exec; not stored
	EventProblem  EventKind = "problem"  // problem.Problem
	EventResult   EventKind = "result"   // Result
	EventQuestion EventKind = "question" // vmhost.Question
	EventDecision EventKind = "decision" // vmhost.Decision
	EventUndo     EventKind = "undo"     // UndoData
	EventRedo     EventKind = "redo"     // RedoData
	EventApply    EventKind = "apply"    // ApplyData
	EventFolder   EventKind = "folder"   // FolderData: a folder was added or removed while the task runs

	// Of the API's stream only.
	EventPack   EventKind = "pack"   // PackData: a runtime pack is being installed
	EventStatus EventKind = "status" // setup.Report
	EventCheck  EventKind = "check"  // setup.Check: of a report that is being made
	EventUpdate EventKind = "update" // updater.State: the runtime against its channel
	EventReset  EventKind = "reset"  // no data: events were missed, look at everything again
	EventGone   EventKind = "gone"   // no data: the task was deleted

	EventMachines EventKind = "machines" // app.Machines: how this computer is shared out
	EventSettings EventKind = "settings" // no data: the person chose something, look at what is chosen again
)

// Event is a line of timeline.jsonl and an event of the API. In a timeline Seq
// counts from 1 per task; in the API's stream it counts per controller.
// Streaming deltas have Seq 0 and are not stored.
type Event struct {
	V    int       `json:"v"`
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	Task string    `json:"task"`
	Kind EventKind `json:"kind"`
	Data any       `json:"data"`
	Said string    `json:"said,omitempty" words:"shown"` // the event in one line

	Serial uint64 `json:"-"` // tells events of one process apart, also those without Seq; 0 has none
}

// OnlyNew is the number after which there are events to come only.
const OnlyNew = math.MaxInt64

// EventFilter chooses events of a stream. EventReset passes always.
type EventFilter struct {
	After int64       // only with a larger Seq; 0 is all that are kept
	Task  string      // only of this task; "" is of all, and of none
	Kinds []EventKind // only these; none is all
	Wait  bool        // with Task: its output waits for this reader, who misses none of it
	Plain bool        // nothing of settings, updates and packs: of what is about no task only how this computer does
}

// Wants reports whether an event passes, whatever its number.
func (f EventFilter) Wants(e Event) bool {
	if f.Plain && e.Task == "" && !slices.Contains([]EventKind{EventStatus, EventCheck, EventMachines, EventReset}, e.Kind) {
		return false
	}
	return e.Kind == EventReset || (f.Task == "" || f.Task == e.Task) && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, e.Kind))
}

// StateData is the data of EventState.
type StateData struct {
	State State            `json:"state"`
	Error *problem.Problem `json:"error,omitempty"`
}

// StepData is the data of EventStep.
type StepData struct {
	// "turn" and "memory" (the machine waits for others, or for free memory), "verify",
	// "send" (programs go to another computer; ProgressData counts bytes), "boot", "kernel", "agent", "mount", "plan", "accept", "run", "finish"
	Step string `json:"step"`
}

// ProgressData is the data of EventProgress.
type ProgressData struct {
	Done       int64  `json:"done"` // inputs; bytes in the step "send"
	Total      int64  `json:"total"`
	Item       string `json:"item,omitempty"`
	Bytes      int64  `json:"bytes,omitempty"`      // of the inputs that are done
	TotalBytes int64  `json:"totalBytes,omitempty"` // 0 where their content is not read
	ETA        *int64 `json:"eta,omitempty"`        // seconds left; absent when unknown
}

// OutputData is the data of EventOutput.
type OutputData struct {
	Stream string `json:"stream"`         // "stdout", "stderr", or "log": lines about an operation's programs
	Part   int64  `json:"part,omitempty"` // counts from 1 in a stream of events, for all streams of the task; a number that is missing is a piece that did not arrive
	Data   []byte `json:"data"`
}

// FolderData is the data of EventFolder: the folder as the record has it from then on.
type FolderData struct {
	Folder Folder `json:"folder"` // with Removed when it was removed, else it was added
	By     string `json:"by"`     // as Decision.By
}

// PackData is the data of EventPack, in bytes of the pack's file.
type PackData struct {
	Done  int64 `json:"done"`
	Total int64 `json:"total"`
}

// UndoData is the data of EventUndo.
type UndoData struct {
	Undone    []string `json:"undone"`       // ids of changes
	Conflicts []string `json:"conflicts"`    // ids left alone because the person changed them since
	By        string   `json:"by,omitempty"` // as Decision.By
}

// RedoData is the data of EventRedo.
type RedoData struct {
	Redone    []string `json:"redone"`       // ids of changes
	Conflicts []string `json:"conflicts"`    // ids left alone
	By        string   `json:"by,omitempty"` // as Decision.By
}

// ApplyData is the data of EventApply: a person decided about changes that waited.
type ApplyData struct {
	Applied   []string `json:"applied"`      // ids of changes that are in the folder now
	Discarded []string `json:"discarded"`    // ids of changes that are gone
	Conflicts []string `json:"conflicts"`    // ids left waiting
	By        string   `json:"by,omitempty"` // as Decision.By
}
