package app

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"piwork/app/runtimepack"
	"slices"

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

// working reports whether tasks are at work. One that waits for a person needs no
// processor.
func (c *Controller) working() bool { return c.atWork() != nil }

// atWork returns a task that is at work, nil without one.
func (c *Controller) atWork() *liveTask {
	c.mu.Lock()
	live := slices.Collect(maps.Values(c.live))
	c.mu.Unlock()
	i := slices.IndexFunc(live, func(l *liveTask) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.state != task.StateWaiting
	})
	if i < 0 {
		return nil
	}
	return live[i]
}

// untilIdle waits until no task is at work.
func (c *Controller) untilIdle(ctx context.Context) error {
	events, stop := c.events.Subscribe(math.MaxInt64) // of those to come
	defer stop()
	for l := c.atWork(); l != nil; l = c.atWork() {
		select {
		case <-l.done:
		case _, ok := <-events: // it may wait for a person now
			if !ok {
				events = nil // then its end is awaited
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return ctx.Err()
}
