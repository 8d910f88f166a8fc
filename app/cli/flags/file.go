package flags

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// FilePath makes an argument absolute, because another process may open it.
func FilePath(arg string) (string, error) {
	if arg == "" {
		return "", Usage("file-empty")
	}
	return filepath.Abs(arg)
}

// NewFile is FilePath of one to write, in a folder that has to be there.
func NewFile(arg string) (string, error) {
	file, err := FilePath(arg)
	if err == nil {
		err = hasFolder(filepath.Dir(file))
	}
	return file, err
}

// hasFolder refuses a path at which there is none.
func hasFolder(dir string) error {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return Usage("no-folder", "path", dir)
	case err == nil && !info.IsDir():
		return Usage("not-folder", "path", dir)
	}
	return nil
}

// GivenFile is FilePath of a file that has to be there.
func GivenFile(arg string) (string, error) {
	file, err := FilePath(arg)
	if err != nil {
		return "", err
	}
	switch st, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return "", Usage("no-file", "path", file)
	case err == nil && st.IsDir():
		return "", Usage("is-folder", "path", file)
	}
	return file, nil // who reads it says what else is wrong
}
