package job

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// openBelow counts descriptors of this process that lead below a directory.
func openBelow(t *testing.T, dir string) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}

// Folders are kept open, a bounded number of them, and let go of.
func TestPins(t *testing.T) {
	dir := t.TempDir()
	var p Pins
	for i := range maxPins + 50 {
		in := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(in, 0o755); err != nil {
			t.Fatal(err)
		}
		p.Pin(in)
		p.Pin(in)
	}
	p.Pin(filepath.Join(dir, "none"))
	if n := openBelow(t, dir); n != maxPins {
		t.Errorf("%d are open", n)
	}
	p.release()
	if n := openBelow(t, dir); n != 0 {
		t.Errorf("%d are open in the end", n)
	}
	p.Pin(dir) // as before
	if n := openBelow(t, dir); n != 1 {
		t.Errorf("%d are open", n)
	}
	p.release()
}
