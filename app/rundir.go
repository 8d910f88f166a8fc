package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
)

// maxSocketPath is how long a path of a unix socket may be on every OS: the
// shortest sun_path is that of macOS with 104 bytes, a zero included.
const maxSocketPath = 103

// runDirs is the private directory for sockets: short, and gone with the
// controller. One for each data directory, so that the next controller finds
// and clears what a killed one left.
type runDirs struct {
	base string
}

// openRunDirs makes the directory, empty.
func openRunDirs(dataDir string) (*runDirs, error) {
	key := sha256.Sum256([]byte(dataDir))
	name := appName + "-" + hex.EncodeToString(key[:6])
	parent := xdg.RuntimeDir
	if info, err := os.Stat(parent); parent == "" || err != nil || !info.IsDir() {
		parent = os.TempDir()
	}
	dir := filepath.Join(parent, name)
	err := mkdirPrivate(dir)
	switch {
	case err == nil:
	case os.IsExist(err) && private(dir):
		if err := empty(dir); err != nil {
			return nil, fmt.Errorf("clear the directory of sockets: %w", err)
		}
	default:
		// Somebody else has the name, or there is no such place.
		dir = filepath.Join(os.TempDir(), appName+"-"+rand.Text()[:10])
		if err := mkdirPrivate(dir); err != nil {
			return nil, fmt.Errorf("make a directory for sockets: %w", err)
		}
	}
	return &runDirs{base: dir}, nil
}

// task makes the directory of one runtime. Its name is short: sockets are in it.
func (r *runDirs) task() (string, error) {
	dir, err := os.MkdirTemp(r.base, "t")
	if err != nil {
		return "", fmt.Errorf("make a directory for sockets: %w", err)
	}
	return dir, nil
}

// controllerSocket is where the API of this controller answers: in the data
// directory, where the system tells who connects and a socket's path may be so long,
// or here, where nobody else comes in.
func (r *runDirs) controllerSocket(dataDir string) string {
	if p := filepath.Join(dataDir, "controller.sock"); tellsPeers && len(p) <= maxSocketPath {
		return p
	}
	return filepath.Join(r.base, "controller.sock")
}

func (r *runDirs) close() error { return os.RemoveAll(r.base) }

func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// sweepMachines clears what killed runtimes left in the directory of machines: a
// process that outlived its program is ended; of tasks that still exist the logs
// stay, everything else goes. What cannot be cleared hinders nothing else.
func sweepMachines(ctx context.Context, dir string, exists func(id string) bool, end leftoverEnder) error {
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
			if err != nil || d.IsDir() || isLog(d.Name()) {
				return err
			}
			return os.Remove(p)
		}))
	}
	return errors.Join(errs...)
}

// isLog reports whether a file of a machine is one of its logs, the rotated one
// included.
func isLog(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".1"), ".log") }
