package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/access"
	"piwork/app/api/answer"
	"piwork/app/api/door"
	"piwork/app/api/paging"
	"piwork/app/attach"
	"piwork/app/chore"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/saved"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/share/journal"
)

// taskService has the tasks.
type taskService interface {
	Task(ctx context.Context, id string) (task.Task, error)
	FindTasks(context.Context, task.Filter) ([]task.Task, error)
	StartTask(context.Context, tasks.StartRequest) (task.Task, error)
	StartAgain(ctx context.Context, id string, r tasks.AgainRequest) (task.Task, error)
	RenameTask(ctx context.Context, id string, r tasks.RenameRequest) (task.Task, error)
	AcceptPlan(ctx context.Context, id string) (task.Task, error)
	Plan(ctx context.Context, id string) (chore.Plan, error)
	CancelTask(ctx context.Context, id string) (task.Task, error)
	DetachTask(ctx context.Context, id string) (task.Task, error)
	AttachTask(ctx context.Context, id string, wait bool) (attach.Conn, error)
	DeleteTask(ctx context.Context, id string, abandonUndo bool) error
	AddFolder(ctx context.Context, id string, r task.FolderRequest) (task.Task, error)
	RemoveFolder(ctx context.Context, id, folder string) (task.Task, error)
	ExportTask(ctx context.Context, id string) (io.ReadCloser, error)
	Timeline(ctx context.Context, id string, after int64) ([]task.Event, error)
	OpenResult(ctx context.Context, id string, index int) (io.ReadSeekCloser, task.Result, error)
	Dropped(context.Context, tasks.DroppedRequest) ([]tasks.DroppedFolder, error)
	FolderChoices(context.Context) ([]saved.FolderChoice, error)
}

// FindRequest says which tasks are meant.
type FindRequest struct {
	Q     string       `query:"q" maxLength:"1000" doc:"words that are all in the title, in what was asked, or in names of folders and results; case and accents do not matter"`
	State []task.State `query:"state" enum:"queued,preparing,running,waiting,done,failed,cancelled" doc:"only in one of these"`
	Kind  []task.Kind  `query:"kind" enum:"chore,ai,exec,tool" doc:"only of one of these"`

	Folder string    `query:"folder" maxLength:"4096" doc:"only with this folder, or one that lies in it"`
	Since  time.Time `query:"since" doc:"only made at this time or later"`
	Before time.Time `query:"before" doc:"only made earlier than this"`

	paging.Request
}

func (r FindRequest) filter() task.Filter {
	return task.Filter{Text: r.Q, States: r.State, Kinds: r.Kind, Folder: r.Folder, Since: r.Since, Before: r.Before}
}

// abandonRequest is about a task whose undo data goes.
type abandonRequest struct {
	TaskRef
	AbandonUndo bool `query:"abandonUndo" doc:"the person knows that an undo or redo which was interrupted, and waits for its folder, stays half done for ever"`
}

// maxStartBody bounds a request that starts a task or goes on with one; standard input
// and pictures are part of it.
const maxStartBody = 64 << 20

var taskOperations = []operation{
	{"listTasks", "GET /v1/tasks", "Tasks, newest first", "Without asked, which getTask has.",
		pages(Service.FindTasks, func(a *API, ctx context.Context, in *FindRequest) ([]task.Task, error) {
			return a.service.FindTasks(ctx, ownFilter(ctx, in.filter()))
		}, func(t task.Task) string { return t.ID })},
	{"startTask", "POST /v1/tasks", "Record a task and start it",
		"Answers as soon as the record is durable; what follows are events. A task that is not detached must be held: GET /v1/events?task=ID&hold=true.",
		call(Service.StartTask, func(a *API, ctx context.Context, in *input[tasks.StartRequest]) (task.Task, error) {
			if err := access.ClientOf(ctx).Start(&in.Body); err != nil {
				return task.Task{}, err
			}
			return a.beginning(ctx, in.Body.Detached, func(life context.Context) (task.Task, error) { return a.service.StartTask(life, in.Body) })
		}).created().upTo(maxStartBody).failing(ofFolder...).failing(problem.CodeAgentModel, problem.CodeFolderOverlap, problem.CodeKeysLocked, problem.CodeMachineSettings, problem.CodeModelFailed, problem.CodeNoModel, problem.CodeTokenFolder, problem.CodeUnknownChore, problem.CodeUnknownModel, problem.CodeUnknownService, problem.CodeUnsupported)},
	{"getTask", "GET /v1/tasks/{id}", "The record of a task", "", ofTask(Service.Task).failing(problem.CodeNotFound)},
	{"renameTask", "PATCH /v1/tasks/{id}", "Give a task a title; an empty one brings the made one back", "", tell(Service.RenameTask).failing(ofRecord...)},
	{"startAgain", "POST /v1/tasks/{id}/again", "Start a new task that asks for the same", "As startTask: unless it is detached, the new task must be held.",
		call(Service.StartAgain, func(a *API, ctx context.Context, in *struct {
			TaskRef
			Body *tasks.AgainRequest
		}) (task.Task, error) {
			r := orZero(in.Body)
			if c := access.ClientOf(ctx); c != nil {
				t, err := a.service.Task(ctx, in.ID)
				if err == nil {
					err = c.Again(t, r.Accept, r.Runtime)
				}
				if err != nil {
					return task.Task{}, err
				}
			}
			return a.beginning(ctx, r.Detached, func(life context.Context) (task.Task, error) { return a.service.StartAgain(life, in.ID, r) })
		}).created().failing(ofRecord...).failing(ofFolder...).failing(problem.CodeAgentModel, problem.CodeKeysLocked, problem.CodeMachineSettings, problem.CodeModelFailed, problem.CodeNoModel, problem.CodeNotRepeatable, problem.CodeTokenFolder, problem.CodeUnknownChore, problem.CodeUnknownModel, problem.CodeUnknownService, problem.CodeUnsupported)},
	{"addFolder", "POST /v1/tasks/{id}/folders", "Let a task that runs have another folder",
		"It appears in /folders at once. A task that is over, a chore and an operation take none: a conflict.",
		call(Service.AddFolder, func(a *API, ctx context.Context, in *taskInput[task.FolderRequest]) (task.Task, error) {
			f, err := access.ClientOf(ctx).Folder(in.Body)
			if err != nil {
				return task.Task{}, err
			}
			return a.service.AddFolder(ctx, in.ID, f)
		}).waiting().failing(ofRecord...).failing(ofFolder...).failing(problem.CodeDenied, problem.CodeFolderOverlap, problem.CodeFoldersFixed, problem.CodeRuleDenied, problem.CodeRuntimeUnfit, problem.CodeTokenFolder)},
	{"removeFolder", "DELETE /v1/tasks/{id}/folders/{folder}", "Take a folder from a task that runs",
		"The record keeps it, with the time: what the task changed there stays listed and can be undone.",
		call(Service.RemoveFolder, func(a *API, ctx context.Context, in *struct {
			TaskRef
			Folder string `path:"folder" maxLength:"64" doc:"id of the folder in the task"`
		}) (task.Task, error) {
			return a.service.RemoveFolder(ctx, in.ID, in.Folder)
		}).failing(ofRecord...).failing(problem.CodeFoldersFixed)},
	{"exportTask", "GET /v1/tasks/{id}/export", "Everything that is known of a task, as a ZIP file",
		"task.json, timeline.jsonl, changes.json, results/ and, of an AI task, conversation.md; missing.json lists results that could not be read.",
		do(Service.ExportTask, (*API).exportTask).answering("application/zip", "The file", binary).failing(ofChanges...)},
	{"deleteTask", "DELETE /v1/tasks/{id}", "Delete the record, its journal and its results",
		"An undo that was interrupted is finished first; while its folder is away, nothing is deleted without abandonUndo. A program with a token cannot while changes of the task can be taken back, or wait in front of a folder, and never with abandonUndo.",
		drop(Service.DeleteTask, func(a *API, ctx context.Context, in *abandonRequest) error {
			if err := personal(ctx, in.AbandonUndo); err != nil {
				return err
			}
			if err := a.deletable(ctx, in.ID); err != nil {
				return err
			}
			err := a.service.DeleteTask(ctx, in.ID, in.AbandonUndo)
			if err == nil {
				a.holds.drop(in.ID)
			}
			return err
		}).needing(needManage).failing(ofChanges...).failing(problem.CodeUndoWaits)},
	{"acceptPlan", "POST /v1/tasks/{id}/accept", "Do what the plan says", "", ofTask(Service.AcceptPlan).needing(needDecide).failing(ofRecord...).failing(problem.CodeTaskNotWaiting)},
	{"cancelTask", "POST /v1/tasks/{id}/cancel", "Stop a task", "Of one that is over, an undo, redo or apply that is at work stops between two files.",
		call(Service.CancelTask, func(a *API, ctx context.Context, in *struct {
			TaskRef
			Held bool `query:"held" doc:"only if it ends with whoever holds it: one that was detached goes on"`
		}) (task.Task, error) {
			if in.Held && !a.holds.holds(in.ID) {
				return a.service.Task(ctx, in.ID)
			}
			return a.service.CancelTask(ctx, in.ID)
		}).failing(problem.CodeNotFound)},
	{"detachTask", "POST /v1/tasks/{id}/detach", "Let a task go on when its callers are gone", "",
		call(Service.DetachTask, func(a *API, ctx context.Context, in *TaskRef) (task.Task, error) {
			t, err := a.service.DetachTask(ctx, in.ID)
			if err == nil {
				a.holds.detach(in.ID)
			}
			return t, err
		}).failing(problem.CodeNotFound)},
	{"attachTask", "GET /v1/tasks/{id}/attach", "Join the output, the input and the terminal of a program that runs",
		"A WebSocket (RFC 6455) with the subprotocol " + attach.Protocol + ". Binary messages are a byte and data: 0 is the program's standard input, to the server; " +
			"1 its output and 2 its errors, to the client. Text messages are objects of JSON: the server's first one is info, its last one an end (over, or behind: too slow), one between them may be empty; " +
			"a client sends size, of its terminal, and closeInput. Messages have at most 64 KiB. A conflict for a task in which no program runs.",
		do(Service.AttachTask, (*API).attachTask).switching("A WebSocket").needing(needAct).failing(problem.CodeNotAttachable, problem.CodeNotFound)},
	{"getPlan", "GET /v1/tasks/{id}/plan", "What a chore will do", "", ofTask(Service.Plan).failing(ofRecord...)},
	{"getTimeline", "GET /v1/tasks/{id}/timeline", "What happened; seq counts per task", "",
		pages(Service.Timeline, func(a *API, ctx context.Context, in *struct {
			TaskRef
			paging.Request
			After int64 `query:"after" minimum:"0" doc:"only events with a larger seq"`
		}) ([]task.Event, error) {
			return a.service.Timeline(ctx, in.ID, in.After)
		}, func(e task.Event) string { return strconv.FormatInt(e.Seq, 10) }).failing(problem.CodeNotFound)},
	{"getTaskRequests", "GET /v1/tasks/{id}/requests", "What a task asked of services", "Requests that are alike are one entry. Queries and bodies are not kept.", ofTask(Service.TaskRequests).failing(ofRecord...)},
	{"getResult", "GET /v1/tasks/{id}/results/{index}", "The bytes of a result; ranges are honoured", "The ETag is of these bytes: with If-Range, or with If-Match and 412 (changed), all ranges are of one file.",
		do(Service.OpenResult, (*API).getResult).answering("application/octet-stream", "The file", binary).failing(ofChanges...).failing(problem.CodeChangedSince, problem.CodeFileKind)},
	{"lookAtDropped", "POST /v1/dropped", "Which folders would a task get for what was dropped on the window?",
		"A folder itself, a file the folder that it lies in. Nothing is opened.", send(Service.Dropped).needing(needManage)},
	{"listFolderChoices", "GET /v1/folders", "What may an AI do with which folders?",
		"As the person chose when an AI task was last started with them. It gets a folder without a choice for review: its changes wait.", list(Service.FolderChoices, func(c saved.FolderChoice) string { return c.Path }).needing(needManage)},
}

// beginning starts a task, or tells one something that may have it go on. One that begins,
// and is not detached, ends with who holds it.
func (a *API) beginning(ctx context.Context, detached bool, f func(context.Context) (task.Task, error)) (task.Task, error) {
	if detached {
		return f(context.WithoutCancel(ctx))
	}
	number, done := a.holds.begin()
	defer done()
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t, err := f(life)
	if err != nil || t.State != task.StateQueued { // it runs in somebody else's hold
		cancel()
		return t, err
	}
	a.holds.add(t.ID, t.Client, number, door.Process(ctx), cancel)
	return t, nil
}

// deletable returns an error where a program with a token would delete the person's way back with a
// task. One that is not over may get changes until it is deleted.
func (a *API) deletable(ctx context.Context, id string) error {
	if access.ClientOf(ctx) == nil {
		return nil
	}
	t, err := a.service.Task(ctx, id)
	if err != nil {
		return err
	}
	if !t.State.Final() {
		return problem.New(problem.CodeTaskRunning).With("task", id)
	}
	space, err := a.service.UndoSpace(ctx, id)
	if err != nil {
		return err
	}
	list, err := a.service.Changes(ctx, id)
	if err != nil {
		return err
	}
	return personal(ctx, slices.ContainsFunc(list, func(c journal.Change) bool { return c.Staged || !space.Forgotten }))
}

// exportTask answers with the file of everything.
func (a *API) exportTask(ctx context.Context, in *TaskRef) (*huma.StreamResponse, error) {
	t, err := a.service.Task(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	f, err := a.service.ExportTask(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	name := history.ExportName(t, answer.InWords(answer.Language(ctx), t).Called)
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humago.Unwrap(hc)
		download(a.log, w, f, "application/zip", name)
	}}, nil
}

// download answers with a file that is made meanwhile, and closes it.
func download(log *slog.Logger, w http.ResponseWriter, f io.ReadCloser, media, name string) {
	defer f.Close()
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Disposition", answer.Disposition("attachment", name))
	if _, err := io.Copy(w, f); err != nil {
		log.Warn("api: a file ended early", "file", name, "error", err)
		panic(http.ErrAbortHandler) //nolint:forbidigo // it ends this answer alone (http.Handler); else the file would look whole
	}
}
