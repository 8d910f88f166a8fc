package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"piwork/app/problem"
	"piwork/vmhost/qemu"
)

// ErrNoPack is what Options.Pack returns where no runtime pack is installed.
var ErrNoPack = errors.New("no runtime pack is installed")

// Codes of checks.
const (
	CheckPackInstalled = "pack-installed"
	CheckPackVerified  = "pack-verified"
	CheckAccelDevice   = "accel-device"
	CheckAccelBoot     = "accel-boot"
	CheckSlowMode      = "slow-mode"
)

// Who chose the slow mode.
const (
	ByEnvironment = "environment" // PIWORK_ACCEL=tcg
	ByFlag        = "flag"        // for one request
	BySettings    = "settings"
)

// Pack is the runtime pack that tasks would run on.
type Pack struct {
	State PackState // Verified as far as a quick look goes
	Image qemu.Image
	// Verify hashes again every file that will run; nil when that is done.
	Verify func(ctx context.Context) error
}

// Options are what setup looks at. Pack and Prove are needed.
type Options struct {
	Version string // of piwork
	// Pack returns the installed pack after a quick look at it, or ErrNoPack.
	Pack func(ctx context.Context) (Pack, error)
	// Prove boots the pack's kernel and waits for the agent.
	Prove func(ctx context.Context, image qemu.Image, accel qemu.Accel) (Proof, error)
	// Slow says who chose the slow mode for good: "" for nobody.
	Slow func() string
	// Device is LookAtDevice when nil.
	Device func() Device
	// CacheFile remembers proofs; "" forgets them with the process.
	CacheFile string
	OS, Arch  string // as runtime.GOOS and GOARCH, which "" means
	Now       func() time.Time
	Log       *slog.Logger
}

// Setup answers whether this computer can work. Its methods may be called from
// several goroutines at once; one check is made at a time.
type Setup struct {
	o      Options
	proofs proofs
	host   string
	turn   chan struct{} // holds one token

	// Guarded by the token.
	failed   map[proofKey]error // proof boots that failed since the program started
	proven   map[proofKey]Proof
	verified string // qemu.Image.ID of the pack whose files were hashed
}

// New makes a Setup.
func New(o Options) *Setup {
	if o.Slow == nil {
		o.Slow = func() string { return "" }
	}
	if o.Device == nil {
		o.Device = LookAtDevice
	}
	if o.OS == "" {
		o.OS = runtime.GOOS
	}
	if o.Arch == "" {
		o.Arch = runtime.GOARCH
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Setup{
		o: o, proofs: proofs{file: o.CacheFile}, host: hostRelease(), turn: make(chan struct{}, 1),
		failed: map[proofKey]error{}, proven: map[proofKey]Proof{},
	}
	s.turn <- struct{}{}
	return s
}

// Ask says what to look at.
type Ask struct {
	Recheck bool // look at everything again: hash the pack, boot the proof
	Slow    bool // the slow mode, asked for by the request
}

// Check looks and reports. What is not ready is in the report, not an error;
// an error means that ctx ended. The pack is the zero value unless the report
// is ready.
func (s *Setup) Check(ctx context.Context, ask Ask) (Report, Pack, error) {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return Report{}, Pack{}, context.Cause(ctx)
	}
	defer func() { s.turn <- struct{}{} }()
	if ask.Recheck {
		clear(s.failed)
		clear(s.proven)
		s.verified = ""
	}
	r := &run{Setup: s, ask: ask, report: Report{
		Version: s.o.Version, OS: s.o.OS, Arch: s.o.Arch, Checks: []Check{}, Problems: []problem.Problem{},
		Accel: AccelState{Native: string(NativeAccel(s.o.OS))},
	}}
	pack, ok := r.checkPack(ctx)
	r.checkAccel(ctx, pack.Image, ok)
	if err := ctx.Err(); err != nil {
		return Report{}, Pack{}, context.Cause(ctx)
	}
	r.report.Ready = ok && r.report.Accel.Proven
	r.report.Time = s.o.Now().UTC()
	if !r.report.Ready {
		pack = Pack{}
	}
	return r.report, pack, nil
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
	r.report.Checks = append(r.report.Checks, Check{Code: code, State: state, Params: params, TookMS: took})
}

func (r *run) problem(p problem.Problem) { r.report.Problems = append(r.report.Problems, p) }

// checkPack answers the first two checks.
func (r *run) checkPack(ctx context.Context) (Pack, bool) {
	began := r.o.Now()
	pack, err := r.o.Pack(ctx)
	if errors.Is(err, ErrNoPack) {
		r.check(CheckPackInstalled, CheckFailed, began, nil)
		r.check(CheckPackVerified, CheckSkipped, time.Time{}, nil)
		p := problem.New(problem.CodePackMissing).With("command", "piwork pack install FILE")
		p.Cause = problem.CodePackMissing
		r.problem(*p)
		return Pack{}, false
	}
	if err != nil {
		r.check(CheckPackInstalled, CheckPassed, began, nil)
		r.packFails(err, began)
		return Pack{}, false
	}
	r.report.Pack = pack.State
	r.report.Pack.Installed = true
	version := map[string]any{"version": pack.State.Version}
	r.check(CheckPackInstalled, CheckPassed, began, version)
	began = r.o.Now()
	if pack.Verify != nil && (r.ask.Recheck || !pack.State.Verified) && r.verified != pack.Image.ID {
		if err := pack.Verify(ctx); err != nil {
			r.report.Pack.Verified = false
			r.packFails(err, began)
			return Pack{}, false
		}
		r.verified = pack.Image.ID
	}
	r.report.Pack.Verified = true
	r.check(CheckPackVerified, CheckPassed, began, version)
	return pack, true
}

// packFails reports a pack that is there and cannot be used.
func (r *run) packFails(err error, began time.Time) {
	p := problem.Installed(err)
	state := CheckFailed
	if p.Code == problem.CodeNotChecked {
		state = CheckUnknown
	}
	r.check(CheckPackVerified, state, began, p.Params)
	r.problem(*p)
}

// checkAccel answers the others: what the device says, what the boot says.
func (r *run) checkAccel(ctx context.Context, image qemu.Image, havePack bool) {
	native := NativeAccel(r.o.OS)
	slow := r.o.Slow()
	if slow == "" && r.ask.Slow {
		slow = ByFlag
	}
	a := &r.report.Accel
	accel := native
	if slow != "" {
		accel, a.SlowMode, a.ChosenBy = qemu.AccelTCG, true, slow
	}
	began := r.o.Now()
	device := r.o.Device()
	r.checkDevice(device, began)
	if slow != "" {
		r.check(CheckSlowMode, CheckPassed, time.Time{}, map[string]any{"by": slow})
	}
	if !havePack {
		r.check(CheckAccelBoot, CheckSkipped, time.Time{}, nil)
		return
	}
	began = r.o.Now()
	params := map[string]any{"accel": string(accel)}
	if accel != qemu.AccelTCG && (native == "" || !guestFits(r.o.Arch, image.Arch)) {
		r.check(CheckAccelBoot, CheckSkipped, began, params)
		r.problem(accelProblem("guest-arch", problem.Fixes(problem.FixSlowMode), map[string]any{"guest": image.Arch, "host": r.o.Arch}, ""))
		return
	}
	key := proofKey{Image: image.ID, Accel: accel, Host: r.host, CPU: device.CPU}
	proof, err := r.proof(ctx, image, key)
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		r.check(CheckAccelBoot, CheckFailed, began, params)
		r.bootFails(err, accel, device)
		return
	}
	a.Kind, a.Proven, a.BootMS, a.SlowMS = string(accel), true, proof.BootMS, proof.SlowMS
	params["bootMs"] = proof.BootMS
	r.check(CheckAccelBoot, CheckPassed, began, params)
	if slow != "" {
		p := problem.New(problem.CodeSlowMode).With("by", slow)
		p.Cause = slow
		r.problem(*p)
	}
}

func (r *run) checkDevice(d Device, began time.Time) {
	params := map[string]any{}
	if d.CPULooked {
		params["cpuFlag"] = d.CPUFlag
		params["hypervisor"] = d.Hypervisor
	}
	switch {
	case !d.Looked:
		r.check(CheckAccelDevice, CheckUnknown, began, nil)
		return
	case d.Err == nil:
		params["device"] = d.Path
		r.check(CheckAccelDevice, CheckPassed, began, params)
	default:
		params["device"], params["error"] = d.Path, d.Err.Error()
		r.check(CheckAccelDevice, CheckFailed, began, params)
	}
}

// proof returns what is known, or boots. A failure is remembered until a
// recheck, a success over restarts.
func (r *run) proof(ctx context.Context, image qemu.Image, key proofKey) (Proof, error) {
	if err, ok := r.failed[key]; ok {
		return Proof{}, err
	}
	if p, ok := r.proven[key]; ok {
		return p, nil
	}
	if !r.ask.Recheck {
		if p, ok := r.proofs.get(key); ok {
			r.proven[key] = p
			return p, nil
		}
	}
	p, err := r.o.Prove(ctx, image, key.Accel)
	if ctx.Err() != nil {
		return Proof{}, context.Cause(ctx)
	}
	remember := &p
	if err != nil {
		r.failed[key] = err
		remember = nil
	} else {
		r.proven[key] = p
	}
	if perr := r.proofs.put(key, remember, r.o.Now()); perr != nil {
		r.o.Log.Warn("the proof boot's outcome could not be remembered", "error", perr)
	}
	return p, err
}

// bootFails reports a proof boot that failed.
func (r *run) bootFails(err error, accel qemu.Accel, device Device) {
	evidence := problem.From(err)
	if accel == qemu.AccelTCG {
		p := problem.New(problem.CodeBootFailed)
		p.Cause, p.Params, p.Details = "tcg-broken", evidence.Params, evidence.Details
		r.problem(*p)
		return
	}
	cause, fix, params := device.explain(accel)
	for k, v := range evidence.Params {
		if _, taken := params[k]; !taken {
			params[k] = v
		}
	}
	details := evidence.Details
	if device.Looked && device.Err != nil {
		details = fmt.Sprintf("%v\n%s", device.Err, details)
	}
	r.problem(accelProblem(cause, fix, params, details))
}

func accelProblem(cause string, fix []problem.Fix, params map[string]any, details string) problem.Problem {
	return problem.Problem{
		Code: problem.CodeAccelUnavailable, Severity: problem.Blocking,
		Cause: cause, Fix: fix, Params: params, Details: details,
	}
}
