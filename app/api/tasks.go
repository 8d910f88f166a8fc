package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app"
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

	handle(a, op("listTasks", http.MethodGet, "/api/tasks", "All tasks, newest first"),
		func(ctx context.Context, _ *none) (*body[[]task.Task], error) {
			return ok(svc.Tasks(ctx))
		})

	start := op("startTask", http.MethodPost, "/api/tasks", "Record a task and start it")
	start.Description = "Answers as soon as the record is durable; what follows are events. A task that is not detached must be held: GET /api/events?task=ID&hold=true."
	start.DefaultStatus = http.StatusCreated
	start.MaxBodyBytes = maxStartBody
	handle(a, start, func(ctx context.Context, in *input[app.StartRequest]) (*body[task.Task], error) {
		if in.Body.Detached {
			return ok(svc.StartTask(context.WithoutCancel(ctx), in.Body))
		}
		life, cancel := context.WithCancel(context.WithoutCancel(ctx))
		t, err := svc.StartTask(life, in.Body)
		if err != nil {
			cancel()
			return nil, err
		}
		a.holds.add(t.ID, cancel)
		return ok(t, nil)
	})

	handle(a, op("getTask", http.MethodGet, "/api/tasks/{id}", "The record of a task"),
		func(ctx context.Context, in *TaskRef) (*body[task.Task], error) {
			return ok(svc.Task(ctx, in.ID))
		})
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
