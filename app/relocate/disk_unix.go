//go:build !windows

package relocate

import (
	"fmt"
	"os"
)

// makePrivate sees to it that a directory is its owner's alone. File systems that
// know no rights, like FAT, show it open to others.
func makePrivate(dir string) error {
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("its rights are %s", info.Mode())
	}
	return nil
}
