//go:build long

package image

import "testing"

// TestReproducible builds everything twice from nothing but downloads: the root
// file system, QEMU and the kernel too.
func TestReproducible(t *testing.T) {
	buildTwice(t, func(*testing.T, string, string) {})
}
