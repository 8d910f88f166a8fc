//go:build vm || long

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"piwork/vmhost/vm/suites/order"
)

// load works on a directory as hard as it can: several copies of a large file at
// once, each in other pieces, small files that come and go, and readers that are
// killed in the middle of a call. Its arguments are the directory, or "reader"
// and a file, or "once" and a file that is read to its end.
func load(args []string) int {
	var err error
	switch args[0] {
	case "reader":
		err = readForever(args[1])
	case "once":
		err = readOnce(args[1])
	default:
		err = loadAll(args[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		return 1
	}
	return 0
}

// readOnce reads a file in pieces of order.LargePiece.
func readOnce(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for b := make([]byte, order.LargePiece); err == nil; {
		_, err = f.Read(b)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func loadAll(dir string) error {
	ctx, cancel := context.WithCancel(context.Background())
	from := filepath.Join(dir, order.LoadFile)
	var copies, others sync.WaitGroup
	errs := make(chan error, order.LoadCopies+2)
	for i := range order.LoadCopies {
		copies.Go(func() {
			errs <- copyIn(from, filepath.Join(dir, order.LoadCopy+strconv.Itoa(i)), 20<<10+7+i*(400<<10+13))
		})
	}
	killed := 0
	others.Go(func() {
		for ctx.Err() == nil {
			c := exec.CommandContext(context.Background(), "/proc/self/exe", "load", "reader", from) // killed below
			if err := c.Start(); err != nil {
				errs <- err
				return
			}
			<-time.After(time.Duration(5+rand.IntN(100)) * time.Millisecond)
			err := c.Process.Kill()
			if werr := c.Wait(); err != nil || werr == nil {
				errs <- fmt.Errorf("a reader ended by itself: %w", errors.Join(err, werr))
				return
			}
			killed++
		}
		errs <- nil
	})
	others.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := comeAndGo(filepath.Join(dir, "small"+strconv.Itoa(i))); err != nil {
				errs <- err
				return
			}
		}
		errs <- nil
	})
	copies.Wait()
	cancel()
	others.Wait()
	close(errs)
	var err error
	for e := range errs {
		err = errors.Join(err, e)
	}
	if err == nil && killed == 0 {
		err = errors.New("no reader was killed")
	}
	return err
}

// copyIn copies in pieces of so many bytes, and then holds the copy to the
// original.
func copyIn(from, to string, piece int) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	a, b := make([]byte, piece), make([]byte, piece)
	for {
		n, err := in.Read(a)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if _, err := out.Write(a[:n]); err != nil {
			return err
		}
	}
	for at := int64(0); ; at += int64(piece) {
		n, err := in.ReadAt(a, at)
		m, oerr := out.ReadAt(b, at)
		if n != m || string(a[:n]) != string(b[:m]) {
			return fmt.Errorf("%s is another file at %d: %d and %d bytes, %w", to, at, n, m, errors.Join(err, oerr))
		}
		if errors.Is(err, io.EOF) && errors.Is(oerr, io.EOF) {
			return out.Close()
		}
		if err := errors.Join(err, oerr); err != nil {
			return err
		}
	}
}

// comeAndGo makes a small file, reads it and removes it.
func comeAndGo(name string) error {
	if err := os.WriteFile(name, []byte(name), 0o644); err != nil {
		return err
	}
	b, err := os.ReadFile(name)
	if err == nil && string(b) != name {
		err = fmt.Errorf("%s holds %q", name, b)
	}
	return errors.Join(err, os.Remove(name))
}

// readForever reads large pieces from anywhere.
func readForever(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	for b := make([]byte, 3<<20); ; {
		if _, err := f.ReadAt(b, rand.Int64N(info.Size())); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
}
