package app

import (
	"context"
	"io"
	"piwork/app/audit"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/tasks"

	"piwork/app/changes"
	"piwork/app/chore"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

// Service is everything a window, a command line or a script can ask for. The
// Controller implements it; app/api puts it on HTTP. Errors are
// *problem.Problem wherever a person could do something about them.
type Service interface {
	// Status returns the last report, or makes one when there is none. With
	// recheck everything is looked at again, the proof boot included.
	Status(ctx context.Context, recheck bool) (setup.Report, error)

	// SetSlowMode is the person's explicit choice to work without acceleration.
	SetSlowMode(ctx context.Context, on bool) (setup.Report, error)

	// Machines says how this computer is shared out among the machines of tasks.
	Machines(ctx context.Context) (machines.Machines, error)
	// SetMachines saves the choices about them; of those that wait, as many start
	// as fit then.
	SetMachines(ctx context.Context, s machines.Settings) (machines.Machines, error)
	// PrepareMachines makes ready, now and not when it is convenient, what lets
	// machines be there at once. It answers when that is done, or cannot be.
	PrepareMachines(ctx context.Context) (machines.Machines, error)

	Packs(ctx context.Context) ([]runtimepack.Info, error)
	VerifyPack(ctx context.Context, file string) (runtimepack.Info, error)

	// InstallPack installs a pack, an add-on or a bundle from a file. What can be
	// booted here is in use afterwards, unless its proof boot fails: then the
	// version before stays.
	InstallPack(ctx context.Context, file string, progress func(done, total int64)) (runtimepack.Info, error)

	// Update says how the runtime stands against its channel.
	Update(ctx context.Context) (updater.State, error)
	// CheckUpdate looks at the channel now.
	CheckUpdate(ctx context.Context) (updater.State, error)
	// StartUpdate downloads, installs, tries and promotes in the background. It
	// also resumes a paused download. While an update runs it answers how far it is.
	StartUpdate(ctx context.Context, r updater.Request) (updater.State, error)
	// PauseUpdate stops a download; what arrived is kept.
	PauseUpdate(ctx context.Context) (updater.State, error)
	// RollbackPack makes the previous version current again. What was current is
	// not updated to again by itself.
	RollbackPack(ctx context.Context) (runtimepack.Info, error)
	// RemovePack deletes a version that is not current and that no task runs on.
	RemovePack(ctx context.Context, version string) error
	// RepairPack brings the current version and its add-ons back to what was
	// signed: from a file (a pack or a bundle), or with "" from a bundle found
	// beside the program or from the channel.
	RepairPack(ctx context.Context, file string) (runtimepack.Info, error)

	// AddOns lists what is installed and what the channel offers.
	AddOns(ctx context.Context) ([]runtimepack.AddOn, error)
	InstallAddOn(ctx context.Context, name string) (updater.State, error)
	RemoveAddOn(ctx context.Context, name string) error

	// BundlePack writes the one file for an installation without a network.
	BundlePack(ctx context.Context, r runtimepack.BundleRequest, progress func(done, total int64)) (runtimepack.BundleInfo, error)
	SetUpdates(ctx context.Context, s updater.Settings) (updater.State, error)

	Chores(ctx context.Context) ([]chore.Info, error)

	Tasks(ctx context.Context) ([]task.Task, error) // newest first
	Task(ctx context.Context, id string) (task.Task, error)

	// StartTask records a task and starts it. It returns as soon as the record
	// is durable; what follows are events. The task ends when ctx ends, unless
	// the request is detached.
	StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error)

	// AcceptPlan lets a task go on that waits with its plan; a task in another
	// state is a conflict.
	AcceptPlan(ctx context.Context, id string) (task.Task, error)
	Plan(ctx context.Context, id string) (chore.Plan, error)
	CancelTask(ctx context.Context, id string) (task.Task, error)
	DeleteTask(ctx context.Context, id string) error

	TaskService
	QuestionService
	WizardService
	AgentService
	NetworkService
	ConsentService
	DeskService

	Timeline(ctx context.Context, id string, after int64) ([]task.Event, error)
	Changes(ctx context.Context, id string) ([]journal.Change, error)
	// CompareChange looks at what a change did to a file. That a side cannot be
	// read is said in its answer.
	CompareChange(ctx context.Context, id, change string) (changes.Comparison, error)
	// OpenChange opens what a file held on one side of a change.
	OpenChange(ctx context.Context, id, change string, side changes.Which) (io.ReadSeekCloser, history.ChangeFile, error)
	// Undo takes changes back. What the person changed since is left alone and
	// listed, unless the request answers it.
	Undo(ctx context.Context, id string, r history.UndoRequest) (history.UndoReport, error)
	// Redo brings back what was taken back.
	Redo(ctx context.Context, id string, r history.RedoRequest) (history.RedoReport, error)
	// Apply decides about changes that wait in front of a folder (task.ModeReview).
	Apply(ctx context.Context, id string, r history.ApplyRequest) (history.ApplyReport, error)

	// UndoSpace says what is kept for taking the changes of a task back.
	UndoSpace(ctx context.Context, id string) (history.UndoSpace, error)
	// ForgetUndo gives that up: the changes stay listed and cannot be taken back
	// any more.
	ForgetUndo(ctx context.Context, id string) (history.UndoSpace, error)
	// UndoKeeping says for how long it is kept, and how much all of it is.
	UndoKeeping(ctx context.Context) (history.UndoKeeping, error)
	SetUndoKeeping(ctx context.Context, s history.UndoSettings) (history.UndoKeeping, error)

	// OpenResult opens a file that the task made; path is as in task.Result.
	OpenResult(ctx context.Context, id string, index int) (io.ReadSeekCloser, task.Result, error)

	// Subscribe sends events with Seq > after and then every new one, until
	// cancel is called. A subscriber that does not keep up is closed and
	// subscribes again from its last Seq.
	Subscribe(after int64) (events <-chan task.Event, cancel func())

	AuditVerify(ctx context.Context) (audit.Report, error)
}
