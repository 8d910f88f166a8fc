package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"piwork/app"
	"piwork/pack"
	"piwork/pack/trust"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share"
	"piwork/vmhost/share/ninep"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// machine is the installed pack and how to run it.
type machine struct {
	dir   string
	image qemu.Image
	accel qemu.Accel
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
	image, err := app.ImageOf(in)
	if err != nil {
		return machine{}, err
	}
	return machine{dir: in.Dir, image: image, accel: qemu.Accel(os.Getenv("PIWORK_ACCEL"))}, nil
}

// developerKeys trusts the key that ./scripts/pack signs with.
func developerKeys() (*trust.KeyRing, error) {
	return trust.Load(trust.Options{ConfigDir: app.Options{}.WithDefaults().ConfigDir, Developer: true})
}

// start measures the way from nothing to a machine that works on a folder.
func start(ctx context.Context, e env, runs int) ([]row, error) {
	m, err := prepare(ctx, e)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(e.dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, "hello.txt"), []byte("hello"), 0o644); err != nil {
		return nil, err
	}
	kernel, version, err := cloudKernel(ctx, e.cache)
	if err != nil {
		return nil, err
	}
	echoInit, err := echoInitramfs(ctx, e)
	if err != nil {
		return nil, err
	}
	cloud := plainSpec{image: m.image, accel: m.accel, kernel: kernel, initrd: echoInit}
	run := 0
	ours := func() (time.Duration, error) {
		run++
		return coldStart(ctx, m, folder, filepath.Join(e.dir, fmt.Sprint("vm", run)))
	}
	theirs := func() (time.Duration, error) {
		began := time.Now()
		p, err := bootPlain(ctx, cloud)
		if err != nil {
			return 0, err
		}
		defer p.end()
		answer, err := p.roundTrip(payload)
		if err == nil && answer != payload+"\n" {
			err = fmt.Errorf("the comparator answered %.200q", answer)
		}
		return time.Since(began), err
	}
	shown := cloud
	shown.kernel, shown.initrd = "VMLINUX", "ECHO.cpio"
	name := "first answer of an init that only echoes, under " + version + ": " + commandText(shown.args("SOCKET"), m.dir)
	r, err := compare(runs, "start/cold/ready", name, ours, theirs)
	return []row{r}, err
}

// coldStart boots a machine as a task does, until its folder is mounted.
func coldStart(ctx context.Context, m machine, folder, dir string) (time.Duration, error) {
	began := time.Now()
	set := share.NewSet(share.Options{})
	defer set.Close()
	f, err := set.Add(share.Folder{ID: "1", Path: folder, Name: "folder", ReadOnly: true}, nil)
	if err != nil {
		return 0, err
	}
	box, err := vm.New(vm.Config{
		Image: m.image, Accel: m.accel, Dir: dir,
		Env:     vmhost.ExecutionEnv{OS: "linux", ReadOnlyRoots: []string{folder}},
		Folders: []vmhost.FolderInView{{Path: wire.FoldersDir + "/" + f.Name, ReadOnly: true}},
		ServeFS: func(ctx context.Context, conn io.ReadWriteCloser) error {
			return ninep.Serve(ctx, conn, set, ninep.Options{})
		},
	})
	if err != nil {
		return 0, err
	}
	defer box.Close(context.WithoutCancel(ctx))
	if err := box.Connect(ctx); err != nil {
		return 0, err
	}
	took := time.Since(began)
	seen, err := box.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{ID: "check", Argv: []string{"cat", "hello.txt"}}})
	if err != nil {
		return 0, err
	}
	if string(seen.Exec.Stdout) != "hello" {
		return 0, fmt.Errorf("the folder was not there: exit %d, %q", seen.Exec.ExitCode, seen.Exec.Stderr)
	}
	return took, nil
}
