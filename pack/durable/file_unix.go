//go:build !windows

package durable

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// WriteFile replaces the content of path. The file has mode perm afterwards,
// whatever it had before.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	dir := filepath.Dir(path)
	if err := renameio.WriteFile(path, data, perm, renameio.WithTempDir(dir), renameio.WithStaticPermissions(perm)); err != nil {
		return naming(path, err)
	}
	return SyncDir(dir)
}

func replace(tmp, path string) error { return os.Rename(tmp, path) }

// inUse is false: what somebody has open can be renamed.
func inUse(error) bool { return false }

// ReadFile returns the content of a file, which may be replaced meanwhile.
func ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}
