package health

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/setup"
	"piwork/pack"
	"piwork/vmhost"
	"piwork/vmhost/vm"
)

// Suspect is told why a task's machine did not come up. Whether it is the
// runtime is found out: the next check boots it anew, and, once for each version,
// so does upkeep when no task is at work, which takes it back where the one before
// comes up. One that is damaged is for a repair.
func (h *Health) Suspect(m setup.Machine, because error) {
	if h.Damaged(m, because) {
		return
	}
	h.setup.Doubt(m.Pack.Image.ID)
	h.Changed()
	version := m.Pack.State.Version
	h.mu.Lock()
	known := h.suspected[version] || h.o.Registry.Base().Err() != nil || h.o.Fixed
	h.suspected[version] = true
	h.mu.Unlock()
	if known {
		return
	}
	base := h.o.Registry.Base()
	h.o.Registry.Go(func() {
		if h.o.Registry.UntilIdle(base) != nil {
			return
		}
		if _, err := h.runtime.Heal(base); err != nil && base.Err() == nil {
			h.o.Log.Error("a runtime that did not come up could not be looked at", "version", version, "error", err)
		}
	})
}

// Damaged reports whether a machine failed because an image is not what was
// signed. Then the next checks read all of it, until it is sound again: what a
// guest checks by itself they leave out otherwise.
func (h *Health) Damaged(m setup.Machine, err error) bool {
	if !imageDamaged(err) {
		return false
	}
	h.mu.Lock()
	h.unsound[m.Pack.Image.ID] = true
	h.mu.Unlock()
	h.Changed()
	return true
}

func imageDamaged(err error) bool {
	var failed *vmhost.FailedError
	return errors.As(err, &failed) && failed.Reason == vmhost.ReasonDamaged
}

// verifier checks a pack, and all of it while a guest found it damaged.
func (h *Health) verifier(p runtimepack.Current) func(ctx context.Context, full bool) error {
	return func(ctx context.Context, full bool) error {
		h.mu.Lock()
		unsound := h.unsound[p.Image.ID]
		h.mu.Unlock()
		err := p.Verify(ctx, full || unsound)
		if err == nil && unsound {
			h.mu.Lock()
			delete(h.unsound, p.Image.ID)
			h.mu.Unlock()
		}
		return err
	}
}

// Reverify checks what a machine is about to be started from. The wall clock says
// how old the last check is: a computer that slept did not look meanwhile.
//
// A restored machine runs nothing of the pack but QEMU, beside images that its
// guest checks block by block; the kernel and the first programs are in the saved
// memory, which is the program's own. It must not boot after all without a check of
// the rest: vm.Config.beforeBoot.
func (h *Health) Reverify(ctx context.Context, m setup.Machine, restored bool) error {
	h.mu.Lock()
	p := h.inUse
	unsound := h.unsound[m.Pack.Image.ID]
	h.mu.Unlock()
	var err error
	if restored && !unsound && p.VerifyRestore != nil && p.Image.ID == m.Pack.Image.ID {
		if err = p.VerifyRestore(ctx); err != nil && ctx.Err() == nil {
			err = problem.Installed(err)
		}
	} else {
		err = m.Reverify(ctx, h.o.Now().Round(0))
	}
	if err != nil && ctx.Err() == nil {
		h.Changed()
	}
	return err
}

// packForSetup shows setup the pack that tasks run on.
func (h *Health) packForSetup(ctx context.Context) (setup.Pack, error) {
	p, err := h.runtime.Current(ctx)
	if errors.Is(err, runtimepack.ErrNoPack) {
		return setup.Pack{}, setup.ErrNoPack
	}
	if err != nil {
		return setup.Pack{}, err
	}
	h.mu.Lock()
	h.inUse = p
	h.mu.Unlock()
	return setup.Pack{
		State: setup.PackState{
			Version: p.Info.Version, Developer: p.Info.Developer, Dir: p.Info.Dir,
			Flavour: string(p.Info.Flavour), Missing: p.Info.Flavour.Abilities().Missing(),
		},
		Image:  p.Image,
		Verify: h.verifier(p),
		Lease:  p.Lease,
	}, nil
}

// trialDir is where a new version's first machine lives, among those of tasks.
const trialDir = "trial"

// Prove boots a version with the accelerator that tasks use: the kernel, as
// every check does, and then a whole machine up to its agent's greeting, which a
// task would have.
func (h *Health) Prove(ctx context.Context, in *pack.Installed) (err error) {
	image, err := runtimepack.ImageOf(in)
	if err != nil {
		return err
	}
	proof, err := h.o.Setup.Prove(ctx, image, h.setup.Accel(), true)
	if err != nil {
		return err
	}
	runDir, err := h.o.RunDirs.New()
	if err != nil {
		return err
	}
	rt, err := h.fleet.Boot(vm.Config{
		Hardware: vm.Hardware{Image: image, Accel: proof.Accel, CPU: proof.CPU, BootTime: proof.Ready, PackVersion: in.Manifest.Version},
		RunDir:   runDir, Dir: filepath.Join(h.o.Machines, trialDir),
		Env: vmhost.ExecutionEnv{OS: "linux", Sandbox: "vm", Network: vmhost.NetworkDeny},
	})
	if err != nil {
		return fmt.Errorf("make the runtime: %w", err)
	}
	err = rt.Connect(ctx)
	if err != nil && ctx.Err() == nil && !imageDamaged(err) { // a damaged version is for a repair
		err = &updater.BootError{Err: err}
	}
	end, cancel := context.WithTimeout(h.o.Registry.Grace(), h.o.CloseWithin)
	defer cancel()
	if cerr := rt.Close(end); cerr != nil {
		h.o.Log.Warn("a trial machine did not end well", "version", in.Manifest.Version, "error", cerr)
	}
	return err
}
