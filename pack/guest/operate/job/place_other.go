//go:build !linux

package job

import (
	"errors"
	"io/fs"
	"os"
)

func RenameNoReplace(string, string) error { return errors.ErrUnsupported }

func Rename(from, to string) error { return os.Rename(from, to) }

func Device(fs.FileInfo) uint64 { return 0 }

func FileNumber(fs.FileInfo) (inode uint64, changed int64) { return 0, 0 }

func mayMake(string) (bool, error) { return false, nil }

func syncFile(f *os.File) error { return f.Sync() }

func syncDir(string) error { return nil }
