package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"piwork/vmhost/qemu"
)

const overlayFile = "overlay.qcow2"

// files are a machine's directories and its disk.
type files struct {
	dir     string       // of its overlay and its logs
	ownDir  bool         // dir is removed at the end
	dirLock *flock.Flock // of an own directory
	logsTo  string       // where the logs of an own directory are moved, "" for nowhere
	overlay string
	runDir  string // of its sockets
	ownRun  bool   // runDir was made here
}

// sweep removes the files of the machine but for its logs.
func (f *files) sweep() error {
	var errs []error
	if f.overlay != "" {
		errs = append(errs, os.Remove(f.overlay))
	}
	if f.runDir != "" {
		// The sockets are gone since QEMU connected them. What else is in a
		// directory of the caller's is the caller's.
		if err := os.Remove(f.runDir); f.ownRun {
			errs = append(errs, err)
		}
	}
	if f.ownDir {
		if f.logsTo != "" {
			errs = append(errs, keepLogs(f.logsTo, f.dir))
		}
		errs = append(errs, removeLocked(f.dir, f.dirLock))
	}
	for i, err := range errs {
		if errors.Is(err, os.ErrNotExist) {
			errs[i] = nil
		}
	}
	return errors.Join(errs...)
}

// keepLogs moves the logs of a machine whose directory goes.
func keepLogs(to, from string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	var errs []error
	for _, name := range []string{qemu.QEMULog, qemu.ConsoleLog} {
		err := os.Rename(filepath.Join(from, name), filepath.Join(to, name))
		if err == nil || errors.Is(err, os.ErrNotExist) {
			continue
		}
		// On another file system.
		b, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), b, 0o600)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// makeDirs makes the directories of the machine; runDir may be "" for a fresh
// one. A machine that a killed program left in them is ended.
func (f *files) makeDirs(ctx context.Context, runDir string) error {
	if _, err := qemu.EndLeftover(ctx, f.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of the VM: %w", err)
	}
	if err := os.Chmod(f.dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of the VM private: %w", err)
	}
	if runDir != "" {
		f.runDir = runDir
		return os.MkdirAll(runDir, 0o700)
	}
	dir, _, err := qemu.NewRunDir()
	f.runDir, f.ownRun = dir, err == nil
	return err
}

// makeOverlay makes the machine's disk, with create.
func (f *files) makeOverlay(create func(path string) error) error {
	overlay := filepath.Join(f.dir, overlayFile)
	// One that is there belonged to a VM whose program was killed.
	if err := os.Remove(overlay); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove an old overlay: %w", err)
	}
	f.overlay = overlay
	return create(overlay)
}
