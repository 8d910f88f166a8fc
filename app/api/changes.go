package api

import (
	"context"
	"mime"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/changes"
	"piwork/app/history"
	"piwork/vmhost/share/journal"
)

// maxIDsBody bounds requests that name changes.
const maxIDsBody = 16 << 20

// ChangeRef names a change of a task.
type ChangeRef struct {
	TaskRef
	Change string `path:"change" doc:"id of the change" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z._-]+$"`
}

func (a *API) registerChanges() {
	svc := a.opts.Service
	op := func(id, method, path, summary string) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Tags: []string{"changes"}}
	}
	many := func(o huma.Operation, description string) huma.Operation {
		o.Description, o.MaxBodyBytes = description, maxIDsBody
		return o
	}

	handle(a, op("listChanges", http.MethodGet, "/api/tasks/{id}/changes", "What a task changed in the folders"),
		func(ctx context.Context, in *TaskRef) (*body[[]journal.Change], error) {
			return ok(svc.Changes(ctx, in.ID))
		})
	compare := op("compareChange", http.MethodGet, "/api/tasks/{id}/changes/{change}", "What a change did to a file")
	compare.Description = "Lines, cells, pictures or facts, bounded; that something was cut is said. Texts are as in the file: whoever shows them makes control characters visible."
	handle(a, compare, func(ctx context.Context, in *ChangeRef) (*body[changes.Comparison], error) {
		return ok(svc.CompareChange(ctx, in.ID, in.Change))
	})
	a.registerContent()

	handle(a, many(op("undoTask", http.MethodPost, "/api/tasks/{id}/undo", "Take changes back"),
		"Conflicts are changes that the person changed since; they are left alone and listed, unless the request answers them. The answer is 200 also then."),
		func(ctx context.Context, in *struct {
			TaskRef
			Body history.UndoRequest
		}) (*body[history.UndoReport], error) {
			return ok(svc.Undo(ctx, in.ID, in.Body))
		})
	handle(a, many(op("redoTask", http.MethodPost, "/api/tasks/{id}/redo", "Bring back what was taken back"),
		"Conflicts are left alone and listed. The answer is 200 also then."),
		func(ctx context.Context, in *struct {
			TaskRef
			Body history.RedoRequest
		}) (*body[history.RedoReport], error) {
			return ok(svc.Redo(ctx, in.ID, in.Body))
		})
	handle(a, many(op("applyTask", http.MethodPost, "/api/tasks/{id}/apply", "Decide about changes that wait in front of a folder"),
		"They get into the folder, and can be taken back from there, or are thrown away. Conflicts go on waiting and are listed. The answer is 200 also then."),
		func(ctx context.Context, in *struct {
			TaskRef
			Body history.ApplyRequest
		}) (*body[history.ApplyReport], error) {
			return ok(svc.Apply(ctx, in.ID, in.Body))
		})

	handle(a, op("getUndoSpace", http.MethodGet, "/api/tasks/{id}/undo", "What is kept for taking a task's changes back"),
		func(ctx context.Context, in *TaskRef) (*body[history.UndoSpace], error) {
			return ok(svc.UndoSpace(ctx, in.ID))
		})
	handle(a, op("forgetUndo", http.MethodDelete, "/api/tasks/{id}/undo", "Give that up: the changes stay listed and cannot be taken back any more"),
		func(ctx context.Context, in *TaskRef) (*body[history.UndoSpace], error) {
			return ok(svc.ForgetUndo(ctx, in.ID))
		})
	handle(a, op("getUndoKeeping", http.MethodGet, "/api/settings/undo", "For how long undo is kept, and how much all of it is"),
		func(ctx context.Context, _ *none) (*body[history.UndoKeeping], error) {
			return ok(svc.UndoKeeping(ctx))
		})
	handle(a, op("setUndoKeeping", http.MethodPost, "/api/settings/undo", "Choose for how long undo is kept"),
		func(ctx context.Context, in *input[history.UndoSettings]) (*body[history.UndoKeeping], error) {
			return ok(svc.SetUndoKeeping(ctx, in.Body))
		})
}

// registerContent serves the bytes of a side. They are a guest's: nothing in them
// may run as a page of piwork, so they are for saving, and only pictures are what
// they are.
func (a *API) registerContent() {
	handle(a, huma.Operation{
		OperationID: "getChangeContent", Method: http.MethodGet, Path: "/api/tasks/{id}/changes/{change}/{side}", Tags: []string{"changes"},
		Summary:     "The bytes of a file before or after a change; ranges are honoured",
		Description: "409 when a person changed since what the task left.",
		Responses: map[string]*huma.Response{"200": {
			Description: "The file",
			Content: map[string]*huma.MediaType{"application/octet-stream": {
				Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"},
			}},
		}},
	}, func(ctx context.Context, in *struct {
		ChangeRef
		Side changes.Which `path:"side"`
	}) (*huma.StreamResponse, error) {
		f, file, err := a.opts.Service.OpenChange(ctx, in.ID, in.Change, in.Side)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			defer f.Close()
			r, w := humago.Unwrap(hc)
			kind := file.Type
			if kind == "" {
				kind = "application/octet-stream"
			}
			serveBytes(w, r, f, kind, "attachment", file.Name)
		}}, nil
	})
}

// disposition names a file for a browser.
func disposition(how, name string) string {
	if s := mime.FormatMediaType(how, map[string]string{"filename": name}); s != "" {
		return s
	}
	return how // the name cannot be said in a header
}
