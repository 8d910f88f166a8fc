package mcp

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/actions"
	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// Service is what the door asks of a controller; a client.Client is one. A task that is not
// detached ends with the context of its start.
type Service interface {
	StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error)
	Task(ctx context.Context, id string) (task.Task, error)
	CancelTask(ctx context.Context, id string) (task.Task, error)
	Plan(ctx context.Context, id string) (chore.Plan, error)
	Timeline(ctx context.Context, id string, after int64) ([]task.Event, error)
	AcceptPlan(ctx context.Context, id string) (task.Task, error)
	Subscribe(f task.EventFilter) (<-chan task.Event, func())
	Answer(ctx context.Context, id, question string, r consent.AnswerRequest) (vmhost.Decision, error)
	Questions(ctx context.Context, id string) ([]vmhost.Question, error)
	Chores(ctx context.Context) ([]chore.Info, error)
	Changes(ctx context.Context, id string) ([]journal.Change, error)
	Undo(ctx context.Context, id string, r history.UndoRequest) (journal.Report, error)
	Redo(ctx context.Context, id string, r history.RedoRequest) (history.RedoReport, error)
	OpenResult(ctx context.Context, id string, index int) (io.ReadSeekCloser, task.Result, error)
	CreateSession(ctx context.Context, id string, r sessions.Request) (sessions.Session, error)
	RunInSession(ctx context.Context, id string, r sessions.RunRequest) (sessions.RunResult, error)
	CloseSession(ctx context.Context, id string) (sessions.Session, error)
	ListFiles(ctx context.Context, id string, r actions.ListRequest) (actions.FileList, error)
	ReadFile(ctx context.Context, id string, r actions.ReadRequest) (actions.FileContent, error)
	WriteFile(ctx context.Context, id string, r actions.WriteRequest) (wire.FileInfo, error)
}

// Options say what a door opens.
type Options struct {
	Version string
	Folders []task.FolderRequest // all that a model reaches; absolute paths, "" is read-only
	Network task.Network         // of its tasks and its workroom; "" is off, restricted for AI
	Machine tasks.MachineChoice  // of its tasks and its workroom
	Aside   bool                 // the assistant does not put piwork's questions to the person
	AI      bool                 // it may start AI tasks, which can cost the person money
	Budget  int64                // of each AI task, as in [tasks.AIRequest]
	Title   string               // of the workroom, in lists
	Words   *words.Catalogue     // of the person's language, without paths of this computer; nil is English

	PlanLines func(chore.Plan) []string // says all that a plan does; nil leaves plans to piwork
}

// Door is open to one client, or to several that share what it began. It is safe for several
// goroutines.
type Door struct {
	service Service
	o       Options
	folders []task.Folder // with their names in the workroom

	life context.Context // of what was begun
	end  context.CancelFunc
	work sync.WaitGroup

	mu    sync.Mutex
	own   map[string]bool  // tasks that came through it
	calls map[string]*call // that are parked, by their state

	asked    asked
	undid    undone
	requests requests

	shell shell
}

// Open makes a door. Folders that are not there, that no task may have, or that lie in each
// other, are problems.
func Open(service Service, o Options) (*Door, error) {
	if o.Words == nil {
		o.Words = words.For("en")
	}
	d := &Door{service: service, o: o, own: map[string]bool{}, calls: map[string]*call{}}
	for _, f := range o.Folders {
		if err := share.CheckFolder(f.Path, nil); err != nil { // now, and not with the first call of a model
			return nil, problem.From(err)
		}
		resolved, err := share.RealPath(f.Path)
		if err != nil {
			return nil, problem.New(problem.CodeFolderRefused).With("path", f.Path).By(string(share.RefusedMissing)).Because(err)
		}
		mode := cmp.Or(f.Mode, task.ModeReadOnly)
		for _, other := range d.folders {
			if task.Contains(other.Path, resolved) || task.Contains(resolved, other.Path) {
				return nil, problem.New(problem.CodeFolderOverlap).With("path", resolved).With("other", other.Path)
			}
		}
		d.folders = append(d.folders, task.Folder{Path: resolved, Mode: mode, Name: task.FolderName(filepath.Base(filepath.Clean(f.Path)), resolved, d.folders)})
	}
	d.life, d.end = context.WithCancel(context.Background())
	d.shell.turn = make(chan struct{}, 1)
	return d, nil
}

// Close ends what the door began, and returns when it has asked for that.
func (d *Door) Close() {
	d.mu.Lock() // no call begins meanwhile
	d.end()
	d.mu.Unlock()
	d.work.Wait()
}

// Server has the door's tools and resources, for one connection or for several.
func (d *Door) Server() *sdk.Server {
	s := sdk.NewServer(
		&sdk.Implementation{Name: "piwork", Title: "piwork", Version: d.o.Version},
		&sdk.ServerOptions{Instructions: d.instructions(), Capabilities: &sdk.ServerCapabilities{}},
	)
	s.AddReceivingMiddleware(negotiated)
	d.addOperations(s)
	d.addWorkroom(s)
	d.addTasks(s)
	d.addChanges(s)
	d.addResults(s)
	return s
}

// instructions are for the model.
func (d *Door) instructions() string {
	var b strings.Builder
	b.WriteString("piwork does work on files " + d.placeText() + " Paths are those of the workroom. Folders of the person:\n")
	for _, f := range d.folders {
		b.WriteString("- " + folderPath(f) + ": " + modeText(f.Mode) + "\n")
	}
	if len(d.folders) == 0 {
		b.WriteString("- none: only /work, which is empty at first and gone at the end\n")
	}
	b.WriteString("What changes in them can be undone. The person may be asked before something is deleted, replaced or sent: then a call takes as long as the answer.")
	return b.String()
}

// placeText says where the workroom is, and what that means, for the model.
func (d *Door) placeText() string {
	switch kind, _, _ := strings.Cut(d.o.Machine.Runtime, ":"); kind {
	case vmhost.KindHost:
		return "on the person's computer itself. Nothing keeps programs from their other files: touch nothing outside of the person's folders. Commands find " + wire.FoldersDir + " in $" + wire.FoldersVariable + ", and $TMPDIR is for everything else."
	case vmhost.KindRemote:
		return "in a workroom on another computer of the person. Programs there may be its own. " + wire.WorkDir + " is for everything else."
	case vmhost.KindKubernetes:
		return "in a container of a cluster. Programs there are those of its image. " + wire.WorkDir + " is for everything else."
	case "": // the settings may choose a place that keeps less apart
		return "in a workroom, a Debian system with Python, Node and common tools. Touch nothing outside of the person's folders and " + wire.WorkDir + ", which is for everything else."
	}
	return "in a workroom that is kept apart from the computer, a Debian system with Python, Node and common tools. " + wire.WorkDir + " is for everything else."
}

func folderPath(f task.Folder) string { return wire.FoldersDir + "/" + f.Name }

func modeText(m task.Mode) string {
	switch m {
	case task.ModeReadWrite:
		return "may be changed"
	case task.ModeReview:
		return "changes are shown to the person, who takes them over or not"
	}
	return "read-only"
}

// shared are the folders for a task, in their order and so with their names; with changes as
// far as each may be changed.
func (d *Door) shared(changes bool) []task.FolderRequest {
	out := []task.FolderRequest{}
	for _, f := range d.folders {
		mode := task.ModeReadOnly
		if changes {
			mode = f.Mode
		}
		out = append(out, task.FolderRequest{Path: f.Path, Mode: mode, Exact: true})
	}
	return out
}

// here is the path on this computer of one of the workroom. Nothing is looked up: it is only
// compared with others.
func (d *Door) here(p string) (string, error) {
	for _, f := range d.folders {
		if rest, ok := strings.CutPrefix(p, folderPath(f)); ok && (rest == "" || rest[0] == '/') {
			if out := filepath.Join(f.Path, filepath.FromSlash(rest)); task.Contains(f.Path, out) {
				return out, nil
			}
		}
	}
	return "", problem.New(problem.CodeFileOutside).With("path", p)
}

// mine refuses a task that did not come through this door, as one that is not there.
func (d *Door) mine(id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.own[id] {
		return problem.New(problem.CodeNotFound).With("task", id)
	}
	return nil
}

// tasks are those that came through the door, the first one first.
func (d *Door) tasks() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]string, 0, len(d.own))
	for id := range d.own {
		out = append(out, id)
	}
	slices.Sort(out) // UUIDv7: by time
	return out
}

func (d *Door) note(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.own[id] = true
}
