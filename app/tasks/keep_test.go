package tasks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/problem"
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

// A result for which no name is left says so.
func TestNoNameIsLeft(t *testing.T) {
	defer func(before int) { maxNames = before }(maxNames)
	maxNames = 3
	dir := t.TempDir()
	for n := range maxNames + 1 {
		if err := os.WriteFile(filepath.Join(dir, resultName("a", n)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "made")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := nameResult(file, dir, "a", 0); problem.From(err).Code != problem.CodeOutputExists {
		t.Error(err)
	}
}
