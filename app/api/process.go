package api

import (
	"context"
	"net/http"
	"time"

	"piwork/app/api/answer"
	"piwork/app/problem"
	"piwork/app/task"
)

// ClientHeader is the header by which a program says what it is: a door as task.Doors has them,
// of a window ClientWindow.
const (
	ClientHeader = "X-Piwork-Client"
	ClientWindow = task.DoorWindow
)

// EventsPath is where the stream of events is.
const EventsPath = "/v1/events"

// Process is the one that has the controller (package background).
type Process interface {
	// Status says what the process does.
	Status(ctx context.Context) (ProcessStatus, error)
	// End has the process end. While tasks, or an undo, a redo, an apply or an upload are at
	// work the error is a problem with the code "controller-working", and while the data is
	// moved with "moving", unless r says to cancel them.
	End(ctx context.Context, r EndRequest) error
	// AtLogin says whether the system starts the process when the person logs in.
	AtLogin(ctx context.Context) (AtLogin, error)
	// SetAtLogin has the system do so from the next login on, or not.
	SetAtLogin(ctx context.Context, r AtLoginChoice) (AtLogin, error)
}

// ProcessStatus says what the process that has the controller does, and why it runs.
type ProcessStatus struct {
	PID        int       `json:"pid"`
	Version    string    `json:"version" doc:"of piwork"`
	Program    string    `json:"program" doc:"path of its file"`
	Built      time.Time `json:"built" doc:"when its file was written; another time on disk is another piwork"`
	Since      time.Time `json:"since"`
	Background bool      `json:"background" doc:"started by whoever needed it, or at login"`
	IdleEnd    int       `json:"idleEnd,omitempty" doc:"seconds without use after which it ends by itself; none: never"`
	Accel      string    `json:"accel,omitempty" doc:"tcg is the slow mode, by its environment"`
	Env        string    `json:"env" doc:"of the variables that it was started with: a program with others starts another one when this has nothing to do"`
	Pages      bool      `json:"pages" doc:"it serves the pages of the window, too"`
	Working    int       `json:"working" doc:"tasks that are not over"`
	Held       []string  `json:"held" nullable:"false" doc:"those of them that end with whoever waits for them"`
	Clients    int       `json:"clients" doc:"requests and streams of others that are open"`
	Windows    int       `json:"windows" doc:"those of them that are streams of windows (header X-Piwork-Client: window)"`
}

// AtLogin says whether the system starts the process at login, for what is to happen at a time.
type AtLogin struct {
	On       bool `json:"on"`
	Possible bool `json:"possible" doc:"false: this system has no such service that piwork knows, or the data of this process is where the one it starts would not look"`
}

// AtLoginChoice is what the person wants.
type AtLoginChoice struct {
	On bool `json:"on"`
}

// EndRequest asks the process to end.
type EndRequest struct {
	Cancel bool `json:"cancel,omitempty" doc:"tasks at work are cancelled, and an undo, redo or apply stops; without it the answer is 409 while there are any"`
}

var processOperations = []operation{
	{"getProcess", "GET /v1/process", "What is the process that answers, and why does it run?", "501 from one that cannot be ended.",
		call(nil, func(a *API, ctx context.Context, _ *none) (ProcessStatus, error) {
			if a.opts.Process == nil {
				return ProcessStatus{}, noProcess()
			}
			return a.opts.Process.Status(ctx)
		}).failing(answer.CodeNoProcess)},
	{"endProcess", "POST /v1/process/end", "End the process that answers", "Windows and command lines start another one when they need it. 501 from one that cannot be ended.",
		drop(nil, func(a *API, ctx context.Context, in *optional[EndRequest]) error {
			if a.opts.Process == nil {
				return noProcess()
			}
			return a.opts.Process.End(ctx, orZero(in.Body))
		}).failing(answer.CodeNoProcess, problem.CodeControllerWorking)},
	{"getAtLogin", "GET /v1/settings/at-login", "Does the system start the process at login?", "501 from one that is part of another program.",
		call(nil, func(a *API, ctx context.Context, _ *none) (AtLogin, error) {
			if a.opts.Process == nil {
				return AtLogin{}, noProcess()
			}
			return a.opts.Process.AtLogin(ctx)
		}).failing(answer.CodeNoProcess, problem.CodeAtLogin)},
	{"setAtLogin", "PUT /v1/settings/at-login", "Have the system start the process at login, or not", "It takes effect at the next login. 501 from one that is part of another program.",
		call(nil, func(a *API, ctx context.Context, in *input[AtLoginChoice]) (AtLogin, error) {
			if a.opts.Process == nil {
				return AtLogin{}, noProcess()
			}
			return a.opts.Process.SetAtLogin(ctx, in.Body)
		}).failing(answer.CodeNoProcess, problem.CodeAtLogin, problem.CodeAtLoginElsewhere)},
}

func noProcess() error {
	return answer.Simple(http.StatusNotImplemented, answer.CodeNoProcess, "this controller is part of another program")
}
