package durable

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// SizeOf adds up what the files in a directory take, and says whether it is there.
func SizeOf(dir string) (bytes int64, there bool, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone meanwhile
		}
		if err != nil {
			return err
		}
		there = true
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += OnDisk(info)
		}
		return nil
	})
	return bytes, there, err
}
