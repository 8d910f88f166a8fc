//go:build !windows

package durable

import (
	"os"
	"path/filepath"
	"testing"
)

// What a file has holes for takes no room: half of a pack is as large as the whole.
func TestSizeOfHoles(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int64{"plain": 5, "holes": 1 << 30} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
			t.Fatal(err)
		}
	}
	if got, there, err := SizeOf(dir); err != nil || !there || got < 5 || got > 1<<20 {
		t.Errorf("%d, %v, %v", got, there, err)
	}
}
