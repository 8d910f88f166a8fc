package api

import (
	"context"
	"io"
	"net/http"
	"piwork/app/history"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// registerExport adds the file with everything of a task.
func (a *API) registerExport() {
	handle(a, huma.Operation{
		OperationID: "exportTask", Method: http.MethodGet, Path: "/api/tasks/{id}/export", Tags: []string{"tasks"},
		Summary:     "Everything that is known of a task, as a ZIP file",
		Description: "task.json, timeline.jsonl, changes.json, results/ and, of an AI task, conversation.md; missing.json lists results that could not be read.",
		Responses: map[string]*huma.Response{"200": {
			Description: "The file",
			Content: map[string]*huma.MediaType{"application/zip": {
				Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"},
			}},
		}},
	}, func(ctx context.Context, in *TaskRef) (*huma.StreamResponse, error) {
		t, err := a.opts.Service.Task(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		f, err := a.opts.Service.ExportTask(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			defer f.Close()
			_, w := humago.Unwrap(hc)
			h := w.Header()
			h.Set("Content-Type", "application/zip")
			h.Set("Content-Disposition", disposition("attachment", history.ExportName(t)))
			if _, err := io.Copy(w, f); err != nil {
				a.log.Warn("api: an export ended early", "task", in.ID, "error", err)
				panic(http.ErrAbortHandler) //nolint:forbidigo // it ends this answer alone (http.Handler); else the file would look whole
			}
		}}, nil
	})
}
