package qemu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// How long a proof boot may be silent. An accelerator is there to be faster
// than emulation, so what emulation takes on this machine, at this moment, with
// whatever else is running, is the measure: one that needs a multiple of it to
// the first byte of the console does not work, or is not worth having.
const (
	// firstByteFactor times what the slow mode took to its first byte is what
	// an accelerator gets, and never less than firstByteFloor, because a start
	// of QEMU alone can be held up that long.
	firstByteFactor = 5
	firstByteFloor  = 1500 * time.Millisecond

	// slowFirstByte is what the slow mode itself gets, also after its first byte: nothing can
	// be measured before it.
	slowFirstByte = 60 * time.Second

	// After the first byte silence is what counts, not the time in all: stallFactor
	// times the slow mode's first byte, and at least stallFloor for an accelerator.
	stallFactor = 20
	stallFloor  = 10 * time.Second

	// proofMemoryMB is enough for the kernel and the agent.
	proofMemoryMB = 256
)

// Stage is how far a proof boot came.
type Stage string

// Stages at which a proof boot fails.
const (
	StageStart     Stage = "start"      // QEMU did not come up, or ended before the guest said anything
	StageFirstByte Stage = "first-byte" // QEMU runs and the guest says nothing: it does not run
	StageAgent     Stage = "agent"      // the guest began, and its agent never said that it is up
)

// Proof says that a boot of the pack's own kernel reached its agent.
type Proof struct {
	Accel     Accel         `json:"accel"`
	CPU       string        `json:"cpu"`         // the rung of the ladder that worked, for Spec.CPU
	QEMU      string        `json:"qemu"`        // its version
	FirstByte time.Duration `json:"firstByteNs"` // from QEMU's start to the first byte of the console
	Ready     time.Duration `json:"readyNs"`     // from QEMU's start to the agent
	Slow      time.Duration `json:"slowNs"`      // what the slow mode took to its first byte just before
	Refused   []Attempt     `json:"refused"`     // rungs before it
	Time      time.Time     `json:"time"`        // when it was proven, UTC
	Cached    bool          `json:"-"`           // not proven now
}

// Attempt is one rung of the ladder that did not work.
type Attempt struct {
	CPU    string `json:"cpu"`
	Stage  Stage  `json:"stage"`
	Output string `json:"output"` // the end of what QEMU and the guest said
}

// ProofError says that an accelerator does not work here, by what was seen. When
// Accel is AccelTCG though another one was to be proven, the slow mode failed
// already: then the cause is not acceleration.
type ProofError struct {
	Accel       Accel
	CPU         string // the last rung tried
	Stage       Stage
	Output      string        // the end of what QEMU and the guest said
	Elapsed     time.Duration // from QEMU's start to the end of patience
	Deadline    time.Duration // how long the guest might be silent; 0 when that is not why
	CommandLine []string      // to repeat it by hand
	Attempts    []Attempt     // earlier rungs
	Err         error
}

func (e *ProofError) Error() string {
	return fmt.Sprintf("proof boot with %s failed at %s after %v: %v", e.Accel, e.Stage, e.Elapsed.Round(time.Millisecond), e.Err)
}

// Unwrap returns the cause.
func (e *ProofError) Unwrap() error { return e.Err }

// ProveOptions say what is to be proven.
type ProveOptions struct {
	Image  Image
	Accel  Accel
	CPUs   int         // of the machine that is booted, as those to come have; 0 is 1
	LogDir string      // where the logs of the boots go, "" for none
	Cache  *ProofCache // where proofs are remembered, nil for nowhere
	Fresh  bool        // prove again, whatever the cache says

	patience *patience // of tests
}

// patience holds the limits of a proof.
type patience struct {
	slow, floor, stall time.Duration
	times              time.Duration // of the slow mode's first byte, that a guest may stall
}

// Prove boots the pack's kernel with nothing but a console and waits for the
// agent's marker on it. It tries the rungs of [Ladder] as long as QEMU refuses
// them. After a guest that hangs or gives up, which takes long to find out, only
// the last rung is tried, the one with the least in it. The error is a *ProofError when the accelerator does not work; it is
// another one when that was not found out, because ctx ended or something on
// this computer was missing. Whatever happens, nothing is left running.
func Prove(ctx context.Context, o ProveOptions) (Proof, error) {
	pat := patience{slow: slowFirstByte, floor: firstByteFloor, stall: stallFloor, times: stallFactor}
	if o.patience != nil {
		pat = *o.patience
	}
	if o.LogDir != "" {
		if err := os.MkdirAll(o.LogDir, 0o700); err != nil {
			return Proof{}, fmt.Errorf("proof boot: %w", err)
		}
	}
	dir, remove, err := NewRunDir()
	if err != nil {
		return Proof{}, fmt.Errorf("proof boot: %w", err)
	}
	defer remove() //nolint:errcheck // an empty directory may stay behind

	var ladder []Spec
	for _, cpu := range Ladder(o.Accel, o.Image.Arch) {
		s := proofSpec(o.Image, o.Accel, cpu, dir)
		s.CPUs = o.CPUs
		ladder = append(ladder, s)
	}
	if o.Cache != nil && !o.Fresh {
		if p, ok := o.Cache.lookup(ladder); ok {
			p.Cached = true
			return p, nil
		}
	}

	// The slow mode's first byte, unless it is the slow mode that is proven.
	var slow time.Duration
	if o.Accel != AccelTCG {
		b := bootTry{spec: proofSpec(o.Image, AccelTCG, Ladder(AccelTCG, o.Image.Arch)[0], dir), logDir: o.LogDir, silence: pat.slow, onlyFirst: true}
		p, err := b.run(ctx)
		if err != nil {
			return Proof{}, err
		}
		slow = p.FirstByte
	}

	var refused []Attempt
	for i := 0; i < len(ladder); i++ {
		b := bootTry{spec: ladder[i], logDir: o.LogDir, slow: slow, stall: pat.stall, times: pat.times, silence: pat.slow}
		if slow > 0 {
			b.silence = max(pat.floor, firstByteFactor*slow)
		}
		p, err := b.run(ctx)
		var failed *ProofError
		switch {
		case err == nil:
			p.Refused = refused
			if o.Cache != nil {
				// A proof that is not remembered is made again.
				_ = o.Cache.store(ladder, p)
			}
			return p, nil
		case !errors.As(err, &failed):
			return Proof{}, err
		case i == len(ladder)-1:
			failed.Attempts = refused
			return Proof{}, failed
		}
		refused = append(refused, Attempt{CPU: failed.CPU, Stage: failed.Stage, Output: failed.Output})
		if failed.Stage != StageStart {
			i = len(ladder) - 2 // the last one is next
		}
	}
	return Proof{}, fmt.Errorf("no CPU model is known for %s", o.Accel)
}

// proofSpec is the machine of a proof boot: a console and nothing else. What
// the kernel has to say is wanted from its first line on.
func proofSpec(img Image, accel Accel, cpu, dir string) Spec {
	early := "earlyprintk=ttyS0"
	if img.Arch == "aarch64" {
		early = "earlycon"
	}
	return Spec{
		Host: runtime.GOOS, Image: img, Accel: accel, CPU: cpu, MemoryMB: proofMemoryMB, Name: "piwork-proof",
		Console: filepath.Join(dir, "console.sock"), Params: []string{early},
	}
}

// bootTry is one boot of a proof.
type bootTry struct {
	spec      Spec
	logDir    string
	silence   time.Duration // before the first byte
	slow      time.Duration // the slow mode's first byte, 0 when this is the slow mode
	stall     time.Duration // least silence after the first byte
	times     time.Duration // of slow, that it may be silent then
	onlyFirst bool          // the first byte is enough
}

func (b bootTry) run(ctx context.Context) (Proof, error) {
	p, err := Start(ctx, StartOptions{Spec: b.spec, LogDir: b.logDir})
	if err != nil {
		if ctx.Err() != nil {
			return Proof{}, fmt.Errorf("proof boot: %w", context.Cause(ctx))
		}
		var start *StartError
		var exit *ExitError
		if !errors.As(err, &start) || !errors.As(err, &exit) && !errors.Is(err, errSlowStart) {
			return Proof{}, fmt.Errorf("proof boot: %w", err) // nothing was proven
		}
		return Proof{}, &ProofError{
			Accel: b.spec.Accel, CPU: b.spec.CPU, Stage: StageStart, Output: start.Output,
			CommandLine: start.CommandLine, Err: err,
		}
	}
	proof, err := b.follow(ctx, p)
	// The end has its own time: that of ctx may be over.
	stopErr := p.Stop(context.WithoutCancel(ctx))
	if err == nil {
		err = stopErr
	}
	return proof, err
}

// follow waits for the marks of a boot.
func (b bootTry) follow(ctx context.Context, p *Process) (Proof, error) {
	c := p.Console()
	fail := func(stage Stage, silence time.Duration, err error) (Proof, error) {
		if ctx.Err() != nil {
			return Proof{}, fmt.Errorf("proof boot: %w", context.Cause(ctx))
		}
		out := strings.TrimSpace(p.Output() + "\n" + c.Tail())
		return Proof{}, &ProofError{
			Accel: b.spec.Accel, CPU: b.spec.CPU, Stage: stage, Output: out, Elapsed: time.Since(p.Started()),
			Deadline: silence, CommandLine: p.CommandLine(), Err: err,
		}
	}

	t := time.NewTimer(b.silence - time.Since(p.Started()))
	defer t.Stop()
	select {
	case <-c.First():
	case <-p.Done():
		if !closed(c.First()) {
			return fail(StageStart, 0, p.Exit())
		}
	case <-t.C:
		return fail(StageFirstByte, b.silence, fmt.Errorf("QEMU runs and the guest printed nothing in %v", b.silence.Round(time.Millisecond)))
	case <-ctx.Done():
		return fail(StageFirstByte, 0, nil)
	}
	firstAt, _ := c.times()
	proof := Proof{
		Accel: b.spec.Accel, CPU: b.spec.CPU, QEMU: p.Version(),
		FirstByte: firstAt.Sub(p.Started()), Slow: b.slow, Time: time.Now().UTC(),
	}
	if b.onlyFirst {
		return proof, nil
	}

	stall := max(b.stall, b.times*b.slow)
	if b.slow == 0 {
		proof.Slow = proof.FirstByte
		// After the slow mode comes nothing that could work, and a busy computer holds it up.
		stall = max(b.silence, b.times*proof.Slow)
	}
	dog, silent := Watch(stall, func() time.Time { _, last := c.Activity(); return last })
	defer dog.Stop()
	select {
	case <-c.Ready():
	case <-c.Panicked():
		return fail(StageAgent, 0, errors.New("the guest's kernel gave up"))
	case <-p.Done():
		if !closed(c.Ready()) {
			return fail(StageAgent, 0, p.Exit())
		}
	case <-silent:
		return fail(StageAgent, stall, fmt.Errorf("the guest printed nothing more in %v", stall.Round(time.Millisecond)))
	case <-ctx.Done():
		return fail(StageAgent, 0, nil)
	}
	_, readyAt := c.times()
	proof.Ready = readyAt.Sub(p.Started())
	return proof, nil
}

func closed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}
