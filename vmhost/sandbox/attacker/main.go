//go:build linux

// Command attacker tries, in a sandbox of the tests, what a program must not succeed with.
// Its arguments are a try and its parameters; it prints what it got and ends with 0 when it
// succeeded, and with 1 and the reason when it did not.
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

var tries = map[string]func([]string) error{
	// dial NETWORK ADDRESS
	"dial": func(a []string) error {
		c, err := net.DialTimeout(a[0], a[1], 2*time.Second)
		if err == nil {
			c.Close()
		}
		return err
	},
	// send NETWORK ADDRESS a letter
	"send": func(a []string) error {
		c, err := net.DialTimeout(a[0], a[1], 2*time.Second)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Write([]byte("x"))
		return err
	},
	// converse NETWORK ADDRESS sends a letter and waits for one
	"converse": func(a []string) error {
		c, err := net.DialTimeout(a[0], a[1], 2*time.Second)
		if err != nil {
			return err
		}
		defer c.Close()
		if err := c.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
			return err
		}
		if _, err := c.Write([]byte("x")); err != nil {
			return err
		}
		_, err = c.Read(make([]byte, 1))
		return err
	},
	// ask URL as programs do that heed their environment
	"ask": func(a []string) error {
		r, err := (&http.Client{Timeout: 10 * time.Second}).Get(a[0])
		if err != nil {
			return err
		}
		defer r.Body.Close()
		if _, err := io.Copy(os.Stdout, r.Body); err != nil || r.StatusCode == http.StatusOK {
			return err
		}
		return errors.New(r.Status)
	},
	// trace PID
	"trace": func(a []string) error { return unix.PtraceAttach(number(a[0])) },
	// peek PID reads its memory.
	"peek": func(a []string) error {
		var b [1]byte
		local := []unix.Iovec{{Base: &b[0], Len: 1}}
		_, err := unix.ProcessVMReadv(number(a[0]), local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&b[0])), Len: 1}}, 0)
		return err
	},
	// kill PID
	"kill": func(a []string) error { return unix.Kill(number(a[0]), unix.SIGKILL) },
	// namespace of a user, in which one is root
	"namespace": func([]string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	// mount a new file system
	"mount": func([]string) error { return unix.Mount("none", "/tmp", "tmpfs", 0, "") },
	// device makes one, of the memory of this computer
	"device": func([]string) error { return unix.Mknod("/tmp/mem", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 1))) },
	// inject types into the terminal of whoever started it
	"inject": func([]string) error { return unix.IoctlSetPointerInt(0, unix.TIOCSTI, 'x') },
	// cut FILE makes it empty by truncate(2), and empty FILE by opening it to read
	"cut": func(a []string) error { return unix.Truncate(a[0], 0) },
	"empty": func(a []string) error {
		fd, err := unix.Open(a[0], unix.O_RDONLY|unix.O_TRUNC|unix.O_CLOEXEC, 0)
		if err == nil {
			err = unix.Close(fd)
		}
		return err
	},
	// lease FILE has others wait who open it
	"lease": func(a []string) error {
		f, err := os.Open(a[0])
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK)
		return err
	},
	// bomb starts processes until that fails, at most so many
	"bomb": func(a []string) error {
		for n := range number(a[0]) {
			p, err := sleeper()
			if err != nil {
				return fmt.Errorf("after %d: %w", n, err)
			}
			_ = p.Release()
		}
		return nil
	},
	// fill FILE starts processes until that fails, says so in a file, and takes what becomes free
	"fill": func(a []string) error {
		for full := false; ; {
			p, err := sleeper()
			if err == nil {
				_ = p.Release()
				continue
			}
			if !full {
				if err := os.WriteFile(a[0], nil, 0o600); err != nil {
					return err
				}
				full = true
			}
			<-time.After(time.Millisecond)
		}
	},
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1 // that no try succeeds with
	}
	return n
}

func main() {
	try := tries[os.Args[1]]
	if try == nil {
		fmt.Fprintln(os.Stderr, "no such try")
		os.Exit(2)
	}
	if err := try(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}
}

// sleeper starts a process that does nothing.
func sleeper() (*os.Process, error) {
	program, err := exec.LookPath("sleep")
	if err != nil {
		return nil, err
	}
	return os.StartProcess(program, []string{"sleep", "600"}, &os.ProcAttr{})
}
