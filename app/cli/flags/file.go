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

// GivenFile is filePath of a file that has to be there.
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
