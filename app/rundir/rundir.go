// Package rundir has the private directory of a controller's sockets and short-lived files.
package rundir

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// MaxSocketPath is how long a path of a unix socket may be on every OS: the
// shortest sun_path is that of macOS with 104 bytes, a zero included.
const MaxSocketPath = 103

// Places are the lasting directories of a controller.
type Places struct {
	DataDir, ConfigDir, CacheDir string
	PackDir                      string // of a developer, "" without one
	Machines                     string // of the machines' disks and logs
}

// Dirs is the private directory for sockets: short, and gone with the
// controller. One for each data directory, so that the next controller finds
// and clears what a killed one left.
type Dirs struct {
	Base string
}

// Open makes the directory, empty.
func Open(dataDir string) (*Dirs, error) {
	key := sha256.Sum256([]byte(dataDir))
	name := "piwork-" + hex.EncodeToString(key[:6])
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
		dir = filepath.Join(os.TempDir(), "piwork-"+rand.Text()[:10])
		if err := mkdirPrivate(dir); err != nil {
			return nil, fmt.Errorf("make a directory for sockets: %w", err)
		}
	}
	return &Dirs{Base: dir}, nil
}

// New makes the directory of one runtime. Its name is short: sockets are in it.
func (r *Dirs) New() (string, error) {
	dir, err := os.MkdirTemp(r.Base, "t")
	if err != nil {
		return "", fmt.Errorf("make a directory for sockets: %w", err)
	}
	return dir, nil
}

// Close removes everything below Base.
func (r *Dirs) Close() error { return os.RemoveAll(r.Base) }

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
