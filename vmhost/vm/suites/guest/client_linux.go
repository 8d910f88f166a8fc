//go:build vm || long

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"piwork/vmhost/vm/suites/order"
)

// client does in a folder what a kernel's client once did wrong. Its arguments
// are what, and the file that the host has prepared for it.
func client(args []string) int {
	do := map[string]func(file string) error{order.Shrink: readShrinking, order.Append: mapAppended, order.Times: setTimes, order.Edited: readEdited, order.Shown: showWritten, order.Replaced: useReplaced}[args[0]]
	if err := do(args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", args[0], err)
		return 1
	}
	return 0
}

// readShrinking keeps a file open that the host makes shorter meanwhile, and
// reads it across its new end, beyond that, and from begin to end.
func readShrinking(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.ReadAt(make([]byte, 100), 0); err != nil {
		return err
	}
	if err := meet(filepath.Dir(name)); err != nil {
		return err
	}
	for _, from := range []int64{0, order.ShrunkSize - 1, order.ShrunkSize, order.Size / 2, order.Size - 1} {
		b := make([]byte, order.Size+1) // more than the file ever had
		n, err := f.ReadAt(b, from)
		if !errors.Is(err, io.EOF) {
			return fmt.Errorf("read at %d: %d bytes, %w", from, n, err)
		}
		if err := held(b[:n], from); err != nil {
			return fmt.Errorf("read at %d: %w", from, err)
		}
	}
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 2*order.Size))
	if err != nil {
		return fmt.Errorf("read all: %w", err)
	}
	return held(b, 0)
}

// held holds what was read from a place of the file to what may be there: all
// that the file still has, and nothing but old bytes and zeros behind that.
func held(b []byte, from int64) error {
	if len(b) < order.ShrunkSize-int(from) || len(b) > order.Size-int(from) {
		return fmt.Errorf("%d bytes", len(b))
	}
	for i, got := range b {
		at := from + int64(i)
		if got != order.Byte(at) && (got != 0 || at < order.ShrunkSize) {
			return fmt.Errorf("byte %d is %#x", at, got)
		}
	}
	return nil
}

// meet says that the guest is ready, and waits for the host.
func meet(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, order.GuestReady), nil, 0o644); err != nil {
		return err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, order.HostReady))
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		<-time.After(10 * time.Millisecond)
	}
}

// mapAppended maps a file and appends to it: what is new must show in the
// mapping, and in a new one.
func mapAppended(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	const tail = 100 // in the page that the file ends in
	total := order.Size + tail
	m, err := unix.Mmap(int(f.Fd()), 0, total, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mmap: %w", err)
	}
	defer unix.Munmap(m) //nolint:errcheck // it ends with the program
	want := make([]byte, total)
	for i := range want[:order.Size] {
		want[i] = order.Byte(int64(i))
	}
	if !bytes.Equal(m, want) {
		return fmt.Errorf("before: %s", differ(m, want))
	}
	a, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	for i := order.Size; i < total; i++ {
		want[i] = order.Byte(int64(i))
	}
	_, err = a.Write(want[order.Size:])
	if err := errors.Join(err, a.Close()); err != nil {
		return err
	}
	if !bytes.Equal(m, want) {
		return fmt.Errorf("mapped before: %s", differ(m, want))
	}
	again, err := unix.Mmap(int(f.Fd()), 0, total, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mmap: %w", err)
	}
	defer unix.Munmap(again) //nolint:errcheck // it ends with the program
	if !bytes.Equal(again, want) {
		return fmt.Errorf("mapped afterwards: %s", differ(again, want))
	}
	return nil
}

// setTimes sets the times of a file by name and by descriptor, and reads them
// back.
func setTimes(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, set := range []struct {
		how string
		do  func(t []unix.Timespec) error
	}{
		{"by descriptor", func(t []unix.Timespec) error {
			_, _, e := unix.Syscall6(unix.SYS_UTIMENSAT, f.Fd(), 0, uintptr(unsafe.Pointer(&t[0])), 0, 0, 0) // futimens(3)
			if e != 0 {
				return e
			}
			return nil
		}},
		{"by name", func(t []unix.Timespec) error { return unix.UtimesNanoAt(unix.AT_FDCWD, name, t, 0) }},
	} {
		if err := set.do([]unix.Timespec{unix.NsecToTimespec(order.ATime), unix.NsecToTimespec(order.MTime)}); err != nil {
			return fmt.Errorf("%s: %w", set.how, err)
		}
		var st unix.Stat_t
		if err := unix.Stat(name, &st); err != nil {
			return err
		}
		if a, m := st.Atim.Nano(), st.Mtim.Nano(); a != order.ATime || m != order.MTime {
			return fmt.Errorf("%s: %d and %d instead of %d and %d", set.how, a, m, order.ATime, order.MTime)
		}
	}
	return nil
}

// readEdited keeps a file open and mapped that the host edits meanwhile, and reads it again:
// by the same descriptor, by a new one, and by a new mapping.
func readEdited(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, order.Size)
	if _, err := f.ReadAt(b, 0); err != nil {
		return err
	}
	if err := meet(filepath.Dir(name)); err != nil {
		return err
	}
	want := bytes.Repeat([]byte{order.Edit}, order.Size)
	if _, err := f.ReadAt(b, 0); err != nil {
		return err
	}
	if !bytes.Equal(b, want) {
		return fmt.Errorf("by the same descriptor: %s", differ(b, want))
	}
	again, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, want) {
		return fmt.Errorf("by a new descriptor: %s", differ(again, want))
	}
	m, err := unix.Mmap(int(f.Fd()), 0, order.Size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mmap: %w", err)
	}
	defer unix.Munmap(m) //nolint:errcheck // it ends with the program
	if !bytes.Equal(m, want) {
		return fmt.Errorf("mapped: %s", differ(m, want))
	}
	return nil
}

// showWritten writes and says so while it has the file open: then the host has it, too.
func showWritten(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(bytes.Repeat([]byte{order.Edit}, order.Size), 0); err != nil {
		return err
	}
	return meet(filepath.Dir(name))
}

// useReplaced asks for directories again and again until the host has changed them. What goes
// through their names is about what is there now; what they are themselves may be told later.
func useReplaced(name string) error {
	dir := filepath.Dir(name)
	in := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for _, d := range order.Directories {
		if err := errors.Join(os.Mkdir(in(d), 0o755), os.WriteFile(in(d, order.Inside), []byte(d), 0o644)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(in(order.GuestReady), nil, 0o644); err != nil {
		return err
	}
	for {
		for _, d := range order.Directories {
			_, _ = os.Lstat(in(d))
		}
		_, err := os.Lstat(in(order.HostReady))
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var errs []error
	shows := func(want string, parts ...string) {
		if b, err := os.ReadFile(in(parts...)); err != nil || string(b) != want {
			errs = append(errs, fmt.Errorf("%q has %q instead of %q: %w", parts, b, want, err))
		}
	}
	lacks := func(want error, parts ...string) {
		if _, err := os.ReadFile(in(parts...)); !errors.Is(err, want) {
			errs = append(errs, fmt.Errorf("reading %q: %w", parts, err))
		}
	}
	shows(order.Now, order.Filed)
	lacks(unix.ENOTDIR, order.Filed, order.Inside)
	shows(order.Moved, order.Linked, order.Inside)
	errs = append(errs, os.WriteFile(in(order.Linked, "new"), []byte("new"), 0o644))
	shows("new", order.NewName, "new")
	lacks(fs.ErrNotExist, order.Moved, order.Inside)
	shows(order.Moved, order.NewName, order.Inside)
	shows(order.Now, order.Swapped, order.Inside)
	lacks(fs.ErrNotExist, order.Removed, order.Inside)
	errs = append(errs, os.Mkdir(in(order.Removed), 0o755))
	errs = append(errs, os.Rename(in(order.Removed), in("renamed")), os.Mkdir(in("renamed", "by the guest"), 0o755))
	lacks(fs.ErrNotExist, order.Removed)

	mtime := func() int64 {
		info, err := os.Lstat(in(order.Timed))
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	for began := time.Now(); mtime() != order.MTime; {
		if time.Since(began) > order.Late {
			errs = append(errs, fmt.Errorf("the time of a directory is %d after %v", mtime(), order.Late))
			break
		}
	}
	if _, err := os.Lstat(in(order.Moved)); !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, fmt.Errorf("what was moved is still there: %w", err))
	}
	return errors.Join(errs...)
}
