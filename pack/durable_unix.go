//go:build linux || darwin

package pack

import (
	"fmt"
	"os"
	"path/filepath"
)

// syncDir makes the names in a directory durable.
func syncDir(root *os.Root, name string) error {
	d, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync directory %s: %w", name, err)
	}
	return nil
}
