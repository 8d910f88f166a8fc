package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"piwork/app/cli/flags"
)

// SaveNew writes what comes into a file that must not be there yet, and returns its size.
func SaveNew(path string, in io.Reader) (int64, error) {
	if _, err := flags.NewFile(path); err != nil {
		return 0, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return 0, flags.Usage("file-exists", "path", path)
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	n, err := io.Copy(f, in)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path) // half a file helps nobody
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	return n, nil
}
