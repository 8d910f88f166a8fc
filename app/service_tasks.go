package app

import (
	"context"
	"io"

	"piwork/app/task"
)

// TaskService is about many tasks, and about what is done with one as a whole.
type TaskService interface {
	// FindTasks lists the tasks that are meant, newest first; none is without Asked.
	FindTasks(ctx context.Context, f task.Filter) ([]task.Task, error)

	// RenameTask gives a task a title of the person's; "" brings the made one back.
	RenameTask(ctx context.Context, id string, r RenameRequest) (task.Task, error)

	// StartAgain starts a new task that asks for the same as another: kind,
	// parameters, folders, network, model, budget and pictures. One that was asked for
	// with something that is kept nowhere is a conflict.
	StartAgain(ctx context.Context, id string, r AgainRequest) (task.Task, error)

	// ExportTask returns everything that is known of a task as a ZIP file, see
	// [ExportName]. Closing it early ends it.
	ExportTask(ctx context.Context, id string) (io.ReadCloser, error)
}

// RenameRequest is a title for a task.
type RenameRequest struct {
	Title string `json:"title" maxLength:"1000"`
}

// AgainRequest says how a task is started again, as in StartRequest.
type AgainRequest struct {
	Accept   bool `json:"accept,omitempty"`
	Detached bool `json:"detached,omitempty"`
}
