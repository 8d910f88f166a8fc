package tasks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a guest calls a file is a name of an ordinary file here.
func TestResultName(t *testing.T) {
	for name, want := range map[string]string{"a b.pdf": "a b.pdf", "..": "result", ".x": "result", "": "result", "a/b": "a_b", "x\n": "x_", strings.Repeat("x", 300): "result", "CON?.": "CON_", "\xff": "_"} {
		if got := resultName(name, 0); got != want {
			t.Errorf("%q becomes %q", name, got)
		}
	}
	if got := resultName("x", 2); got != "3 x" {
		t.Error(got)
	}
}

// Where the disk has no second names, a result takes no name that there is, either.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"one", "two"} {
		if err := os.WriteFile(at(name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := take(at("one"), at("two")); !os.IsExist(err) {
		t.Errorf("over another: %v", err)
	}
	if err := take(at("one"), at("three")); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"two": "two", "three": "one"} {
		if got, err := os.ReadFile(at(name)); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v", name, got, err)
		}
	}
}
