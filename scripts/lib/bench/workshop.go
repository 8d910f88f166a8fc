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

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share"
	"piwork/vmhost/share/ninep"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// workshop starts machines of the pack as tasks do.
type workshop struct {
	m       machine
	dir     string
	folder  string
	factory *vm.Factory
	made    int
	log     *slog.Logger // of the machines; nil is the usual one

	change func(*vm.Config, *share.Set) error // of the next machine; may be nil
}

func newWorkshop(ctx context.Context, e env) (*workshop, error) {
	m, err := prepare(ctx, e)
	if err != nil {
		return nil, err
	}
	w := &workshop{m: m, dir: e.dir, folder: filepath.Join(e.dir, "folder")}
	if err := os.Mkdir(w.folder, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(w.folder, "hello.txt"), []byte("hello"), 0o644); err != nil {
		return nil, err
	}
	w.factory, err = vm.NewFactory(vm.FactoryOptions{
		Hardware: vm.Hardware{Image: m.image, Accel: m.accel, MemoryMB: plainMemoryMB}, Dir: filepath.Join(e.dir, "templates"),
	})
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(os.Stderr, "making a template")
	if err := w.factory.Ensure(ctx); err != nil {
		return nil, errors.Join(err, w.factory.Close())
	}
	return w, nil
}

func (w *workshop) close() error { return w.factory.Close() }

// room is a machine with a folder.
type room struct {
	*vm.VM
	set   *share.Set
	dir   string
	state string // what the guest has at wire.StateDir; "" is none
}

// way is how a machine begins, and how its folder reaches it.
type way struct{ restored, device bool }

// asTasks is how the machines of tasks do, on this system.
var asTasks = way{restored: true, device: qemu.CanPlugFolders(runtime.GOOS)}

// open starts a machine until its folder is mounted over the port: from the
// template, or by a boot. It returns how long that took.
func (w *workshop) open(ctx context.Context, restored bool) (*room, time.Duration, error) {
	return w.openAs(ctx, way{restored: restored})
}

// openAs is open in any way.
func (w *workshop) openAs(ctx context.Context, how way) (r *room, took time.Duration, err error) {
	w.made++
	r = &room{dir: filepath.Join(w.dir, fmt.Sprint("vm", w.made))}
	began := time.Now()
	r.set = share.NewSet(share.Options{})
	f, err := r.set.Add(share.Folder{ID: "1", Path: w.folder, Name: "folder", ReadOnly: true}, nil)
	if err != nil {
		return nil, 0, err
	}
	c := vm.Config{
		Hardware: vm.Hardware{Image: w.m.image, Accel: w.m.accel, MemoryMB: plainMemoryMB}, Dir: r.dir, Log: w.log,
		Env:     vmhost.ExecutionEnv{OS: "linux", ReadOnlyRoots: []string{w.folder}},
		Folders: []vmhost.FolderInView{{Path: wire.FoldersDir + "/" + f.Name, ReadOnly: true}},
		ServeFS: func(ctx context.Context, conn io.ReadWriteCloser) error {
			return ninep.Serve(ctx, conn, r.set, ninep.Options{})
		},
	}
	kind := vm.SharePort
	if how.device {
		kind = vm.ShareDevice
		c.ServeDevice = func(ctx context.Context, l net.Listener) error {
			return virtiofs.Serve(ctx, l, r.set, virtiofs.Options{})
		}
	}
	if w.change != nil {
		if err := w.change(&c, r.set); err != nil {
			return nil, 0, err
		}
	}
	if how.restored {
		r.VM, err = w.factory.New(c)
	} else {
		r.VM, err = vm.New(c)
	}
	if err != nil {
		return nil, 0, err
	}
	if err := r.Connect(ctx); err != nil {
		return nil, 0, errors.Join(err, r.end(ctx))
	}
	took = time.Since(began)
	if began := r.How(); how.restored != (began == vm.HowRestored) {
		return nil, 0, errors.Join(fmt.Errorf("the machine came up another way than was to be measured: %s", began), r.end(ctx))
	}
	if used, why := r.Share(); used != kind {
		return nil, 0, errors.Join(fmt.Errorf("the folder reached the machine another way than was to be measured: %s, %w", used, why), r.end(ctx))
	}
	return r, took, nil
}

// end ends the machine and removes its logs.
func (r *room) end(ctx context.Context) error {
	err := r.Close(context.WithoutCancel(ctx))
	r.set.Close()
	if r.state != "" {
		err = errors.Join(err, os.RemoveAll(r.state))
	}
	return errors.Join(err, os.RemoveAll(r.dir))
}

// run runs a program and returns its output.
func (r *room) run(ctx context.Context, argv ...string) (string, error) {
	return r.runIn(ctx, "", argv...)
}

// runIn runs it in a directory; "" is the folder.
func (r *room) runIn(ctx context.Context, cwd string, argv ...string) (string, error) {
	seen, err := r.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{ID: fmt.Sprint("x", time.Now().UnixNano()), Argv: argv, Cwd: cwd}})
	if err != nil {
		return "", err
	}
	if seen.Exec.ExitCode != 0 {
		return "", fmt.Errorf("%s: exit %d, %.500q", strings.Join(argv, " "), seen.Exec.ExitCode, seen.Exec.Stderr)
	}
	return string(seen.Exec.Stdout), nil
}

// ready measures the way to a machine with its folder, which must be there.
func (w *workshop) ready(ctx context.Context, how way) (time.Duration, error) {
	r, took, err := w.openAs(ctx, how)
	if err != nil {
		return 0, err
	}
	out, err := r.run(ctx, "cat", "hello.txt")
	if err == nil && out != "hello" {
		err = fmt.Errorf("the folder was not there: %q", out)
	}
	return took, errors.Join(err, r.end(ctx))
}
