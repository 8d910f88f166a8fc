// Package upkeep is what piwork takes of this computer and how it is kept in order: room on
// the disk, logs, a bundle for finding faults, licences, a move of the data, and how the
// window behaves.
package upkeep

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"piwork/app/audit"
	"piwork/app/machines"
	"piwork/app/projectcache"
	"piwork/app/registry"
	"piwork/app/rundir"
	"piwork/app/runtimepack"
	"piwork/app/settings"
	"piwork/app/setup"
	"piwork/app/task"
)

// Options say where everything lies, and who knows more of it.
type Options struct {
	rundir.Places
	Version   string
	Developer bool
	Accel     string // that the environment asks for
	RunDir    string // of sockets
	Tasks     string // directory of the tasks

	Store       *task.Store
	Registry    *registry.Registry
	Packs       *runtimepack.Manager
	Fleet       *machines.Fleet
	Caches      *projectcache.Caches
	Status      func(ctx context.Context, recheck bool) (setup.Report, error)
	Audit       *audit.Log
	AuditChoice settings.Value[AuditSettings]
	ForgetUndo  func(ctx context.Context, id string) error
	Facts       func() map[string]any                              // of the settings, without addresses
	DiskFree    func(ctx context.Context, dir string) (int, error) // MiB; nil does not know
	Window      settings.Value[WindowSettings]
	Log         *slog.Logger
	Now         func() time.Time
}

// Upkeep is safe for concurrent use.
type Upkeep struct {
	o       Options
	noticed claims

	mu    sync.Mutex
	shown shownBundle
}

// New makes an Upkeep.
func New(o Options) *Upkeep { return &Upkeep{o: o} }
