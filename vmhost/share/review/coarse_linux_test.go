package review

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// On a disk whose times are counted in large steps equal times do not pass for equal content:
// what a person did meanwhile is not overwritten by Apply.
func TestApplyWhereTimesAreCoarse(t *testing.T) {
	before := at.Coarse(time.Hour)
	t.Cleanup(func() { at.Coarse(before) })
	w, s := start(t, "a", "b")
	w.check(s.write("a", "TASK", 0))
	w.check(s.write("b", "TASK", 0))
	place := filepath.Join(w.dir, "a")
	info, err := os.Stat(place)
	w.check(err)
	w.person("a", "CONTENT OF a")
	w.check(os.Chtimes(place, info.ModTime(), info.ModTime()))
	r := w.apply(nil, ApplyOptions{})
	if len(r.Conflicts) != 1 || r.Conflicts[0].Reason != journal.ReasonChanged {
		t.Errorf("%+v", r.Conflicts)
	}
	for name, want := range map[string]string{"a": "CONTENT OF a", "b": "TASKent of b"} {
		if got, err := os.ReadFile(filepath.Join(w.dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q %v, want %q", name, got, err, want)
		}
	}
}
