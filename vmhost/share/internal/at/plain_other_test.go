//go:build !linux

package at

import "testing"

// forceOSRoot has nothing to do: openDir always uses os.Root here.
func forceOSRoot(*testing.T) {}
