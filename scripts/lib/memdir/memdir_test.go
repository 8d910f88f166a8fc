package memdir

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
)

func TestUse(t *testing.T) {
	t.Setenv("TMPDIR", "/somewhere/else")
	Use()
	if os.TempDir() != "/somewhere/else" {
		t.Errorf("a TMPDIR that was set became %s", os.TempDir())
	}
	t.Setenv("TMPDIR", "")
	Use()
	want := cmp.Or(inMemory(), disk)
	if os.TempDir() != want {
		t.Errorf("temporary files in %s, want %s", os.TempDir(), want)
	}
	if d := Disk(t); filepath.Dir(d) != filepath.Clean(disk) {
		t.Errorf("on the disk: %s", d)
	}
}
