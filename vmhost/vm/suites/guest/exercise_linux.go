//go:build vm || long

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// exercise changes one file at random and compares it all the time with what it
// must be, in the manner of the program fsx of the file system people, which no
// registry has. Its arguments are the file, a seed, how many steps, and "mmap"
// where the file is to be mapped too.
func exercise(args []string) int {
	seed, err1 := strconv.ParseUint(args[1], 10, 64)
	steps, err2 := strconv.Atoi(args[2])
	e := &exerciser{name: args[0], random: rand.New(rand.NewPCG(seed, 1)), mapped: len(args) > 3 && args[3] == "mmap"}
	err := errors.Join(err1, err2)
	if err == nil {
		err = e.run(steps)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "seed %d: %v\n", seed, err)
		for _, l := range e.log[max(0, len(e.log)-40):] {
			fmt.Fprintln(os.Stderr, l)
		}
		return 1
	}
	return 0
}

// mostBytes is how large the file gets.
const mostBytes = 256 << 10

type exerciser struct {
	name   string
	f      *os.File
	random *rand.Rand
	mapped bool
	want   []byte
	log    []string
}

func (e *exerciser) run(steps int) (err error) {
	if e.f, err = os.OpenFile(e.name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644); err != nil {
		return err
	}
	defer func() { e.f.Close() }()
	acts := []func() error{e.read, e.read, e.write, e.write, e.truncate, e.punch, e.allocate, e.reopen, e.append, e.size}
	if e.mapped {
		acts = append(acts, e.mapRead, e.mapWrite, e.mapWrite)
	}
	for i := range steps {
		n := e.random.IntN(len(acts))
		if err := acts[n](); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	b, err := os.ReadFile(e.name)
	if err != nil || !bytes.Equal(b, e.want) {
		return fmt.Errorf("at the end: %s, %w", differ(b, e.want), err)
	}
	return os.Remove(e.name)
}

func (e *exerciser) note(format string, a ...any) { e.log = append(e.log, fmt.Sprintf(format, a...)) }

// within returns a range in the file, or beyond its end.
func (e *exerciser) within(most int) (from, n int) {
	from = e.random.IntN(most + 1)
	return from, 1 + e.random.IntN(max(1, min(64<<10, most-from+1)))
}

func (e *exerciser) read() error {
	from, n := e.within(len(e.want))
	e.note("read %d %d", from, n)
	b := make([]byte, n)
	got, err := e.f.ReadAt(b, int64(from))
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read: %w", err)
	}
	want := e.want[from:min(from+n, len(e.want))]
	if !bytes.Equal(b[:got], want) {
		return fmt.Errorf("read at %d: %s", from, differ(b[:got], want))
	}
	return nil
}

func (e *exerciser) data(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(e.random.Uint32())
	}
	return b
}

func (e *exerciser) grow(to int) {
	if to > len(e.want) {
		e.want = append(e.want, make([]byte, to-len(e.want))...)
	}
}

func (e *exerciser) write() error {
	from, n := e.within(mostBytes - 1)
	n = min(n, mostBytes-from)
	e.note("write %d %d", from, n)
	b := e.data(n)
	if _, err := e.f.WriteAt(b, int64(from)); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	e.grow(from + n)
	copy(e.want[from:], b)
	return nil
}

// append writes with O_APPEND, through a descriptor of its own.
func (e *exerciser) append() error {
	n := min(1+e.random.IntN(5000), mostBytes-len(e.want))
	if n <= 0 {
		return nil
	}
	e.note("append %d", n)
	f, err := os.OpenFile(e.name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	b := e.data(n)
	_, err = f.Write(b)
	e.want = append(e.want, b...)
	return errors.Join(err, f.Close())
}

func (e *exerciser) truncate() error {
	n := e.random.IntN(mostBytes)
	e.note("truncate %d", n)
	if err := e.f.Truncate(int64(n)); err != nil {
		return fmt.Errorf("truncate: %w", err)
	}
	e.grow(n)
	e.want = e.want[:n:n]
	return nil
}

// allocateOrNot allocates; not every mount can.
func (e *exerciser) allocateOrNot(mode uint32, from, n int) (can bool, err error) {
	err = unix.Fallocate(int(e.f.Fd()), mode, int64(from), int64(n))
	if errors.Is(err, unix.EOPNOTSUPP) {
		return false, nil
	}
	return err == nil, err
}

func (e *exerciser) punch() error {
	from, n := e.within(len(e.want))
	e.note("punch %d %d", from, n)
	can, err := e.allocateOrNot(unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, n)
	if can {
		clear(e.want[from:min(from+n, len(e.want))])
	}
	return err
}

func (e *exerciser) allocate() error {
	from, n := e.within(mostBytes - 1)
	n = min(n, mostBytes-from)
	e.note("allocate %d %d", from, n)
	can, err := e.allocateOrNot(0, from, n)
	if can {
		e.grow(from + n)
	}
	return err
}

func (e *exerciser) reopen() error {
	e.note("reopen")
	if e.random.IntN(2) == 0 {
		if err := e.f.Sync(); err != nil {
			return fmt.Errorf("sync: %w", err)
		}
	}
	err := e.f.Close()
	if err == nil {
		e.f, err = os.OpenFile(e.name, os.O_RDWR, 0)
	}
	return err
}

func (e *exerciser) size() error {
	e.note("size")
	info, err := e.f.Stat()
	if err == nil && info.Size() != int64(len(e.want)) {
		err = fmt.Errorf("%d bytes instead of %d", info.Size(), len(e.want))
	}
	return err
}

func (e *exerciser) mapRead() error {
	return e.mapping("map and read", unix.PROT_READ, func(m, want []byte) error {
		if !bytes.Equal(m, want) {
			return errors.New(differ(m, want))
		}
		return nil
	})
}

func (e *exerciser) mapWrite() error {
	return e.mapping("map and write", unix.PROT_READ|unix.PROT_WRITE, func(m, want []byte) error {
		b := e.data(len(m))
		copy(m, b)
		copy(want, b)
		if e.random.IntN(2) == 0 {
			return unix.Msync(m, unix.MS_SYNC)
		}
		return nil
	})
}

// mapping maps whole pages that begin in the file, and gives what of them is in
// it.
func (e *exerciser) mapping(what string, protection int, do func(m, want []byte) error) error {
	if len(e.want) == 0 {
		return nil
	}
	const page = 4096
	from := e.random.IntN(len(e.want)) / page * page
	n := min(1+e.random.IntN(64<<10), len(e.want)-from)
	e.note("%s %d %d", what, from, n)
	m, err := unix.Mmap(int(e.f.Fd()), int64(from), n, protection, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mmap: %w", err)
	}
	if err := do(m, e.want[from:from+n]); err != nil {
		return fmt.Errorf("%s at %d: %w", what, from, errors.Join(err, unix.Munmap(m)))
	}
	return unix.Munmap(m)
}

func differ(got, want []byte) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d is %#x instead of %#x (%d bytes, want %d)", i, got[i], want[i], len(got), len(want))
		}
	}
	return fmt.Sprintf("%d bytes instead of %d", len(got), len(want))
}
