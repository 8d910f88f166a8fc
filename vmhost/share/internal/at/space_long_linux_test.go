//go:build long

package at

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share/internal/realfs"
)

// Which disks have no holes is what they do; of drivers of FUSE nobody knows it before.
func TestDense(t *testing.T) {
	realfs.Each(t, func(t *testing.T, d *realfs.Disk) {
		root, err := OpenRoot(d.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		space := func() Space {
			t.Helper()
			d.Sync()
			s, err := root.Space()
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		before := space()
		file := filepath.Join(d.Dir, "long")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, 16<<20); err != nil {
			t.Fatal(err)
		}
		took := (before.Free-space().Free)*uint64(before.Block) >= 8<<20
		t.Logf("it took room: %v", took)
		if took != before.Dense && !onFUSE(root.top.fd()) {
			t.Errorf("files have no holes: %v", before.Dense)
		}
	})
}
