package machines

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"piwork/pack/durable"
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
			errs = append(errs, durable.RemoveAll(path))
			continue
		}
		errs = append(errs, sweepMachine(path))
	}
	return errors.Join(errs...)
}

// sweepMachine leaves the logs of a runtime. What lies deeper is programs' own, whatever
// its name.
func sweepMachine(dir string) error {
	entries, err := os.ReadDir(dir)
	errs := []error{err}
	for _, e := range entries {
		if !e.Type().IsRegular() || !IsLog(e.Name()) {
			errs = append(errs, durable.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	_ = os.Remove(dir) // a place that writes no logs leaves nothing
	return errors.Join(errs...)
}

// IsLog reports whether a file of a machine is one of its logs, the rotated one
// included.
func IsLog(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".1"), ".log") }
