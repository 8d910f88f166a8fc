// Package history is what tasks did to folders and what can be done about it: their
// changes, undo and redo, changes that wait for a yes, results, everything of a task as
// one file, and for how long what undo needs is kept.
//
// Nothing is remembered here between two calls. A task that is over is held in the
// registry while its journal is open, one that lives lends its own ([Live]).
package history

import (
	"log/slog"
	"time"

	"piwork/app/events"
	"piwork/app/registry"
	"piwork/app/settings"
	"piwork/app/task"
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
	Log         *slog.Logger
	Now         func() time.Time
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
}

// New makes a History; [History.Run] gives up what was kept long enough.
func New(o Options) *History {
	return &History{o: o, expireNow: make(chan struct{}, 1)}
}
