package execution

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// defaultTerm is the kind of terminal (term(7)) of a program that is not told one.
const defaultTerm = "xterm"

// openTerminal opens a pseudo-terminal (pts(4)). This side has it twice, to be closed on its
// own for input and for output.
func (p *pipes) openTerminal(size wire.TerminalSize) error {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: "/dev/ptmx", Err: err}
	}
	p.stdout = os.NewFile(uintptr(fd), "terminal")
	second, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	p.stdin = os.NewFile(uintptr(second), "terminal")
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return fmt.Errorf("unlock the terminal: %w", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return fmt.Errorf("name of the terminal: %w", err)
	}
	if err := resize(p.stdin, size); err != nil {
		return err
	}
	name := "/dev/pts/" + strconv.Itoa(n)
	if p.childIn, err = os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return err
	}
	p.childOut, p.childErr = p.childIn, p.childIn
	return nil
}

// resize changes the size of a terminal.
func resize(f *os.File, size wire.TerminalSize) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = c.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(size.Rows), Col: uint16(size.Columns)})
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("size of the terminal: %w", err)
	}
	return nil
}

// foreground is the process group in front on a terminal (tcgetpgrp(3)); 0 is none.
func foreground(f *os.File) int {
	group := 0
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) {
			if n, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP); err == nil {
				group = n
			}
		})
	}
	return group
}
