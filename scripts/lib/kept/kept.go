// Package kept is where tests keep from run to run what takes most of a minute to make.
package kept

import (
	"os"
	"path/filepath"
)

// Env names a directory in which tests keep from run to run what takes most of a
// minute to make: templates, whose names say what they are of.
const Env = "PIWORK_TEST_KEEP"

// Dir returns a directory for what a test keeps, and the function to call at the end. Where
// [Env] is set, the directory lies there and stays; else it is temporary and is removed.
func Dir(name string) (dir string, remove func() error, err error) {
	if keep := os.Getenv(Env); keep != "" {
		dir = filepath.Join(keep, name)
		return dir, func() error { return nil }, os.MkdirAll(dir, 0o700)
	}
	dir, err = os.MkdirTemp("", "pw-"+name)
	return dir, func() error { return os.RemoveAll(dir) }, err
}
