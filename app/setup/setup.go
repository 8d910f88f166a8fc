package setup

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"piwork/app/problem"
	"piwork/app/setup/elevate"
	"piwork/vmhost/qemu"
)

// ErrNoPack is what Options.Pack returns where no runtime pack is installed.
var ErrNoPack = errors.New("no runtime pack is installed")

// Codes of checks, in the order of a report. Those of acceleration go from the
// hardware up: one that fails makes the next ones pointless.
const (
	CheckPackInstalled = "pack-installed"
	CheckPackVerified  = "pack-verified"
	CheckAccelCPU      = "accel-cpu"      // the processor offers virtualization
	CheckAccelFirmware = "accel-firmware" // the firmware has it switched on
	CheckAccelSystem   = "accel-system"   // the operating system has it switched on
	CheckAccelDevice   = "accel-device"   // this account and this program may use it
	CheckSlowMode      = "slow-mode"
	CheckAccelBoot     = "accel-boot" // a workroom opened: what counts
)

// Who chose the slow mode.
const (
	ByEnvironment = "environment" // PIWORK_ACCEL=tcg
	ByFlag        = "flag"        // for one request
	BySettings    = "settings"
)

// Pack is the runtime pack that tasks would run on.
type Pack struct {
	State PackState // but for Verified
	Image qemu.Image
	// Verify checks it again: with full every file, else what this computer
	// runs and boots.
	Verify func(ctx context.Context, full bool) error
	// Lease keeps its files where they are until release is called; nil where
	// nobody removes them.
	Lease func(ctx context.Context) (release func(), err error)
}

// Options are what setup looks at. Pack and Prove are needed.
type Options struct {
	Version string // of piwork
	// Pack returns the installed pack, or ErrNoPack.
	Pack func(ctx context.Context) (Pack, error)
	// Prove boots the pack's kernel and waits for the agent; fresh is not to be
	// content with what was proven before.
	Prove func(ctx context.Context, image qemu.Image, accel qemu.Accel, fresh bool) (qemu.Proof, error)
	// Slow says who chose the slow mode for good: "" for nobody.
	Slow func() string
	// Look is Look when nil.
	Look     Looker
	OS, Arch string // as runtime.GOOS and GOARCH, which "" means
	Now      func() time.Time
	// System asks for an administrator; the zero value never does.
	System  elevate.System
	Account string // the name of the person's account, "" when it is not known
}

// Setup answers whether this computer can work. Its methods may be called from
// several goroutines at once; one check is made at a time.
type Setup struct {
	o    Options
	turn chan struct{} // holds one token, which guards the rest

	proofs map[proofKey]outcome // since the program started

	doubts sync.Map // of qemu.Image.ID: the next proof is a fresh one

	mu   sync.Mutex
	acts map[string]elevate.Act // by code of a fix, of the last report
}

// proofKey is what the outcome of a proof boot is kept by.
type proofKey struct {
	image string // qemu.Image.ID
	accel qemu.Accel
}

type outcome struct {
	proof qemu.Proof
	err   error
}

// New makes a Setup.
func New(o Options) *Setup {
	if o.Slow == nil {
		o.Slow = func() string { return "" }
	}
	if o.Look == nil {
		o.Look = Look
	}
	o.OS = cmp.Or(o.OS, runtime.GOOS)
	o.Arch = cmp.Or(o.Arch, runtime.GOARCH)
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Setup{o: o, turn: make(chan struct{}, 1), proofs: map[proofKey]outcome{}}
	s.turn <- struct{}{}
	return s
}

// Ask says what to look at.
type Ask struct {
	Recheck bool // look at everything again: hash the pack, boot the proof
	Slow    bool // the slow mode, asked for by the request
	// Seen hears of each check as soon as something is known of it, on the goroutine
	// of Check; nil for nobody. Of acceleration it hears first what looks fine, and,
	// after the boot that decides, what all of them are.
	Seen func(Check)
}

// Machine is what a task runs on: the pack, and the boot that proved it. It is
// the zero value unless the report is ready.
type Machine struct {
	Pack     Pack
	Proof    qemu.Proof
	Verified time.Time // when its files were checked
}

// verifiedFor is how long a check of the files that a machine starts from is
// worth something. What changes them after that is found by the next check; what
// changes them sooner is found by none, as between any check and its use: QEMU
// reads them for about as long.
const verifiedFor = 5 * time.Second

// Reverify checks the files again right before a machine starts from them, unless
// they were checked just now. A failure is the problem that stops every task.
//
// It reads them all, every time. What is remembered of a file (inode, size, times)
// does not tell whether its content still is what was signed: a disk that decays,
// a write through mmap, one within the clock tick of the check, or one below the
// file system changes none of it. What this computer runs and boots is some 45 MB
// (the root image is checked block by block as the guest reads it): 46 ms of
// processor time where SHA-256 is done in hardware, shared by the cores, against
// a second for the boot. See BenchmarkVerifyQuick in pack.
func (m Machine) Reverify(ctx context.Context, now time.Time) error {
	if age := now.Sub(m.Verified); age >= 0 && age < verifiedFor {
		return nil
	}
	if err := m.Pack.Verify(ctx, false); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return problem.Installed(err)
	}
	return nil
}

// Accel is the accelerator that tasks use, unless one asks for the slow mode
// itself; "" where this operating system has none.
func (s *Setup) Accel() qemu.Accel {
	if s.o.Slow() != "" {
		return qemu.AccelTCG
	}
	return NativeAccel(s.o.OS)
}

// Doubt makes the next check prove an image anew: a machine did not come up from
// it.
func (s *Setup) Doubt(image string) { s.doubts.Store(image, true) }

// Check looks and reports. What is not ready is in the report, not an error;
// an error means that ctx ended.
func (s *Setup) Check(ctx context.Context, ask Ask) (Report, Machine, error) {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return Report{}, Machine{}, context.Cause(ctx)
	}
	defer func() { s.turn <- struct{}{} }()
	if ask.Recheck {
		clear(s.proofs)
	}
	s.mu.Lock()
	s.acts = map[string]elevate.Act{}
	s.mu.Unlock()
	r := &run{Setup: s, ask: ask, report: Report{
		Version: s.o.Version, OS: s.o.OS, Arch: s.o.Arch, Checks: []Check{}, Problems: []problem.Problem{},
		Accel: AccelState{Native: string(NativeAccel(s.o.OS))},
	}}
	var m Machine
	var ok bool
	m.Pack, ok = r.checkPack(ctx)
	m.Verified = s.o.Now()
	m.Proof = r.checkAccel(ctx, m.Pack.Image, ok)
	if ctx.Err() != nil {
		return Report{}, Machine{}, context.Cause(ctx)
	}
	r.report.Ready = ok && r.report.Accel.Proven
	r.report.Time = s.o.Now().UTC()
	if !r.report.Ready {
		m = Machine{}
	}
	return r.report, m, nil
}

// run is one making of a report.
type run struct {
	*Setup
	ask    Ask
	report Report
}

func (r *run) check(code string, state CheckState, began time.Time, params map[string]any) {
	took := int64(0)
	if !began.IsZero() {
		took = r.o.Now().Sub(began).Milliseconds()
	}
	r.add(Check{Code: code, State: state, Params: params, TookMS: took})
}

func (r *run) add(c Check) {
	r.report.Checks = append(r.report.Checks, c)
	r.seen(c)
}

func (r *run) seen(c Check) {
	if r.ask.Seen != nil {
		r.ask.Seen(c)
	}
}

func (r *run) problem(p problem.Problem) { r.report.Problems = append(r.report.Problems, p) }

// checkPack answers the first two checks.
func (r *run) checkPack(ctx context.Context) (Pack, bool) {
	began := r.o.Now()
	pack, err := r.o.Pack(ctx)
	if errors.Is(err, ErrNoPack) {
		r.check(CheckPackInstalled, CheckFailed, began, nil)
		r.check(CheckPackVerified, CheckSkipped, time.Time{}, nil)
		p := problem.New(problem.CodePackMissing).With("command", "piwork pack install FILE").By(problem.CodePackMissing)
		r.problem(*p)
		return Pack{}, false
	}
	if err != nil {
		p := problem.Installed(err)
		there := p.Code != problem.CodeNotChecked
		state := CheckUnknown
		if there {
			state = CheckPassed
		}
		r.report.Pack.Installed = there
		r.check(CheckPackInstalled, state, began, nil)
		r.packFails(p, began)
		return Pack{}, false
	}
	r.report.Pack = pack.State
	r.report.Pack.Installed, r.report.Pack.Verified = true, false
	version := map[string]any{"version": pack.State.Version}
	r.check(CheckPackInstalled, CheckPassed, began, version)
	began = r.o.Now()
	// Every time: see Machine.Reverify.
	if err := pack.Verify(ctx, r.ask.Recheck); err != nil {
		r.packFails(problem.Installed(err), began)
		return Pack{}, false
	}
	r.report.Pack.Verified = true
	r.check(CheckPackVerified, CheckPassed, began, version)
	return pack, true
}

// packFails reports a pack that is there and cannot be used.
func (r *run) packFails(p *problem.Problem, began time.Time) {
	state := CheckFailed
	if p.Code == problem.CodeNotChecked {
		state = CheckUnknown
	}
	r.check(CheckPackVerified, state, began, p.Params)
	r.problem(*p)
}
