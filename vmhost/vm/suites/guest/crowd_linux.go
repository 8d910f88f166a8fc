//go:build vm || long

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"piwork/vmhost/vm/suites/order"
)

// crowd fills the ring of the folders' device: more writers at once than it has room for,
// each with one request. Nobody makes another request before all have their answers, so
// that one wake-up that is lost is one for good. Its argument is the directory.
func crowd(args []string) int {
	for range order.CrowdRounds {
		if err := writeAtOnce(args[0]); err != nil {
			fmt.Fprintln(os.Stderr, "crowd:", err)
			return 1
		}
	}
	return 0
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
