package app

import (
	"context"
	"fmt"
	"path/filepath"
	"piwork/app/runtimepack"

	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/pack"
	"piwork/vmhost/vm"
)

// trialDir is where a new version's first machine lives, among those of tasks.
const trialDir = "trial"

// provePack boots a version with the accelerator that tasks use: the kernel, as
// every check does, and then a whole machine up to its agent's greeting, which a
// task would have.
func (c *Controller) provePack(ctx context.Context, in *pack.Installed) (err error) {
	image, err := runtimepack.ImageOf(in)
	if err != nil {
		return err
	}
	proof, err := c.s.prove(ctx, image, c.setup.Accel(), true)
	if err != nil {
		return err
	}
	runDir, err := c.runs.New()
	if err != nil {
		return err
	}
	rt, err := c.Boot(vm.Config{
		Image: image, Accel: proof.Accel, CPU: proof.CPU, BootTime: proof.Ready, RunDir: runDir, Dir: filepath.Join(c.o.DataDir, machineDir, trialDir),
		Env: environment(nil, task.NetworkOff), PackVersion: in.Manifest.Version,
	})
	if err != nil {
		return fmt.Errorf("make the runtime: %w", err)
	}
	err = rt.Connect(ctx)
	if err != nil && ctx.Err() == nil && !imageDamaged(err) { // a damaged version is for a repair
		err = &updater.BootError{Err: err}
	}
	end, cancel := c.graceful()
	defer cancel()
	if cerr := rt.Close(end); cerr != nil {
		c.log.Warn("a trial machine did not end well", "version", in.Manifest.Version, "error", cerr)
	}
	return err
}
