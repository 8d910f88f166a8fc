//go:build linux

package agent

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost/wire"
)

// Bounds of one conversation.
const (
	maxCalls = 800 // calls worked on at a time
	maxLong  = 640 // of them, those that wait for a program or a share
)

// System is what guest.warm, guest.prepare, guest.clock and guest.shutdown
// change: the machine itself.
type System interface {
	// Warm does what is the same for all tasks and answers when nothing is
	// going on any more; it is never called beside Prepare.
	Warm(context.Context, wire.WarmParams) (wire.WarmResult, error)
	// Prepare puts the root together, the first time, and sets time, entropy and
	// names; it is called at most once at a time.
	Prepare(context.Context, wire.PrepareParams) error
	// SetClock sets the time.
	SetClock(wire.ClockParams) error
	// Shutdown ends everything, syncs and powers off. It does not return when
	// it succeeds.
	Shutdown(ctx context.Context) error
}

// Executor runs programs: *execution.Engine, or a fake in tests.
type Executor interface {
	Run(context.Context, wire.ExecParams) (wire.ExecResult, error)
	Start(context.Context, wire.ExecParams) error
	Wait(ctx context.Context, id string) (wire.ExecResult, error)
	Write(context.Context, wire.ExecWrite) error
	Signal(wire.ExecSignal) error
	Resize(wire.ExecResize) error
	Taken(wire.ExecTaken)
	Unbound()
	Cancel(id string) error
	CreateSession(wire.Session) (wire.Session, error)
	Sessions() wire.SessionList
	CloseSession(ctx context.Context, id string) error
}

// Mounter mounts what the host serves.
type Mounter interface {
	Mount(context.Context, wire.MountParams) error
	Unmount(ctx context.Context, path string) error
}

// Links join the machine to what is outside of it, when the host has a place for
// that.
type Links interface {
	// Gateway returns when what the host serves is there at wire.GatewayAddr.
	Gateway(context.Context) error
	// Network sets up the network card.
	Network(context.Context, wire.NetworkParams) error
	// Cache mounts the disk with a project's cache.
	Cache(context.Context, wire.CacheParams) error
}

// Toolbox carries out typed operations.
type Toolbox interface {
	Run(context.Context, wire.ToolParams) (wire.ToolResult, error)
	// Cancel ends a run; the error is execution.ErrNotFound without one.
	Cancel(id string) error
}

// Config is what an Agent is made of.
type Config struct {
	// Hello returns what the guest says of itself.
	Hello func() wire.Hello
	// Ready is closed when the root image is there or cannot come; then
	// RootError says why not.
	Ready     <-chan struct{}
	RootError func() error
	System    System
	Exec      Executor
	Shares    Mounter
	Links     Links
	Tools     Toolbox
}

// Agent answers the host's calls. Make one with [New].
type Agent struct {
	cfg   Config
	long  chan struct{} // slots of long calls
	table map[string]jrpc2.Handler

	owners chan struct{} // slots of guest.owner

	preparing sync.Mutex  // held by guest.prepare and guest.warm
	prepared  atomic.Bool // it succeeded once

	mu      sync.Mutex
	host    *host         // of the conversation under way, nil without one
	changed chan struct{} // closed when host changes
}

// New returns an agent without a conversation.
func New(cfg Config) *Agent {
	a := &Agent{cfg: cfg, long: make(chan struct{}, maxLong), owners: make(chan struct{}, maxOwners), changed: make(chan struct{})}
	a.table = a.methods()
	return a
}
