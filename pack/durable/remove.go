package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveAll removes a directory as os.RemoveAll does, also one in which programs took rights
// from the user whose files they are. It changes nothing outside, whatever links there are;
// a directory in which something is mounted stays.
func RemoveAll(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil // without reading all mounts of the computer
	}
	if err := unmounted(dir); err != nil {
		return err
	}
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	root, rerr := os.OpenRoot(filepath.Dir(dir))
	if rerr != nil {
		return err
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), filepath.Base(dir), func(name string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = root.Chmod(name, 0o700) // RemoveAll says what is still in the way
		}
		return nil
	})
	return os.RemoveAll(dir)
}
