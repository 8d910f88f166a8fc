package tasks

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/consent"
	"piwork/app/eta"
	"piwork/app/events"
	"piwork/app/folders"
	"piwork/app/health"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/models"
	"piwork/app/projectcache"
	"piwork/app/registry"
	"piwork/app/rundir"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/app/telemetry"
	"piwork/app/uploads"
)

// Options are the rooms that tasks work with, and where they put things.
type Options struct {
	rundir.Places

	Store       *task.Store
	Registry    *registry.Registry
	Events      *events.Broker
	Audit       *audit.Log
	Rules       *approval.Rules
	RunDirs     *rundir.Dirs
	Health      *health.Health
	History     *history.History
	Consent     *consent.Consent
	Models      *models.Access
	Fleet       *machines.Fleet
	FolderModes *saved.FolderModes
	Samples     *samples.Maker
	Undo        settings.Value[history.UndoSettings]

	Sharing
	Kinds Kinds
	Watching

	Log *slog.Logger
	Now func() time.Time
}

// Watching is told what happens to tasks.
type Watching struct {
	// Noted hears what is noted of a task, right before and right after it is durable;
	// what is not stored only after.
	Noted     func(kind task.EventKind, data any, after bool)
	Telemetry *telemetry.Telemetry // nil counts nothing
}

// Sharing serves folders to machines.
type Sharing struct {
	Share       folders.Sharer
	Journal     history.Opener
	CheckFolder func(path string, protected []string) error // refuses folders that no task may have
}

// Runner starts tasks, has them go on, and reaches those that live. It is safe for
// concurrent use.
type Runner struct {
	o     Options
	rates *eta.Rates // how fast this computer works
	folderChooser
	conversations
	ProjectCaches *projectcache.Caches
	uploads       *uploads.Store
}

// folderChooser decides which folders a task may have, and how.
type folderChooser struct{ o *Options }

// conversations reaches the agents of AI tasks, those that are over too: a message has
// one go on.
type conversations struct {
	r *Runner
	o *Options
}

// New makes a Runner, and removes what an earlier one left.
func New(o Options) *Runner {
	c := &Runner{o: o, ProjectCaches: projectcache.New(projectcache.Options{Dir: projectcache.In(o.Places), Limit: o.Fleet.CacheMB, Log: o.Log, Now: o.Now}), uploads: uploads.NewStore(filepath.Join(o.DataDir, uploads.Dir))}
	c.folderChooser, c.conversations = folderChooser{&c.o}, conversations{c, &c.o}
	c.loadRates()
	if err := os.RemoveAll(filepath.Join(o.DataDir, uploads.Dir)); err != nil {
		o.Log.Error("what requests brought in an earlier run could not be removed", "error", err)
	}
	return c
}

// Why a task's context ended.
var (
	ErrCancelled = errors.New("the task was cancelled")
	errClosing   = registry.ErrClosing
	errCaller    = errors.New("the program that started the task is gone")
)

// How long things may take.
const (
	endTimeout    = 10 * time.Second // for a machine to end gracefully
	settleTimeout = time.Minute      // for the journal to read what a task changed
)
