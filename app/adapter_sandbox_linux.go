package app

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"time"

	"piwork/app/problem"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/sandbox"
	"piwork/vmhost/sandbox/tree"
	"piwork/vmhost/wire"
)

// treesDir in the cache directory has the unpacked root images of runtime packs.
const treesDir = "trees"

// unusedTree is how long the tree of another pack than that of the task stays after it was
// used last: longer than a task that works in it.
const unusedTree = 14 * 24 * time.Hour

// realPlaces are those that this system can have, the strongest first.
func realPlaces(o Options, proofs runtimes.Proofs) []placeSeam {
	return []placeSeam{sandboxPlace(o, proofs)}
}

// sandboxPlace is bubblewrap over the unpacked runtime pack.
func sandboxPlace(o Options, proofs runtimes.Proofs) placeSeam {
	p := sandboxMaker{o}
	return placeSeam{
		name: vmhost.KindSandbox, make: p.make,
		kind: func(b placeBase) runtimes.Kind {
			proven := &runtimes.Proven{
				Standing: runtimes.Standing{
					Capabilities: sandbox.Capabilities(), Folders: true, Work: []task.Kind{task.KindChore, task.KindExec, task.KindTool},
				},
				Proofs: proofs, Log: b.log,
				Key: func(ctx context.Context) (string, error) {
					m, err := b.files(ctx)
					if err != nil {
						return "", err
					}
					program, err := exec.LookPath(sandbox.Program)
					if err != nil { // Connect says it better
						program = "none"
					}
					return m.Pack.Image.ID + " " + program, nil
				},
				Prove: func(ctx context.Context) error { return p.prove(ctx, b) },
			}
			return proven.Kind()
		},
	}
}

type sandboxMaker struct{ o Options }

// make makes a sandbox. What was taken out of a pack was checked before, all of it: in a
// machine the guest checks its root block by block.
func (p sandboxMaker) make(ctx context.Context, c tasks.PlaceConfig) (vmhost.Runtime, error) {
	image, dir := c.Pack.Image, filepath.Join(p.o.CacheDir, treesDir)
	if !tree.There(dir, image.ID) {
		if err := c.Pack.Verify(ctx, true); err != nil {
			return nil, problem.Installed(err)
		}
	}
	agent, err := tree.Agent(dir, image.Initrd, image.ID)
	if err != nil {
		return nil, err
	}
	root, err := tree.Ensure(ctx, dir, image.RootFS, image.ID) // the last: where it is, all is
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if err := errors.Join(tree.Used(dir, image.ID, now), tree.Prune(ctx, dir, image.ID, now.Add(-unusedTree))); err != nil {
		return nil, err
	}
	return sandbox.New(sandbox.Config{
		Dir: c.Dir, Root: root, Agent: agent, AppVersion: p.o.Version, PackVersion: c.Pack.State.Version, Env: c.Env,
		Folders: c.Folders, ServeFUSE: c.ServeFUSE, State: c.State, OnStatus: c.OnStatus, Log: p.o.Log,
	})
}

// prove runs a program in a sandbox.
func (p sandboxMaker) prove(ctx context.Context, b placeBase) error {
	m, err := b.files(ctx)
	if err != nil {
		return err
	}
	dir, err := b.runs.New()
	if err != nil {
		return err
	}
	rt, err := p.make(ctx, tasks.PlaceConfig{Dir: dir, Pack: m.Pack, Env: vmhost.ExecutionEnv{OS: "linux", Sandbox: vmhost.KindSandbox}})
	if err != nil {
		return err
	}
	defer rt.Close(context.WithoutCancel(ctx))
	if err := rt.Connect(ctx); err != nil {
		return err
	}
	obs, err := rt.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"true"}}})
	if err != nil {
		return err
	}
	if p := problem.FromEnd(*obs.Exec); p != nil {
		return p
	}
	return nil
}
