//go:build !linux

package operate

import (
	"errors"
	"os"
)

func renameNoReplace(string, string) error { return errors.ErrUnsupported }

func syncFile(f *os.File) error { return f.Sync() }

func syncDir(string) error { return nil }
