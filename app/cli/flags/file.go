package flags

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"piwork/app/words"
)

// FilePath makes an argument absolute, because another process may open it.
func FilePath(arg string) (string, error) {
	if arg == "" {
		return "", Usage("the name of the file is empty")
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
		return "", Usage("there is no file %s", words.Printable(file))
	case err == nil && st.IsDir():
		return "", Usage("%s is a folder, not a file", words.Printable(file))
	}
	return file, nil // who reads it says what else is wrong
}
