package api

import (
	"cmp"
	"context"
	"io"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/access"
	"piwork/app/api/answer"
	"piwork/app/api/paging"
	"piwork/app/changes"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/vmhost/share/journal"
)

// changeService has what tasks changed.
type changeService interface {
	Changes(ctx context.Context, id string) ([]journal.Change, error)
	CompareChange(ctx context.Context, id, change string) (changes.Comparison, error)
	OpenChange(ctx context.Context, id, change string, side changes.Which) (io.ReadSeekCloser, history.ChangeFile, error)
	Preview(ctx context.Context, id string, r history.PreviewRequest) (history.Preview, error)
	Undo(ctx context.Context, id string, r history.UndoRequest) (journal.Report, error)
	Redo(ctx context.Context, id string, r history.RedoRequest) (history.RedoReport, error)
	Apply(ctx context.Context, id string, r history.ApplyRequest) (history.ApplyReport, error)
	UndoSpace(ctx context.Context, id string) (history.UndoSpace, error)
	ForgetUndo(ctx context.Context, id string, abandonUndo bool) (history.UndoSpace, error)
	UndoKeeping(context.Context) (history.UndoKeeping, error)
	SetUndoKeeping(context.Context, history.UndoSettings) (history.UndoKeeping, error)
}

// maxIDsBody bounds requests that name changes.
const maxIDsBody = 16 << 20

// ChangeRef names a change of a task.
type ChangeRef struct {
	TaskRef
	Change string `path:"change" doc:"id of the change" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z._-]+$"`
}

// contentRef names a side of a change.
type contentRef struct {
	ChangeRef
	Side changes.Which `path:"side"`
}

var changeOperations = []operation{
	{"listChanges", "GET /v1/tasks/{id}/changes", "What a task changed in the folders", "", pages(Service.Changes, func(a *API, ctx context.Context, in *struct {
		TaskRef
		paging.Request
	}) ([]journal.Change, error) {
		return a.service.Changes(ctx, in.ID)
	}, func(c journal.Change) string { return c.ID }).failing(ofChanges...)},
	{"compareChange", "GET /v1/tasks/{id}/changes/{change}", "What a change did to a file",
		"Lines, cells, pictures or facts, bounded; that something was cut is said. Texts are as in the file: whoever shows them makes control characters visible.",
		call(Service.CompareChange, func(a *API, ctx context.Context, in *ChangeRef) (changes.Comparison, error) {
			return a.service.CompareChange(ctx, in.ID, in.Change)
		}).failing(ofChanges...)},
	{"getChangeContent", "GET /v1/tasks/{id}/changes/{change}/{side}", "The bytes of a file before or after a change; ranges are honoured",
		"409 when a person changed since what the task left.",
		do(Service.OpenChange, (*API).getChangeContent).answering("application/octet-stream", "The file", binary).failing(ofChanges...).failing(problem.CodeChangedSince)},
	{"previewChanges", "POST /v1/tasks/{id}/changes/preview", "List what an undo, redo, apply or discard would do, with what goes along", "It does nothing. With its digest, undoTask, redoTask and applyTask do these changes, or none (list-changed).",
		tell(Service.Preview).upTo(maxIDsBody).failing(ofChanges...).failing(problem.CodeUndoWaits)},
	{"undoTask", "POST /v1/tasks/{id}/undo", "Take changes back",
		"Conflicts are changes that the person changed since; they are left alone and listed, unless the request answers them. The answer is 200 also then. If-Match is about the task.",
		call(Service.Undo, func(a *API, ctx context.Context, in *taskInput[history.UndoRequest]) (journal.Report, error) {
			if c := access.ClientOf(ctx); (in.Body.OnConflict != "" || len(in.Body.Resolve) > 0) && !c.May(access.Decide) {
				return journal.Report{}, c.Denied(access.Decide)
			}
			return a.service.Undo(ctx, in.ID, in.Body)
		}).upTo(maxIDsBody).ofAbove().failing(ofChanges...).failing(problem.CodeListChanged, problem.CodeRuleDenied, problem.CodeUndoWaits)},
	{"redoTask", "POST /v1/tasks/{id}/redo", "Bring back what was taken back", "Conflicts are left alone and listed. The answer is 200 also then.",
		tell(Service.Redo).upTo(maxIDsBody).needing(needDecide).failing(ofRecord...).failing(problem.CodeFolderSilent, problem.CodeListChanged, problem.CodeRuleDenied, problem.CodeTaskRunning, problem.CodeUndoWaits)},
	{"applyTask", "POST /v1/tasks/{id}/apply", "Decide about changes that wait in front of a folder",
		"They get into the folder, and can be taken back from there, or are thrown away. Conflicts go on waiting and are listed. The answer is 200 also then.",
		tell(Service.Apply).upTo(maxIDsBody).needing(needDecide).failing(ofChanges...).failing(problem.CodeListChanged, problem.CodeRuleDenied)},
	{"getUndoSpace", "GET /v1/tasks/{id}/undo", "What is kept for taking a task's changes back", "", ofTask(Service.UndoSpace).failing(ofRecord...)},
	{"forgetUndo", "DELETE /v1/tasks/{id}/undo", "Give that up: the changes stay listed and cannot be taken back any more", "An undo that was interrupted is finished first; while its folder is away, nothing is given up without abandonUndo. A program with a token cannot.",
		call(Service.ForgetUndo, func(a *API, ctx context.Context, in *abandonRequest) (history.UndoSpace, error) {
			return a.service.ForgetUndo(ctx, in.ID, in.AbandonUndo)
		}).needing(needPerson).failing(ofChanges...).failing(problem.CodeUndoWaits)},
	{"getUndoKeeping", "GET /v1/settings/undo", "For how long undo is kept, and how much all of it is", "", get(Service.UndoKeeping).needing(needManage)},
	{"setUndoKeeping", "POST /v1/settings/undo", "Choose for how long undo is kept", "What is older is given up at once. A program with a token cannot.", send(Service.SetUndoKeeping).needing(needPerson)},
}

// getChangeContent serves the bytes of a side. They are a guest's: nothing in them
// may run as a page of piwork, so they are for saving, and only pictures are what
// they are.
func (a *API) getChangeContent(ctx context.Context, in *contentRef) (*huma.StreamResponse, error) {
	f, file, err := a.service.OpenChange(ctx, in.ID, in.Change, in.Side)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer f.Close()
		r, w := humago.Unwrap(hc)
		answer.ServeFile(w, r, f, cmp.Or(file.Type, "application/octet-stream"), "attachment", file.Name, file.Sum)
	}}, nil
}
