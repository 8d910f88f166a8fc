package vm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"time"

	"piwork/vmhost/conversation"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm/template"
	"piwork/vmhost/wire"
)

// FactoryOptions say what machines a factory makes.
type FactoryOptions struct {
	Hardware

	Dir string // of the templates and of the VM that waits; a cache

	// BeforeBoot, when not nil, is called before a machine is booted from Image.
	BeforeBoot func(ctx context.Context) error

	// ForDevice, when not nil, is asked whether a machine that is to wait will be
	// given its folders as a device: its memory is one that a device can see then.
	ForDevice func() bool

	// RunDir makes a short private directory for the sockets of one machine; nil
	// is a fresh one in the system's place for such.
	RunDir func() (string, error)

	// IdleAfter is after how long a VM that waits is ended, 0 is DefaultIdle.
	IdleAfter time.Duration

	OnState func(FactoryState) // hears every change, in order; may be nil, must not call the factory
	Log     *slog.Logger       // nil is slog.Default()
}

// DefaultIdle is how long a VM waits for a task.
const DefaultIdle = 15 * time.Minute

// FactoryMode is how a factory has machines that are there at once.
type FactoryMode string

// Modes of a factory.
const (
	ModeTemplate FactoryMode = "template" // restored from a saved one
	ModeWaiting  FactoryMode = "waiting"  // one is booted ahead: where none can be saved, or saving does not work
	ModeCold     FactoryMode = "cold"     // not at all: the pack's guest cannot be made ready ahead
)

// FactoryPhase is how far a factory is.
type FactoryPhase string

// Phases of a factory.
const (
	PhaseNone   FactoryPhase = "none"
	PhaseMaking FactoryPhase = "making"
	PhaseReady  FactoryPhase = "ready"
	PhaseFailed FactoryPhase = "failed"
)

// FactoryState is what a factory has.
type FactoryState struct {
	Mode     FactoryMode
	Phase    FactoryPhase
	Bytes    int64         // of the template on the disk
	MemoryMB int           // of the VM that waits, 0 without one
	Restore  time.Duration // what the template's check took from nothing to an answer; 0 when it was not made now
	Err      error         // in failed: why; else why what was there is gone, nil when it was used or ended
}

// Factory makes VMs of one image that start warm (after the one of Kata Containers).
// What it does not have is booted instead, with the same result. Its methods may be
// called from several goroutines at once.
type Factory struct {
	o      FactoryOptions
	hw     Hardware
	timing timing
	store  *template.Store
	log    *slog.Logger

	notify sync.Mutex // held while OnState runs

	mu        sync.Mutex
	state     FactoryState
	key       string
	making    *making   // what Ensure does, nil when nothing
	expecting *making   // what Expect does, likewise
	waiting   *waiting  // nil without
	worksOf   time.Time // when the template was made that is known to work
	checked   bool      // the template on the disk was read by this process
	closed    bool

	life    context.Context
	endLife context.CancelCauseFunc
	parts   sync.WaitGroup

	machineKey  func() (string, error) // of tests
	verifyAfter time.Duration          // likewise
}

// making is one run of a work that any number of callers wait for.
type making struct {
	done  chan struct{}
	err   error
	again bool // what it found or made was dropped meanwhile; Factory.mu is held
}

var errFactoryClosed = errors.New("the factory is closed")

// NewFactory returns a factory that has nothing yet. It starts nothing.
func NewFactory(o FactoryOptions) (*Factory, error) {
	c := Config{Hardware: o.Hardware, Dir: o.Dir}
	if err := c.check(); err != nil {
		return nil, err
	}
	store, err := template.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	f := &Factory{
		o: o, hw: c.hardware(), timing: patience(o.BootTime), store: store, log: o.Log,
		machineKey: qemu.MachineKey, verifyAfter: 5 * time.Second,
	}
	f.hw.Image.AddOns = nil
	f.log = cmp.Or(f.log, slog.Default())
	f.o.IdleAfter = cmp.Or(f.o.IdleAfter, DefaultIdle)
	f.state = FactoryState{Mode: ModeTemplate, Phase: PhaseNone}
	if !qemu.CanTemplate(runtime.GOOS, o.Accel) {
		f.state.Mode = ModeWaiting
	}
	f.life, f.endLife = context.WithCancelCause(context.Background())
	return f, nil
}

// New returns a VM that is there at once when the factory has what it needs at
// the time of its Connect: the same image (add-ons are plugged), accelerator,
// memory and CPUs. Else it boots.
func (f *Factory) New(c Config) (*VM, error) {
	v, err := New(c)
	if err == nil {
		v.factory = f
	}
	return v, err
}

// State returns what the factory has.
func (f *Factory) State() FactoryState {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

// set changes the state and tells about it.
func (f *Factory) set(change func(*FactoryState)) {
	f.notify.Lock()
	defer f.notify.Unlock()
	f.mu.Lock()
	s := f.state
	s.Err, s.Restore = nil, 0
	change(&s)
	f.state = s
	f.mu.Unlock()
	if f.o.OnState != nil {
		f.o.OnState(s)
	}
}

// Key names the factory's template, for SweepTemplates.
func (f *Factory) Key() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.key != "" {
		return f.key, nil
	}
	computer, err := f.machineKey()
	if err != nil {
		return "", err
	}
	described := machine{Hardware: f.hw, files: files{overlay: overlayFile}}
	sum := sha256.Sum256(fmt.Appendf(nil, "wire %d, %s", wire.Version, qemu.TemplateKey(described.spec(true), computer)))
	f.key = hex.EncodeToString(sum[:])
	return f.key, nil
}

// Ensure makes the template and proves it by restoring it, or boots the VM that waits,
// unless that is there. A failure is tried again only after a while. Several callers
// wait for one work, which goes on when their ctx ends.
func (f *Factory) Ensure(ctx context.Context) error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return errFactoryClosed
	}
	w := f.join(&f.making, f.make)
	f.mu.Unlock()
	return w.wait(ctx)
}

// join begins a work, or joins the one that is at its place, which begins again when what it
// has is dropped before it ends. f.mu is held.
func (f *Factory) join(at **making, do func(context.Context) error) *making {
	w := *at
	if w == nil {
		w = &making{done: make(chan struct{})}
		*at = w
		f.parts.Go(func() {
			for again := true; again; {
				w.err = do(f.life)
				f.mu.Lock()
				if again = w.again && w.err == nil; !again {
					*at = nil
				}
				w.again = false
				f.mu.Unlock()
			}
			close(w.done)
		})
	}
	return w
}

// wait returns how the work ended, or that ctx did.
func (w *making) wait(ctx context.Context) error {
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// background does f in a goroutine that Close waits for; a closed factory does nothing.
func (f *Factory) background(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.parts.Go(do)
	}
}

// remake begins to make anew what was lost.
func (f *Factory) remake() {
	over, cancel := context.WithCancel(f.life)
	cancel() // nobody waits for it
	_ = f.Ensure(over)
}

func (f *Factory) make(ctx context.Context) error {
	if f.State().Mode == ModeTemplate {
		err := f.makeTemplate(ctx)
		if f.State().Mode == ModeTemplate {
			return err
		}
		f.log.Warn("templates do not work here; one VM waits instead", "err", err)
	}
	if f.State().Mode == ModeWaiting {
		return f.makeWaiting(ctx)
	}
	return f.State().Err
}

// fits tells whether a machine of the factory's is what somebody wants.
func (f *Factory) fits(hw Hardware) bool {
	mine := f.hw
	mine.CPU, hw.CPU = model(mine), model(hw)
	hw.Image.AddOns = nil
	hw.AppVersion, hw.PackVersion, hw.BootTime = mine.AppVersion, mine.PackVersion, mine.BootTime
	return reflect.DeepEqual(hw, mine)
}

// model is the CPU model that is tried first.
func model(hw Hardware) string {
	if hw.CPU != "" {
		return hw.CPU
	}
	return qemu.Ladder(hw.Accel, hw.Image.Arch)[0]
}

// take gives away what the factory has: a template to restore, or a machine
// that waited and is its taker's now; or neither.
func (f *Factory) take(hw Hardware) (*template.Template, *machine) {
	if !f.fits(hw) {
		return nil, nil
	}
	if m := f.takeWaiting(); m != nil {
		return nil, m
	}
	f.mu.Lock()
	off := f.closed || f.state.Mode != ModeTemplate
	f.mu.Unlock()
	if off {
		return nil, nil
	}
	t, err := f.lookup()
	if err != nil {
		return nil, nil
	}
	return t, nil
}

// lookup returns the template, and drops one that is damaged.
func (f *Factory) lookup() (*template.Template, error) {
	key, err := f.Key()
	if err != nil {
		return nil, err
	}
	t, err := f.store.Lookup(key)
	if errors.Is(err, template.ErrDamaged) {
		f.log.Warn("the template is dropped", "err", err)
		f.drop(err)
	}
	return t, err
}

// drop removes the template.
func (f *Factory) drop(why error) {
	key, err := f.Key()
	if err == nil {
		err = f.store.Drop(key)
	}
	if err != nil {
		f.log.Warn("a template is left", "err", err)
	}
	f.set(func(s *FactoryState) {
		if f.making != nil {
			f.making.again = true
		}
		s.Phase, s.Bytes, s.Err = PhaseNone, 0, why
	})
}

// worked hears that a VM was restored from a template.
func (f *Factory) worked(t *template.Template) {
	f.store.Touch(t)
	f.mu.Lock()
	known := f.worksOf.Equal(t.Made)
	f.worksOf = t.Made
	f.mu.Unlock()
	if key, err := f.Key(); err == nil && !known {
		f.store.Forget(key)
	}
}

// broke hears that a template did not do: it is dropped, unless it is another
// one already, and the attempt counts as failed.
func (f *Factory) broke(t *template.Template, why error) {
	key, err := f.Key()
	if err != nil {
		return
	}
	if now, err := f.store.Lookup(key); err == nil && !now.Made.Equal(t.Made) {
		return
	}
	f.drop(fmt.Errorf("the template did not do: %w", why))
	f.noteFailure(key, why)
}

func (f *Factory) noteFailure(key string, why error) {
	if err := f.store.NoteFailure(key, why); err != nil {
		f.log.Warn("a failed attempt to make a template cannot be remembered", "err", err)
	}
}

// Close ends the factory and all that it has going on; templates stay.
func (f *Factory) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.endLife(errFactoryClosed)
	err := f.release()
	f.parts.Wait()
	return errors.Join(err, f.release())
}

// savedIn says where a template's files are.
func savedIn(path func(string) string, h wire.Hello) saved {
	return saved{ram: path(template.RAM), state: path(template.State), disk: path(template.Disk), hello: h}
}

// savedAs is savedIn for a template that is kept.
func savedAs(t *template.Template) (saved, error) {
	var h wire.Hello
	err := json.Unmarshal(t.Note(), &h)
	if err == nil {
		err = conversation.CheckHello(h)
	}
	if err != nil {
		return saved{}, fmt.Errorf("%w: its guest's hello: %w", template.ErrDamaged, err)
	}
	return savedIn(t.Path, h), nil
}

// SweepTemplates removes what a directory of templates holds apart from the
// templates of keep (Factory.Key): other ones, what killed programs left,
// and what is remembered of failures. What is in use by others stays.
func SweepTemplates(ctx context.Context, dir string, keep ...string) error {
	store, err := template.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(store.Sweep(0, keep...), sweepWaiting(ctx, dir))
}

// logDir is where the logs of a machine that the factory makes for itself go.
func (f *Factory) logDir(of string) string { return filepath.Join(f.o.Dir, of+".log") }
