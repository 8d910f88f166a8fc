package machines

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// SweepMachines clears what killed runtimes left in the directory of machines: a
// process that outlived its program is ended; of tasks that still exist the logs
// stay, everything else goes. What cannot be cleared hinders nothing else.
func SweepMachines(ctx context.Context, dir string, exists func(id string) bool, end func(ctx context.Context, dir string) (bool, error)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	_, err = end(ctx, dir) // of a proof boot
	errs := []error{err}
	for _, e := range entries {
		if !e.IsDir() {
			continue // logs of the program
		}
		path := filepath.Join(dir, e.Name())
		if _, err := end(ctx, path); err != nil {
			errs = append(errs, err) // it may still write there
			continue
		}
		if !exists(e.Name()) {
			errs = append(errs, os.RemoveAll(path))
			continue
		}
		errs = append(errs, filepath.WalkDir(path, func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || IsLog(d.Name()) {
				return err
			}
			return os.Remove(p)
		}))
	}
	return errors.Join(errs...)
}

// IsLog reports whether a file of a machine is one of its logs, the rotated one
// included.
func IsLog(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".1"), ".log") }
