//go:build vm || long

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/port"
	"piwork/vmhost/vm/suites/order"
	"piwork/vmhost/wire"
)

// crowd fills the port: more writers at once than it has room for, each with one
// request, while somebody else asks all the time whether there is room. Nobody
// makes another request before all have their answers, so that one wake-up that
// is lost is one for good. Its argument is the directory.
func crowd(args []string) int {
	p, err := borrowPort()
	if err == nil {
		defer p.Close()
		var done atomic.Bool
		var asker sync.WaitGroup
		asker.Go(func() {
			for fds := []unix.PollFd{{Fd: int32(p.Fd()), Events: unix.POLLOUT}}; !done.Load(); {
				_, _ = unix.Poll(fds, 0)
			}
		})
		for round := 0; round < order.CrowdRounds && err == nil; round++ {
			err = writeAtOnce(args[0])
		}
		done.Store(true)
		asker.Wait()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crowd:", err)
		return 1
	}
	return 0
}

// borrowPort takes the port from the process that has it open; it is opened once.
func borrowPort() (*os.File, error) {
	device, err := port.Find(wire.PortFS)
	if err != nil {
		return nil, err
	}
	all, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return nil, err
	}
	for _, name := range all {
		if to, err := os.Readlink(name); err != nil || to != device {
			continue
		}
		pid, perr := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(name))))
		fd, ferr := strconv.Atoi(filepath.Base(name))
		if err := errors.Join(perr, ferr); err != nil {
			return nil, err
		}
		holder, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return nil, fmt.Errorf("open process %d: %w", pid, err)
		}
		defer unix.Close(holder)
		got, err := unix.PidfdGetfd(holder, fd, 0)
		if err != nil {
			return nil, fmt.Errorf("take descriptor %d of process %d: %w", fd, pid, err)
		}
		return os.NewFile(uintptr(got), device), nil
	}
	return nil, fmt.Errorf("nobody has %s open", device)
}

// writeAtOnce has everybody write a piece of a file of their own, past all caches.
func writeAtOnce(dir string) (err error) {
	files := make([]*os.File, order.Crowd)
	for i := range files {
		f, ferr := os.OpenFile(filepath.Join(dir, "crowd"+strconv.Itoa(i)), os.O_WRONLY|os.O_CREATE|unix.O_DIRECT, 0o644)
		if ferr != nil {
			return ferr
		}
		defer f.Close()
		files[i] = f
	}
	errs := make(chan error, len(files))
	piece := make([]byte, order.CrowdPiece)
	for i := range piece {
		piece[i] = order.Byte(int64(i))
	}
	for _, f := range files {
		go func() {
			_, err := f.WriteAt(piece, 0)
			errs <- err
		}()
	}
	for range files {
		err = errors.Join(err, <-errs)
	}
	return err
}
