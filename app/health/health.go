// Package health says whether tasks can run on this computer, and with what: it keeps
// the last report of package setup, has it made anew when something changed, and heals
// a runtime that stopped booting, where the version before it still boots.
//
// Whoever starts a machine asks [Health.Ready] before, [Health.Reverify] right before
// it starts, and tells [Health.Suspect] when it did not come up. What a guest found
// damaged is read whole at the next checks, until it is sound again.
//
// One lock guards what is remembered; nothing is called while it is held.
package health

import (
	"log/slog"
	"sync"
	"time"

	"piwork/app/events"
	"piwork/app/machines"
	"piwork/app/registry"
	"piwork/app/rundir"
	"piwork/app/runtimepack"
	"piwork/app/settings"
	"piwork/app/setup"
)

// Options say what is looked at, and who is told.
type Options struct {
	Setup       setup.Options // Pack, Slow and Account are filled in
	Registry    *registry.Registry
	Events      *events.Broker
	RunDirs     *rundir.Dirs
	Machines    string               // directory of the machines' disks
	SlowMode    settings.Value[bool] // chosen by the person
	Forced      bool                 // the environment chose the slow mode
	Fixed       bool                 // the runtime is a developer's directory: nothing takes its place
	CloseWithin time.Duration        // in which a machine has to end
	Log         *slog.Logger
	Now         func() time.Time
}

// Health is safe for concurrent use.
type Health struct {
	o       Options
	runtime *runtimepack.Manager
	fleet   *machines.Fleet
	setup   *setup.Setup
	mending sync.Mutex // held while an administrator is asked

	mu          sync.Mutex
	report      *setup.Report       // the last one, nil when something changed since
	changes     int                 // how often something changed
	quarantined string              // the runtime that could not be healed, until a recheck
	suspected   map[string]bool     // versions from which a machine did not come up
	unsound     map[string]bool     // images, by ID, that a guest found damaged
	inUse       runtimepack.Current // as it was looked at last
}

// New makes a Health that knows nothing yet.
func New(o Options) *Health {
	h := &Health{o: o, suspected: map[string]bool{}, unsound: map[string]bool{}}
	o.Setup.Pack, o.Setup.Slow, o.Setup.Account = h.packForSetup, h.slowBy, accountName()
	h.setup = setup.New(o.Setup)
	return h
}

// Attach says what is healed and what is told: both need a Health to be made.
func (h *Health) Attach(runtime *runtimepack.Manager, fleet *machines.Fleet) {
	h.runtime, h.fleet = runtime, fleet
}
