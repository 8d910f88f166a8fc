//go:build long

package image

import "testing"

// TestReproducible builds everything twice from nothing but downloads: the root
// file system, QEMU and the kernel too.
func TestReproducible(t *testing.T) {
	buildTwice(t, "amd64", func(*testing.T, string, string) {})
}

// TestReproducibleCross is TestReproducible for another processor than the
// rooms': its programs run in emulation, its QEMU is cross-built.
func TestReproducibleCross(t *testing.T) {
	if err := checkRuns("arm64"); err != nil {
		t.Fatal(err)
	}
	buildTwice(t, "arm64", func(*testing.T, string, string) {})
}
