//go:build !windows

package at

import (
	"os"
	"path/filepath"
	"testing"
)

// A rename by two links, as on NFS, takes its old name from the file alone: a person may save
// another one under it in between.
func TestUnlinkSame(t *testing.T) {
	for name, saved := range map[string]bool{"as it was": false, "saved meanwhile": true} {
		_, dir, base := tree(t)
		in := filepath.Join(base, "in")
		if err := os.Link(filepath.Join(in, "f"), filepath.Join(in, "new")); err != nil {
			t.Fatal(err)
		}
		if saved {
			if err := os.WriteFile(filepath.Join(in, "beside"), []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(in, "beside"), filepath.Join(in, "f")); err != nil {
				t.Fatal(err)
			}
		}
		if err := unlinkSame(dir.fd(), "f", dir.fd(), "new"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got, _ := os.ReadFile(filepath.Join(in, "f"))
		if (string(got) == "mine") != saved || !saved && got != nil {
			t.Errorf("%s: %q", name, got)
		}
		if got, err := os.ReadFile(filepath.Join(in, "new")); err != nil || string(got) != "in/f" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
