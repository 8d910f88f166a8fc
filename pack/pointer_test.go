package pack

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A pointer that is damaged while the program runs is repaired by whoever reads it, and waits
// for nobody.
func TestDamagedPointerIsRepairedWhenRead(t *testing.T) {
	s, err := OpenStore(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(s.Dir(), "1.0.0"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.Dir(), pointerName), []byte("{"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s = s.Patient()
	unlock, err := s.lock(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pointer(); !errors.Is(err, errBadPointer) {
		t.Errorf("while somebody changes the store: %v", err)
	}
	unlock()
	if p, err := s.Pointer(); err != nil || p.Current != "1.0.0" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		v, than string
		want    bool
	}{
		{"1.0.1", "1.0.0", true},
		{"1.10.0", "1.9.0", true},
		{"1.0.0", "1.0.0", false},
		{"1.0.0", "1.0.1", false},
		{"1.0.0", "1.0.0-rc.1", true},
		{"1.0.0-rc.1", "1.0.0", false},
		{"1.0.0-rc.10", "1.0.0-rc.9", true},
		{"1.0.0+b", "1.0.0+a", false},
		{"0.0.1", "", true},
		{"0.0.1", "junk", true},
		{"", "", false},
		{"", "1.0.0", false},
		{"junk", "1.0.0", false},
		{"1.1", "1.0.0", false}, // not a whole version
		{"v1.1.0", "1.0.0", false},
	} {
		if got := Newer(c.v, c.than); got != c.want {
			t.Errorf("%q newer than %q: %v", c.v, c.than, got)
		}
	}
}
