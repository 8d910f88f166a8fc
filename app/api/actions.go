package api

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/actions"
	"piwork/app/problem"
	"piwork/vmhost/wire"
)

// actionService does single actions in tasks that are at work.
type actionService interface {
	StatFile(ctx context.Context, id string, r actions.StatRequest) (wire.FileInfo, error)
	ListFiles(ctx context.Context, id string, r actions.ListRequest) (actions.FileList, error)
	ReadFile(ctx context.Context, id string, r actions.ReadRequest) (actions.FileContent, error)
	WriteFile(ctx context.Context, id string, r actions.WriteRequest) (wire.FileInfo, error)
	Fetch(ctx context.Context, id string, r actions.FetchRequest) (actions.Fetched, error)
	Visit(ctx context.Context, id string, r actions.VisitRequest) (wire.PageResult, error)
	WatchFiles(ctx context.Context, id string, r actions.WatchRequest, fn func(wire.FileChange) error) error
}

// maxWriteBody bounds a request with a file in it.
const maxWriteBody = wire.MaxFileData/3*4 + 64<<10

// whereFiles is what all operations on files of a task have in common.
const whereFiles = "In the folders and in /work of a task that runs a program or an AI, with the rights of its programs: guards, journal and audit log are the same. A conflict for another task."

var actionOperations = []operation{
	{"statFile", "POST /v1/tasks/{id}/files/stat", "What is there at a path, and which digest has a file?", whereFiles, tell(Service.StatFile).failing(ofWork...).failing(ofFile...).failing(problem.CodeInputOnline, problem.CodeNotAtWork, problem.CodeNotFound, problem.CodeRuleDenied, problem.CodeToolFailed)},
	{"listFiles", "POST /v1/tasks/{id}/files/list", "What is in a directory of a task?", whereFiles, tell(Service.ListFiles).failing(ofWork...).failing(ofFile...).failing(problem.CodeInputOnline, problem.CodeNotAtWork, problem.CodeNotFound, problem.CodeRuleDenied, problem.CodeToolFailed)},
	{"readFile", "POST /v1/tasks/{id}/files/read", "Read a file of a task", whereFiles + " At most 16 MiB at once; the digest is that of the whole file.", tell(Service.ReadFile).failing(ofWork...).failing(ofFile...).failing(problem.CodeInputOnline, problem.CodeNotAtWork, problem.CodeNotFound, problem.CodeRuleDenied, problem.CodeToolFailed)},
	{"writeFile", "POST /v1/tasks/{id}/files/write", "Write a file of a task",
		whereFiles + " The file is replaced as a whole. 412 where it is not as expected; sha256 of the problem is what it has. Whether originals may be overwritten is asked as for programs, which this waits for.",
		tell(Service.WriteFile).waiting().upTo(maxWriteBody).failing(ofWork...).failing(ofFile...).failing(problem.CodeFileChanged, problem.CodeFileTooLarge, problem.CodeInputOnline, problem.CodeNotAtWork, problem.CodeNotFound, problem.CodeRuleDenied, problem.CodeToolFailed)},
	{"fetch", "POST /v1/tasks/{id}/fetch", "Get what is at an address of the web, in a task",
		"Over the network of a task that runs a program or an AI: rules, questions and audit log are those of its programs, after each redirect too. Without cookies. An answer with a status of 400 or more is no failure, and becomes no file. A conflict where the task has no network.", tell(Service.Fetch).waiting().failing(ofWork...).failing(ofFile...).failing(problem.CodeFileTooLarge, problem.CodeInputOnline, problem.CodeNetworkOff, problem.CodeNotAtWork, problem.CodeNotFound, problem.CodeToolFailed, problem.CodeWebUnreachable)},
	{"visit", "POST /v1/tasks/{id}/visit", "Visit the web with a browser, in a task",
		"As fetch, with a page that begins empty: open, click, type, text, screenshot and pdf, one after the other. Dialogs are dismissed, downloads and further windows refused. Needs the add-on browser.", tell(Service.Visit).waiting().failing(ofWork...).failing(ofFile...).failing(problem.CodeAddOnMissing, problem.CodeFileChanged, problem.CodeFileTooLarge, problem.CodeInputOnline, problem.CodeNetworkOff, problem.CodeNotAtWork, problem.CodeNotFound, problem.CodeToolFailed, problem.CodeWebUnreachable)},
	{"watchFiles", "GET /v1/tasks/{id}/files/watch", "Hear what changes in a directory of a task",
		whereFiles + " Server-sent events: file.change with a change as data: ready once it hears, and before that lost for each directory that it does not watch; file.over when the time is over or so much was heard; a stream that ends without it broke. " +
			"Ids only count: who comes back with Last-Event-ID hears first that the directory was lost, since nobody knows what changed in between. " +
			"It hears what is changed in the place where the task works, not what is changed elsewhere on this computer.",
		do(Service.WatchFiles, (*API).watchFiles).streaming("Changes", &huma.Schema{Description: "A change: what happened, and to which path"}).needing(needAct).failing(ofWork...).failing(ofFile...).failing(problem.CodeInputOnline, problem.CodeNotAtWork, problem.CodeNotFound, problem.CodeRuleDenied, problem.CodeToolFailed)},
}

// Names of the messages of GET /v1/tasks/{id}/files/watch.
const (
	FileChanged = "file.change" // the data is a wire.FileChange
	FileOver    = "file.over"   // no data
)

func (a *API) watchFiles(ctx context.Context, in *struct {
	TaskRef
	actions.WatchRequest
	LastEventID string `header:"Last-Event-ID" maxLength:"64" doc:"of a client that comes back, whatever it is"`
}) (*huma.StreamResponse, error) {
	if _, err := a.service.Task(ctx, in.ID); err != nil {
		return nil, err
	}
	w := watching{changes: make(chan wire.FileChange), over: make(chan struct{})}
	life, stop := context.WithCancel(ctx)
	go func() {
		defer close(w.over)
		w.err = a.service.WatchFiles(life, in.ID, in.WatchRequest, func(c wire.FileChange) error {
			select {
			case w.changes <- c:
				return nil
			case <-life.Done():
				return context.Cause(life)
			}
		})
	}()
	select { // a watch that does not begin is no stream
	case first := <-w.changes:
		return streamLines(ctx, a, FileChanged, FileOver, func(ctx context.Context, say func(int64, json.RawMessage) error) error {
			defer func() { stop(); <-w.over }()
			list := []wire.FileChange{first}
			if in.LastEventID != "" {
				list = []wire.FileChange{{What: wire.ChangeLost, Path: in.Path}, first}
			}
			return w.tell(ctx, list, say)
		}), nil
	case <-w.over:
		stop()
		return nil, cmp.Or(w.err, error(problem.New(problem.CodeNotAtWork).With("task", in.ID)))
	}
}

// watching is a watch that goes on.
type watching struct {
	changes chan wire.FileChange
	over    chan struct{} // closed at its end; then err is how
	err     error
}

// tell says what is in list, and then what is heard until it is over.
func (w *watching) tell(ctx context.Context, list []wire.FileChange, say func(int64, json.RawMessage) error) error {
	for n := int64(1); ; n++ {
		line, err := json.Marshal(list[0])
		if err == nil {
			err = say(n, line)
		}
		if err != nil {
			return err
		}
		if list = list[1:]; len(list) > 0 {
			continue
		}
		select {
		case c := <-w.changes:
			list = []wire.FileChange{c}
		case <-w.over:
			return w.err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
