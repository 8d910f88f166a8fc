package api

import (
	"context"
	"net/http"
	"piwork/app/runtimepack"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/runtimepack/updater"
)

// RepairRequest says what to repair the runtime from.
type RepairRequest struct {
	File string `json:"file,omitempty" maxLength:"4096" doc:"absolute path of a pack or a bundle; without it a bundle beside the program, or the channel"`
}

// VersionRef is the path parameter of an installed version.
type VersionRef struct {
	Version string `path:"version" doc:"installed version" minLength:"1" maxLength:"128" pattern:"^[0-9A-Za-z.+-]+$"`
}

// AddOnRef is the path parameter of an add-on.
type AddOnRef struct {
	Name string `path:"name" doc:"name of the add-on" minLength:"1" maxLength:"64" pattern:"^[a-z0-9-]+$"`
}

// updateInput may come without a body.
type updateInput struct {
	Body *updater.Request
}

// repairInput may come without a body.
type repairInput struct {
	Body *RepairRequest
}

// registerUpdates puts the life of the runtime on HTTP. What takes long and
// goes on without its caller answers at once and is followed by events of kind
// update; what does not answers when it is done.
func (a *API) registerUpdates() {
	svc := a.opts.Service
	op := func(id, method, path, summary, description string) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Description: description, Tags: []string{"updates"}}
	}
	const follow = "Answers at once; what follows are events of kind update."

	handle(a, op("getUpdate", http.MethodGet, "/api/update", "How does the runtime stand against its channel?", ""),
		func(ctx context.Context, _ *none) (*body[updater.State], error) {
			return ok(svc.Update(ctx))
		})
	handle(a, op("checkUpdate", http.MethodPost, "/api/update/check", "Look at the channel now", ""),
		func(ctx context.Context, _ *none) (*body[updater.State], error) {
			return ok(svc.CheckUpdate(ctx))
		})
	handle(a, op("startUpdate", http.MethodPost, "/api/update/start", "Download, install, try and use what is new, or go on after a pause", follow),
		func(ctx context.Context, in *updateInput) (*body[updater.State], error) {
			var r updater.Request
			if in.Body != nil {
				r = *in.Body
			}
			return ok(svc.StartUpdate(context.WithoutCancel(ctx), r))
		})
	handle(a, op("pauseUpdate", http.MethodPost, "/api/update/pause", "Stop the download and keep what arrived", ""),
		func(ctx context.Context, _ *none) (*body[updater.State], error) {
			return ok(svc.PauseUpdate(ctx))
		})
	handle(a, op("setUpdates", http.MethodPost, "/api/settings/updates", "Choose whether, where and how updates are looked for", ""),
		func(ctx context.Context, in *input[updater.Settings]) (*body[updater.State], error) {
			return ok(svc.SetUpdates(ctx, in.Body))
		})

	handle(a, op("rollbackPack", http.MethodPost, "/api/packs/rollback", "Use the previous runtime again", ""),
		func(ctx context.Context, _ *none) (*body[runtimepack.Info], error) {
			return ok(svc.RollbackPack(ctx))
		})
	handle(a, op("repairPack", http.MethodPost, "/api/packs/repair", "Bring the runtime in use back to what was signed",
		"Answers when it is done; meanwhile events of kind pack or update count bytes."),
		func(ctx context.Context, in *repairInput) (*body[runtimepack.Info], error) {
			file := ""
			if in.Body != nil {
				file = in.Body.File
			}
			return ok(svc.RepairPack(ctx, file))
		})
	handle(a, op("removePack", http.MethodDelete, "/api/packs/{version}", "Delete a runtime that is not in use", ""),
		func(ctx context.Context, in *VersionRef) (*none, error) {
			return &none{}, svc.RemovePack(ctx, in.Version)
		})
	handle(a, op("bundlePack", http.MethodPost, "/api/packs/bundle", "Write the one file for an installation without a network",
		"Answers when it is written; meanwhile events of kind pack count bytes. Going away cancels, and leaves nothing behind."),
		func(ctx context.Context, in *input[runtimepack.BundleRequest]) (*body[runtimepack.BundleInfo], error) {
			return ok(svc.BundlePack(ctx, in.Body, nil))
		})

	handle(a, op("listAddOns", http.MethodGet, "/api/addons", "Add-ons that are installed or on offer", ""),
		func(ctx context.Context, _ *none) (*body[[]runtimepack.AddOn], error) {
			return ok(svc.AddOns(ctx))
		})
	handle(a, op("installAddOn", http.MethodPost, "/api/addons/{name}", "Get an add-on from the channel", follow),
		func(ctx context.Context, in *AddOnRef) (*body[updater.State], error) {
			return ok(svc.InstallAddOn(context.WithoutCancel(ctx), in.Name))
		})
	handle(a, op("removeAddOn", http.MethodDelete, "/api/addons/{name}", "Delete an add-on", ""),
		func(ctx context.Context, in *AddOnRef) (*none, error) {
			return &none{}, svc.RemoveAddOn(ctx, in.Name)
		})
}
