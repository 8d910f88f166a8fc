package durable

import (
	"os"

	"piwork/pack/durable"
)

// WriteFile replaces the content of path, readable by its owner only.
func WriteFile(path string, data []byte) error { return durable.WriteFile(path, data, 0o600) }

// WriteNew writes a file that is not there, readable by its owner only.
func WriteNew(path string, data []byte) error { return durable.WriteNew(path, data) }

// ReplaceFile replaces the content of path, which may be empty after a power cut.
func ReplaceFile(path string, data []byte) error { return durable.ReplaceFile(path, data) }

// ReadFile returns the content of a file, which may be replaced meanwhile.
func ReadFile(path string) ([]byte, error) { return durable.ReadFile(path) }

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error { return durable.SyncDir(dir) }

// RenameDir gives a directory another name, also when a virus scanner looks at what is in it.
func RenameDir(from, to string) error {
	return durable.RenameDir(func() error { return os.Rename(from, to) })
}
