package api

import (
	"context"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/saved"
)

// packService has the installed runtime, and the chores that it can do.
type packService interface {
	Packs(context.Context) ([]runtimepack.Info, error)
	VerifyPack(ctx context.Context, file string) (runtimepack.Info, error)
	InstallPack(ctx context.Context, file string, progress func(done, total int64)) (runtimepack.Info, error)
	Chores(context.Context) ([]chore.Info, error)
	SavedChores(context.Context) ([]saved.SavedChore, error)
	SaveChore(context.Context, saved.SaveChoreRequest) (saved.SavedChore, error)
	RemoveSavedChore(ctx context.Context, id string) error
}

// updateService has what changes the runtime.
type updateService interface {
	Update(context.Context) (updater.State, error)
	CheckUpdate(context.Context) (updater.State, error)
	StartUpdate(context.Context, updater.Request) (updater.State, error)
	PauseUpdate(context.Context) (updater.State, error)
	SetUpdates(context.Context, updater.Settings) (updater.State, error)
	RollbackPack(context.Context) (runtimepack.Info, error)
	RemovePack(ctx context.Context, version string) error
	RepairPack(ctx context.Context, file string) (runtimepack.Info, error)
	BundlePack(ctx context.Context, r runtimepack.BundleRequest, progress func(done, total int64)) (runtimepack.BundleInfo, error)
	AddOns(context.Context) ([]runtimepack.AddOn, error)
	InstallAddOn(ctx context.Context, name string) (updater.State, error)
	RemoveAddOn(ctx context.Context, name string) error
}

// FileRequest names a file of this computer.
type FileRequest struct {
	File string `json:"file" minLength:"1" maxLength:"4096" doc:"absolute path on this computer"`
}

// RepairRequest says what to repair the runtime from.
type RepairRequest struct {
	File string `json:"file,omitempty" maxLength:"4096" doc:"absolute path of a pack or a bundle; without it a bundle beside the program, or the channel"`
}

// VersionRef is the path parameter of an installed version.
type VersionRef struct {
	Version string `path:"version" doc:"installed version" minLength:"1" maxLength:"128" pattern:"^[0-9A-Za-z.+-]+$"`
}

func (r VersionRef) id() string { return r.Version }

// AddOnRef is the path parameter of an add-on.
type AddOnRef struct {
	Name string `path:"name" doc:"name of the add-on" minLength:"1" maxLength:"64" pattern:"^[a-z0-9-]+$"`
}

func (r AddOnRef) id() string { return r.Name }

// SavedRef is the path parameter of a saved chore.
type SavedRef struct {
	ID string `path:"id" doc:"id of the saved chore" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
}

func (r SavedRef) id() string { return r.ID }

var packOperations = []operation{
	{"listPacks", "GET /v1/packs", "Installed runtime packs", "", get(Service.Packs)},
	{"verifyPack", "POST /v1/packs/verify", "Is every byte of this file covered by a trusted signature?", "",
		call(Service.VerifyPack, func(a *API, ctx context.Context, in *input[FileRequest]) (runtimepack.Info, error) {
			return a.service.VerifyPack(ctx, in.Body.File)
		}).failing(problem.CodeInputMissing, problem.CodeInputUnreadable, problem.CodePackInvalid)},
	{"installPack", "POST /v1/packs/install", "Verify and install a runtime pack",
		"Answers when it is installed; meanwhile events of kind pack count bytes. Going away cancels, and leaves nothing behind. A program with a token cannot have an older one used than that in use.",
		call(Service.InstallPack, func(a *API, ctx context.Context, in *input[FileRequest]) (runtimepack.Info, error) {
			return a.service.InstallPack(ctx, in.Body.File, nil)
		}).failing(problem.CodeAccelUnavailable, problem.CodeAddOnMismatch, problem.CodeInputMissing, problem.CodeInputUnreadable, problem.CodePackCorrupt, problem.CodePackInUse, problem.CodePackInvalid, problem.CodeUpdateNotBooting, problem.CodeVMFailed)},
}

var choreOperations = []operation{
	{"listChores", "GET /v1/chores", "Ready-made chores", "", get(Service.Chores)},
	{"listSavedChores", "GET /v1/saved", "Chores with parameters and folders, to be done again", "", list(Service.SavedChores, func(c saved.SavedChore) string { return c.ID }).needing(needManage)},
	{"saveChore", "POST /v1/saved", "Save a chore to do it again", "One of the same name is replaced. Passwords are not kept. A program with a token cannot replace one, say where it works, nor save that of a task.",
		call(Service.SaveChore, func(a *API, ctx context.Context, in *input[saved.SaveChoreRequest]) (saved.SavedChore, error) {
			if err := personal(ctx, in.Body.Runtime != "" || in.Body.Task != ""); err != nil {
				return saved.SavedChore{}, err
			}
			return a.service.SaveChore(ctx, in.Body)
		}).failing(problem.CodeNotFound, problem.CodeUnknownChore)},
	{"removeSavedChore", "DELETE /v1/saved/{id}", "Forget a saved chore", "", remove[SavedRef](Service.RemoveSavedChore).failing(problem.CodeNotFound)},
}

const follow = "Answers at once; what follows are events of kind update."

// updateOperations are the life of the runtime. What takes long and goes on without its
// caller answers at once and is followed by events of kind update; what does not answers
// when it is done.
var updateOperations = []operation{
	{"getUpdate", "GET /v1/update", "How does the runtime stand against its channel?", "", get(Service.Update)},
	{"checkUpdate", "POST /v1/update/check", "Look at the channel now", "", get(Service.CheckUpdate)},
	{"startUpdate", "POST /v1/update/start", "Download, install, try and use what is new, or go on after a pause", follow,
		call(Service.StartUpdate, func(a *API, ctx context.Context, in *optional[updater.Request]) (updater.State, error) {
			return a.service.StartUpdate(context.WithoutCancel(ctx), orZero(in.Body))
		}).failing(problem.CodeAddOnUnknown, problem.CodeUpdateInvalid, problem.CodeUpdateOff, problem.CodeUpdateSettings)},
	{"pauseUpdate", "POST /v1/update/pause", "Stop the download and keep what arrived", "", get(Service.PauseUpdate)},
	{"setUpdates", "POST /v1/settings/updates", "Choose whether, where and how updates are looked for", "A program with a token cannot.", send(Service.SetUpdates).needing(needPerson).failing(problem.CodeUpdateSettings)},

	{"rollbackPack", "POST /v1/packs/rollback", "Use the previous runtime again", "A program with a token cannot.", get(Service.RollbackPack).needing(needPerson).failing(problem.CodeKeyRevoked, problem.CodeNoPrevious, problem.CodePackInvalid, problem.CodePackTooNew)},
	{"repairPack", "POST /v1/packs/repair", "Bring the runtime in use back to what was signed",
		"Answers when it is done; meanwhile events of kind pack or update count bytes. A program with a token cannot have an older one used instead.",
		call(Service.RepairPack, func(a *API, ctx context.Context, in *optional[RepairRequest]) (runtimepack.Info, error) {
			return a.service.RepairPack(ctx, orZero(in.Body).File)
		}).failing(problem.CodeAccelUnavailable, problem.CodeAddOnMismatch, problem.CodeDownloadFailed, problem.CodeDownloadInvalid, problem.CodeInputMissing, problem.CodeInputUnreadable, problem.CodeKeyRevoked, problem.CodeNotChecked, problem.CodeNotFound, problem.CodePackBusy, problem.CodePackCorrupt, problem.CodePackInUse, problem.CodePackInvalid, problem.CodePackMissing, problem.CodePackTooNew, problem.CodeUpdateInvalid, problem.CodeUpdateNotBooting, problem.CodeUpdateNotOffered, problem.CodeUpdateOff, problem.CodeUpdateOffline, problem.CodeUpdateSettings, problem.CodeVMFailed)},
	{"removePack", "DELETE /v1/packs/{version}", "Delete a runtime that is not in use", "A program with a token cannot delete a newer one than that in use.", remove[VersionRef](Service.RemovePack).failing(problem.CodeNotFound, problem.CodePackInUse)},
	{"bundlePack", "POST /v1/packs/bundle", "Write the one file for an installation without a network",
		"Answers when it is written; meanwhile events of kind pack count bytes. Going away cancels, and leaves nothing behind. A program with a token cannot choose the program in it.",
		call(Service.BundlePack, func(a *API, ctx context.Context, in *input[runtimepack.BundleRequest]) (runtimepack.BundleInfo, error) {
			if err := personal(ctx, in.Body.App != ""); err != nil { // it would read any file
				return runtimepack.BundleInfo{}, err
			}
			return a.service.BundlePack(ctx, in.Body, nil)
		}).failing(problem.CodeAddOnUnknown, problem.CodeBundleIncomplete, problem.CodeDownloadFailed, problem.CodeDownloadInvalid, problem.CodeKeyRevoked, problem.CodeOutputExists, problem.CodePackCorrupt, problem.CodePackInvalid, problem.CodePackMissing, problem.CodePackTooNew, problem.CodeUpdateSettings)},

	{"listAddOns", "GET /v1/addons", "Add-ons that are installed or on offer", "", get(Service.AddOns)},
	{"installAddOn", "POST /v1/addons/{name}", "Get an add-on from the channel", follow,
		call(Service.InstallAddOn, func(a *API, ctx context.Context, in *AddOnRef) (updater.State, error) {
			return a.service.InstallAddOn(context.WithoutCancel(ctx), in.Name)
		}).failing(problem.CodeAddOnUnknown, problem.CodeUpdateInvalid, problem.CodeUpdateOff, problem.CodeUpdateSettings)},
	{"removeAddOn", "DELETE /v1/addons/{name}", "Delete an add-on", "", remove[AddOnRef](Service.RemoveAddOn).failing(problem.CodeAddOnUnknown, problem.CodePackInUse)},
}
