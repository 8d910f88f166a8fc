package tasks

import (
	"piwork/app/approval"
	"piwork/app/attach"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/telemetry"
	"piwork/app/uploads"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// StartRequest asks for a task.
type StartRequest struct {
	// ID that the task is to have: a UUIDv7 of this hour, chosen by whoever wants to
	// hear its events from the first on. Without one it gets one.
	ID      string               `json:"id,omitempty" maxLength:"36"`
	Kind    task.Kind            `json:"kind"`
	Title   string               `json:"title,omitempty"` // "" is made from the rest
	Folders []task.FolderRequest `json:"folders"`
	Network task.Network         `json:"network,omitempty"` // "" is off, restricted for AI
	Chore   string               `json:"chore,omitempty"`
	Params  map[string]any       `json:"params,omitempty"`
	AIRequest
	Argv     []string          `json:"argv,omitempty"` // exec
	Cwd      string            `json:"cwd,omitempty"`  // exec, in the guest
	Env      map[string]string `json:"env,omitempty"`  // exec: variables of the program; they are written down nowhere
	Tool     *wire.ToolParams  `json:"tool,omitempty"`
	Limits   wire.Limits       `json:"limits,omitzero"`    // of a program, of an operation; of a chore the wall clock, from the yes to its plan
	Accept   bool              `json:"accept,omitempty"`   // run the plan without asking
	PlanOnly bool              `json:"planOnly,omitempty"` // end after the plan, folders read-only
	Detached bool              `json:"detached,omitempty"` // goes on when the caller is gone
	task.PolicyRequest
	MachineChoice
	StreamsRequest
	origin
}

// origin is where a request comes from.
type origin struct {
	asked  telemetry.Origin
	by     approval.Who    // who asked
	upload *uploads.Upload // whose files it works on; nil for folders of the person
}

// StreamsRequest is how a program is talked to while it runs.
type StreamsRequest struct {
	Stdin       []byte             `json:"stdin,omitempty"`       // exec: all of its input
	Attached    bool               `json:"attached,omitempty"`    // exec: its output is for those alone who are attached (attachTask); unless it is detached, it waits until somebody is
	Interactive bool               `json:"interactive,omitempty"` // exec: as attached, and its input comes from there, too
	Terminal    *wire.TerminalSize `json:"terminal,omitempty"`    // exec: it runs on a terminal of this size
	Open        bool               `json:"open,omitempty"`        // exec: without a program; the place stays open for sessions until the last one is closed
}

// attached are the streams of what a request starts; nil where nobody can be attached.
func (r StartRequest) attached() *attach.Program {
	if r.Kind != task.KindExec || r.Open {
		return nil
	}
	return attach.New(attach.Info{Terminal: r.Terminal != nil, Input: r.Interactive}, r.streams() && !r.Detached)
}

// streams reports whether the output of a program is for those alone who are attached.
func (r StartRequest) streams() bool { return r.Attached || r.Interactive || r.Terminal != nil }

// MachineChoice is the machine that a task asks for.
type MachineChoice struct {
	Runtime  string              `json:"runtime,omitempty" maxLength:"64"` // kind of place that alone will do; "" is the one that keeps the task apart best
	Accel    string              `json:"accel,omitempty"`                  // "tcg": slow mode for this task
	MemoryMB int                 `json:"memoryMb,omitempty"`               // of its machine, MiB; 0 is as in the settings
	CPUs     int                 `json:"cpus,omitempty"`                   // of its machine; 0 is as in the settings
	Requires *vmhost.Requirement `json:"requiresRuntime,omitempty" doc:"what its place has to be; one that is not is not used"`
	Cache    string              `json:"cache,omitempty" maxLength:"63" doc:"exec and ai, in a machine: name of the project whose cache it uses, or a dot for the one of its set of folders; what it leaves there is used by later tasks of the same project, and only by them"`
}

// AIRequest is what an AI task is asked for.
type AIRequest struct {
	Prompt   string         `json:"prompt,omitempty" maxLength:"1048576"`                  // AI: what is to be done, in the person's words
	Images   []ImageRequest `json:"images,omitempty" maxItems:"16"`                        // AI: that go with it
	Model    string         `json:"model,omitempty" maxLength:"256"`                       // AI: "<provider>/<model>"; "" is the default
	Program  string         `json:"program,omitempty" maxLength:"64"`                      // AI: program that works on it, see listPrograms; "" is pi
	Thinking string         `json:"thinking,omitempty" enum:"off,minimal,low,medium,high"` // AI
	Budget   int64          `json:"budget,omitempty" minimum:"0"`                          // AI: at which it stops, in millionths of a US dollar; 0 has none
}

// RenameRequest is a title for a task.
type RenameRequest struct {
	Title string `json:"title" maxLength:"1000"`
}

// AgainRequest says how a task is started again, as in StartRequest.
type AgainRequest struct {
	ID       string `json:"id,omitempty" maxLength:"36"` // as of StartRequest
	Accept   bool   `json:"accept,omitempty"`
	Detached bool   `json:"detached,omitempty"`
	Runtime  string `json:"runtime,omitempty" maxLength:"64" doc:"kind of place in which the new task works; empty for where the other one was asked to"`
}

// SayRequest is a message of a person to a task.
type SayRequest struct {
	Text string `json:"text" maxLength:"1048576"`
	// How it is meant while the agent works: "steer" (the default) or "followUp".
	How    string         `json:"how,omitempty" enum:"steer,followUp"`
	Images []ImageRequest `json:"images,omitempty" maxItems:"16"`
	// Detached has a task that goes on not end with the caller.
	Detached bool `json:"detached,omitempty"`
}

// TaskModelRequest changes the model of a task; what is empty stays as it is.
type TaskModelRequest struct {
	Model    string `json:"model,omitempty" maxLength:"256"` // "<provider>/<model>"
	Thinking string `json:"thinking,omitempty" enum:"off,minimal,low,medium,high"`
}

// ImageRequest is a picture that goes with a message.
type ImageRequest struct {
	Name string `json:"name" minLength:"1" maxLength:"255"`
	Data []byte `json:"data"`
}

// DroppedRequest is what a person dropped on the window.
type DroppedRequest struct {
	Paths []string `json:"paths" minItems:"1" maxItems:"10000" doc:"absolute"`
}

// DroppedFolder is a folder that something was dropped from.
type DroppedFolder struct {
	Path    string           `json:"path"`
	Name    string           `json:"name"`
	Files   int              `json:"files"`             // that were dropped from it; 0 when it was dropped itself
	File    string           `json:"file,omitempty"`    // the name of the first one
	Problem *problem.Problem `json:"problem,omitempty"` // why no task may have it
}
