// Package history is what tasks did to folders and what can be done about it: their
// changes, undo and redo, changes that wait for a yes, results, everything of a task as
// one file, and for how long what undo needs is kept.
//
// What was shown is what is done. [History.Preview] lists all that a request would do, with what goes
// along (what lies in a directory), and a digest of the list. A request with that digest does these
// changes or none; one with ids and without a digest does nothing beyond these ids.
//
// Whoever asks can give up: an undo, redo or apply stops between two files when its context ends. One
// that does not stop is left behind, and whoever comes next to its task is told.
//
// Nothing is remembered here between two calls. A task that is over is held in the
// registry while its journal is open, one that lives lends its own ([Live]).
package history

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"piwork/app/audit"
	"piwork/app/events"
	"piwork/app/registry"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

// Options say where tasks are and how their journals are opened.
type Options struct {
	Store       *task.Store
	Registry    *registry.Registry
	Events      *events.Broker
	Open        Opener
	Choice      settings.Value[UndoSettings]
	Spool       string        // directory for copies of what waits, while somebody reads it
	CloseWithin time.Duration // in which what a task left has to be cleared
	Audit       *audit.Log
	Log         *slog.Logger
	Now         func() time.Time
	// Rules are what is written about changes of the person's files; nil is nothing.
	Rules Rules
	// DiskFree is how many MiB can be written below a directory; nil does not know.
	DiskFree func(ctx context.Context, dir string) (int, error)
}

// Ways in which what tasks did is decided about afterwards.
const (
	ByUndo  = registry.UseUndo
	ByRedo  = registry.UseRedo
	ByApply = registry.UseApply
)

// Rules say whether who asks may have files changed so, by changes of a task.
type Rules interface {
	// Concerned reports whether any rule could have something against it.
	Concerned() bool
	// MayChange is why not; nil lets it be done.
	MayChange(ctx context.Context, t *task.Task, how string, list []journal.Change) error
}

// may is what is asked before changes of a task are decided about: what is written about them,
// and whether there is room for those that are applied. It is nil where there is nothing to ask.
func (h *History) may(ctx context.Context, id, how string) journal.May {
	ruled := h.o.Rules != nil && h.o.Rules.Concerned()
	writes := how == ByApply && h.o.DiskFree != nil
	if !ruled && !writes {
		return nil
	}
	return func(list []journal.Change) error {
		t, err := h.o.Store.Get(id)
		if err != nil {
			return registry.Problem(id, err)
		}
		if ruled {
			err = h.o.Rules.MayChange(ctx, &t, how, list)
		}
		if err == nil && writes {
			err = h.hasRoom(ctx, &t, list)
		}
		return err
	}
}

// Live is a task that is not over.
type Live interface {
	registry.Live
	// WithJournal lends the journal that is open; without one do is not called.
	WithJournal(do func(Journal) error) (open bool, err error)
}

// History is safe for concurrent use.
type History struct {
	o         Options
	expireNow chan struct{} // looks for undo that was kept long enough
	uptime    func() time.Duration
	left      sync.Map // ids of tasks whose journal is at work though whoever asked for that gave up

	clock sync.Mutex // of what follows
	began time.Time  // when the clock was last set anew, as far as is known: the start, or a jump
	last  time.Time  // of looking at the clock
	up    time.Duration
}

// New makes a History; [History.Run] gives up what was kept long enough.
func New(o Options) *History {
	now, start := o.Now(), time.Now()
	return &History{o: o, began: now, last: now, uptime: func() time.Duration { return time.Since(start) }, expireNow: make(chan struct{}, 1)}
}
