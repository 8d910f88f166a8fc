//go:build long && linux

// Package posix is a program for the guest: go-fuse's tests of what POSIX says, in
// the directory that TMPDIR names.
package posix

import (
	"testing"

	"github.com/hanwen/go-fuse/v2/posixtest"
)

func TestPOSIX(t *testing.T) {
	for name, do := range posixtest.All {
		t.Run(name, func(t *testing.T) { do(t, t.TempDir()) })
	}
}
