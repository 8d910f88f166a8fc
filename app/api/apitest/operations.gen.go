// Code generated from the table of operations (go generate ./app/api). DO NOT EDIT.

package apitest

import (
	"context"
	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/health"
	"piwork/app/history"
	"piwork/app/models"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/runtimes"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/upkeep"
)

// SlowMode is of the service.
func (f *Fake) SlowMode(_ context.Context) (health.SlowMode, error) {
	return answered[health.SlowMode](f.core, "SlowMode")
}

// AuditVerify is of the service.
func (f *Fake) AuditVerify(_ context.Context) (audit.Report, error) {
	return answered[audit.Report](f.core, "AuditVerify")
}

// Mend is of the service.
func (f *Fake) Mend(_ context.Context, a1 health.MendRequest) (health.Mended, error) {
	return answered[health.Mended](f.core, "Mend", a1)
}

// RuntimeSettings is of the service.
func (f *Fake) RuntimeSettings(_ context.Context) (runtimes.Settings, error) {
	return answered[runtimes.Settings](f.core, "RuntimeSettings")
}

// VerifyPack is of the service.
func (f *Fake) VerifyPack(_ context.Context, a1 string) (runtimepack.Info, error) {
	return answered[runtimepack.Info](f.core, "VerifyPack", a1)
}

// Chores is of the service.
func (f *Fake) Chores(_ context.Context) ([]chore.Info, error) {
	return answered[[]chore.Info](f.core, "Chores")
}

// SavedChores is of the service.
func (f *Fake) SavedChores(_ context.Context) ([]saved.SavedChore, error) {
	return answered[[]saved.SavedChore](f.core, "SavedChores")
}

// SaveChore is of the service.
func (f *Fake) SaveChore(_ context.Context, a1 saved.SaveChoreRequest) (saved.SavedChore, error) {
	return answered[saved.SavedChore](f.core, "SaveChore", a1)
}

// Update is of the service.
func (f *Fake) Update(_ context.Context) (updater.State, error) {
	return answered[updater.State](f.core, "Update")
}

// RemovePack is of the service.
func (f *Fake) RemovePack(_ context.Context, a1 string) error {
	return f.asked("RemovePack", a1)
}

// AddOns is of the service.
func (f *Fake) AddOns(_ context.Context) ([]runtimepack.AddOn, error) {
	return answered[[]runtimepack.AddOn](f.core, "AddOns")
}

// RemoveAddOn is of the service.
func (f *Fake) RemoveAddOn(_ context.Context, a1 string) error {
	return f.asked("RemoveAddOn", a1)
}

// Task is of the service.
func (f *Fake) Task(_ context.Context, a1 string) (task.Task, error) {
	return about[task.Task](f.runs, "Task", a1)
}

// Plan is of the service.
func (f *Fake) Plan(_ context.Context, a1 string) (chore.Plan, error) {
	return about[chore.Plan](f.runs, "Plan", a1)
}

// Dropped is of the service.
func (f *Fake) Dropped(_ context.Context, a1 tasks.DroppedRequest) ([]tasks.DroppedFolder, error) {
	return answered[[]tasks.DroppedFolder](f.core, "Dropped", a1)
}

// FolderChoices is of the service.
func (f *Fake) FolderChoices(_ context.Context) ([]saved.FolderChoice, error) {
	return answered[[]saved.FolderChoice](f.core, "FolderChoices")
}

// ResumeTask is of the service.
func (f *Fake) ResumeTask(_ context.Context, a1 string) (task.Task, error) {
	return about[task.Task](f.runs, "ResumeTask", a1)
}

// UndoSpace is of the service.
func (f *Fake) UndoSpace(_ context.Context, a1 string) (history.UndoSpace, error) {
	return about[history.UndoSpace](f.runs, "UndoSpace", a1)
}

// ForgetUndo is of the service.
func (f *Fake) ForgetUndo(_ context.Context, a1 string) (history.UndoSpace, error) {
	return about[history.UndoSpace](f.runs, "ForgetUndo", a1)
}

// UndoKeeping is of the service.
func (f *Fake) UndoKeeping(_ context.Context) (history.UndoKeeping, error) {
	return answered[history.UndoKeeping](f.core, "UndoKeeping")
}

// Rules is of the service.
func (f *Fake) Rules(_ context.Context) ([]approval.Rule, error) {
	return answered[[]approval.Rule](f.core, "Rules")
}

// Models is of the service.
func (f *Fake) Models(_ context.Context) (models.Catalogue, error) {
	return answered[models.Catalogue](f.core, "Models")
}

// Keys is of the service.
func (f *Fake) Keys(_ context.Context) ([]models.KeyInfo, error) {
	return answered[[]models.KeyInfo](f.core, "Keys")
}

// TestKey is of the service.
func (f *Fake) TestKey(_ context.Context, a1 string) (models.KeyTest, error) {
	return answered[models.KeyTest](f.core, "TestKey", a1)
}

// LoginState is of the service.
func (f *Fake) LoginState(_ context.Context, a1 string) (models.LoginState, error) {
	return answered[models.LoginState](f.core, "LoginState", a1)
}

// CancelLogin is of the service.
func (f *Fake) CancelLogin(_ context.Context, a1 string) error {
	return f.asked("CancelLogin", a1)
}

// KeyStore is of the service.
func (f *Fake) KeyStore(_ context.Context) (models.KeyStore, error) {
	return answered[models.KeyStore](f.core, "KeyStore")
}

// NetworkRules is of the service.
func (f *Fake) NetworkRules(_ context.Context) (consent.NetworkRules, error) {
	return answered[consent.NetworkRules](f.core, "NetworkRules")
}

// WebSearch is of the service.
func (f *Fake) WebSearch(_ context.Context) (consent.WebSearch, error) {
	return answered[consent.WebSearch](f.core, "WebSearch")
}

// SetWebSearch is of the service.
func (f *Fake) SetWebSearch(_ context.Context, a1 consent.WebSearch) (consent.WebSearch, error) {
	return answered[consent.WebSearch](f.core, "SetWebSearch", a1)
}

// Samples is of the service.
func (f *Fake) Samples(_ context.Context, a1 samples.FolderRequest) (samples.Made, error) {
	return answered[samples.Made](f.core, "Samples", a1)
}

// Storage is of the service.
func (f *Fake) Storage(_ context.Context) (upkeep.Storage, error) {
	return answered[upkeep.Storage](f.core, "Storage")
}

// StorageMove is of the service.
func (f *Fake) StorageMove(_ context.Context) (upkeep.StorageMove, error) {
	return answered[upkeep.StorageMove](f.core, "StorageMove")
}

// Diagnostics is of the service.
func (f *Fake) Diagnostics(_ context.Context) (upkeep.Diagnostics, error) {
	return answered[upkeep.Diagnostics](f.core, "Diagnostics")
}

// Licences is of the service.
func (f *Fake) Licences(_ context.Context) (upkeep.Licences, error) {
	return answered[upkeep.Licences](f.core, "Licences")
}

// WindowSettings is of the service.
func (f *Fake) WindowSettings(_ context.Context) (upkeep.WindowSettings, error) {
	return answered[upkeep.WindowSettings](f.core, "WindowSettings")
}

// SetWindowSettings is of the service.
func (f *Fake) SetWindowSettings(_ context.Context, a1 upkeep.WindowSettings) (upkeep.WindowSettings, error) {
	return answered[upkeep.WindowSettings](f.core, "SetWindowSettings", a1)
}

// ClaimNotice is of the service.
func (f *Fake) ClaimNotice(_ context.Context, a1 upkeep.NoticeClaim) (upkeep.NoticeClaimed, error) {
	return answered[upkeep.NoticeClaimed](f.core, "ClaimNotice", a1)
}
