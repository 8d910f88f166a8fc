// Command echoinit is an init that does nothing but send back what comes over
// the port piwork.rpc: what the port and the machine cost without the agent.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

func main() {
	err := run()
	fmt.Fprintln(os.Stderr, "echoinit:", err)
	unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF) //nolint:errcheck // nothing is left to do when it fails
}

func run() error {
	for _, m := range []string{"/proc", "/sys", "/dev"} {
		if err := os.MkdirAll(m, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil {
		return fmt.Errorf("mount /sys: %w", err)
	}
	if err := unix.Mount("devtmpfs", "/dev", "devtmpfs", 0, ""); err != nil && !errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("mount /dev: %w", err)
	}
	port, err := findPort("piwork.rpc")
	if err != nil {
		return err
	}
	return echo(port)
}

func findPort(want string) (string, error) {
	names, err := filepath.Glob("/sys/class/virtio-ports/*/name")
	if err != nil {
		return "", err
	}
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err == nil && strings.TrimSpace(string(b)) == want {
			return "/dev/" + filepath.Base(filepath.Dir(n)), nil
		}
	}
	return "", fmt.Errorf("no port %s among %q", want, names)
}

// echo sends back line by line. A read of nothing means that the host is not
// connected yet.
func echo(port string) error {
	fd, err := unix.Open(port, unix.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", port, err)
	}
	buf := make([]byte, 64<<10)
	have := 0
	for {
		n, err := unix.Read(fd, buf[have:])
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		have += n
		end := bytes.LastIndexByte(buf[:have], '\n') + 1
		for sent := 0; sent < end; {
			n, err := unix.Write(fd, buf[sent:end])
			if err != nil {
				return fmt.Errorf("write: %w", err)
			}
			sent += n
		}
		have = copy(buf, buf[end:have])
	}
}
