package api

import (
	"context"
	"net/http"
	"piwork/app/tasks"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/chore"
	"piwork/app/task"
)

// maxStartBody bounds a StartRequest; its standard input and its pictures are part
// of it.
const maxStartBody = maxSayBody

func (a *API) registerTasks() {
	svc := a.opts.Service
	op := func(id, method, path, summary string) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Tags: []string{"tasks"}}
	}

	list := op("listTasks", http.MethodGet, "/api/tasks", "Tasks, newest first")
	list.Description = "Without asked, which getTask has."
	handle(a, list, func(ctx context.Context, in *struct {
		Q     string       `query:"q" maxLength:"1000" doc:"words that are all in the title, in what was asked, or in names of folders and results; case and accents do not matter"`
		State []task.State `query:"state" enum:"queued,preparing,running,waiting,done,failed,cancelled" doc:"only in one of these"`
		Kind  []task.Kind  `query:"kind" enum:"chore,ai,exec,tool" doc:"only of one of these"`
	}) (*body[[]task.Task], error) {
		return ok(svc.FindTasks(ctx, task.Filter{Text: in.Q, States: in.State, Kinds: in.Kind}))
	})

	start := op("startTask", http.MethodPost, "/api/tasks", "Record a task and start it")
	start.Description = "Answers as soon as the record is durable; what follows are events. A task that is not detached must be held: GET /api/events?task=ID&hold=true."
	start.DefaultStatus = http.StatusCreated
	start.MaxBodyBytes = maxStartBody
	handle(a, start, func(ctx context.Context, in *input[tasks.StartRequest]) (*body[task.Task], error) {
		return a.starting(ctx, in.Body.Detached, func(life context.Context) (task.Task, error) { return svc.StartTask(life, in.Body) })
	})

	handle(a, op("getTask", http.MethodGet, "/api/tasks/{id}", "The record of a task"),
		func(ctx context.Context, in *TaskRef) (*body[task.Task], error) {
			return ok(svc.Task(ctx, in.ID))
		})
	handle(a, op("renameTask", http.MethodPatch, "/api/tasks/{id}", "Give a task a title; an empty one brings the made one back"),
		func(ctx context.Context, in *struct {
			TaskRef
			Body tasks.RenameRequest
		}) (*body[task.Task], error) {
			return ok(svc.RenameTask(ctx, in.ID, in.Body))
		})
	again := op("startAgain", http.MethodPost, "/api/tasks/{id}/again", "Start a new task that asks for the same")
	again.Description = "As startTask: unless it is detached, the new task must be held."
	again.DefaultStatus = http.StatusCreated
	handle(a, again, func(ctx context.Context, in *struct {
		TaskRef
		Body *tasks.AgainRequest
	}) (*body[task.Task], error) {
		var r tasks.AgainRequest
		if in.Body != nil {
			r = *in.Body
		}
		return a.starting(ctx, r.Detached, func(life context.Context) (task.Task, error) { return svc.StartAgain(life, in.ID, r) })
	})
	add := op("addFolder", http.MethodPost, "/api/tasks/{id}/folders", "Let a task that runs have another folder")
	add.Description = "It appears in /folders at once. A task that is over, a chore and an operation take none: a conflict."
	handle(a, add, func(ctx context.Context, in *struct {
		TaskRef
		Body task.FolderRequest
	}) (*body[task.Task], error) {
		return ok(svc.AddFolder(ctx, in.ID, in.Body))
	})
	remove := op("removeFolder", http.MethodDelete, "/api/tasks/{id}/folders/{folder}", "Take a folder from a task that runs")
	remove.Description = "The record keeps it, with the time: what the task changed there stays listed and can be undone."
	handle(a, remove, func(ctx context.Context, in *struct {
		TaskRef
		Folder string `path:"folder" maxLength:"64" doc:"id of the folder in the task"`
	}) (*body[task.Task], error) {
		return ok(svc.RemoveFolder(ctx, in.ID, in.Folder))
	})
	a.registerExport()
	handle(a, op("deleteTask", http.MethodDelete, "/api/tasks/{id}", "Delete the record, its journal and its results"),
		func(ctx context.Context, in *TaskRef) (*none, error) {
			if err := svc.DeleteTask(ctx, in.ID); err != nil {
				return nil, err
			}
			a.holds.drop(in.ID)
			return &none{}, nil
		})
	handle(a, op("acceptPlan", http.MethodPost, "/api/tasks/{id}/accept", "Do what the plan says"),
		func(ctx context.Context, in *TaskRef) (*body[task.Task], error) {
			return ok(svc.AcceptPlan(ctx, in.ID))
		})
	handle(a, op("cancelTask", http.MethodPost, "/api/tasks/{id}/cancel", "Stop a task"),
		func(ctx context.Context, in *TaskRef) (*body[task.Task], error) {
			return ok(svc.CancelTask(ctx, in.ID))
		})
	handle(a, op("getPlan", http.MethodGet, "/api/tasks/{id}/plan", "What a chore will do"),
		func(ctx context.Context, in *TaskRef) (*body[chore.Plan], error) {
			return ok(svc.Plan(ctx, in.ID))
		})
	handle(a, op("getTimeline", http.MethodGet, "/api/tasks/{id}/timeline", "What happened; seq counts per task"),
		func(ctx context.Context, in *struct {
			TaskRef
			After int64 `query:"after" minimum:"0" doc:"only events with a larger seq"`
		}) (*body[[]task.Event], error) {
			return ok(svc.Timeline(ctx, in.ID, in.After))
		})
}

// starting starts a task. One that is not detached ends with who holds it.
func (a *API) starting(ctx context.Context, detached bool, f func(context.Context) (task.Task, error)) (*body[task.Task], error) {
	if detached {
		return ok(f(context.WithoutCancel(ctx)))
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t, err := f(life)
	if err != nil {
		cancel()
		return nil, err
	}
	a.holds.add(t.ID, cancel)
	return ok(t, nil)
}
