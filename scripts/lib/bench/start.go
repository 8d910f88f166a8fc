package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"piwork/app/runtimepack"
	"time"

	"piwork/app"
	"piwork/pack"
	"piwork/pack/trust"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// machine is the installed pack and how to run it.
type machine struct {
	dir    string
	rootfs string // file of the root file system
	image  qemu.Image
	accel  qemu.Accel
}

// prepare installs the pack into the bench's directory once.
func prepare(ctx context.Context, e env) (machine, error) {
	keys, err := developerKeys()
	if err != nil {
		return machine{}, err
	}
	store, err := pack.OpenStore(filepath.Join(e.dir, "runtime"))
	if err != nil {
		return machine{}, err
	}
	in, err := pack.Install(ctx, e.pack, store, keys, pack.InstallOptions{})
	if err != nil {
		return machine{}, err
	}
	image, err := runtimepack.ImageOf(in)
	if err != nil {
		return machine{}, err
	}
	rootfs, err := in.Path(pack.RoleRootFS)
	if err != nil {
		return machine{}, err
	}
	return machine{dir: in.Dir, rootfs: rootfs, image: image, accel: qemu.Accel(os.Getenv("PIWORK_ACCEL"))}, nil
}

// developerKeys trusts the key that ./scripts/pack signs with.
func developerKeys() (*trust.KeyRing, error) {
	return trust.Load(trust.Options{ConfigDir: app.Options{}.WithDefaults().ConfigDir, Developer: true})
}

// start measures the way from nothing to a machine that works on a folder.
func start(ctx context.Context, e env, runs int) (rows []row, err error) {
	kernel, version, err := cloudKernel(ctx, e.cache)
	if err != nil {
		return nil, err
	}
	echoInit, err := echoInitramfs(ctx, e)
	if err != nil {
		return nil, err
	}
	w, err := newWorkshop(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	cloud := plainSpec{image: w.m.image, accel: w.m.accel, kernel: kernel, initrd: echoInit}
	raw, err := w.rawRestore(ctx)
	if err != nil {
		return nil, err
	}
	shown := cloud
	shown.kernel, shown.initrd = "VMLINUX", "ECHO.cpio"
	booted := "first answer of an init that only echoes, under " + version + ": " + commandText(shown.args("SOCKET"), w.m.dir)
	restored := "first answer of the agent: " + commandText(raw.args("DIR"), w.m.dir)

	for _, c := range []struct {
		name, than   string
		ours, theirs side
	}{
		{"start/cold/ready", booted, func() (time.Duration, error) { return w.ready(ctx, way{}) }, func() (time.Duration, error) { return firstEcho(ctx, cloud) }},
		{"start/template-9p/ready", booted, func() (time.Duration, error) { return w.ready(ctx, way{restored: true}) }, func() (time.Duration, error) { return firstEcho(ctx, cloud) }},
		{"start/template-virtiofs/ready", booted, func() (time.Duration, error) { return w.ready(ctx, way{true, true}) }, func() (time.Duration, error) { return firstEcho(ctx, cloud) }},
		{"start/template-9p/around", restored, func() (time.Duration, error) { return w.ready(ctx, way{restored: true}) }, func() (time.Duration, error) { return raw.firstAnswer(ctx) }},
		{"start/node/eval", "the same in a machine that was booted", func() (time.Duration, error) { return w.node(ctx, true) }, func() (time.Duration, error) { return w.node(ctx, false) }},
	} {
		fmt.Fprintln(os.Stderr, c.name)
		r, err := compare(runs, c.name, c.than, c.ours, c.theirs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// firstEcho measures a plain boot to its first answer.
func firstEcho(ctx context.Context, s plainSpec) (time.Duration, error) {
	began := time.Now()
	p, err := bootPlain(ctx, s)
	if err != nil {
		return 0, err
	}
	defer p.end()
	answer, err := p.roundTrip(payload)
	took := time.Since(began)
	if err == nil && answer != payload+"\n" {
		err = fmt.Errorf("the comparator answered %.200q", answer)
	}
	return took, err
}

// node measures the first program of Node in a machine that is ready: Node's own
// start, in a directory of the machine. In a folder over 9p the way to the folder
// comes on top, in both machines.
func (w *workshop) node(ctx context.Context, restored bool) (time.Duration, error) {
	r, _, err := w.open(ctx, restored)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	_, err = r.runIn(ctx, wire.WorkDir, "node", "-e", "1")
	took := time.Since(began)
	return took, errors.Join(err, r.end(ctx))
}
