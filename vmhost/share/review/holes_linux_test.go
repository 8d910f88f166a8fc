package review

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A guest makes holes of any length for nothing. Neither a list reads them nor what applies or discards
// the changes.
func TestHolesAreNotRead(t *testing.T) {
	w, s := start(t, "a")
	w.check(os.Truncate(filepath.Join(w.dir, "a"), 40<<20)) // large: it is staged in parts
	readSoFar := func() (n int64) {                         // proc(5)
		data, err := os.ReadFile("/proc/self/io")
		if _, serr := fmt.Sscanf(string(data), "rchar: %d", &n); err != nil || serr != nil {
			t.Skip("how much was read nobody says here:", err, serr)
		}
		return n
	}
	fewRead := func(what string, do func()) {
		t.Helper()
		before := readSoFar()
		if do(); readSoFar()-before > 256<<20 {
			t.Errorf("%s read %d MiB", what, (readSoFar()-before)>>20)
		}
	}
	for i := range 2 {
		name := fmt.Sprint("hole", i)
		w.check(s.create(name, "begins"))
		w.check(s.truncate(name, 2<<30))
	}
	w.check(s.write("a", "TASK", 1<<20))
	w.check(s.truncate("a", 2<<30))
	w.check(s.rename("a", "b"))
	fewRead("the list", func() {
		list, err := w.l.Changes(t.Context())
		w.check(err)
		if len(list) != 3 {
			t.Errorf("%+v", list)
		}
		for _, c := range list {
			if c.After.SHA256 != "" || c.Before != nil && c.Before.SHA256 != "" {
				t.Errorf("%s is hashed", c.Path)
			}
		}
	})
	fewRead("apply", func() {
		if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) > 0 {
			t.Errorf("%+v", r)
		}
	})
	for _, name := range []string{"hole0", "b"} {
		if info, err := w.l.root.Lstat(name); err != nil || info.Size != 2<<30 || info.Blocks > 10_000 {
			t.Errorf("%s: %+v %v", name, info, err)
		}
	}
	if got := w.changes(); len(got) > 0 {
		t.Errorf("%q is left", got)
	}
}
