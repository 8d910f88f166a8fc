//go:build !linux

package operate

import (
	"errors"
	"io/fs"
	"os"
)

func renameNoReplace(string, string) error { return errors.ErrUnsupported }

func rename(from, to string) error { return os.Rename(from, to) }

func device(fs.FileInfo) uint64 { return 0 }

func fileNumber(fs.FileInfo) (inode uint64, changed int64) { return 0, 0 }

func mayMake(string) (bool, error) { return false, nil }

func syncFile(f *os.File) error { return f.Sync() }

func syncDir(string) error { return nil }
