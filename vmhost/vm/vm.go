package vm

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"piwork/vmhost"
	"piwork/vmhost/conversation"
	"piwork/vmhost/lifecycle"
	"piwork/vmhost/wire"
)

// VM is a virtual machine for one task; it implements vmhost.Runtime.
type VM struct {
	cfg     Config
	hw      Hardware
	timing  timing
	factory *Factory // nil: every machine is booted
	log     *slog.Logger

	life *lifecycle.Life

	mu   sync.Mutex
	m    *machine // since it was ready; never changes afterwards
	how  string   // the machine began as: HowRestored…
	left error    // what ending machines left behind

	deviceFailed error // why the folders are not virtio-fs of its machines
}

var _ vmhost.Runtime = (*VM)(nil)

// How a machine began (VM.How).
const (
	HowBooted   = "booted"   // from nothing
	HowRestored = "restored" // from a template
	HowWaited   = "waited"   // it had been booted before
)

// New returns an idle VM that boots when it connects; Factory.New returns one that may
// be restored instead.
func New(c Config) (*VM, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	log := c.Log
	log = cmp.Or(log, slog.Default())
	v := &VM{cfg: c, hw: c.hardware(), timing: patience(c.BootTime), log: log}
	v.life = lifecycle.New(lifecycle.Config{OnStatus: c.OnStatus, Open: v.open, End: v.end})
	return v, nil
}

// Status implements vmhost.Runtime.
func (v *VM) Status() vmhost.Status { return v.life.Status() }

// Capabilities implements vmhost.Runtime.
func (v *VM) Capabilities() vmhost.Capabilities { return v.cfg.capabilities() }

// InitData implements vmhost.Runtime.
func (v *VM) InitData() vmhost.InitData { return v.cfg.initData() }

// Hints implements vmhost.Runtime.
func (v *VM) Hints() vmhost.Hints { return vmhost.HostHints() }

// Hello returns how the agent introduced itself; empty before that.
func (v *VM) Hello() wire.Hello {
	m := v.machine()
	if m == nil {
		return wire.Hello{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hello
}

// How says how the machine began, "" while there is none.
func (v *VM) How() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.how
}

// PID is the process id of QEMU, 0 while there is none.
func (v *VM) PID() int {
	if m := v.machine(); m != nil {
		return m.proc.PID()
	}
	return 0
}

// machine returns the VM's machine, nil before it was ready.
func (v *VM) machine() *machine {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.m
}

// Connect implements vmhost.Runtime. A failure is a *vmhost.FailedError, or a
// *vmhost.UnsupportedError for an environment that no VM enforces.
func (v *VM) Connect(ctx context.Context) error { return v.life.Connect(ctx) }

// open brings a machine up.
func (v *VM) open(ctx context.Context) error {
	if err := v.cfg.checkEnv(v.cfg.capabilities()); err != nil {
		return err
	}
	m, how, err := v.connect(ctx)
	if err != nil {
		// A failure of the machine itself came first and says more.
		m.fail(reason(ctx, err), err)
		failure := m.failed()
		v.noteEnd(m.end(noTime()))
		return failure
	}
	v.mu.Lock()
	v.m, v.how = m, how
	v.mu.Unlock()
	m.becomeReady(func(e *vmhost.FailedError) { v.life.Fail(e) })
	return nil
}

// Execute implements vmhost.Runtime.
func (v *VM) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if err := v.life.Admit(); err != nil {
		return vmhost.Observation{}, err
	}
	if err := a.Meets(v.Capabilities()); err != nil {
		return vmhost.Observation{}, err
	}
	return conversation.Executor{
		Conversation: v.m.conv, Life: v.life.Context(), Ended: v.life.Err, Fail: v.m.fail,
		Runtime: runtimeName, Cwd: v.InitData().Cwd, Limits: v.cfg.Env.Limits, Can: v.m.can, Cancel: v.m.timing.cancel,
	}.Execute(ctx, a)
}

// noteEnd remembers what ending a machine left behind.
func (v *VM) noteEnd(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.left = errors.Join(v.left, err)
}

// Close implements vmhost.Runtime. The guest is asked to power off first, so
// that what its programs wrote is in the folders.
func (v *VM) Close(ctx context.Context) error { return v.life.Close(ctx) }

// noTime is a context that has ended: the guest is not asked, QEMU is killed.
func noTime() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// end ends the machine, and says what any of the VM's machines left behind.
func (v *VM) end(ctx context.Context) error {
	if m := v.machine(); m != nil {
		v.noteEnd(m.end(ctx))
	}
	if v.cfg.RunDir != "" { // a machine that waited has its own
		_ = os.Remove(v.cfg.RunDir)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.left
}
