// Code generated from the table of operations (go generate ./app/api). DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"iter"
	"piwork/app/access"
	"piwork/app/actions"
	"piwork/app/agent/program"
	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/changes"
	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/health"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/mcpservers"
	"piwork/app/models"
	"piwork/app/policy"
	"piwork/app/projectcache"
	"piwork/app/remotes"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/runtimes"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/services"
	"piwork/app/sessions"
	"piwork/app/setup"
	"piwork/app/setup/wizard"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/telemetry"
	"piwork/app/upkeep"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// SlowMode is getSlowMode: Was it chosen to work without acceleration?
func (c *Client) SlowMode(ctx context.Context) (health.SlowMode, error) {
	return call[health.SlowMode](ctx, c, "GET /v1/settings/slow-mode", nil, nil)
}

// SetSlowMode is setSlowMode: Work without acceleration, by choice
func (c *Client) SetSlowMode(ctx context.Context, r health.SlowMode) (setup.Report, error) {
	return call[setup.Report](ctx, c, "POST /v1/settings/slow-mode", nil, r)
}

// Mend is mend: Have the system ask for an administrator, and run what the last report says of a fix
func (c *Client) Mend(ctx context.Context, r health.MendRequest) (health.Mended, error) {
	return call[health.Mended](ctx, c, "POST /v1/status/mend", nil, r)
}

// AuditVerify is verifyAudit: Does the chain of the audit log hold?
func (c *Client) AuditVerify(ctx context.Context) (audit.Report, error) {
	return call[audit.Report](ctx, c, "GET /v1/audit/verify", nil, nil)
}

// AuditKeeping is getAuditKeeping: For how long are records of the audit log kept?
func (c *Client) AuditKeeping(ctx context.Context) (upkeep.AuditSettings, error) {
	return call[upkeep.AuditSettings](ctx, c, "GET /v1/settings/audit", nil, nil)
}

// SetAuditKeeping is setAuditKeeping: Choose for how long they are kept
func (c *Client) SetAuditKeeping(ctx context.Context, r upkeep.AuditSettings) (upkeep.AuditSettings, error) {
	return call[upkeep.AuditSettings](ctx, c, "POST /v1/settings/audit", nil, r)
}

// Machines is getMachines: How is this computer shared out among the machines of tasks?
func (c *Client) Machines(ctx context.Context) (machines.Machines, error) {
	return call[machines.Machines](ctx, c, "GET /v1/machines", nil, nil)
}

// PrepareMachines is prepareMachines: Make ready, now, what lets machines be there at once
func (c *Client) PrepareMachines(ctx context.Context) (machines.Machines, error) {
	return call[machines.Machines](ctx, c, "POST /v1/machines/prepare", nil, nil)
}

// SetMachines is setMachines: Choose how much of this computer the machines of tasks get
func (c *Client) SetMachines(ctx context.Context, r machines.Settings) (machines.Machines, error) {
	return call[machines.Machines](ctx, c, "POST /v1/settings/machines", nil, r)
}

// Runtimes is listRuntimes: Which kinds of places for tasks are there, and do they work here?
func (c *Client) Runtimes(ctx context.Context) ([]runtimes.Status, error) {
	return call[[]runtimes.Status](ctx, c, "GET /v1/runtimes", nil, nil)
}

// TestRuntime is testRuntime: Have a kind of place do a small task, now
func (c *Client) TestRuntime(ctx context.Context, kind string) (runtimes.Status, error) {
	return call[runtimes.Status](ctx, c, "POST /v1/runtimes/{kind}/test", nil, nil, kind)
}

// ExplainRuntime is explainRuntime: Where would a task work, and why not elsewhere?
func (c *Client) ExplainRuntime(ctx context.Context, r runtimes.Need) (runtimes.Choice, error) {
	return call[runtimes.Choice](ctx, c, "POST /v1/runtimes/explain", nil, r)
}

// RuntimeSettings is getRuntimeSettings: Which kinds of places are preferred, and what is said to weaker ones?
func (c *Client) RuntimeSettings(ctx context.Context) (runtimes.Settings, error) {
	return call[runtimes.Settings](ctx, c, "GET /v1/settings/runtimes", nil, nil)
}

// SetRuntimes is setRuntimes: Choose which kinds of places are preferred, and what is said to weaker ones
func (c *Client) SetRuntimes(ctx context.Context, r runtimes.Settings) (runtimes.Settings, error) {
	return call[runtimes.Settings](ctx, c, "POST /v1/settings/runtimes", nil, r)
}

// Remotes is listRemotes: Which other computers are there for tasks?
func (c *Client) Remotes(ctx context.Context) ([]remotes.Remote, error) {
	return whole(pages[remotes.Remote](ctx, c, "GET /v1/remotes", nil))
}

// AllRemotes is listRemotes, page by page.
func (c *Client) AllRemotes(ctx context.Context) iter.Seq2[remotes.Remote, error] {
	return pages[remotes.Remote](ctx, c, "GET /v1/remotes", nil)
}

// AddRemote is addRemote: Add another computer
func (c *Client) AddRemote(ctx context.Context, r remotes.RemoteAddition) (remotes.Remote, error) {
	return call[remotes.Remote](ctx, c, "POST /v1/remotes", nil, r)
}

// RemoveRemote is removeRemote: Forget another computer
func (c *Client) RemoveRemote(ctx context.Context, name string) error {
	return c.done(ctx, "DELETE /v1/remotes/{name}", nil, name)
}

// RemoteUsage is remoteUsage: How much does piwork have on another computer?
func (c *Client) RemoteUsage(ctx context.Context, name string) (remotes.RemoteUsage, error) {
	return call[remotes.RemoteUsage](ctx, c, "GET /v1/remotes/{name}/usage", nil, nil, name)
}

// CleanRemote is cleanRemote: End what runs on another computer, and remove all that piwork keeps there
func (c *Client) CleanRemote(ctx context.Context, name string) error {
	return c.done(ctx, "POST /v1/remotes/{name}/clean", nil, name)
}

// Services is listServices: The services that tasks can use with a secret
func (c *Client) Services(ctx context.Context) ([]services.Service, error) {
	return whole(pages[services.Service](ctx, c, "GET /v1/services", nil))
}

// AllServices is listServices, page by page.
func (c *Client) AllServices(ctx context.Context) iter.Seq2[services.Service, error] {
	return pages[services.Service](ctx, c, "GET /v1/services", nil)
}

// ServicePresets is listServicePresets: Services that many people use
func (c *Client) ServicePresets(ctx context.Context) ([]services.Preset, error) {
	return call[[]services.Preset](ctx, c, "GET /v1/service-presets", nil, nil)
}

// FindService is getService: A service, without its secret
func (c *Client) FindService(ctx context.Context, name string) (services.Service, error) {
	return call[services.Service](ctx, c, "GET /v1/services/{name}", nil, nil, name)
}

// PutService is putService: Add a service, or change one
func (c *Client) PutService(ctx context.Context, name string, r services.Definition) (services.Service, error) {
	return call[services.Service](ctx, c, "PUT /v1/services/{name}", nil, r, name)
}

// RemoveService is removeService: Remove a service and its secret
func (c *Client) RemoveService(ctx context.Context, name string) error {
	return c.done(ctx, "DELETE /v1/services/{name}", nil, name)
}

// SetServiceSecret is setServiceSecret: Keep the secret of a service in the keychain of this computer
func (c *Client) SetServiceSecret(ctx context.Context, name string, r services.SecretRequest) (services.Service, error) {
	return call[services.Service](ctx, c, "PUT /v1/services/{name}/secret", nil, r, name)
}

// ForgetServiceSecret is forgetServiceSecret: Forget the secret of a service
func (c *Client) ForgetServiceSecret(ctx context.Context, name string) error {
	return c.done(ctx, "DELETE /v1/services/{name}/secret", nil, name)
}

// TestService is testService: Ask the hosts of a service whether they take the secret
func (c *Client) TestService(ctx context.Context, name string) ([]services.HostTest, error) {
	return call[[]services.HostTest](ctx, c, "POST /v1/services/{name}/test", nil, nil, name)
}

// Packs is listPacks: Installed runtime packs
func (c *Client) Packs(ctx context.Context) ([]runtimepack.Info, error) {
	return call[[]runtimepack.Info](ctx, c, "GET /v1/packs", nil, nil)
}

// Chores is listChores: Ready-made chores
func (c *Client) Chores(ctx context.Context) ([]chore.Info, error) {
	return call[[]chore.Info](ctx, c, "GET /v1/chores", nil, nil)
}

// SavedChores is listSavedChores: Chores with parameters and folders, to be done again
func (c *Client) SavedChores(ctx context.Context) ([]saved.SavedChore, error) {
	return whole(pages[saved.SavedChore](ctx, c, "GET /v1/saved", nil))
}

// AllSavedChores is listSavedChores, page by page.
func (c *Client) AllSavedChores(ctx context.Context) iter.Seq2[saved.SavedChore, error] {
	return pages[saved.SavedChore](ctx, c, "GET /v1/saved", nil)
}

// SaveChore is saveChore: Save a chore to do it again
func (c *Client) SaveChore(ctx context.Context, r saved.SaveChoreRequest) (saved.SavedChore, error) {
	return call[saved.SavedChore](ctx, c, "POST /v1/saved", nil, r)
}

// RemoveSavedChore is removeSavedChore: Forget a saved chore
func (c *Client) RemoveSavedChore(ctx context.Context, id string) error {
	return c.done(ctx, "DELETE /v1/saved/{id}", nil, id)
}

// Update is getUpdate: How does the runtime stand against its channel?
func (c *Client) Update(ctx context.Context) (updater.State, error) {
	return call[updater.State](ctx, c, "GET /v1/update", nil, nil)
}

// CheckUpdate is checkUpdate: Look at the channel now
func (c *Client) CheckUpdate(ctx context.Context) (updater.State, error) {
	return call[updater.State](ctx, c, "POST /v1/update/check", nil, nil)
}

// StartUpdate is startUpdate: Download, install, try and use what is new, or go on after a pause
func (c *Client) StartUpdate(ctx context.Context, r updater.Request) (updater.State, error) {
	return call[updater.State](ctx, c, "POST /v1/update/start", nil, r)
}

// PauseUpdate is pauseUpdate: Stop the download and keep what arrived
func (c *Client) PauseUpdate(ctx context.Context) (updater.State, error) {
	return call[updater.State](ctx, c, "POST /v1/update/pause", nil, nil)
}

// SetUpdates is setUpdates: Choose whether, where and how updates are looked for
func (c *Client) SetUpdates(ctx context.Context, r updater.Settings) (updater.State, error) {
	return call[updater.State](ctx, c, "POST /v1/settings/updates", nil, r)
}

// RollbackPack is rollbackPack: Use the previous runtime again
func (c *Client) RollbackPack(ctx context.Context) (runtimepack.Info, error) {
	return call[runtimepack.Info](ctx, c, "POST /v1/packs/rollback", nil, nil)
}

// RemovePack is removePack: Delete a runtime that is not in use
func (c *Client) RemovePack(ctx context.Context, version string) error {
	return c.done(ctx, "DELETE /v1/packs/{version}", nil, version)
}

// AddOns is listAddOns: Add-ons that are installed or on offer
func (c *Client) AddOns(ctx context.Context) ([]runtimepack.AddOn, error) {
	return call[[]runtimepack.AddOn](ctx, c, "GET /v1/addons", nil, nil)
}

// InstallAddOn is installAddOn: Get an add-on from the channel
func (c *Client) InstallAddOn(ctx context.Context, name string) (updater.State, error) {
	return call[updater.State](ctx, c, "POST /v1/addons/{name}", nil, nil, name)
}

// RemoveAddOn is removeAddOn: Delete an add-on
func (c *Client) RemoveAddOn(ctx context.Context, name string) error {
	return c.done(ctx, "DELETE /v1/addons/{name}", nil, name)
}

// Task is getTask: The record of a task
func (c *Client) Task(ctx context.Context, id string) (task.Task, error) {
	return call[task.Task](ctx, c, "GET /v1/tasks/{id}", nil, nil, id)
}

// RenameTask is renameTask: Give a task a title; an empty one brings the made one back
func (c *Client) RenameTask(ctx context.Context, id string, r tasks.RenameRequest) (task.Task, error) {
	return call[task.Task](ctx, c, "PATCH /v1/tasks/{id}", nil, r, id)
}

// AddFolder is addFolder: Let a task that runs have another folder
func (c *Client) AddFolder(ctx context.Context, id string, r task.FolderRequest) (task.Task, error) {
	return call[task.Task](ctx, c, "POST /v1/tasks/{id}/folders", nil, r, id)
}

// RemoveFolder is removeFolder: Take a folder from a task that runs
func (c *Client) RemoveFolder(ctx context.Context, id string, folder string) (task.Task, error) {
	return call[task.Task](ctx, c, "DELETE /v1/tasks/{id}/folders/{folder}", nil, nil, id, folder)
}

// DeleteTask is deleteTask: Delete the record, its journal and its results
func (c *Client) DeleteTask(ctx context.Context, id string, abandonUndo bool) error {
	return c.done(ctx, "DELETE /v1/tasks/{id}", query("abandonUndo", abandonUndo), id)
}

// AcceptPlan is acceptPlan: Do what the plan says
func (c *Client) AcceptPlan(ctx context.Context, id string) (task.Task, error) {
	return call[task.Task](ctx, c, "POST /v1/tasks/{id}/accept", nil, nil, id)
}

// Plan is getPlan: What a chore will do
func (c *Client) Plan(ctx context.Context, id string) (chore.Plan, error) {
	return call[chore.Plan](ctx, c, "GET /v1/tasks/{id}/plan", nil, nil, id)
}

// Timeline is getTimeline: What happened; seq counts per task
func (c *Client) Timeline(ctx context.Context, id string, after int64) ([]task.Event, error) {
	return whole(pages[task.Event](ctx, c, "GET /v1/tasks/{id}/timeline", query("after", after), id))
}

// AllTimeline is getTimeline, page by page.
func (c *Client) AllTimeline(ctx context.Context, id string, after int64) iter.Seq2[task.Event, error] {
	return pages[task.Event](ctx, c, "GET /v1/tasks/{id}/timeline", query("after", after), id)
}

// TaskRequests is getTaskRequests: What a task asked of services
func (c *Client) TaskRequests(ctx context.Context, id string) (services.TaskRequests, error) {
	return call[services.TaskRequests](ctx, c, "GET /v1/tasks/{id}/requests", nil, nil, id)
}

// Dropped is lookAtDropped: Which folders would a task get for what was dropped on the window?
func (c *Client) Dropped(ctx context.Context, r tasks.DroppedRequest) ([]tasks.DroppedFolder, error) {
	return call[[]tasks.DroppedFolder](ctx, c, "POST /v1/dropped", nil, r)
}

// FolderChoices is listFolderChoices: What may an AI do with which folders?
func (c *Client) FolderChoices(ctx context.Context) ([]saved.FolderChoice, error) {
	return whole(pages[saved.FolderChoice](ctx, c, "GET /v1/folders", nil))
}

// AllFolderChoices is listFolderChoices, page by page.
func (c *Client) AllFolderChoices(ctx context.Context) iter.Seq2[saved.FolderChoice, error] {
	return pages[saved.FolderChoice](ctx, c, "GET /v1/folders", nil)
}

// TakeBack is takeBack: Take back a message that was not heard yet
func (c *Client) TakeBack(ctx context.Context, id string, message string) (task.Task, error) {
	return call[task.Task](ctx, c, "DELETE /v1/tasks/{id}/messages/{message}", nil, nil, id, message)
}

// SetTaskModel is setTaskModel: Change the model of an AI task, or how long it thinks
func (c *Client) SetTaskModel(ctx context.Context, id string, r tasks.TaskModelRequest) (task.Task, error) {
	return call[task.Task](ctx, c, "PUT /v1/tasks/{id}/model", nil, r, id)
}

// Interrupt is interrupt: End what the agent does at the moment
func (c *Client) Interrupt(ctx context.Context, id string) (task.Task, error) {
	return call[task.Task](ctx, c, "POST /v1/tasks/{id}/interrupt", nil, nil, id)
}

// AgentLine is getAgentLine: One event of the agent, untouched
func (c *Client) AgentLine(ctx context.Context, id string, line int64) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c, "GET /v1/tasks/{id}/agent/{line}", nil, nil, id, line)
}

// StatFile is statFile: What is there at a path, and which digest has a file?
func (c *Client) StatFile(ctx context.Context, id string, r actions.StatRequest) (wire.FileInfo, error) {
	return call[wire.FileInfo](ctx, c, "POST /v1/tasks/{id}/files/stat", nil, r, id)
}

// ListFiles is listFiles: What is in a directory of a task?
func (c *Client) ListFiles(ctx context.Context, id string, r actions.ListRequest) (actions.FileList, error) {
	return call[actions.FileList](ctx, c, "POST /v1/tasks/{id}/files/list", nil, r, id)
}

// ReadFile is readFile: Read a file of a task
func (c *Client) ReadFile(ctx context.Context, id string, r actions.ReadRequest) (actions.FileContent, error) {
	return call[actions.FileContent](ctx, c, "POST /v1/tasks/{id}/files/read", nil, r, id)
}

// WriteFile is writeFile: Write a file of a task
func (c *Client) WriteFile(ctx context.Context, id string, r actions.WriteRequest) (wire.FileInfo, error) {
	return call[wire.FileInfo](ctx, c, "POST /v1/tasks/{id}/files/write", nil, r, id)
}

// Fetch is fetch: Get what is at an address of the web, in a task
func (c *Client) Fetch(ctx context.Context, id string, r actions.FetchRequest) (actions.Fetched, error) {
	return call[actions.Fetched](ctx, c, "POST /v1/tasks/{id}/fetch", nil, r, id)
}

// Visit is visit: Visit the web with a browser, in a task
func (c *Client) Visit(ctx context.Context, id string, r actions.VisitRequest) (wire.PageResult, error) {
	return call[wire.PageResult](ctx, c, "POST /v1/tasks/{id}/visit", nil, r, id)
}

// CreateSession is createSession: Start a shell or a program in the workroom of a task, which stays when its clients go
func (c *Client) CreateSession(ctx context.Context, id string, r sessions.Request) (sessions.Session, error) {
	return call[sessions.Session](ctx, c, "POST /v1/tasks/{id}/sessions", nil, r, id)
}

// Sessions is listSessions: Sessions, the oldest first
func (c *Client) Sessions(ctx context.Context, task string) ([]sessions.Session, error) {
	return whole(pages[sessions.Session](ctx, c, "GET /v1/sessions", query("task", task)))
}

// AllSessions is listSessions, page by page.
func (c *Client) AllSessions(ctx context.Context, task string) iter.Seq2[sessions.Session, error] {
	return pages[sessions.Session](ctx, c, "GET /v1/sessions", query("task", task))
}

// Session is getSession: One session
func (c *Client) Session(ctx context.Context, session string) (sessions.Session, error) {
	return call[sessions.Session](ctx, c, "GET /v1/sessions/{session}", nil, nil, session)
}

// RunInSession is runInSession: Have a shell do a command, and wait for its end
func (c *Client) RunInSession(ctx context.Context, session string, r sessions.RunRequest) (sessions.RunResult, error) {
	return call[sessions.RunResult](ctx, c, "POST /v1/sessions/{session}/run", nil, r, session)
}

// ReadSession is readSession: Read the output of a session where a WebSocket cannot pass
func (c *Client) ReadSession(ctx context.Context, session string, r sessions.OutputRequest) (sessions.Output, error) {
	return call[sessions.Output](ctx, c, "GET /v1/sessions/{session}/output", query("client", r.Client, "from", r.From, "seen", r.Seen, "waitMs", r.WaitMS), nil, session)
}

// WriteSession is writeSession: Type into a session where a WebSocket cannot pass
func (c *Client) WriteSession(ctx context.Context, session string, r sessions.InputRequest) (sessions.Session, error) {
	return call[sessions.Session](ctx, c, "POST /v1/sessions/{session}/input", nil, r, session)
}

// ResizeSession is resizeSession: Change the size of a session's terminal
func (c *Client) ResizeSession(ctx context.Context, session string, r wire.TerminalSize) (sessions.Session, error) {
	return call[sessions.Session](ctx, c, "POST /v1/sessions/{session}/resize", nil, r, session)
}

// SignalSession is signalSession: Send a signal to the programs of a session
func (c *Client) SignalSession(ctx context.Context, session string, r sessions.SignalRequest) (sessions.Session, error) {
	return call[sessions.Session](ctx, c, "POST /v1/sessions/{session}/signal", nil, r, session)
}

// CloseSession is closeSession: End a session with everything that it started
func (c *Client) CloseSession(ctx context.Context, session string) (sessions.Session, error) {
	return call[sessions.Session](ctx, c, "DELETE /v1/sessions/{session}", nil, nil, session)
}

// Changes is listChanges: What a task changed in the folders
func (c *Client) Changes(ctx context.Context, id string) ([]journal.Change, error) {
	return whole(pages[journal.Change](ctx, c, "GET /v1/tasks/{id}/changes", nil, id))
}

// AllChanges is listChanges, page by page.
func (c *Client) AllChanges(ctx context.Context, id string) iter.Seq2[journal.Change, error] {
	return pages[journal.Change](ctx, c, "GET /v1/tasks/{id}/changes", nil, id)
}

// CompareChange is compareChange: What a change did to a file
func (c *Client) CompareChange(ctx context.Context, id string, change string) (changes.Comparison, error) {
	return call[changes.Comparison](ctx, c, "GET /v1/tasks/{id}/changes/{change}", nil, nil, id, change)
}

// Preview is previewChanges: List what an undo, redo, apply or discard would do, with what goes along
func (c *Client) Preview(ctx context.Context, id string, r history.PreviewRequest) (history.Preview, error) {
	return call[history.Preview](ctx, c, "POST /v1/tasks/{id}/changes/preview", nil, r, id)
}

// Undo is undoTask: Take changes back
func (c *Client) Undo(ctx context.Context, id string, r history.UndoRequest) (journal.Report, error) {
	return call[journal.Report](ctx, c, "POST /v1/tasks/{id}/undo", nil, r, id)
}

// Redo is redoTask: Bring back what was taken back
func (c *Client) Redo(ctx context.Context, id string, r history.RedoRequest) (history.RedoReport, error) {
	return call[history.RedoReport](ctx, c, "POST /v1/tasks/{id}/redo", nil, r, id)
}

// Apply is applyTask: Decide about changes that wait in front of a folder
func (c *Client) Apply(ctx context.Context, id string, r history.ApplyRequest) (history.ApplyReport, error) {
	return call[history.ApplyReport](ctx, c, "POST /v1/tasks/{id}/apply", nil, r, id)
}

// UndoSpace is getUndoSpace: What is kept for taking a task's changes back
func (c *Client) UndoSpace(ctx context.Context, id string) (history.UndoSpace, error) {
	return call[history.UndoSpace](ctx, c, "GET /v1/tasks/{id}/undo", nil, nil, id)
}

// ForgetUndo is forgetUndo: Give that up: the changes stay listed and cannot be taken back any more
func (c *Client) ForgetUndo(ctx context.Context, id string, abandonUndo bool) (history.UndoSpace, error) {
	return call[history.UndoSpace](ctx, c, "DELETE /v1/tasks/{id}/undo", query("abandonUndo", abandonUndo), nil, id)
}

// UndoKeeping is getUndoKeeping: For how long undo is kept, and how much all of it is
func (c *Client) UndoKeeping(ctx context.Context) (history.UndoKeeping, error) {
	return call[history.UndoKeeping](ctx, c, "GET /v1/settings/undo", nil, nil)
}

// SetUndoKeeping is setUndoKeeping: Choose for how long undo is kept
func (c *Client) SetUndoKeeping(ctx context.Context, r history.UndoSettings) (history.UndoKeeping, error) {
	return call[history.UndoKeeping](ctx, c, "POST /v1/settings/undo", nil, r)
}

// Questions is listQuestions: What waits for a person, the riskiest first
func (c *Client) Questions(ctx context.Context, task string) ([]vmhost.Question, error) {
	return whole(pages[vmhost.Question](ctx, c, "GET /v1/questions", query("task", task)))
}

// AllQuestions is listQuestions, page by page.
func (c *Client) AllQuestions(ctx context.Context, task string) iter.Seq2[vmhost.Question, error] {
	return pages[vmhost.Question](ctx, c, "GET /v1/questions", query("task", task))
}

// Answer is answerQuestion: Decide a question
func (c *Client) Answer(ctx context.Context, id string, question string, r consent.AnswerRequest) (vmhost.Decision, error) {
	return call[vmhost.Decision](ctx, c, "POST /v1/tasks/{id}/questions/{question}", nil, r, id, question)
}

// Rules is listRules: What was decided for longer than once
func (c *Client) Rules(ctx context.Context) ([]approval.Rule, error) {
	return whole(pages[approval.Rule](ctx, c, "GET /v1/rules", nil))
}

// AllRules is listRules, page by page.
func (c *Client) AllRules(ctx context.Context) iter.Seq2[approval.Rule, error] {
	return pages[approval.Rule](ctx, c, "GET /v1/rules", nil)
}

// Rule is getRule: One decision for longer than once
func (c *Client) Rule(ctx context.Context, rule string) (approval.Rule, error) {
	return call[approval.Rule](ctx, c, "GET /v1/rules/{rule}", nil, nil, rule)
}

// RemoveRule is removeRule: Take back what was decided
func (c *Client) RemoveRule(ctx context.Context, rule string) error {
	return c.done(ctx, "DELETE /v1/rules/{rule}", nil, rule)
}

// Policy is getPolicy: Which written rules are there, and what do they say?
func (c *Client) Policy(ctx context.Context) (consent.Policy, error) {
	return call[consent.Policy](ctx, c, "GET /v1/policy", nil, nil)
}

// SetPolicy is setPolicy: Replace your file of rules
func (c *Client) SetPolicy(ctx context.Context, r consent.PolicyText) (consent.Policy, error) {
	return call[consent.Policy](ctx, c, "PUT /v1/policy", nil, r)
}

// CheckPolicy is checkPolicy: What is wrong with a text of rules, and what does it say?
func (c *Client) CheckPolicy(ctx context.Context, r consent.PolicyText) (consent.PolicyCheck, error) {
	return call[consent.PolicyCheck](ctx, c, "POST /v1/policy/check", nil, r)
}

// ExplainPolicy is explainPolicy: What do the rules say to something, and which of them?
func (c *Client) ExplainPolicy(ctx context.Context, r consent.ExplainRequest) (consent.Explanation, error) {
	return call[consent.Explanation](ctx, c, "POST /v1/policy/explain", nil, r)
}

// Proposals is listProposals: What was refused to AIs, and which change of your rules would allow it?
func (c *Client) Proposals(ctx context.Context) ([]policy.Proposal, error) {
	return whole(pages[policy.Proposal](ctx, c, "GET /v1/policy/proposals", nil))
}

// AllProposals is listProposals, page by page.
func (c *Client) AllProposals(ctx context.Context) iter.Seq2[policy.Proposal, error] {
	return pages[policy.Proposal](ctx, c, "GET /v1/policy/proposals", nil)
}

// AcceptProposal is acceptProposal: Change your rules as proposed
func (c *Client) AcceptProposal(ctx context.Context, proposal string, r consent.Acceptance) (consent.Policy, error) {
	return call[consent.Policy](ctx, c, "POST /v1/policy/proposals/{proposal}/accept", nil, r, proposal)
}

// DropProposal is dropProposal: Refuse a proposal
func (c *Client) DropProposal(ctx context.Context, proposal string) error {
	return c.done(ctx, "DELETE /v1/policy/proposals/{proposal}", nil, proposal)
}

// Exceptions is listExceptions: Which exceptions do your rules have?
func (c *Client) Exceptions(ctx context.Context) ([]policy.RuleException, error) {
	return whole(pages[policy.RuleException](ctx, c, "GET /v1/policy/exceptions", nil))
}

// AllExceptions is listExceptions, page by page.
func (c *Client) AllExceptions(ctx context.Context) iter.Seq2[policy.RuleException, error] {
	return pages[policy.RuleException](ctx, c, "GET /v1/policy/exceptions", nil)
}

// RemoveException is removeException: Take an exception back
func (c *Client) RemoveException(ctx context.Context, exception string) error {
	return c.done(ctx, "DELETE /v1/policy/exceptions/{exception}", nil, exception)
}

// SetRuleEnd is setRuleEnd: Say when a decision ends
func (c *Client) SetRuleEnd(ctx context.Context, rule string, r consent.RuleEnd) (approval.Rule, error) {
	return call[approval.Rule](ctx, c, "PUT /v1/rules/{rule}/end", nil, r, rule)
}

// NarrowRule is narrowRule: Have a decision hold for less
func (c *Client) NarrowRule(ctx context.Context, rule string, r consent.RuleScope) (approval.Rule, error) {
	return call[approval.Rule](ctx, c, "PUT /v1/rules/{rule}/scope", nil, r, rule)
}

// Models is listModels: What can do an AI task
func (c *Client) Models(ctx context.Context) (models.Catalogue, error) {
	return call[models.Catalogue](ctx, c, "GET /v1/models", nil, nil)
}

// Programs is listPrograms: AI programs that can work on a task, and whose models each can use
func (c *Client) Programs(ctx context.Context) ([]program.Info, error) {
	return call[[]program.Info](ctx, c, "GET /v1/programs", nil, nil)
}

// ModelsChosen is getModelsChosen: What was chosen about models and keys
func (c *Client) ModelsChosen(ctx context.Context) (models.Chosen, error) {
	return call[models.Chosen](ctx, c, "GET /v1/settings/models", nil, nil)
}

// SetModel is setModel: Which model is taken when none is named
func (c *Client) SetModel(ctx context.Context, r models.ChoiceRequest) (models.Catalogue, error) {
	return call[models.Catalogue](ctx, c, "PUT /v1/models/default", nil, r)
}

// OverrideModel is sayOfModel: Say what a model of a service of one's own can do
func (c *Client) OverrideModel(ctx context.Context, r models.OverrideRequest) (models.Catalogue, error) {
	return call[models.Catalogue](ctx, c, "PUT /v1/models/said", nil, r)
}

// Keys is listKeys: Providers of models, and whether there is a key
func (c *Client) Keys(ctx context.Context) ([]models.KeyInfo, error) {
	return call[[]models.KeyInfo](ctx, c, "GET /v1/keys", nil, nil)
}

// SetKey is setKey: Keep a key in the keychain of this computer
func (c *Client) SetKey(ctx context.Context, provider string, r models.KeyRequest) (models.KeyInfo, error) {
	return call[models.KeyInfo](ctx, c, "PUT /v1/keys/{provider}", nil, r, provider)
}

// RemoveKey is removeKey: Forget a key
func (c *Client) RemoveKey(ctx context.Context, provider string) error {
	return c.done(ctx, "DELETE /v1/keys/{provider}", nil, provider)
}

// TestKey is testKey: Ask the provider whether it takes the key
func (c *Client) TestKey(ctx context.Context, provider string) (models.KeyTest, error) {
	return call[models.KeyTest](ctx, c, "POST /v1/keys/{provider}/test", nil, nil, provider)
}

// BeginLogin is beginLogin: Begin to sign in to a provider
func (c *Client) BeginLogin(ctx context.Context, provider string, r models.LoginRequest) (models.Login, error) {
	return call[models.Login](ctx, c, "POST /v1/keys/{provider}/login", nil, r, provider)
}

// LoginState is getLogin: How a login stands
func (c *Client) LoginState(ctx context.Context, id string) (models.LoginState, error) {
	return call[models.LoginState](ctx, c, "GET /v1/logins/{id}", nil, nil, id)
}

// FinishLogin is finishLogin: Give a login the code that the page showed
func (c *Client) FinishLogin(ctx context.Context, id string, r models.LoginCode) (models.LoginState, error) {
	return call[models.LoginState](ctx, c, "POST /v1/logins/{id}", nil, r, id)
}

// CancelLogin is cancelLogin: End a login
func (c *Client) CancelLogin(ctx context.Context, id string) error {
	return c.done(ctx, "DELETE /v1/logins/{id}", nil, id)
}

// KeyStore is getKeyStore: Where keys are kept
func (c *Client) KeyStore(ctx context.Context) (models.KeyStore, error) {
	return call[models.KeyStore](ctx, c, "GET /v1/settings/keys", nil, nil)
}

// SetKeyStore is setKeyStore: Choose where keys are kept, and move them there
func (c *Client) SetKeyStore(ctx context.Context, r models.KeyStoreChoice) (models.KeyStore, error) {
	return call[models.KeyStore](ctx, c, "PUT /v1/settings/keys", nil, r)
}

// UnlockKeys is unlockKeys: Open the file of keys until the program ends
func (c *Client) UnlockKeys(ctx context.Context, r models.Passphrase) (models.KeyStore, error) {
	return call[models.KeyStore](ctx, c, "POST /v1/settings/keys/unlock", nil, r)
}

// ChangePassphrase is changePassphrase: Encrypt the file of keys with another passphrase
func (c *Client) ChangePassphrase(ctx context.Context, r models.PassphraseChange) (models.KeyStore, error) {
	return call[models.KeyStore](ctx, c, "POST /v1/settings/keys/passphrase", nil, r)
}

// NetworkRules is listNetworkRules: What tasks may reach
func (c *Client) NetworkRules(ctx context.Context) (consent.NetworkRules, error) {
	return call[consent.NetworkRules](ctx, c, "GET /v1/network/rules", nil, nil)
}

// AddNetworkRule is addNetworkRule: Allow or deny a name
func (c *Client) AddNetworkRule(ctx context.Context, r consent.NetworkRuleRequest) (approval.Rule, error) {
	return call[approval.Rule](ctx, c, "POST /v1/network/rules", nil, r)
}

// NetworkPresets is listNetworkPresets: Groups of hosts, and which are allowed everywhere
func (c *Client) NetworkPresets(ctx context.Context) ([]consent.NetworkPreset, error) {
	return call[[]consent.NetworkPreset](ctx, c, "GET /v1/network/presets", nil, nil)
}

// SetNetworkPreset is setNetworkPreset: Allow a group of hosts everywhere, or not any more
func (c *Client) SetNetworkPreset(ctx context.Context, name string, r consent.PresetChoice) (consent.NetworkPreset, error) {
	return call[consent.NetworkPreset](ctx, c, "PUT /v1/network/presets/{name}", nil, r, name)
}

// WebSearch is getWebSearch: What searches the web in the place of tasks
func (c *Client) WebSearch(ctx context.Context) (consent.WebSearch, error) {
	return call[consent.WebSearch](ctx, c, "GET /v1/settings/search", nil, nil)
}

// SetWebSearch is setWebSearch: Choose what searches the web in the place of tasks
func (c *Client) SetWebSearch(ctx context.Context, r consent.WebSearch) (consent.WebSearch, error) {
	return call[consent.WebSearch](ctx, c, "PUT /v1/settings/search", nil, r)
}

// MCPServers is listMCPServers: The MCP servers that an AI may use, and which of their tools
func (c *Client) MCPServers(ctx context.Context) ([]mcpservers.Server, error) {
	return whole(pages[mcpservers.Server](ctx, c, "GET /v1/mcp-servers", nil))
}

// AllMCPServers is listMCPServers, page by page.
func (c *Client) AllMCPServers(ctx context.Context) iter.Seq2[mcpservers.Server, error] {
	return pages[mcpservers.Server](ctx, c, "GET /v1/mcp-servers", nil)
}

// AddMCPServer is addMCPServer: Add an MCP server
func (c *Client) AddMCPServer(ctx context.Context, r mcpservers.Addition) (mcpservers.Server, error) {
	return call[mcpservers.Server](ctx, c, "POST /v1/mcp-servers", nil, r)
}

// ImportMCPServers is importMCPServers: Add the MCP servers of a file as other programs have it
func (c *Client) ImportMCPServers(ctx context.Context, r mcpservers.Import) ([]mcpservers.Server, error) {
	return call[[]mcpservers.Server](ctx, c, "POST /v1/mcp-servers/import", nil, r)
}

// CheckMCPServer is checkMCPServer: Start an MCP server once, and list its tools
func (c *Client) CheckMCPServer(ctx context.Context, name string) (mcpservers.Server, error) {
	return call[mcpservers.Server](ctx, c, "POST /v1/mcp-servers/{name}/check", nil, nil, name)
}

// AllowMCPTool is allowMCPTool: Allow a tool of an MCP server, or not any more
func (c *Client) AllowMCPTool(ctx context.Context, name string, r mcpservers.ToolChoice) (mcpservers.Server, error) {
	return call[mcpservers.Server](ctx, c, "POST /v1/mcp-servers/{name}/tools", nil, r, name)
}

// SetMCPServerReach is setMCPServerReach: Change what an MCP server may connect to
func (c *Client) SetMCPServerReach(ctx context.Context, name string, r mcpservers.Reach) (mcpservers.Server, error) {
	return call[mcpservers.Server](ctx, c, "PUT /v1/mcp-servers/{name}/reach", nil, r, name)
}

// LoginMCPServer is loginMCPServer: Sign in to a remote MCP server
func (c *Client) LoginMCPServer(ctx context.Context, name string, r mcpservers.LoginRequest) (mcpservers.Login, error) {
	return call[mcpservers.Login](ctx, c, "POST /v1/mcp-servers/{name}/login", nil, r, name)
}

// MCPServerLogin is mcpServerLogin: How does the sign-in to an MCP server stand?
func (c *Client) MCPServerLogin(ctx context.Context, name string) (mcpservers.Login, error) {
	return call[mcpservers.Login](ctx, c, "GET /v1/mcp-servers/{name}/login", nil, nil, name)
}

// LogoutMCPServer is logoutMCPServer: Break off a sign-in to an MCP server, or forget the last one
func (c *Client) LogoutMCPServer(ctx context.Context, name string) (mcpservers.Logout, error) {
	return call[mcpservers.Logout](ctx, c, "DELETE /v1/mcp-servers/{name}/login", nil, nil, name)
}

// RemoveMCPServer is removeMCPServer: Remove an MCP server, and what is kept for it
func (c *Client) RemoveMCPServer(ctx context.Context, name string) error {
	return c.done(ctx, "DELETE /v1/mcp-servers/{name}", nil, name)
}

// Wizard is getWizard: How far is the way to the first chore?
func (c *Client) Wizard(ctx context.Context) (wizard.Wizard, error) {
	return call[wizard.Wizard](ctx, c, "GET /v1/wizard", nil, nil)
}

// WizardAct is actWizard: Finish, leave out, or do again a step
func (c *Client) WizardAct(ctx context.Context, step wizard.ID, r wizard.ActRequest) (wizard.Wizard, error) {
	return call[wizard.Wizard](ctx, c, "POST /v1/wizard/{step}", nil, r, step)
}

// Samples is makeSamples: Make a folder with pictures to try a chore on
func (c *Client) Samples(ctx context.Context, r samples.FolderRequest) (samples.Made, error) {
	return call[samples.Made](ctx, c, "POST /v1/samples", nil, r)
}

// Storage is getStorage: What takes how much of the disk?
func (c *Client) Storage(ctx context.Context) (upkeep.Storage, error) {
	return call[upkeep.Storage](ctx, c, "GET /v1/storage", nil, nil)
}

// CleanStorage is cleanStorage: Remove what can be made again, or is of no use any more
func (c *Client) CleanStorage(ctx context.Context, r upkeep.CleanRequest) (upkeep.Cleaned, error) {
	return call[upkeep.Cleaned](ctx, c, "POST /v1/storage/clean", nil, r)
}

// Caches is listCaches: Which projects have a cache, and how large is it?
func (c *Client) Caches(ctx context.Context) ([]projectcache.Cache, error) {
	return whole(pages[projectcache.Cache](ctx, c, "GET /v1/caches", nil))
}

// AllCaches is listCaches, page by page.
func (c *Client) AllCaches(ctx context.Context) iter.Seq2[projectcache.Cache, error] {
	return pages[projectcache.Cache](ctx, c, "GET /v1/caches", nil)
}

// EmptyCache is emptyCache: Empty the cache of a project
func (c *Client) EmptyCache(ctx context.Context, id string) error {
	return c.done(ctx, "DELETE /v1/caches/{id}", nil, id)
}

// BackCache is backCache: Take what the last task changed out of the cache of a project
func (c *Client) BackCache(ctx context.Context, id string) error {
	return c.done(ctx, "POST /v1/caches/{id}/back", nil, id)
}

// MoveStorage is moveStorage: Move the data of piwork to another folder or disk
func (c *Client) MoveStorage(ctx context.Context, r upkeep.MoveRequest) (upkeep.StorageMove, error) {
	return call[upkeep.StorageMove](ctx, c, "POST /v1/storage/move", nil, r)
}

// StorageMove is getStorageMove: How a move of the data stands
func (c *Client) StorageMove(ctx context.Context) (upkeep.StorageMove, error) {
	return call[upkeep.StorageMove](ctx, c, "GET /v1/storage/move", nil, nil)
}

// CancelMove is cancelMove: End a move of the data: everything is as it was
func (c *Client) CancelMove(ctx context.Context) (upkeep.StorageMove, error) {
	return call[upkeep.StorageMove](ctx, c, "DELETE /v1/storage/move", nil, nil)
}

// Logs is listLogs: The logs of machines, the newest first
func (c *Client) Logs(ctx context.Context) (upkeep.Logs, error) {
	return call[upkeep.Logs](ctx, c, "GET /v1/logs", nil, nil)
}

// Diagnostics is getDiagnostics: What a report for a fault would hold, without secrets and names of files
func (c *Client) Diagnostics(ctx context.Context) (upkeep.Diagnostics, error) {
	return call[upkeep.Diagnostics](ctx, c, "GET /v1/diagnostics", nil, nil)
}

// WriteDiagnostics is writeDiagnostics: Write what was shown, byte for byte, into a zip file
func (c *Client) WriteDiagnostics(ctx context.Context, r upkeep.DiagnosticsRequest) (upkeep.DiagnosticsFile, error) {
	return call[upkeep.DiagnosticsFile](ctx, c, "POST /v1/diagnostics", nil, r)
}

// Licences is listLicences: What the program and its runtime are made of
func (c *Client) Licences(ctx context.Context) (upkeep.Licences, error) {
	return call[upkeep.Licences](ctx, c, "GET /v1/licences", nil, nil)
}

// Tokens is listTokens: The tokens of other programs, without their secrets
func (c *Client) Tokens(ctx context.Context) ([]access.Token, error) {
	return whole(pages[access.Token](ctx, c, "GET /v1/tokens", nil))
}

// AllTokens is listTokens, page by page.
func (c *Client) AllTokens(ctx context.Context) iter.Seq2[access.Token, error] {
	return pages[access.Token](ctx, c, "GET /v1/tokens", nil)
}

// OwnToken is getOwnToken: The token that the request came with
func (c *Client) OwnToken(ctx context.Context) (access.Token, error) {
	return call[access.Token](ctx, c, "GET /v1/token", nil, nil)
}

// CreateToken is createToken: Make a token for another program
func (c *Client) CreateToken(ctx context.Context, r access.TokenRequest) (access.NewToken, error) {
	return call[access.NewToken](ctx, c, "POST /v1/tokens", nil, r)
}

// RevokeToken is revokeToken: Revoke a token
func (c *Client) RevokeToken(ctx context.Context, token string) error {
	return c.done(ctx, "DELETE /v1/tokens/{token}", nil, token)
}

// TelemetrySettings is getTelemetry: Where are traces and metrics sent?
func (c *Client) TelemetrySettings(ctx context.Context) (telemetry.Settings, error) {
	return call[telemetry.Settings](ctx, c, "GET /v1/settings/telemetry", nil, nil)
}

// SetTelemetry is setTelemetry: Choose where traces and metrics are sent, or nowhere
func (c *Client) SetTelemetry(ctx context.Context, r telemetry.Settings) (telemetry.Settings, error) {
	return call[telemetry.Settings](ctx, c, "PUT /v1/settings/telemetry", nil, r)
}

// EndCommand is endCommand: Say that a command of the command line is over, for its trace
func (c *Client) EndCommand(ctx context.Context, r telemetry.Command) (telemetry.Command, error) {
	return call[telemetry.Command](ctx, c, "POST /v1/telemetry/command", nil, r)
}

// WindowSettings is getWindowSettings: How does the window behave?
func (c *Client) WindowSettings(ctx context.Context) (upkeep.WindowSettings, error) {
	return call[upkeep.WindowSettings](ctx, c, "GET /v1/settings/window", nil, nil)
}

// SetWindowSettings is setWindowSettings: Choose how the window behaves
func (c *Client) SetWindowSettings(ctx context.Context, r upkeep.WindowSettings) (upkeep.WindowSettings, error) {
	return call[upkeep.WindowSettings](ctx, c, "PUT /v1/settings/window", nil, r)
}

// ClaimNotice is claimNotice: Is this window the first that would tell of an event?
func (c *Client) ClaimNotice(ctx context.Context, r upkeep.NoticeClaim) (upkeep.NoticeClaimed, error) {
	return call[upkeep.NoticeClaimed](ctx, c, "POST /v1/notices", nil, r)
}
