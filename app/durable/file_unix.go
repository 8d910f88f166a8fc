//go:build !windows

package durable

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// WriteFile replaces the content of path, readable by its owner only.
func WriteFile(path string, data []byte) error {
	if err := renameio.WriteFile(path, data, 0o600, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

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
