package setup

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"piwork/app/problem"
	"piwork/vmhost/qemu"
)

// checkAccel answers what is about acceleration: a boot decides, and what was
// looked at explains it.
func (r *run) checkAccel(ctx context.Context, image qemu.Image, havePack bool) qemu.Proof {
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
	facts := r.o.Look()
	looked := r.o.Now().Sub(began)
	r.glance(native, facts)
	params := map[string]any{"accel": string(accel)}
	began = r.o.Now()
	// boot ends the list of checks; what was heard in it is part of the others.
	boot := func(state CheckState) {
		r.layers(native, facts, state == CheckPassed && slow == "", looked)
		if slow != "" {
			r.check(CheckSlowMode, CheckPassed, time.Time{}, map[string]any{"by": slow})
		}
		if state == CheckSkipped {
			began = time.Time{}
		}
		r.check(CheckAccelBoot, state, began, params)
	}
	if !havePack {
		params = nil
		boot(CheckSkipped)
		if slow == "" {
			r.foresee(native, facts)
		}
		return qemu.Proof{}
	}
	if accel != qemu.AccelTCG && facts.Translated != Yes && (native == "" || !guestFits(r.o.Arch, image.Arch)) {
		boot(CheckSkipped)
		r.problem(accelProblem(CauseGuestArch, problem.Fixes(problem.FixSlowMode, problem.FixInstallPack), map[string]any{"guest": image.Arch, "host": r.o.Arch}, ""))
		return qemu.Proof{}
	}
	proof, err := r.proof(ctx, image, accel)
	if ctx.Err() != nil {
		return qemu.Proof{}
	}
	if err != nil {
		state := CheckUnknown
		if failed := (*qemu.ProofError)(nil); errors.As(err, &failed) {
			state = CheckFailed
			if failed.Accel == accel && slow == "" {
				facts.hear(native, failed.Output)
			}
		}
		boot(state)
		r.bootFails(ctx, err, image, accel, facts)
		return qemu.Proof{}
	}
	a.Kind, a.Proven, a.BootMS = string(accel), true, proof.Ready.Milliseconds()
	a.SlowMS = r.slowMS(image)
	params["bootMs"] = a.BootMS
	boot(CheckPassed)
	if slow != "" {
		p := problem.New(problem.CodeSlowMode).With("by", slow).By(slow)
		if fast, ok := r.proofs[proofKey{image: image.ID, accel: native}]; ok && fast.err == nil && fast.proof.Ready > 0 {
			p = p.With("slowFactor", max(2, int(proof.Ready.Seconds()/fast.proof.Ready.Seconds()+0.5)))
		}
		r.problem(*p)
	}
	return proof
}

// foresee reports what will be in the way once there is a runtime, as far as it was
// seen: before one is fetched for nothing. Nothing was tried, so no slow mode is
// offered yet, and the runtime can be fetched all the same.
func (r *run) foresee(accel qemu.Accel, f Facts) {
	missing := slices.ContainsFunc(r.report.Problems, func(p problem.Problem) bool { return p.Code == problem.CodePackMissing })
	failed := slices.ContainsFunc(r.report.Checks, func(c Check) bool { return c.State == CheckFailed && c.Code != CheckPackInstalled })
	if !missing || !failed {
		return
	}
	p := explain(accel, f)
	p.Params["foreseen"] = true
	p.Fix = slices.DeleteFunc(p.Fix, func(fix problem.Fix) bool { return fix.Code == problem.FixSlowMode })
	if f.DeviceErr != nil {
		p.Details = f.DeviceErr.Error()
	}
	r.offerToRun(&p, f)
	r.problem(p)
}

// proof returns what is known, or boots. A failure is remembered until a
// recheck, so that the next task does not wait for the same one.
func (r *run) proof(ctx context.Context, image qemu.Image, accel qemu.Accel) (qemu.Proof, error) {
	key := proofKey{image: image.ID, accel: accel}
	_, doubted := r.doubts.Load(image.ID)
	if o, ok := r.proofs[key]; ok && !doubted {
		return o.proof, o.err
	}
	p, err := r.o.Prove(ctx, image, accel, r.ask.Recheck || doubted)
	if ctx.Err() == nil {
		r.doubts.Delete(image.ID)
		r.proofs[key] = outcome{p, err}
	}
	return p, err
}

// slowMS is what the slow mode takes to open a workroom, 0 when it was not
// measured.
func (r *run) slowMS(image qemu.Image) int64 {
	o, ok := r.proofs[proofKey{image: image.ID, accel: qemu.AccelTCG}]
	if !ok || o.err != nil {
		return 0
	}
	return o.proof.Ready.Milliseconds()
}

// bootFails reports a proof boot that failed.
func (r *run) bootFails(ctx context.Context, err error, image qemu.Image, accel qemu.Accel, facts Facts) {
	evidence := problem.From(err)
	var failed *qemu.ProofError
	slowFailed := errors.As(err, &failed) && failed.Accel == qemu.AccelTCG
	switch {
	case accel == qemu.AccelTCG || slowFailed:
		r.notEvenSlowly(evidence)
		return
	case failed == nil:
		p := problem.New(problem.CodeNotChecked).With("check", CheckAccelBoot)
		p.Cause, p.Details = evidence.Code, evidence.Details
		r.problem(*p)
		return
	}
	// The slow mode is offered because it was seen to work here, and with how
	// long it takes.
	_, err = r.proof(ctx, image, qemu.AccelTCG)
	if ctx.Err() != nil {
		return
	}
	if errors.As(err, &failed) {
		r.notEvenSlowly(problem.From(err))
		return
	}
	r.report.Accel.SlowMS = r.slowMS(image)
	p := explain(accel, facts)
	for k, v := range evidence.Params {
		if _, taken := p.Params[k]; !taken {
			p.Params[k] = v
		}
	}
	if ms := r.report.Accel.SlowMS; ms > 0 {
		p.Params["slowMs"] = ms
	}
	p.Details = evidence.Details
	if facts.DeviceErr != nil {
		p.Details = facts.DeviceErr.Error() + "\n" + p.Details
	}
	r.offerToRun(&p, facts)
	r.problem(p)
}

// notEvenSlowly: then it is not acceleration that does not work.
func (r *run) notEvenSlowly(evidence *problem.Problem) {
	p := problem.New(problem.CodeBootFailed)
	p.Cause, p.Params, p.Details = "tcg-broken", maps.Clone(evidence.Params), evidence.Details
	r.problem(*p)
}

func accelProblem(cause string, fix []problem.Fix, params map[string]any, details string) problem.Problem {
	return problem.Problem{
		Code: problem.CodeAccelUnavailable, Severity: problem.Blocking,
		Cause: cause, Fix: fix, Params: params, Details: details,
	}
}
