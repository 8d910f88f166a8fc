// Command shareguest is the init of the guest in which ./scripts/bench share
// measures folders: it mounts them and does the work of package sharework, one
// line for each order and each answer.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/port"
	"piwork/scripts/lib/bench/sharework"
)

func main() {
	err := serve()
	fmt.Fprintln(os.Stderr, "shareguest:", err)
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// programLimit bounds a program: the host gives up before that.
const programLimit = 10 * time.Minute

// root is what programs see as their root, with the folders below mounts in it.
const (
	root   = "/root"
	mounts = root + "/m"
)

func serve() error {
	if err := prepare(); err != nil {
		return err
	}
	orders, err := openPort(sharework.PortOrders)
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(orders); lines.Scan(); {
		var o sharework.Order
		a := sharework.Answer{}
		err := json.Unmarshal(lines.Bytes(), &o)
		if err == nil {
			a.Took, a.Text, err = do(o)
		}
		if err != nil {
			a.Error = fmt.Sprintf("%+v: %v", o, err)
		}
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := orders.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return io.EOF
}

// prepare mounts what the kernel has, the pack's programs, and room over them.
func prepare() error {
	for _, m := range []struct{ dir, kind, options string }{
		{"/dev", "devtmpfs", ""}, {"/proc", "proc", ""}, {"/sys", "sysfs", ""},
		{"/image", "", ""}, {"/room", "tmpfs", ""}, {root, "", ""},
	} {
		if err := os.MkdirAll(m.dir, 0o755); err != nil {
			return err
		}
		if m.kind == "" {
			continue
		}
		if err := unix.Mount(m.kind, m.dir, m.kind, 0, m.options); err != nil && !errors.Is(err, unix.EBUSY) {
			return fmt.Errorf("mount %s: %w", m.dir, err)
		}
	}
	if err := errors.Join(os.Mkdir("/room/upper", 0o755), os.Mkdir("/room/work", 0o755)); err != nil {
		return err
	}
	if err := unix.Mount(sharework.RootDisk, "/image", "erofs", unix.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("mount the programs: %w", err)
	}
	if err := unix.Mount("overlay", root, "overlay", 0, "lowerdir=/image,upperdir=/room/upper,workdir=/room/work"); err != nil {
		return fmt.Errorf("mount room over the programs: %w", err)
	}
	for _, dir := range []string{"/dev", "/proc"} {
		if err := os.MkdirAll(root+dir, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(dir, root+dir, "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	return os.MkdirAll(root+"/tmp", 0o777)
}

// do carries an order out.
func do(o sharework.Order) (time.Duration, string, error) {
	if work := sharework.Works[o.Do]; work != nil {
		if err := forget(); err != nil {
			return 0, "", err
		}
		took, err := work(o)
		return took, "", err
	}
	switch o.Do {
	case "mount":
		return 0, "", mount(o.Dir, o.Argv)
	case "copy":
		b, err := os.ReadFile(o.Dir)
		if err == nil {
			err = os.WriteFile(o.Argv[0], b, 0o644)
		}
		return 0, "", err
	case "run":
		if err := forget(); err != nil {
			return 0, "", err
		}
		return run(o)
	}
	return 0, "", errors.New("an unknown order")
}

// forget drops what the kernel has cached.
func forget() error {
	unix.Sync()
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0)
}

// mount is mount(2) of a source, a type and options.
func mount(dir string, a []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	began := time.Now()
	for {
		err := unix.Mount(a[0], dir, a[1], unix.MS_NOSUID|unix.MS_NODEV, a[2])
		if err == nil || time.Since(began) > 20*time.Second {
			return err
		}
		<-time.After(5 * time.Millisecond) // the device is just being found
	}
}

// run runs a program of the pack.
func run(o sharework.Order) (time.Duration, string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), programLimit)
	defer cancel()
	c := exec.CommandContext(ctx, o.Argv[0], o.Argv[1:]...)
	c.Dir = strings.TrimPrefix(o.Dir, root)
	c.Env = []string{"PATH=/usr/bin:/bin", "HOME=/tmp", "LC_ALL=C.UTF-8", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}
	c.SysProcAttr = &unix.SysProcAttr{Chroot: root}
	began := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return took, string(out), err
}

// openPort waits for a port.
func openPort(name string) (*os.File, error) {
	var device string
	var err error
	for range 500 {
		if device, err = port.Find(name); err == nil {
			return os.OpenFile(device, os.O_RDWR, 0)
		}
		<-time.After(10 * time.Millisecond)
	}
	return nil, err
}
