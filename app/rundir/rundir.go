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

	"piwork/pack/durable"
	"piwork/vmhost/hosted/folders"
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
	if os.IsExist(err) && private(dir) {
		err = empty(dir)
	}
	if err != nil {
		// Somebody else has the name, something in it has to stay, or there is no such place.
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

// Close removes everything below Base, unless something is mounted there.
func (r *Dirs) Close() error { return durable.RemoveAll(r.Base) }

// empty removes what a controller left that was killed, with what it had mounted: the folders
// of a small task by which a kind of place was proven.
func empty(dir string) error {
	if err := folders.Clear(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := durable.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
