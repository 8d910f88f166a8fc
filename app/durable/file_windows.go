package durable

import (
	"os"
	"path/filepath"
)

// WriteFile replaces the content of path; the file inherits the rights of its
// directory, which is in the user's profile.
func WriteFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return err
	}
	tmp := f.Name()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, path) // MoveFileEx with MOVEFILE_REPLACE_EXISTING
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}

// SyncDir does nothing: NTFS journals names itself, and a directory cannot be
// flushed without administrator rights.
func SyncDir(string) error { return nil }
