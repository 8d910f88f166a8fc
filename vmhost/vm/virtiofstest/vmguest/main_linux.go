//go:build vm

// Command vmguest is the first process of the guest in the test of
// vmhost/vm/virtiofstest: it does what it is told over a port, one
// line for each command and each answer.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	err := serve()
	fmt.Fprintln(os.Stdout, "the guest ends:", err)
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

func serve() error {
	for dir, fs := range map[string]string{"/dev": "devtmpfs", "/proc": "proc", "/sys": "sysfs", "/folders": ""} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(fs, dir, fs, 0, ""); fs != "" && err != nil && !errors.Is(err, unix.EBUSY) {
			return fmt.Errorf("mount %s: %w", dir, err)
		}
	}
	port, err := openPort()
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(port); lines.Scan(); {
		cmd, arg, _ := strings.Cut(lines.Text(), " ")
		out, err := do(cmd, arg)
		if err != nil {
			out = "error: " + err.Error()
		}
		if _, err := io.WriteString(port, strings.ReplaceAll(out, "\n", "; ")+"\n"); err != nil {
			return err
		}
	}
	return io.EOF
}

func openPort() (*os.File, error) {
	for range 300 {
		list, _ := filepath.Glob("/sys/class/virtio-ports/*/name")
		for _, name := range list {
			return os.OpenFile("/dev/"+filepath.Base(filepath.Dir(name)), os.O_RDWR, 0)
		}
		<-time.After(20 * time.Millisecond)
	}
	return nil, errors.New("there is no port")
}

func do(cmd, arg string) (string, error) {
	switch cmd {
	case "ping":
		return "pong", nil
	case "mount":
		return mount()
	case "umount":
		return "", unix.Unmount("/folders", 0)
	case "cat":
		b, err := os.ReadFile(arg)
		return string(b), err
	case "stat":
		info, err := os.Lstat(arg)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(info.Size()), nil
	case "basics":
		return basics(arg)
	case "speed":
		return speed(arg)
	}
	return "", fmt.Errorf("command %q", cmd)
}

// mount waits for the device that was plugged.
func mount() (string, error) {
	began := time.Now()
	for {
		err := unix.Mount("folders", "/folders", "virtiofs", unix.MS_NOSUID|unix.MS_NODEV, "")
		if err == nil {
			return fmt.Sprint(time.Since(began).Round(time.Millisecond)), nil
		}
		if time.Since(began) > 20*time.Second {
			return "", err
		}
		<-time.After(5 * time.Millisecond)
	}
}

// basics tries what programs do with files in a folder, and returns what went
// wrong.
func basics(dir string) (string, error) {
	var all []error
	for name, check := range checks {
		if err := check(filepath.Join(dir, "f")); err != nil {
			all = append(all, fmt.Errorf("%s: %w", name, err))
		}
		_ = os.RemoveAll(filepath.Join(dir, "f"))
	}
	return fmt.Sprintf("%d checks", len(checks)), errors.Join(all...)
}

// speed measures a few things, for the log.
func speed(dir string) (string, error) {
	buf := make([]byte, 1<<20)
	var out []string
	var failed error
	timed := func(what string, do func() error) {
		began := time.Now()
		failed = errors.Join(failed, do())
		out = append(out, fmt.Sprintf("%s %v", what, time.Since(began).Round(time.Millisecond)))
	}
	name := filepath.Join(dir, "big")
	timed("write 64 MiB", func() error {
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		for range 64 {
			if _, err := f.Write(buf); err != nil {
				return err
			}
		}
		return f.Close()
	})
	timed("read 64 MiB", func() error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		for range 64 {
			if _, err := io.ReadFull(f, buf); err != nil {
				return err
			}
		}
		return f.Close()
	})
	each := func(do func(name string) error) func() error {
		return func() error {
			for i := range 500 {
				if err := do(filepath.Join(dir, fmt.Sprint("small", i))); err != nil {
					return err
				}
			}
			return nil
		}
	}
	timed("create 500", each(func(n string) error { return os.WriteFile(n, []byte("x"), 0o644) }))
	timed("stat 500", each(func(n string) error { _, err := os.Lstat(n); return err }))
	timed("remove 500", each(os.Remove))
	return strings.Join(out, ", "), errors.Join(failed, os.Remove(name))
}
