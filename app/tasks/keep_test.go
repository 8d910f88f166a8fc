package tasks

import (
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
