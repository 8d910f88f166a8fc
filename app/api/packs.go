package api

import (
	"context"
	"net/http"
	"piwork/app/runtimepack"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/chore"
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
	}, func(ctx context.Context, _ *none) (*body[[]runtimepack.Info], error) {
		return ok(svc.Packs(ctx))
	})
	handle(a, huma.Operation{
		OperationID: "verifyPack", Method: http.MethodPost, Path: "/api/packs/verify", Tags: []string{"packs"},
		Summary: "Is every byte of this file covered by a trusted signature?",
	}, func(ctx context.Context, in *input[FileRequest]) (*body[runtimepack.Info], error) {
		return ok(svc.VerifyPack(ctx, in.Body.File))
	})
	handle(a, huma.Operation{
		OperationID: "installPack", Method: http.MethodPost, Path: "/api/packs/install", Tags: []string{"packs"},
		Summary:     "Verify and install a runtime pack",
		Description: "Answers when it is installed; meanwhile events of kind pack count bytes. Going away cancels, and leaves nothing behind.",
	}, func(ctx context.Context, in *input[FileRequest]) (*body[runtimepack.Info], error) {
		return ok(svc.InstallPack(ctx, in.Body.File, nil))
	})
	handle(a, huma.Operation{
		OperationID: "listChores", Method: http.MethodGet, Path: "/api/chores", Tags: []string{"chores"},
		Summary: "Ready-made chores",
	}, func(ctx context.Context, _ *none) (*body[[]chore.Info], error) {
		return ok(svc.Chores(ctx))
	})
}
