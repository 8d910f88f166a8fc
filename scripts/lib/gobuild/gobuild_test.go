package gobuild

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgram: a program is built, and what is none is said with what the compiler says.
func TestProgram(t *testing.T) {
	out := filepath.Join(t.TempDir(), "racelist")
	if err := Program(out, "piwork/scripts/lib/typecheck", "amd64"); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(out); err != nil || fi.Size() == 0 {
		t.Errorf("%v, %v", fi, err)
	}
	if err := Program(out, "piwork/no/such", "amd64"); err == nil || !strings.Contains(err.Error(), "no/such") {
		t.Errorf("%v", err)
	}
}
