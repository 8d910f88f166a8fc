package updater

import (
	"context"
	"errors"
	"fmt"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/vmhost/qemu"
)

// errLater: the version is here, and this is no moment to try it.
var errLater = errors.New("tasks are at work: the new version is tried later")

// use tries what was brought and makes it what tasks run on.
func (k *Updater) use(ctx context.Context, parts []part, w wish) error {
	if err := k.harden(ctx); err != nil {
		return err
	}
	k.enter(PhaseInstalling)
	var base *pack.Installed
	for _, p := range parts {
		if p.what == Runtime {
			base = p.got
		}
	}
	if base != nil {
		if err := k.runtime.Propose(ctx, base.Manifest.Version); err != nil {
			return err
		}
		if !w.Asked && k.o.Busy() {
			// A proof boot beside tasks that want the processor proves nothing.
			return errLater
		}
		if err := k.try(ctx, base, k.runtime.Promote); err != nil {
			return err
		}
	}
	var err error
	if base == nil {
		if base, err = k.current(); err != nil {
			return err
		}
	}
	for _, p := range parts {
		if p.what == Runtime {
			continue
		}
		if base == nil || !fits(p.got, base) {
			return problem.New(problem.CodeAddOnMismatch).With("name", p.what).With("version", p.got.Manifest.Version)
		}
	}
	k.collect(ctx)
	k.o.OnChange()
	return nil
}

// try boots a candidate on this computer and promotes it, or holds it against it
// that it did not boot: then the error is CodeUpdateNotBooting.
func (k *Updater) try(ctx context.Context, in *pack.Installed, promote func(ctx context.Context, version string) error) error {
	version := in.Manifest.Version
	p, err := k.o.Runtime.Pointer()
	if err != nil {
		return err
	}
	if p.Current != version {
		if err := k.o.Policy.Withdrawal(version); err != nil {
			return err
		}
	}
	if p.Current == "" || p.Current == version {
		// Nothing to fall back to, or nothing to decide.
		return promote(ctx, version)
	}
	k.enter(PhaseTrying)
	began := 0
	k.remember(func(m *memory) {
		if m.Trials == nil {
			m.Trials = map[string]int{}
		}
		m.Trials[in.ManifestSHA256]++
		began = m.Trials[in.ManifestSHA256]
	})
	forget := func() { k.remember(func(m *memory) { delete(m.Trials, in.ManifestSHA256) }) }
	if began > maxTrials {
		forget()
		return k.reject(ctx, version, fmt.Errorf("%d proof boots ended with the program", maxTrials))
	}
	err = k.boots(ctx, in)
	if verdict(err) && ctx.Err() == nil {
		err = k.control(ctx, in, err)
	}
	forget() // also when ctx ended it: that was not the boot
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		return promote(ctx, version)
	case !verdict(err):
		return fmt.Errorf("try version %s: %w", version, err)
	}
	return k.reject(ctx, version, err)
}

// control decides about a version that did not boot: does the current one boot,
// so that it is not this computer, and does this one fail again, so that it was
// not the moment? What is no verdict then is an error without one.
func (v *versions) control(ctx context.Context, in *pack.Installed, failed error) error {
	if old, err := v.current(); err == nil && old != nil && v.boots(ctx, old) != nil {
		return fmt.Errorf("nothing boots here at present: %w", withoutVerdict{failed})
	}
	return v.boots(ctx, in)
}

// BootError says that a version was started and did not come up.
type BootError struct{ Err error }

func (e *BootError) Error() string { return "does not come up: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *BootError) Unwrap() error { return e.Err }

// verdict reports errors that say something about a version, and not only that
// nothing was found out.
func verdict(err error) bool {
	var none withoutVerdict
	var proof *qemu.ProofError
	var boot *BootError
	return !errors.As(err, &none) && (errors.As(err, &proof) || errors.As(err, &boot))
}

// withoutVerdict takes its meaning from an error, and leaves its evidence.
type withoutVerdict struct{ error }

func (e withoutVerdict) Unwrap() error { return e.error }

// boots checks what would run and boots it.
func (v *versions) boots(ctx context.Context, in *pack.Installed) error {
	if err := in.Verify(ctx, pack.LevelQuick); err != nil {
		return err
	}
	return v.o.Prove(ctx, in)
}

// reject holds a failed boot against a candidate.
func (k *Updater) reject(ctx context.Context, version string, because error) error {
	if _, err := k.runtime.Fail(ctx, version, pack.WhyBoot); err != nil {
		return errors.Join(because, err)
	}
	k.o.Log.Warn("a new version of the runtime did not boot", "version", version, "error", because)
	return problem.New(problem.CodeUpdateNotBooting).With("version", version).Because(because)
}

// Heal is called when the runtime in use does not boot any more. Where it fails
// twice and the previous version, tried in between, still boots, the one in use is failed and the previous one is
// back. Where neither does, or where there is none, nothing is changed. Heal
// reports whether it is worth to look again: also when the one in use boots after
// all, because it was the moment.
func (k *Updater) Heal(ctx context.Context) (bool, error) {
	ctx, give, err := k.take(ctx)
	if err != nil {
		return false, err
	}
	defer give()
	p, err := k.o.Runtime.Pointer()
	if err != nil || p.Current == "" || p.Previous == "" {
		return false, err
	}
	now, err := k.current()
	if err != nil {
		return false, nil // it is damaged, which is for Repair
	}
	if err = k.boots(ctx, now); !verdict(err) {
		return err == nil, ctx.Err()
	}
	old, err := k.o.Runtime.Open(p.Previous, k.o.Keys(), k.o.Policy)
	if err == nil {
		err = k.o.Policy.Withdrawal(p.Previous)
	}
	if err == nil {
		err = k.boots(ctx, old)
	}
	if err != nil {
		k.o.Log.Info("the previous version of the runtime is of no use either", "version", p.Previous, "error", err)
		return false, ctx.Err()
	}
	// It may have been the moment: nothing is held against a version for one boot.
	if err = k.boots(ctx, now); !verdict(err) {
		return err == nil, ctx.Err()
	}
	after, err := k.runtime.Fail(ctx, p.Current, pack.WhyUnhealthy)
	if err == nil && after.Current != p.Previous {
		err = fmt.Errorf("version %s is in use instead of %s, which boots", after.Current, p.Previous)
	}
	if err != nil {
		return false, err
	}
	k.o.Log.Warn("the runtime stopped booting, the previous version is back", "failed", p.Current, "version", p.Previous)
	news := problem.New(problem.CodeRolledBack).With("version", p.Previous).With("failed", p.Current)
	k.remember(func(m *memory) { m.Phase, m.Problem = PhaseFailed, news })
	k.rest(news)
	k.o.OnChange()
	return true, nil
}

// collect removes versions that nothing needs any more. What is in use now goes
// another time.
func (v *versions) collect(ctx context.Context) {
	gone, err := v.runtime.Collect(ctx)
	if err == nil {
		var more []string
		more, err = v.collectAddOns(ctx)
		gone = append(gone, more...)
	}
	if err != nil && ctx.Err() == nil {
		v.o.Log.Warn("unused versions could not be removed", "error", err)
	}
	if len(gone) > 0 {
		v.o.Log.Info("unused versions were removed", "versions", gone)
	}
}
