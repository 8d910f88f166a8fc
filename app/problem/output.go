package problem

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckOutput says why no file can be written where a person chose: its folder is not there, or
// something that is no file is in its place.
func CheckOutput(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return New(CodeOutputExists).By("kind").With("path", path)
	case !errors.Is(err, fs.ErrNotExist):
		return nil
	}
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		p := New(CodeOutputDenied).By("missing").With("path", path).With("folder", dir).Because(err)
		p.Fix = Fixes(FixPickFolder)
		return p
	}
	return nil
}
