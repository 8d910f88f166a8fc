//go:build vm || long

// Command guest is the first process of the guests in the tests of
// vmhost/vm/suites. It does what it is told over a port, one JSON value for each
// request and each answer, and runs programs: its own, which attack the share,
// and those of the suites in the root file system that the machine has.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/agent"
	"piwork/pack/guest/boot"
	"piwork/pack/guest/execution"
	"piwork/pack/guest/machine"
	"piwork/pack/guest/port"
	"piwork/vmhost/vm/suites/order"
	"piwork/vmhost/wire"
)

// parts are what this program does when it is not the first process.
var parts = map[string]func(args []string) int{
	"raw":      attackRaw,
	"race":     race,
	"exercise": exercise,
	"client":   client,
	"crowd":    crowd,
	"load":     load,
	"decode":   decode,
	"mounts":   mounts,
}

func main() {
	if os.Getpid() != 1 {
		do := parts[os.Args[1]]
		os.Exit(do(os.Args[2:])) //nolint:forbidigo // this is main
	}
	g := &guest{}
	fmt.Fprintln(os.Stdout, "the guest ends:", g.serve())
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// Places of the first process. A root file system, when there is one, is
// mounted below; programs of the suites see it as /.
const (
	newRoot = "/new"
	folders = newRoot + wire.FoldersDir
)

type guest struct{ children execution.Children }

func (g *guest) serve() error {
	if err := settle(); err != nil {
		return err
	}
	go g.children.ReapOrphans(context.Background()) //nolint:errcheck // it ends with the machine
	device, err := await(order.Port)
	if err != nil {
		return err
	}
	conn, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	in, out := json.NewDecoder(conn), json.NewEncoder(conn)
	for {
		var o order.Order
		if err := in.Decode(&o); err != nil {
			return err
		}
		r, err := g.do(o)
		if err != nil {
			r.Error = err.Error()
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
}

func (g *guest) do(o order.Order) (order.Result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), o.Limit)
	defer cancel()
	switch o.Do {
	case order.Run:
		return g.run(ctx, o)
	case order.MountFS:
		return order.Result{}, agent.MountDevice(ctx, wire.MountParams{Kind: wire.KindVirtioFS, Export: o.Tag, Path: folders})
	case order.MountV9:
		return order.Result{}, agent.MountDevice(ctx, wire.MountParams{Kind: wire.KindVirtio9P, Export: o.Tag, Path: folders})
	case order.Clock:
		return order.Result{}, machine.SetClock(o.Time)
	case order.Unmount:
		return order.Result{}, unix.Unmount(folders, 0)
	}
	return order.Result{}, fmt.Errorf("what is %q?", o.Do)
}

// mounts says what is mounted, and how.
func mounts([]string) int {
	b, err := os.ReadFile("/proc/mounts")
	if err == nil {
		_, err = os.Stdout.Write(b)
	}
	if err != nil {
		return 1
	}
	return 0
}

// await waits for a port.
func await(name string) (string, error) {
	for range 1500 {
		device, err := port.Find(name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return device, err
		}
		<-time.After(20 * time.Millisecond)
	}
	return "", fmt.Errorf("there is no port %s", name)
}

// settle mounts what programs need.
func settle() error {
	type mount struct{ dir, kind, from, options string }
	all := []mount{{"/dev", "devtmpfs", "", ""}, {"/proc", "proc", "", ""}, {"/sys", "sysfs", "", ""}}
	for _, m := range all {
		if err := mounted(m.dir, m.kind, m.kind, ""); err != nil {
			return err
		}
	}
	boot.LoadAllModules(&boot.Log{Print: func(line string) { fmt.Fprintln(os.Stdout, line) }})
	if err := os.MkdirAll(folders, 0o755); err != nil {
		return err
	}
	if _, err := os.Stat("/dev/vda"); err != nil {
		return nil // without a root file system
	}
	for _, m := range []mount{
		{"", "erofs", "/dev/vda", ""}, {"/work", "ext4", "/dev/vdb", ""}, {"/dev", "devtmpfs", "", ""}, {"/proc", "proc", "", ""}, {"/sys", "sysfs", "", ""},
		{"/run", "tmpfs", "", "mode=0755"}, {"/dev/shm", "tmpfs", "", "mode=1777"}, {"/dev/pts", "devpts", "", ""}, {"/home", "tmpfs", "", "mode=0777"},
		{"/var/tmp", "tmpfs", "", "mode=1777"},
	} {
		if err := mounted(newRoot+m.dir, m.kind, m.from, m.options); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/work/tmp", "/work/local", "/run/suites"} {
		if err := os.MkdirAll(newRoot+dir, 0o777); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Chown(newRoot+"/work/local", order.User, order.User), os.Chmod(newRoot+"/work/tmp", 0o1777)); err != nil {
		return err
	}
	if err := unix.Mount(newRoot+"/work/tmp", newRoot+"/tmp", "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount /tmp: %w", err)
	}
	if err := loopback(); err != nil {
		return fmt.Errorf("the network of the machine itself: %w", err)
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"} {
		if err := os.Symlink(to, newRoot+"/dev/"+name); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return copyPrograms()
}

// loopback is for programs that talk to themselves.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

func mounted(dir, kind, from, options string) error {
	from = cmp.Or(from, kind)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	err := unix.Mount(from, dir, kind, 0, options)
	if kind == "erofs" {
		err = unix.Mount(from, dir, kind, unix.MS_RDONLY, options)
	}
	if err != nil && !errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("mount %s: %w", dir, err)
	}
	return nil
}

// copyPrograms puts what came with the first process where the programs of the
// suites see it.
func copyPrograms() error {
	list, err := filepath.Glob("/files/*")
	for _, from := range append(list, "/init") {
		b, rerr := os.ReadFile(from)
		if err = errors.Join(err, rerr); err == nil {
			err = os.WriteFile(filepath.Join(newRoot, order.Programs, filepath.Base(from)), b, 0o755)
		}
	}
	return err
}
