//go:build !windows

package at

import "path/filepath"

// RealPath returns a path of the host without links on the way or at its end.
func RealPath(path string) (string, error) { return filepath.EvalSymlinks(path) }
