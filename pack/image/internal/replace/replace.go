// Package replace writes lock files: a reader sees the old content or the new.
package replace

import (
	"errors"
	"os"
	"path/filepath"
)

// File makes data the content of a file with mode 0644, by staging, sync and
// rename. After an error the file is as it was.
func File(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
