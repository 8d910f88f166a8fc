package qemu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxSocketPath is the longest path of a Unix socket on every system (macOS:
// 104 bytes with the final zero).
const maxSocketPath = 103

// runDirName is what the names of run directories begin with.
const runDirName = "piwork-"

// NewRunDir makes a directory for sockets, private to the user, whose path is
// short enough for them, and returns how to remove it with all that is in it.
func NewRunDir() (dir string, remove func() error, err error) {
	var tried []error
	for _, parent := range runParents() {
		if parent == "" {
			continue
		}
		dir, err := os.MkdirTemp(parent, runDirName) // 0700
		if err != nil {
			tried = append(tried, err)
			continue
		}
		if len(dir)+len("/console.sock") > maxSocketPath {
			tried = append(tried, fmt.Errorf("%s is too long for sockets", dir), os.Remove(dir))
			continue
		}
		return dir, func() error { return os.RemoveAll(dir) }, nil
	}
	return "", nil, fmt.Errorf("no directory for sockets: %w", errors.Join(tried...))
}

// runDirOf is the run directory that holds the sockets of s, "" when they are
// elsewhere.
func runDirOf(s Spec) string {
	if dir := filepath.Dir(s.Console); isRunDir(dir) {
		return dir
	}
	return ""
}

// isRunDir tells whether NewRunDir could have made a directory of that path.
func isRunDir(dir string) bool {
	return strings.HasPrefix(filepath.Base(dir), runDirName) && filepath.Clean(dir) == dir &&
		slices.ContainsFunc(runParents(), func(parent string) bool { return parent != "" && filepath.Clean(parent) == filepath.Dir(dir) })
}
