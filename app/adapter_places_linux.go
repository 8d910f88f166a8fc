package app

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"piwork/app/problem"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/container"
	"piwork/vmhost/sandbox"
	"piwork/vmhost/sandbox/tree"
	"piwork/vmhost/wire"
)

// treesDir in the cache directory has the unpacked root images of runtime packs.
const treesDir = "trees"

// unusedTree is how long the tree of another pack than that of the task stays after it was
// used last: longer than a task that works in it.
const unusedTree = 14 * 24 * time.Hour

// realPlaces are those that this system can have, the strongest first. A sandbox has user
// namespaces in every case. A container has them only where the engine runs without root,
// and where it does not, a fault of the engine gives the rights of root.
func realPlaces(o Options, proofs runtimes.Proofs) []placeSeam {
	return []placeSeam{
		treePlace(o, proofs, sandbox.Capabilities(), bubblewrap, newSandbox),
		treePlace(o, proofs, container.Capabilities(), container.Engine, newContainer),
	}
}

// bubblewrap is the path of the program; a sandbox says best why there is none.
func bubblewrap(context.Context) (string, error) {
	program, err := exec.LookPath(sandbox.Program)
	if err != nil {
		return "none", nil
	}
	return program, nil
}

func newSandbox(o Options, c tasks.PlaceConfig, root, agent string) (vmhost.Runtime, error) {
	var serve func(context.Context, *os.File) error
	if c.ServeFUSE != nil { // in the sandbox's user namespace the person is its root
		serve = func(ctx context.Context, device *os.File) error { return c.ServeFUSE(ctx, device, 0) }
	}
	return sandbox.New(sandbox.Config{
		Dir: c.Dir, Root: root, Agent: agent, AppVersion: o.Version, PackVersion: c.Pack.State.Version, Env: c.Env,
		Folders: c.Folders, ServeFUSE: serve, State: c.State, OnStatus: c.OnStatus, Log: o.Log,
	})
}

func newContainer(o Options, c tasks.PlaceConfig, root, agent string) (vmhost.Runtime, error) {
	return container.New(container.Config{
		Dir: c.Dir, Root: root, Agent: agent, Digest: c.Pack.Image.ID, Owner: o.DataDir, AppVersion: o.Version, PackVersion: c.Pack.State.Version,
		Env: c.Env, Folders: c.Folders, ServeFUSE: c.ServeFUSE, State: c.State, OnStatus: c.OnStatus, Log: o.Log,
	})
}

// treePlace is a kind over the unpacked runtime pack. by is what runs it on this computer.
func treePlace(
	o Options, proofs runtimes.Proofs, caps vmhost.Capabilities, by func(context.Context) (string, error),
	build func(o Options, c tasks.PlaceConfig, root, agent string) (vmhost.Runtime, error),
) placeSeam {
	p := treeMaker{o, caps.Name, build}
	return placeSeam{
		name: caps.Name, make: p.make,
		kind: func(b placeBase) runtimes.Kind {
			proven := &runtimes.Proven{
				Standing: runtimes.Standing{
					Capabilities: caps, Folders: true, Work: []task.Kind{task.KindChore, task.KindExec, task.KindTool},
				},
				Proofs: proofs, Log: b.log,
				Key: func(ctx context.Context) (string, error) {
					m, err := b.files(ctx)
					if err != nil {
						return "", err
					}
					program, err := by(ctx)
					return m.Pack.Image.ID + " " + program, err
				},
				Prove: func(ctx context.Context) error { return p.prove(ctx, b) },
			}
			return proven.Kind()
		},
	}
}

type treeMaker struct {
	o     Options
	kind  string
	build func(o Options, c tasks.PlaceConfig, root, agent string) (vmhost.Runtime, error)
}

// make makes a place. What was taken out of a pack was checked before, all of it: in a
// machine the guest checks its root block by block.
func (p treeMaker) make(ctx context.Context, c tasks.PlaceConfig) (vmhost.Runtime, error) {
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
	return p.build(p.o, c, root, agent)
}

// prove runs a program in a place.
func (p treeMaker) prove(ctx context.Context, b placeBase) error {
	m, err := b.files(ctx)
	if err != nil {
		return err
	}
	dir, err := b.runs.New()
	if err != nil {
		return err
	}
	rt, err := p.make(ctx, tasks.PlaceConfig{Dir: dir, Pack: m.Pack, Env: vmhost.ExecutionEnv{OS: "linux", Sandbox: p.kind}})
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
