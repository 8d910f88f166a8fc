package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app"
	"piwork/app/chore"
	"piwork/app/task"
)

// FileRequest names a file of this computer.
type FileRequest struct {
	File string `json:"file" minLength:"1" maxLength:"4096" doc:"absolute path on this computer"`
}

func (a *API) registerPacks() {
	svc := a.opts.Service
	handle(a, huma.Operation{
		OperationID: "listPacks", Method: http.MethodGet, Path: "/api/packs", Tags: []string{"packs"},
		Summary: "Installed runtime packs",
	}, func(ctx context.Context, _ *none) (*body[[]app.PackInfo], error) {
		return ok(svc.Packs(ctx))
	})
	handle(a, huma.Operation{
		OperationID: "verifyPack", Method: http.MethodPost, Path: "/api/packs/verify", Tags: []string{"packs"},
		Summary: "Is every byte of this file covered by a trusted signature?",
	}, func(ctx context.Context, in *input[FileRequest]) (*body[app.PackInfo], error) {
		return ok(svc.VerifyPack(ctx, in.Body.File))
	})
	handle(a, huma.Operation{
		OperationID: "installPack", Method: http.MethodPost, Path: "/api/packs/install", Tags: []string{"packs"},
		Summary:     "Verify and install a runtime pack",
		Description: "Answers when it is installed; meanwhile events of kind pack count bytes. Going away cancels, and leaves nothing behind.",
	}, func(ctx context.Context, in *input[FileRequest]) (*body[app.PackInfo], error) {
		p, err := svc.InstallPack(ctx, in.Body.File, a.packProgress())
		if err != nil {
			return nil, err
		}
		a.bus.publish(packEvent(PackData{Done: p.Bytes, Total: p.Bytes, Pack: &p}))
		return ok(p, nil)
	})
	handle(a, huma.Operation{
		OperationID: "listChores", Method: http.MethodGet, Path: "/api/chores", Tags: []string{"chores"},
		Summary: "Ready-made chores",
	}, func(ctx context.Context, _ *none) (*body[[]chore.Info], error) {
		return ok(svc.Chores(ctx))
	})
}

// packProgress publishes at most ten events a second, and always the last.
func (a *API) packProgress() func(done, total int64) {
	var last time.Time
	return func(done, total int64) {
		if now := time.Now(); done == total || now.Sub(last) >= 100*time.Millisecond {
			last = now
			a.bus.publish(packEvent(PackData{Done: done, Total: total}))
		}
	}
}

func packEvent(d PackData) task.Event {
	return task.Event{V: task.RecordVersion, Time: time.Now().UTC(), Kind: EventPack, Data: d}
}
