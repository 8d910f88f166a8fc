//go:build !windows

package policy

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// ManagedFile is where an administrator has rules.
func ManagedFile() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/piwork/policy.cedar"
	}
	return "/etc/piwork/policy.cedar"
}

// trusted says why others than an administrator could have written a file: it, and each
// directory on the way to it, is of root, and nobody else can write there.
func trusted(name string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := ofRoot(name, info); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	for _, start := range []string{name, real} { // a link can be replaced, too
		for dir := filepath.Dir(start); ; dir = filepath.Dir(dir) {
			info, err := os.Stat(dir)
			if err != nil {
				return err
			}
			if err := ofRoot(dir, info); err != nil {
				return err
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return nil
}

// ofRoot says why something is not of root alone. In a sticky directory nobody replaces what
// is another's.
func ofRoot(name string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return fmt.Errorf("the owner of %s is not known", name)
	case st.Uid != 0:
		return fmt.Errorf("%s is owned by user %d", name, st.Uid)
	case info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0:
		return fmt.Errorf("others can write %s (%s)", name, info.Mode().Perm())
	case info.Mode().Perm()&0o022 != 0 && !info.IsDir():
		return fmt.Errorf("others can write %s (%s)", name, info.Mode().Perm())
	}
	return nil
}
