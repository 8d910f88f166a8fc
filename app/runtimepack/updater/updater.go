package updater

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// Options of [New].
type Options struct {
	Runtime   *pack.Store
	AddOnsDir string // stores of add-ons lie in it, each named as its add-on
	StateFile string // what is remembered besides the stores
	Keys      func() *trust.KeyRing
	Policy    spec.Policy

	// Connect returns the channel for these settings, or ErrOff.
	Connect func(Settings) (Channel, Source, error)
	Files   Files
	// Prove boots a version with the accelerator in use. A *qemu.ProofError or a
	// *BootError is a verdict; with any other error nothing was found out.
	Prove    func(ctx context.Context, in *pack.Installed) error
	Settings func() Settings
	Network  func(ctx context.Context) Network
	// MayUse is asked before a version is used that somebody brought or went back to, with
	// the one in use; its error keeps that. nil lets everybody.
	MayUse func(ctx context.Context, current, version string) error

	Busy     func() bool // tasks are at work: nothing is tried by itself
	OnState  func(State) // at most five times a second, one at a time
	OnChange func()      // another version is in use, or the same one anew
	Log      *slog.Logger
	Now      func() time.Time
	Jitter   func(time.Duration) time.Duration // below the given bound; nil is random
}

// Updater looks after the versions. Its methods may be called from several
// goroutines at once.
type Updater struct {
	o Options
	versions
	activity
	scheduler
}

// versions are those that are installed here, of the runtime and of its add-ons.
type versions struct {
	o       *Options
	runtime *pack.Store // patient
}

// activity is what is being done, by whom, and what everybody is told of it: one
// change at a time.
type activity struct {
	o    *Options
	news *news
	turn chan struct{} // holds one token: whoever changes something has it

	base context.Context
	stop context.CancelCauseFunc
	work sync.WaitGroup

	mu       sync.Mutex
	state    State
	memory   memory
	job      *job
	repair   *job                    // a person's, from the channel
	look     context.CancelCauseFunc // of a person's look that has the turn
	visitors int                     // changes of a person that wait for the turn or have it
	quiet    chan struct{}           // closed when there is none
	closed   bool
	held     error // why nothing is changed
}

// job is an update that runs in the background, or a repair. Guarded by activity.mu.
type job struct {
	wish   wish
	more   *wish                   // what it is to do besides, with all that it does; nil for no more
	paused bool                    // by a person
	cancel context.CancelCauseFunc // of the attempt that runs
	hard   bool                    // it is not interrupted any more: what is left takes moments
	done   chan struct{}
}

// Why a job's context ended.
var (
	errPaused  = errors.New("the download was paused")
	errYield   = errors.New("the download makes room for another change")
	errClosing = errors.New("the program is ending")
)

// New makes an Updater. It does nothing by itself before [Updater.Run]. ctx bounds
// the reading of what is remembered.
func New(ctx context.Context, o Options) (*Updater, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Jitter == nil {
		o.Jitter = func(d time.Duration) time.Duration { return rand.N(d) }
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.OnChange == nil {
		o.OnChange = func() {}
	}
	if o.Busy == nil {
		o.Busy = func() bool { return false }
	}
	if o.MayUse == nil {
		o.MayUse = func(context.Context, string, string) error { return nil }
	}
	if o.Network == nil {
		o.Network = func(context.Context) Network { return Network{} }
	}
	k := &Updater{o: o}
	k.versions = versions{o: &k.o, runtime: o.Runtime.Patient()}
	k.scheduler = scheduler{k: k, poke: make(chan struct{}, 1)}
	k.activity.o, k.turn = &k.o, make(chan struct{}, 1)
	k.turn <- struct{}{}
	k.quiet = make(chan struct{})
	close(k.quiet)
	k.base, k.stop = context.WithCancelCause(context.Background())
	k.news = newNews(o.OnState)
	var err error
	if k.memory, err = readMemory(o.StateFile); err != nil {
		// It is worth a pause and a date, no more: never a reason not to start.
		o.Log.Warn("what was remembered about updates could not be read", "error", err)
	}
	k.state = State{What: Runtime, Checked: k.memory.Checked, Progress: Progress{ETA: unknownETA}}
	k.rest(nil)
	return k, ctx.Err()
}

// Close ends what runs in the background, keeping what arrived, and waits for it.
func (k *Updater) Close() {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.stop(errClosing)
	k.work.Wait()
	k.news.close()
}

// State returns how things stand.
func (k *activity) State() State {
	p, err := k.o.Runtime.Pointer()
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.state.Current = p.Current
	}
	return k.state
}

// Beside returns a bundle or a runtime that lies beside the program and is
// signed by who may, "" for none: [Updater.Repair] without a file takes it.
func (k *Updater) Beside(ctx context.Context) string {
	file, _ := k.o.Files.Beside(ctx)
	return file
}

// set changes the state and tells everybody.
func (k *activity) set(change func(*State)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(&k.state)
	k.news.tell(k.state)
}

// enter begins a phase.
func (k *activity) enter(p Phase) {
	current := k.State().Current
	k.set(func(s *State) {
		if p == PhaseAvailable {
			p = k.unless(p)
		}
		s.Phase, s.Rate, s.ETA, s.Problem, s.Current = p, 0, unknownETA, nil, current
		if p == PhaseChecking {
			s.What, s.Progress = Runtime, Progress{ETA: unknownETA}
		}
	})
}

// rest is the phase in which nothing is being done: what the last look or update
// left. problem is what went wrong just now, nil for what is remembered.
func (k *activity) rest(p *problem.Problem) {
	channel, source, err := k.o.Connect(k.o.Settings())
	name := ""
	if err == nil {
		name = channel.Name()
		source.Close()
	}
	current := k.State().Current
	k.mu.Lock()
	m := k.memory.clone()
	atWork := k.job != nil && !k.job.paused && !k.closed
	k.mu.Unlock()
	phase := m.Phase
	switch {
	case errors.Is(err, ErrOff):
		phase = PhaseOff
	case m.Wish != nil && !m.Wish.Local && atWork:
		phase = PhaseChecking
	case m.Wish != nil && !m.Wish.Local:
		phase = PhasePaused
	case phase == PhaseAvailable && !pack.Newer(m.Version, current):
		phase = PhaseUpToDate
	case phase == "":
		phase = PhaseIdle
	}
	if p == nil && (phase == PhaseFailed || phase == PhaseOffline || m.Problem != nil && m.Problem.Code == problem.CodeRolledBack) {
		p = m.Problem
	}
	k.set(func(s *State) {
		s.Phase, s.What, s.Channel, s.Current, s.Version, s.Notes = k.unless(phase), Runtime, name, current, m.Version, m.Notes
		s.Checked, s.Problem, s.Rate, s.ETA = m.Checked, p, 0, unknownETA
	})
}

// remember changes what is kept over restarts. It hinders nothing when it fails.
func (k *activity) remember(change func(*memory)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.note(change)
}

// note is remember for whoever holds k.mu.
func (k *activity) note(change func(*memory)) {
	m := k.memory.clone()
	change(&m)
	k.memory = m
	if err := m.write(k.o.StateFile); err != nil {
		k.o.Log.Warn("what is known about updates could not be written", "error", err)
	}
}

func (k *activity) remembered() memory {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.memory.clone()
}

// take waits for the turn to change something that a person asked for, and
// interrupts a download for it. What takes moments anyway, an installation or a
// proof boot, is waited for. The context that it returns ends with the updater, too.
func (k *activity) take(ctx context.Context) (_ context.Context, give func(), err error) {
	k.mu.Lock()
	if k.closed {
		k.mu.Unlock()
		return nil, nil, problem.New(problem.CodeShuttingDown)
	}
	if held := k.held; held != nil {
		k.mu.Unlock()
		return nil, nil, held
	}
	ctx, _, unbind := k.bind(ctx)
	if k.visitors++; k.visitors == 1 {
		k.quiet = make(chan struct{})
	}
	if k.job != nil && !k.job.hard {
		k.job.cancel(errYield)
	}
	if k.look != nil {
		k.look(errYield)
	}
	k.mu.Unlock()
	leave := func() {
		k.mu.Lock()
		if k.visitors--; k.visitors == 0 {
			close(k.quiet)
		}
		k.mu.Unlock()
		unbind()
	}
	back, err := k.takeTurn(ctx)
	if err != nil {
		leave()
		return nil, nil, err
	}
	return ctx, func() { back(); leave() }, nil
}

// Hold waits until nothing is being changed, interrupting a download, and refuses
// every change with why until release is called.
func (k *activity) Hold(ctx context.Context, why error) (release func(), err error) {
	_, give, err := k.take(ctx)
	if err != nil {
		return nil, err
	}
	k.hold(why)
	return func() { k.hold(nil); give() }, nil
}

func (k *activity) hold(why error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held = why
}

// bind has ctx end with the updater, which waits for unbind. k.mu is held, and the
// updater is not closed.
func (k *activity) bind(ctx context.Context) (_ context.Context, cancel context.CancelCauseFunc, unbind func()) {
	k.work.Add(1)
	ctx, cancel = context.WithCancelCause(ctx)
	unhook := context.AfterFunc(k.base, func() { cancel(problem.New(problem.CodeShuttingDown)) })
	return ctx, cancel, func() {
		unhook()
		cancel(nil)
		k.work.Done()
	}
}

func (k *activity) takeTurn(ctx context.Context) (give func(), err error) {
	select {
	case <-k.turn:
		return func() { k.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// current opens the runtime in use; nil without one. One that cannot be opened
// is an error.
func (v *versions) current() (*pack.Installed, error) {
	in, err := v.o.Runtime.Current(v.o.Keys(), v.o.Policy)
	if errors.Is(err, spec.ErrNotInstalled) {
		return nil, nil
	}
	return in, err
}

// addOnStore returns the store of an add-on.
func (v *versions) addOnStore(name string) (*pack.Store, error) {
	if !plainName().MatchString(name) {
		return nil, problem.New(problem.CodeAddOnUnknown).With("name", name)
	}
	s, err := pack.OpenStore(filepath.Join(v.o.AddOnsDir, name))
	if err != nil {
		return nil, fmt.Errorf("open the store of add-on %s: %w", name, err)
	}
	return s.Patient(), nil
}
