package main

import (
	"slices"
	"testing"
)

// What packages bring is found behind the programs of the system, and never by operations.
func TestSearchPath(t *testing.T) {
	for name, tt := range map[string]struct {
		words         func() []string
		task, ofTools string
	}{
		"at the root": {(&environment{}).words,
			"PATH=/usr/local/bin:/usr/bin:/bin:/home/piwork/.local/bin", "PATH=/usr/local/bin:/usr/bin:/bin"},
		"elsewhere": {(&hosted{elsewhere: elsewhere{tree: "/t", place: "/p"}}).words,
			"PATH=/t/usr/local/bin:/t/usr/bin:/t/bin:/p/home/.local/bin", "PATH=/t/usr/local/bin:/t/usr/bin:/t/bin"},
	} {
		if all := tt.words(); !slices.Contains(all, tt.task) {
			t.Errorf("%s: %q", name, all)
		}
		if all := ofSystem(tt.words)(); !slices.Contains(all, tt.ofTools) || slices.Contains(all, tt.task) {
			t.Errorf("%s, operations: %q", name, all)
		}
	}
}
