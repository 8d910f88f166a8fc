// Package hosted is a runtime around an agent that runs as an ordinary program
// (piwork-guest serve): in a sandbox, in a container, on this or another computer.
//
// # Parties
//
// A [Runtime] is what a task has. The maker of a kind of place gives it [Config.Open],
// which starts the agent somewhere and returns the [Place]: a connection to the agent, and
// how it ends. Everything else is the same for all kinds: the states (vmhost/lifecycle),
// the conversation (vmhost/conversation), patience, and the reasons of failures.
//
// # Life
//
//	Connect: place → agent → prepare → ready
//	Close:   guest.shutdown, with its time → Place.End
//
// # Promises
//
//   - What the agent says is bounded and checked; one that breaks the protocol, or no
//     longer answers, loses its place, nothing else.
//   - When the place ends by itself, the runtime fails with what it said last.
//   - A place is ended once, also after an error of connecting.
package hosted

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/clock"
	"piwork/vmhost/conversation"
	"piwork/vmhost/lifecycle"
	"piwork/vmhost/wire"
)

// Steps of connecting, as Status.Step says them.
const (
	StepPlace   = "place"   // the place is made, and the agent started in it
	StepAgent   = "agent"   // the agent has not answered yet
	StepPrepare = "prepare" // names of zone and language
	StepFolders = "folders" // they are copied into the place
)

// locale is the one that every place has.
const locale = "C.UTF-8"

// Place is where an agent runs.
type Place interface {
	// Conn is the connection to the agent, with deadlines. Whoever has the conversation
	// closes it.
	Conn() net.Conn
	// Done is closed when the agent has ended, and with it everything in the place; then
	// Exit says how.
	Done() <-chan struct{}
	Exit() error
	// Evidence is what the place said last.
	Evidence() string
	// End ends by force what is left, and removes what the place was made of. Its error
	// is what could not be.
	End() error
}

// Config is what a Runtime is of.
type Config struct {
	Capabilities vmhost.Capabilities
	InitData     vmhost.InitData
	Env          vmhost.ExecutionEnv

	// Open makes the place, until ctx ends. An *vmhost.UnsupportedError or a
	// *vmhost.FailedError of it is Connect's own; any other error is a ReasonStart.
	Open func(ctx context.Context) (Place, error)

	// Folders returns what moves files between the folders and their copies in a place that
	// can mount nothing (vmhost/share/copied); nil where they are mounted, or there are none. So
	// is what it returns: which place it is may be known only once it is there.
	Folders func() (Folders, error)

	Network *wire.NetworkParams // what the agent is to lead programs to; nil without

	AppVersion string
	Timing     Timing
	OnStatus   vmhost.StatusFunc // may be nil
	Log        *slog.Logger      // nil is slog.Default()
}

// Timing is how long an agent is waited for. Where it is zero, that is [Patient]'s.
type Timing struct {
	Connect  time.Duration // for each answer while connecting
	Hung     time.Duration // silence after a question
	Ping     time.Duration // between questions whether it is there
	Write    time.Duration // for it to take a message
	Cancel   time.Duration // for a cancelled action to end
	Shutdown time.Duration // to end by itself
	Evidence time.Duration // for a better reason, when the connection ends
}

// Patient is the usual Timing.
var Patient = Timing{
	Connect: 30 * time.Second, Hung: 45 * time.Second, Ping: 10 * time.Second, Write: 45 * time.Second,
	Cancel: 45 * time.Second, Shutdown: 10 * time.Second, Evidence: time.Second,
}

// Runtime implements vmhost.Runtime.
type Runtime struct {
	cfg   Config
	life  *lifecycle.Life
	clock *clock.Clock
	parts sync.WaitGroup
	stop  context.CancelFunc // of the parts
	ctx   context.Context    // likewise

	place   Place
	conv    *conversation.Conversation
	folders Folders                 // nil where they are no copies
	copying context.Context         // of what moves files for folders
	endCopy context.CancelCauseFunc // likewise

	mu    sync.Mutex
	hello wire.Hello
}

var _ vmhost.Runtime = (*Runtime)(nil)

// New returns an idle runtime.
func New(c Config) *Runtime {
	if c.Timing == (Timing{}) {
		c.Timing = Patient
	}
	c.Log = cmp.Or(c.Log, slog.Default())
	r := &Runtime{cfg: c, clock: clock.New(clock.Real(), clock.Beat)}
	r.cfg.InitData = c.InitData.Of(c.Capabilities)
	r.ctx, r.stop = context.WithCancel(context.Background())
	r.life = lifecycle.New(lifecycle.Config{OnStatus: c.OnStatus, Open: r.open, End: r.end})
	r.copying, r.endCopy = context.WithCancelCause(r.life.Context())
	return r
}

// Connect implements vmhost.Runtime.
func (r *Runtime) Connect(ctx context.Context) error { return r.life.Connect(ctx) }

// Close implements vmhost.Runtime.
func (r *Runtime) Close(ctx context.Context) error { return r.life.Close(ctx) }

// Status implements vmhost.Runtime.
func (r *Runtime) Status() vmhost.Status { return r.life.Status() }

// Capabilities implements vmhost.Runtime.
func (r *Runtime) Capabilities() vmhost.Capabilities { return r.cfg.Capabilities }

// InitData implements vmhost.Runtime.
func (r *Runtime) InitData() vmhost.InitData {
	d := r.cfg.InitData
	d.Folders, d.Can = slices.Clone(d.Folders), slices.Clone(d.Can)
	return d
}

// Hints implements vmhost.Runtime.
func (r *Runtime) Hints() vmhost.Hints { return vmhost.HostHints() }

// Hello returns how the agent introduced itself; empty before that.
func (r *Runtime) Hello() wire.Hello {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hello
}

// Execute implements vmhost.Runtime.
func (r *Runtime) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if err := r.life.Admit(); err != nil {
		return vmhost.Observation{}, err
	}
	if err := errors.Join(a.Meets(r.cfg.Capabilities), enforceable(a).Check(r.cfg.Capabilities)); err != nil {
		return vmhost.Observation{}, err
	}
	if r.folders != nil {
		return r.executeOnCopies(ctx, a)
	}
	return r.executor(r.cfg.Env.Limits).Execute(ctx, a)
}

func (r *Runtime) executor(limits vmhost.Limits) conversation.Executor {
	return conversation.Executor{
		Conversation: r.conv, Life: r.life.Context(), Ended: r.life.Err, Fail: r.fail,
		Runtime: r.cfg.Capabilities.Name, Cwd: r.cfg.InitData.Cwd, Limits: limits, Cancel: r.cfg.Timing.Cancel,
		Can: func(what string) bool { return slices.Contains(r.Hello().Capabilities, what) },
	}
}

// enforceable are the limits of an action that a kind of place may not have.
func enforceable(a vmhost.Action) (l vmhost.Limits) {
	if a.Exec != nil {
		l = vmhost.Limits{CPUMS: a.Exec.Limits.CPUMS, MemoryMB: a.Exec.Limits.MemoryMB}
	} else if a.Tool != nil {
		l = vmhost.Limits{CPUMS: a.Tool.Limits.CPUMS, MemoryMB: a.Tool.Limits.MemoryMB}
	}
	return l
}

// check returns an *vmhost.UnsupportedError for an environment that the place does not
// enforce.
func (r *Runtime) check() error {
	caps, env := r.cfg.Capabilities, r.cfg.Env
	unsupported := func(what string) error { return &vmhost.UnsupportedError{Runtime: caps.Name, What: what} }
	switch {
	case env.OS != "" && env.OS != r.cfg.InitData.OS:
		return unsupported(fmt.Sprintf("the system %q", env.OS))
	case env.Sandbox != "" && env.Sandbox != r.cfg.InitData.Sandbox:
		return unsupported(fmt.Sprintf("the sandbox %q", env.Sandbox))
	}
	return env.Check(caps)
}

// open makes the place and talks to the agent in it.
func (r *Runtime) open(ctx context.Context) error {
	if err := r.check(); err != nil {
		return err
	}
	err := r.connect(ctx)
	if err == nil {
		return nil
	}
	var unsupported *vmhost.UnsupportedError
	switch {
	case ctx.Err() != nil:
		return r.failure(vmhost.ReasonStopped, context.Cause(ctx))
	case errors.As(err, &unsupported):
		return unsupported
	}
	return r.failure(r.reason(err), err)
}

func (r *Runtime) connect(ctx context.Context) error {
	r.life.Step(StepPlace)
	place, err := r.cfg.Open(ctx)
	if err != nil {
		return err
	}
	r.place = place
	r.parts.Go(func() { r.clock.Run(r.ctx, func() {}) })
	r.conv = conversation.Begin(place.Conn(), r.clock, r.cfg.Timing.Write, r.cfg.Log)
	r.life.Step(StepAgent)
	err = r.within(ctx, func(ctx context.Context) error {
		h, err := r.conv.Hello(ctx, r.cfg.AppVersion)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.hello = h
		return err
	})
	if err != nil {
		return err
	}
	r.life.Step(StepPrepare)
	p := wire.PrepareParams{UnixNano: time.Now().UnixNano(), Entropy: make([]byte, wire.MinEntropy), Locale: locale, TimeZone: r.Hints().TimeZone}
	if _, err := rand.Read(p.Entropy); err != nil {
		return err
	}
	if p.Validate() != nil {
		p.TimeZone = "" // a name from this system that is none
	}
	if err := r.within(ctx, func(ctx context.Context) error { return r.conv.Ask(ctx, wire.MethodPrepare, p, nil) }); err != nil {
		return err
	}
	if err := r.openNetwork(ctx); err != nil {
		return err
	}
	r.parts.Go(r.supervise)
	r.parts.Go(func() {
		if reason, err := r.conv.Watch(r.ctx, r.cfg.Timing.Ping, r.cfg.Timing.Hung); err != nil {
			r.fail(reason, err)
		}
	})
	return r.sendFolders(ctx)
}

// errSilent is the cause of the end of a step of connecting.
var errSilent = errors.New("the agent does not answer")

// within does one step of connecting, in its time.
func (r *Runtime) within(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := r.clock.Timeout(ctx, r.cfg.Timing.Connect, errSilent)
	defer cancel()
	err := ask(ctx)
	if errors.Is(err, conversation.ErrOver) {
		_, err = r.conv.End()
		r.awaitExit()
		if over(r.place.Done()) {
			err = errors.Join(r.place.Exit(), err)
		}
	}
	return err
}

// reason finds the code for an error of connecting.
func (r *Runtime) reason(err error) vmhost.Reason {
	var refused *conversation.RefusedError
	var protocol *conversation.ProtocolError
	var large *vmhost.TooLargeError
	var invalid *wire.InvalidError
	switch {
	case errors.As(err, &large):
		return vmhost.ReasonTooLarge
	case errors.As(err, &invalid):
		return vmhost.ReasonProtocol
	case errors.As(err, &refused):
		return refused.Reason
	case errors.As(err, &protocol):
		return vmhost.ReasonProtocol
	case errors.Is(err, errSilent):
		return vmhost.ReasonStalled
	}
	return vmhost.ReasonStart
}

// failure is why the runtime failed, with what the place said. A place may know better.
func (r *Runtime) failure(reason vmhost.Reason, err error) *vmhost.FailedError {
	e := &vmhost.FailedError{Runtime: r.cfg.Capabilities.Name, Reason: reason, Err: err}
	if known, is := errors.AsType[*vmhost.FailedError](err); is {
		*e = *known
	}
	if s := r.life.Status(); s.State == vmhost.StateConnecting {
		e.Step = s.Step
	}
	if r.place != nil && e.Detail == "" {
		e.Detail = r.place.Evidence()
	}
	return e
}

// fail is the end of the runtime. One that is closing fails no more, but the end of its life
// waits for its folders: they are given up, too.
func (r *Runtime) fail(reason vmhost.Reason, err error) {
	failure := r.failure(reason, err)
	r.life.Fail(failure)
	r.endCopy(failure)
}

// supervise notices the end of the agent.
func (r *Runtime) supervise() {
	select {
	case <-r.ctx.Done():
		return
	case <-r.place.Done():
	case <-r.conv.Over():
		if reason, err := r.conv.End(); reason == vmhost.ReasonProtocol {
			r.fail(reason, err)
			return
		}
		r.awaitExit()
	}
	if over(r.place.Done()) {
		r.fail(vmhost.ReasonExited, r.place.Exit())
		return
	}
	if r.ctx.Err() == nil {
		r.fail(r.conv.End())
	}
}

// awaitExit waits a moment for the end of the place, which says more than that of its
// connection.
func (r *Runtime) awaitExit() {
	t := time.NewTimer(r.cfg.Timing.Evidence)
	defer t.Stop()
	select {
	case <-r.place.Done():
	case <-r.ctx.Done():
	case <-t.C:
	}
}

// end ends everything. Until ctx ends the agent is asked first.
func (r *Runtime) end(ctx context.Context) error {
	defer r.parts.Wait()
	defer r.stop()
	if r.place == nil {
		return nil
	}
	var lost error
	if ctx.Err() == nil {
		lost = r.fetchFolders(ctx)
		r.shutDown(ctx)
	}
	r.stop()
	err := r.place.End()
	if r.conv != nil {
		r.conv.Close()
	}
	if err != nil {
		err = fmt.Errorf("end the %s: %w", r.cfg.Capabilities.Name, err)
		r.cfg.Log.Error("a runtime left something behind", "err", err)
	}
	return errors.Join(lost, err)
}

// shutDown asks the agent to end all programs and itself.
func (r *Runtime) shutDown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timing.Shutdown)
	defer cancel()
	if err := r.conv.Call(ctx, wire.MethodShutdown, wire.Empty{}, nil); err != nil && !errors.Is(err, conversation.ErrOver) {
		r.cfg.Log.Warn("the agent does not follow its end", "err", err)
		return
	}
	select {
	case <-r.place.Done():
	case <-ctx.Done():
		r.cfg.Log.Warn("the agent does not end", "after", r.cfg.Timing.Shutdown)
	}
}

// over tells whether c is closed.
func over(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
