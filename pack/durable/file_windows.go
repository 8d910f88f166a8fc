package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// replacePatience is how long a file may be in use that is to be replaced: virus
// scanners and indexers look at what was just written.
const replacePatience = 3 * time.Second

// WriteFile replaces the content of path; the file inherits the rights of its
// directory, which is in the user's profile.
func WriteFile(path string, data []byte, _ fs.FileMode) error {
	return stage(path, data, (*os.File).Sync, replace)
}

// replace renames by MoveFileEx with MOVEFILE_REPLACE_EXISTING, as soon as nobody
// has the file open in a way that forbids it.
func replace(tmp, path string) error {
	return patiently(replacePatience, inUse, func() error { return os.Rename(tmp, path) })
}

// inUse reports whether somebody has a file open in a way that forbids what was tried.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// ReadFile returns the content of a file, which may be replaced meanwhile
// (FILE_SHARE_DELETE). One that is just being replaced is waited for.
func ReadFile(path string) ([]byte, error) {
	p, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	limit := time.Now().Add(replacePatience)
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		h, err := windows.CreateFile(p, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
			nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
		if err == nil {
			f := os.NewFile(uintptr(h), path)
			defer f.Close()
			return io.ReadAll(f)
		}
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) || time.Now().After(limit) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		time.Sleep(wait)
	}
}

// SyncDir does nothing: NTFS journals names itself, and a directory cannot be
// flushed without administrator rights.
func SyncDir(string) error { return nil }
