package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"piwork/app/folders"
	"piwork/app/problem"
	"piwork/app/runtimes"
	"piwork/app/setup"
	"piwork/app/tasks"
	"piwork/app/upkeep"
	"piwork/vmhost"
	"piwork/vmhost/container"
	"piwork/vmhost/host"
	"piwork/vmhost/host/relocate"
	"piwork/vmhost/sandbox"
	"piwork/vmhost/sandbox/tree"
)

const treesDir, environmentsDir = upkeep.TreesDir, upkeep.EnvironmentsDir

// realPlaces are those that this system can have, the strongest first. A sandbox has user
// namespaces in every case. A container has them only where the engine runs without root,
// and where it does not, a fault of the engine gives the rights of root.
func realPlaces(o Options, proofs runtimes.Proofs) []placeSeam {
	groups := sandbox.FindGroups()
	return []placeSeam{
		treePlace(o, proofs, func() vmhost.Capabilities { return sandbox.Capabilities(groups) }, groups.Find, newSandbox(groups)),
		treePlace(o, proofs, container.Capabilities, container.Find, newContainer),
		hostPlace(o, proofs),
	}
}

// hostPlace is this computer itself, over an environment that is made of the pack: a tree in
// which every file knows where it is.
func hostPlace(o Options, proofs runtimes.Proofs) placeSeam {
	p := treeMaker{o: o, kind: vmhost.KindHost, build: newHost, dir: environmentsDir, change: []tree.Change{relocate.System{}}, name: environmentName}
	return p.place(proofs, host.Capabilities, func(context.Context) (string, *vmhost.Engine, error) { return relocate.Version, nil, nil })
}

// environmentName is that of the environment of a pack: short, since it is in the first line
// of scripts, and another one when other files are made of the same pack.
func environmentName(image string) string {
	sum := sha256.Sum256([]byte(image + " " + relocate.Version))
	return hex.EncodeToString(sum[:8])
}

func newHost(o Options, c tasks.PlaceConfig, root, agent string) (vmhost.Runtime, error) {
	var serve func(context.Context, *os.File) error
	if c.ServeFUSE != nil {
		serve = func(ctx context.Context, device *os.File) error { return c.ServeFUSE(ctx, device, os.Getuid()) }
	}
	return host.New(host.Config{
		Dir: c.Dir, Root: root, Agent: agent, AppVersion: o.Version, PackVersion: c.Pack.State.Version, Env: c.Env,
		Folders: c.Folders, ServeFUSE: serve, State: c.State, OnStatus: c.OnStatus, Log: c.Log,
	})
}

func newSandbox(groups *sandbox.Groups) treeBuilder {
	return func(o Options, c tasks.PlaceConfig, root, agent string) (vmhost.Runtime, error) {
		var serve func(context.Context, *os.File) error
		if c.ServeFUSE != nil { // in the sandbox's user namespace the person is its root
			serve = func(ctx context.Context, device *os.File) error { return c.ServeFUSE(ctx, device, 0) }
		}
		door, err := c.OpenDoor()
		if err != nil {
			return nil, err
		}
		return sandbox.New(sandbox.Config{
			Door: door, Dir: c.Dir, Root: root, Agent: agent, AppVersion: o.Version, PackVersion: c.Pack.State.Version, Env: c.Env, Groups: groups,
			Folders: c.Folders, ServeFUSE: serve, State: c.State, OnStatus: c.OnStatus, Log: c.Log,
		})
	}
}

func newContainer(o Options, c tasks.PlaceConfig, root, agent string) (vmhost.Runtime, error) {
	door, err := c.OpenDoor()
	if err != nil {
		return nil, err
	}
	return container.New(container.Config{
		Door: door, Dir: c.Dir, Root: root, Agent: agent, Digest: c.Pack.Image.ID, Owner: o.DataDir, Imports: filepath.Join(o.CacheDir, "container-images.json"),
		AppVersion: o.Version, PackVersion: c.Pack.State.Version, Env: c.Env, Folders: c.Folders, ServeFUSE: c.ServeFUSE, Copy: c.Copy, State: c.State, OnStatus: c.OnStatus, Log: c.Log,
		Size: container.Size{MemoryMB: c.Size.MemoryMB, CPUs: float64(c.Size.CPUs), Must: c.Sized},
	})
}

// runner is what runs a kind on this computer: what tells it from another one, and what of it
// is shown.
type runner func(context.Context) (string, *vmhost.Engine, error)

// treeBuilder makes a place over a tree.
type treeBuilder func(o Options, c tasks.PlaceConfig, root, agent string) (vmhost.Runtime, error)

// treePlace is a kind over the unpacked runtime pack.
func treePlace(o Options, proofs runtimes.Proofs, caps func() vmhost.Capabilities, by runner, build treeBuilder) placeSeam {
	p := treeMaker{o: o, kind: caps().Name, build: build, dir: treesDir, name: func(image string) string { return image }}
	return p.place(proofs, caps, by)
}

func (p treeMaker) place(proofs runtimes.Proofs, caps func() vmhost.Capabilities, by runner) placeSeam {
	return placeSeam{
		name: p.kind, make: p.make,
		kind: func(b placeBase) runtimes.Kind {
			proven := &runtimes.Proven{
				Standing: runtimes.Standing{Capabilities: caps(), Folders: true, Work: runtimes.HostedWork(caps().Tools)},
				Limits:   func() vmhost.LimitSupport { return caps().Limits }, Proofs: proofs, Log: b.log,
				Key: func(ctx context.Context) (string, *vmhost.Engine, error) {
					m, err := b.files(ctx)
					if err != nil {
						return "", nil, err
					}
					program, engine, err := by(ctx)
					return m.Pack.Image.ID + " " + runtimes.SmallTaskVersion + " " + program, engine, err
				},
				Prove: func(ctx context.Context) error { return p.prove(ctx, b) },
			}
			if p.kind == vmhost.KindContainer { // the others are run by nothing but piwork
				proven.Meet = by
			}
			return proven.Kind()
		},
	}
}

type treeMaker struct {
	o      Options
	kind   string
	build  treeBuilder
	dir    string                    // in the cache directory, of its trees
	name   func(image string) string // of the tree of an image
	change []tree.Change
}

// make makes a place for a task.
func (p treeMaker) make(ctx context.Context, c tasks.PlaceConfig) (vmhost.Runtime, error) {
	return p.over(ctx, c, false)
}

// over makes a place. What was taken out of a pack was checked before, all of it: in a
// machine the guest checks its root block by block. What of the tree was touched since comes
// back; with deep all of the tree is compared.
func (p treeMaker) over(ctx context.Context, c tasks.PlaceConfig, deep bool) (vmhost.Runtime, error) {
	image, dir := c.Pack.Image, filepath.Join(p.o.CacheDir, p.dir)
	name, now := p.name(image.ID), time.Now()
	if err := tree.Used(ctx, dir, name, now); err != nil {
		return nil, err
	}
	agent, err := p.agent(ctx, c)
	if err != nil {
		return nil, err
	}
	root, err := tree.Ensure(ctx, dir, image.RootFS, name, p.change...) // the last: where it is, all is
	if err != nil {
		return nil, err
	}
	mended, err := tree.Check(ctx, dir, image.RootFS, name, deep, verified(c.Pack), p.change...)
	if err != nil {
		return nil, err
	}
	if len(mended) > 0 {
		p.o.Log.Warn("files of the runtime had changed on this computer and are as before again", "files", len(mended), "first", mended[0])
	}
	if err := tree.Prune(ctx, dir, name, now.Add(-upkeep.UnusedTree)); err != nil {
		return nil, err
	}
	return p.build(p.o, c, root, agent)
}

// agent takes it out of the pack, which is verified unless the tree was made of it.
func (p treeMaker) agent(ctx context.Context, c tasks.PlaceConfig) (string, error) {
	dir, name := filepath.Join(p.o.CacheDir, p.dir), p.name(c.Pack.Image.ID)
	if !tree.There(dir, name) {
		if err := verified(c.Pack)(ctx); err != nil {
			return "", err
		}
	}
	return tree.Agent(dir, c.Pack.Image.Initrd, name)
}

func verified(p setup.Pack) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := p.Verify(ctx, true); err != nil {
			return problem.Installed(err)
		}
		return nil
	}
}

// prove runs a program in a place, once all of the tree was compared with the pack.
func (p treeMaker) prove(ctx context.Context, b placeBase) error {
	m, err := b.files(ctx)
	if err != nil {
		return err
	}
	dir, err := b.runs.New()
	if err != nil {
		return err
	}
	none := folders.None(p.kind, p.o.Log)
	c := tasks.PlaceConfig{Kind: p.kind, Dir: dir, Pack: m.Pack, Env: vmhost.ExecutionEnv{OS: "linux", Sandbox: p.kind}, ServeFUSE: none.ServeFUSE, Copy: none.Copy, Log: p.o.Log}
	return runtimes.SmallTask(ctx, func() (vmhost.Runtime, error) { return p.over(ctx, c, true) })
}
