package api

import (
	"context"

	"piwork/app/problem"
	"piwork/app/task"
)

// EventWindow is the kind of events that are about the window that hears them. No
// controller sends them: they come from the program around the page.
const EventWindow task.EventKind = "window"

// What a window is told.
const (
	WindowCloseAsked = "close-asked" // its person closes it, and tasks are at work: answer with closeWindow
	WindowOpen       = "open"        // show a task, the form of a chore, or what is to be done with files
)

// WindowEvent is the data of EventWindow.
type WindowEvent struct {
	What    string `json:"what" enum:"close-asked,open"`
	Running int    `json:"running,omitempty" doc:"close-asked: tasks at work"`
	OpenWish
}

// OpenWish is what a link, an argument or a drop on the icon asks for. It is never
// more than a wish: a form is shown, nothing is started. All of it absent is the
// window itself.
type OpenWish struct {
	Task  string   `json:"task,omitempty" doc:"id"`
	Chore string   `json:"chore,omitempty" doc:"name of its form"`
	Paths []string `json:"paths,omitempty" doc:"absolute paths of folders and files"`
}

// Window is the window that a page is in. Its methods may be called from several
// goroutines.
type Window interface {
	// Ready says that the page listens, and returns what it was asked to open
	// before that.
	Ready(ctx context.Context) (WindowState, error)
	// Drawn says whether the page was drawn, by what its engine tells the page.
	Drawn(ctx context.Context, drawn bool) error
	// Close answers a close that was asked about.
	Close(ctx context.Context, r CloseRequest) error
	// New opens another window, on a task or with "" as the first one.
	New(ctx context.Context, task string) error
	// Notify has the system show a message; a click on it shows the task.
	Notify(ctx context.Context, n Notice) error
	// SaveFile lets the person choose where to save a file; "" when they did not.
	SaveFile(ctx context.Context, title, name string) (string, error)
}

// WindowState is what a window knows of itself.
type WindowState struct {
	Task string     `json:"task,omitempty" doc:"the task that this window is for; absent in the main window"`
	Open []OpenWish `json:"open" doc:"what it was asked to open and was not told yet"`
}

// DrawnReport is what a page knows of being drawn.
type DrawnReport struct {
	Drawn bool `json:"drawn" doc:"false: no frame was drawn within seconds in which the page was visible"`
}

// Answers to a close that was asked about.
const (
	AnswerBackground = "background"
	AnswerStop       = "stop"
	AnswerCancel     = "cancel"
)

// CloseRequest answers a close that was asked about.
type CloseRequest struct {
	Answer   string `json:"answer" enum:"background,stop,cancel"`
	Remember bool   `json:"remember,omitempty" doc:"do so without asking the next time; with cancel nothing is remembered"`
}

// NewWindowRequest asks for another window.
type NewWindowRequest struct {
	Task string `json:"task,omitempty" maxLength:"64" pattern:"^[0-9A-Za-z-]*$" doc:"id; without it the main window"`
}

// Notice is a message that the system shows.
type Notice struct {
	Title string `json:"title" minLength:"1" maxLength:"200"`
	Body  string `json:"body,omitempty" maxLength:"1000"`
	Task  string `json:"task,omitempty" maxLength:"64" pattern:"^[0-9A-Za-z-]*$" doc:"a click shows it"`
}

// Noticed says whether a message was shown.
type Noticed struct {
	Shown bool `json:"shown" doc:"false where the person does not want messages"`
}

// SaveRequest asks where to save.
type SaveRequest struct {
	Title string `json:"title,omitempty" maxLength:"200" doc:"of the dialog"`
	Name  string `json:"name" minLength:"1" maxLength:"200" pattern:"^[^/\\\\\\x00-\\x1f]+$" doc:"that is offered"`
	From  string `json:"from,omitempty" maxLength:"300" pattern:"^(/v1/tasks/[0-9A-Za-z-]{1,64}/[0-9A-Za-z/_-]{1,200})?$" doc:"path of this API whose answer is written there, e.g. a result or an export; without it nothing is written"`
}

var windowOperations = []operation{
	{"getWindowSettings", "GET /v1/settings/window", "How does the window behave?", "", get(Service.WindowSettings)},
	{"setWindowSettings", "PUT /v1/settings/window", "Choose how the window behaves", "", send(Service.SetWindowSettings)},
	{"claimNotice", "POST /v1/notices", "Is this window the first that would tell of an event?", "Of several windows, one tells; none when one is in front.", send(Service.ClaimNotice)},

	{"windowReady", "POST /v1/window/ready", "The page listens: what was it asked to open?", "Later wishes come as events of kind window.",
		call(nil, func(a *API, ctx context.Context, _ *none) (WindowState, error) {
			s, err := a.opts.Window.Ready(ctx)
			if s.Open == nil {
				s.Open = []OpenWish{}
			}
			return s, err
		}).only(ByWindow)},
	{"windowDrawn", "POST /v1/window/drawn", "The page was drawn, or was not", "A window whose page stays blank is opened once more, and drawn in another way.",
		do(nil, func(a *API, ctx context.Context, in *input[DrawnReport]) (*none, error) {
			return &none{}, a.opts.Window.Drawn(ctx, in.Body.Drawn)
		}).only(ByWindow)},
	{"closeWindow", "POST /v1/window/close", "Answer a close that was asked about", "",
		do(nil, func(a *API, ctx context.Context, in *input[CloseRequest]) (*none, error) {
			return &none{}, a.opts.Window.Close(ctx, in.Body)
		}).only(ByWindow)},
	{"newWindow", "POST /v1/window/new", "Open another window, on a task", "",
		do(nil, func(a *API, ctx context.Context, in *optional[NewWindowRequest]) (*none, error) {
			id := orZero(in.Body).Task
			if id != "" {
				if _, err := a.service.Task(ctx, id); err != nil {
					return nil, err
				}
			}
			return &none{}, a.opts.Window.New(ctx, id)
		}).only(ByWindow).failing(problem.CodeNotFound)},
	{"notify", "POST /v1/native/notify", "Have the system show a message", "Nothing is shown to a person who does not want it.",
		call(nil, func(a *API, ctx context.Context, in *input[Notice]) (Noticed, error) {
			s, err := a.service.WindowSettings(ctx)
			if err != nil || !s.Notify {
				return Noticed{}, err
			}
			return Noticed{Shown: true}, a.opts.Window.Notify(ctx, in.Body)
		}).only(ByWindow).failing(problem.CodeUnsupported)},
	{"saveAs", "POST /v1/native/save-as", "Let the person choose where to save a file, and save it", "",
		call(nil, func(a *API, ctx context.Context, in *input[SaveRequest]) (Picked, error) {
			p, err := a.opts.Window.SaveFile(ctx, in.Body.Title, in.Body.Name)
			if err == nil && p != "" && in.Body.From != "" {
				err = a.save(ctx, in.Body.From, p)
			}
			return Picked{Path: p}, err
		}).only(ByWindow).failing(ofChanges...).failing(problem.CodeChangedSince, problem.CodeDownloadFailed, problem.CodeFileKind, problem.CodeOutputExists)},
}
