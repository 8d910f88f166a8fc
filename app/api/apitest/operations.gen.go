// Code generated from the table of operations (go generate ./app/api). DO NOT EDIT.

package apitest

import (
	"context"
	"piwork/app/access"
	"piwork/app/actions"
	"piwork/app/agent/program"
	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/health"
	"piwork/app/history"
	"piwork/app/mcpservers"
	"piwork/app/models"
	"piwork/app/policy"
	"piwork/app/projectcache"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/runtimes"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/services"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/telemetry"
	"piwork/app/upkeep"
	"piwork/vmhost/wire"
)

// SlowMode is of the service.
func (f *Fake) SlowMode(_ context.Context) (health.SlowMode, error) {
	return answered[health.SlowMode](f.core, "SlowMode")
}

// Mend is of the service.
func (f *Fake) Mend(_ context.Context, a1 health.MendRequest) (health.Mended, error) {
	return answered[health.Mended](f.core, "Mend", a1)
}

// AuditVerify is of the service.
func (f *Fake) AuditVerify(_ context.Context) (audit.Report, error) {
	return answered[audit.Report](f.core, "AuditVerify")
}

// AuditRecords is of the service.
func (f *Fake) AuditRecords(_ context.Context, a1 audit.Filter) (audit.Page, error) {
	return answered[audit.Page](f.core, "AuditRecords", a1)
}

// AuditKeeping is of the service.
func (f *Fake) AuditKeeping(_ context.Context) (upkeep.AuditSettings, error) {
	return answered[upkeep.AuditSettings](f.core, "AuditKeeping")
}

// SetAuditKeeping is of the service.
func (f *Fake) SetAuditKeeping(_ context.Context, a1 upkeep.AuditSettings) (upkeep.AuditSettings, error) {
	return answered[upkeep.AuditSettings](f.core, "SetAuditKeeping", a1)
}

// RuntimeSettings is of the service.
func (f *Fake) RuntimeSettings(_ context.Context) (runtimes.Settings, error) {
	return answered[runtimes.Settings](f.core, "RuntimeSettings")
}

// TestService is of the service.
func (f *Fake) TestService(_ context.Context, a1 string) ([]services.HostTest, error) {
	return answered[[]services.HostTest](f.core, "TestService", a1)
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

// TaskRequests is of the service.
func (f *Fake) TaskRequests(_ context.Context, a1 string) (services.TaskRequests, error) {
	return about[services.TaskRequests](f.runs, "TaskRequests", a1)
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

// StatFile is of the service.
func (f *Fake) StatFile(_ context.Context, a1 string, a2 actions.StatRequest) (wire.FileInfo, error) {
	return about[wire.FileInfo](f.runs, "StatFile", a1, a2)
}

// ListFiles is of the service.
func (f *Fake) ListFiles(_ context.Context, a1 string, a2 actions.ListRequest) (actions.FileList, error) {
	return about[actions.FileList](f.runs, "ListFiles", a1, a2)
}

// ReadFile is of the service.
func (f *Fake) ReadFile(_ context.Context, a1 string, a2 actions.ReadRequest) (actions.FileContent, error) {
	return about[actions.FileContent](f.runs, "ReadFile", a1, a2)
}

// WriteFile is of the service.
func (f *Fake) WriteFile(_ context.Context, a1 string, a2 actions.WriteRequest) (wire.FileInfo, error) {
	return about[wire.FileInfo](f.runs, "WriteFile", a1, a2)
}

// Fetch is of the service.
func (f *Fake) Fetch(_ context.Context, a1 string, a2 actions.FetchRequest) (actions.Fetched, error) {
	return about[actions.Fetched](f.runs, "Fetch", a1, a2)
}

// Visit is of the service.
func (f *Fake) Visit(_ context.Context, a1 string, a2 actions.VisitRequest) (wire.PageResult, error) {
	return about[wire.PageResult](f.runs, "Visit", a1, a2)
}

// CreateSession is of the service.
func (f *Fake) CreateSession(_ context.Context, a1 string, a2 sessions.Request) (sessions.Session, error) {
	return about[sessions.Session](f.runs, "CreateSession", a1, a2)
}

// Sessions is of the service.
func (f *Fake) Sessions(_ context.Context, a1 string) ([]sessions.Session, error) {
	return answered[[]sessions.Session](f.core, "Sessions", a1)
}

// Session is of the service.
func (f *Fake) Session(_ context.Context, a1 string) (sessions.Session, error) {
	return answered[sessions.Session](f.core, "Session", a1)
}

// RunInSession is of the service.
func (f *Fake) RunInSession(_ context.Context, a1 string, a2 sessions.RunRequest) (sessions.RunResult, error) {
	return answered[sessions.RunResult](f.core, "RunInSession", a1, a2)
}

// ReadSession is of the service.
func (f *Fake) ReadSession(_ context.Context, a1 string, a2 sessions.OutputRequest) (sessions.Output, error) {
	return answered[sessions.Output](f.core, "ReadSession", a1, a2)
}

// WriteSession is of the service.
func (f *Fake) WriteSession(_ context.Context, a1 string, a2 sessions.InputRequest) (sessions.Session, error) {
	return answered[sessions.Session](f.core, "WriteSession", a1, a2)
}

// ResizeSession is of the service.
func (f *Fake) ResizeSession(_ context.Context, a1 string, a2 wire.TerminalSize) (sessions.Session, error) {
	return answered[sessions.Session](f.core, "ResizeSession", a1, a2)
}

// SignalSession is of the service.
func (f *Fake) SignalSession(_ context.Context, a1 string, a2 sessions.SignalRequest) (sessions.Session, error) {
	return answered[sessions.Session](f.core, "SignalSession", a1, a2)
}

// CloseSession is of the service.
func (f *Fake) CloseSession(_ context.Context, a1 string) (sessions.Session, error) {
	return answered[sessions.Session](f.core, "CloseSession", a1)
}

// UndoSpace is of the service.
func (f *Fake) UndoSpace(_ context.Context, a1 string) (history.UndoSpace, error) {
	return about[history.UndoSpace](f.runs, "UndoSpace", a1)
}

// UndoKeeping is of the service.
func (f *Fake) UndoKeeping(_ context.Context) (history.UndoKeeping, error) {
	return answered[history.UndoKeeping](f.core, "UndoKeeping")
}

// Rules is of the service.
func (f *Fake) Rules(_ context.Context) ([]approval.Rule, error) {
	return answered[[]approval.Rule](f.core, "Rules")
}

// Rule is of the service.
func (f *Fake) Rule(_ context.Context, a1 string) (approval.Rule, error) {
	return answered[approval.Rule](f.core, "Rule", a1)
}

// Policy is of the service.
func (f *Fake) Policy(_ context.Context) (consent.Policy, error) {
	return answered[consent.Policy](f.core, "Policy")
}

// SetPolicy is of the service.
func (f *Fake) SetPolicy(_ context.Context, a1 consent.PolicyText) (consent.Policy, error) {
	return answered[consent.Policy](f.core, "SetPolicy", a1)
}

// CheckPolicy is of the service.
func (f *Fake) CheckPolicy(_ context.Context, a1 consent.PolicyText) (consent.PolicyCheck, error) {
	return answered[consent.PolicyCheck](f.core, "CheckPolicy", a1)
}

// ExplainPolicy is of the service.
func (f *Fake) ExplainPolicy(_ context.Context, a1 consent.ExplainRequest) (consent.Explanation, error) {
	return answered[consent.Explanation](f.core, "ExplainPolicy", a1)
}

// Proposals is of the service.
func (f *Fake) Proposals(_ context.Context) ([]policy.Proposal, error) {
	return answered[[]policy.Proposal](f.core, "Proposals")
}

// AcceptProposal is of the service.
func (f *Fake) AcceptProposal(_ context.Context, a1 string, a2 consent.Acceptance) (consent.Policy, error) {
	return answered[consent.Policy](f.core, "AcceptProposal", a1, a2)
}

// DropProposal is of the service.
func (f *Fake) DropProposal(_ context.Context, a1 string) error {
	return f.asked("DropProposal", a1)
}

// Exceptions is of the service.
func (f *Fake) Exceptions(_ context.Context) ([]policy.RuleException, error) {
	return answered[[]policy.RuleException](f.core, "Exceptions")
}

// RemoveException is of the service.
func (f *Fake) RemoveException(_ context.Context, a1 string) error {
	return f.asked("RemoveException", a1)
}

// SetRuleEnd is of the service.
func (f *Fake) SetRuleEnd(_ context.Context, a1 string, a2 consent.RuleEnd) (approval.Rule, error) {
	return answered[approval.Rule](f.core, "SetRuleEnd", a1, a2)
}

// NarrowRule is of the service.
func (f *Fake) NarrowRule(_ context.Context, a1 string, a2 consent.RuleScope) (approval.Rule, error) {
	return answered[approval.Rule](f.core, "NarrowRule", a1, a2)
}

// Models is of the service.
func (f *Fake) Models(_ context.Context) (models.Catalogue, error) {
	return answered[models.Catalogue](f.core, "Models")
}

// Programs is of the service.
func (f *Fake) Programs(_ context.Context) ([]program.Info, error) {
	return answered[[]program.Info](f.core, "Programs")
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

// MCPServers is of the service.
func (f *Fake) MCPServers(_ context.Context) ([]mcpservers.Server, error) {
	return answered[[]mcpservers.Server](f.core, "MCPServers")
}

// AddMCPServer is of the service.
func (f *Fake) AddMCPServer(_ context.Context, a1 mcpservers.Addition) (mcpservers.Server, error) {
	return answered[mcpservers.Server](f.core, "AddMCPServer", a1)
}

// ImportMCPServers is of the service.
func (f *Fake) ImportMCPServers(_ context.Context, a1 mcpservers.Import) ([]mcpservers.Server, error) {
	return answered[[]mcpservers.Server](f.core, "ImportMCPServers", a1)
}

// CheckMCPServer is of the service.
func (f *Fake) CheckMCPServer(_ context.Context, a1 string) (mcpservers.Server, error) {
	return answered[mcpservers.Server](f.core, "CheckMCPServer", a1)
}

// AllowMCPTool is of the service.
func (f *Fake) AllowMCPTool(_ context.Context, a1 string, a2 mcpservers.ToolChoice) (mcpservers.Server, error) {
	return answered[mcpservers.Server](f.core, "AllowMCPTool", a1, a2)
}

// SetMCPServerReach is of the service.
func (f *Fake) SetMCPServerReach(_ context.Context, a1 string, a2 mcpservers.Reach) (mcpservers.Server, error) {
	return answered[mcpservers.Server](f.core, "SetMCPServerReach", a1, a2)
}

// LoginMCPServer is of the service.
func (f *Fake) LoginMCPServer(_ context.Context, a1 string, a2 mcpservers.LoginRequest) (mcpservers.Login, error) {
	return answered[mcpservers.Login](f.core, "LoginMCPServer", a1, a2)
}

// MCPServerLogin is of the service.
func (f *Fake) MCPServerLogin(_ context.Context, a1 string) (mcpservers.Login, error) {
	return answered[mcpservers.Login](f.core, "MCPServerLogin", a1)
}

// LogoutMCPServer is of the service.
func (f *Fake) LogoutMCPServer(_ context.Context, a1 string) (mcpservers.Logout, error) {
	return answered[mcpservers.Logout](f.core, "LogoutMCPServer", a1)
}

// RemoveMCPServer is of the service.
func (f *Fake) RemoveMCPServer(_ context.Context, a1 string) error {
	return f.asked("RemoveMCPServer", a1)
}

// Samples is of the service.
func (f *Fake) Samples(_ context.Context, a1 samples.FolderRequest) (samples.Made, error) {
	return answered[samples.Made](f.core, "Samples", a1)
}

// Storage is of the service.
func (f *Fake) Storage(_ context.Context) (upkeep.Storage, error) {
	return answered[upkeep.Storage](f.core, "Storage")
}

// Caches is of the service.
func (f *Fake) Caches(_ context.Context) ([]projectcache.Cache, error) {
	return answered[[]projectcache.Cache](f.core, "Caches")
}

// EmptyCache is of the service.
func (f *Fake) EmptyCache(_ context.Context, a1 string) error {
	return f.asked("EmptyCache", a1)
}

// BackCache is of the service.
func (f *Fake) BackCache(_ context.Context, a1 string) error {
	return f.asked("BackCache", a1)
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

// Tokens is of the service.
func (f *Fake) Tokens(_ context.Context) ([]access.Token, error) {
	return answered[[]access.Token](f.core, "Tokens")
}

// OwnToken is of the service.
func (f *Fake) OwnToken(_ context.Context) (access.Token, error) {
	return answered[access.Token](f.core, "OwnToken")
}

// CreateToken is of the service.
func (f *Fake) CreateToken(_ context.Context, a1 access.TokenRequest) (access.NewToken, error) {
	return answered[access.NewToken](f.core, "CreateToken", a1)
}

// RevokeToken is of the service.
func (f *Fake) RevokeToken(_ context.Context, a1 string) error {
	return f.asked("RevokeToken", a1)
}

// Metrics is of the service.
func (f *Fake) Metrics(_ context.Context) ([]uint8, error) {
	return answered[[]uint8](f.core, "Metrics")
}

// TelemetrySettings is of the service.
func (f *Fake) TelemetrySettings(_ context.Context) (telemetry.Settings, error) {
	return answered[telemetry.Settings](f.core, "TelemetrySettings")
}

// SetTelemetry is of the service.
func (f *Fake) SetTelemetry(_ context.Context, a1 telemetry.Settings) (telemetry.Settings, error) {
	return answered[telemetry.Settings](f.core, "SetTelemetry", a1)
}

// EndCommand is of the service.
func (f *Fake) EndCommand(_ context.Context, a1 telemetry.Command) (telemetry.Command, error) {
	return answered[telemetry.Command](f.core, "EndCommand", a1)
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
