package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"piwork/app/runtimepack"
	"piwork/pack/spec"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share"
	"piwork/vmhost/share/ninep"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/vm"
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
func (b *B) prepare() machine {
	in := installPack(b.ctx, b.pack, filepath.Join(b.dir, "runtime"), developerKeys())
	return machine{
		dir: in.Dir, rootfs: must(in.Path(spec.RoleRootFS)), image: must(runtimepack.ImageOf(in)), accel: qemu.Accel(os.Getenv("PIWORK_ACCEL")),
	}
}

// workshop starts machines of the pack as tasks do.
type workshop struct {
	*B
	m       machine
	folder  string
	factory *vm.Factory
	made    int
	log     *slog.Logger // of the machines; nil is the usual one
}

// newWorkshop returns one with a template; its caller closes the factory.
func newWorkshop(b *B) *workshop {
	w := &workshop{B: b, m: b.prepare(), folder: filepath.Join(b.dir, "folder")}
	check(os.Mkdir(w.folder, 0o755))
	check(os.WriteFile(filepath.Join(w.folder, "hello.txt"), []byte("hello"), 0o644))
	w.factory = must(vm.NewFactory(vm.FactoryOptions{Hardware: w.hardware(), Dir: filepath.Join(b.dir, "templates")}))
	fmt.Fprintln(os.Stderr, "making a template")
	if err := w.factory.Ensure(b.ctx); err != nil {
		check(errors.Join(err, w.factory.Close()))
	}
	return w
}

func (w *workshop) hardware() vm.Hardware {
	return vm.Hardware{Image: w.m.image, Accel: w.m.accel, MemoryMB: plainMemoryMB}
}

// room is a machine with a folder.
type room struct {
	*vm.VM
	ctx  context.Context
	set  *share.Set
	dir  string
	took time.Duration // until its folder was mounted
}

// way is how a machine begins, and how its folder reaches it.
type way struct{ restored, device bool }

var (
	booted         = way{}
	restored       = way{restored: true}
	restoredDevice = way{restored: true, device: true}

	// asTasks is how the machines of tasks do, on this system.
	asTasks = way{restored: true, device: qemu.CanPlugFolders(runtime.GOOS)}
)

// open starts a machine until its folder is mounted; change may change it before.
func (w *workshop) open(how way, change ...func(*vm.Config, *share.Set)) *room {
	w.made++
	r := &room{ctx: w.ctx, dir: filepath.Join(w.dir, fmt.Sprint("vm", w.made)), set: share.NewSet(share.Options{})}
	began := time.Now()
	f := must(r.set.Add(share.Folder{ID: "1", Path: w.folder, Name: "folder", ReadOnly: true}, nil))
	c := vm.Config{
		Hardware: w.hardware(), Dir: r.dir, Log: w.log,
		Env:     vmhost.ExecutionEnv{OS: "linux", ReadOnlyRoots: []string{w.folder}},
		Folders: []vmhost.FolderInView{{Path: wire.FoldersDir + "/" + f.Name, ReadOnly: true}},
		ServeFS: func(ctx context.Context, conn io.ReadWriteCloser) error {
			return ninep.Serve(ctx, conn, r.set, ninep.Options{})
		},
	}
	kind := vm.Share9P
	if how.device {
		kind = vm.ShareVirtioFS
		c.ServeDevice = func(ctx context.Context, l net.Listener) error {
			return virtiofs.Serve(ctx, l, r.set, virtiofs.Options{})
		}
	}
	for _, f := range change {
		f(&c, r.set)
	}
	make := vm.New
	if how.restored {
		make = w.factory.New
	}
	r.VM = must(make(c))
	err := r.Connect(w.ctx)
	r.took = time.Since(began)
	used, why := r.Share()
	switch {
	case err != nil:
	case how.restored != (r.How() == vm.HowRestored):
		err = fmt.Errorf("the machine came up another way than was to be measured: %s", r.How())
	case used != kind:
		err = fmt.Errorf("the folder reached the machine another way than was to be measured: %s, %w", used, why)
	}
	if err != nil {
		check(errors.Join(err, r.end()))
	}
	return r
}

// with does something with a machine, and ends that.
func (w *workshop) with(how way, do func(*room), change ...func(*vm.Config, *share.Set)) {
	r := w.open(how, change...)
	defer w.end(r.end)
	do(r)
}

// end ends the machine and removes its logs.
func (r *room) end() error {
	err := r.Close(context.WithoutCancel(r.ctx))
	r.set.Close()
	return errors.Join(err, os.RemoveAll(r.dir))
}

// run runs a program in the folder and returns its output.
func (r *room) run(argv ...string) string { return r.runIn("", argv...) }

// runIn runs it in another directory.
func (r *room) runIn(cwd string, argv ...string) string {
	seen := must(r.Execute(r.ctx, vmhost.Action{Exec: &wire.ExecParams{ID: fmt.Sprint("x", time.Now().UnixNano()), Argv: argv, Cwd: cwd}}))
	if seen.Exec.ExitCode != 0 {
		failf("%s: exit %d, %.500q", strings.Join(argv, " "), seen.Exec.ExitCode, seen.Exec.Stderr)
	}
	return string(seen.Exec.Stdout)
}

// ready measures the way to a machine with its folder, which must be there.
func (w *workshop) ready(how way) (took time.Duration) {
	w.with(how, func(r *room) {
		if out := r.run("cat", "hello.txt"); out != "hello" {
			failf("the folder was not there: %q", out)
		}
		took = r.took
	})
	return took
}
