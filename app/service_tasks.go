package app

import (
	"context"
	"io"
	"piwork/app/tasks"

	"piwork/app/task"
)

// TaskService is about many tasks, and about what is done with one as a whole.
type TaskService interface {
	// FindTasks lists the tasks that are meant, newest first; none is without Asked.
	FindTasks(ctx context.Context, f task.Filter) ([]task.Task, error)

	// RenameTask gives a task a title of the person's; "" brings the made one back.
	RenameTask(ctx context.Context, id string, r tasks.RenameRequest) (task.Task, error)

	// StartAgain starts a new task that asks for the same as another: kind,
	// parameters, folders, network, model, budget and pictures. One that was asked for
	// with something that is kept nowhere is a conflict.
	StartAgain(ctx context.Context, id string, r tasks.AgainRequest) (task.Task, error)

	// AddFolder lets a task that is not over have another folder: it appears in
	// /folders at once. The checks and the usual mode are those of StartTask. One that
	// the task had, and that was removed from it, keeps its id and its name. Only
	// programs and AI tasks without a chore take folders; for the others, and when the
	// task is over, it is a conflict (problem.CodeFoldersFixed).
	AddFolder(ctx context.Context, id string, r task.FolderRequest) (task.Task, error)

	// RemoveFolder takes a folder, by its id, from a task that is not over: when it
	// returns, the task reaches nothing of it. The record names it on, and what the task
	// changed there can be undone. The same conflicts as with AddFolder.
	RemoveFolder(ctx context.Context, id, folder string) (task.Task, error)

	// ExportTask returns everything that is known of a task as a ZIP file, see
	// [ExportName]. Closing it early ends it.
	ExportTask(ctx context.Context, id string) (io.ReadCloser, error)
}
