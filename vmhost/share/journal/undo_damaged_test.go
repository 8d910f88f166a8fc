package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// damage flips a byte near the end of each file in images/ and returns how many there are.
func (w *world) damage() int {
	w.t.Helper()
	list, err := filepath.Glob(filepath.Join(w.jdir, "images", "*"))
	w.check(err)
	for _, path := range list {
		b, err := os.ReadFile(path)
		w.check(err)
		b[len(b)-1000] ^= 1
		w.check(os.WriteFile(path, b, 0o600))
	}
	return len(list)
}

// What the journal kept is compared with its checksum before undo replaces anything by it:
// of a damaged copy nothing comes into the folder, and what is there stays.
func TestUndoRefusesDamagedCopies(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		for _, how := range []string{"running", "restarted"} {
			t.Run(where+"/"+how, func(t *testing.T) {
				jdir := ""
				if where == "other" {
					jdir = otherFS(t)
				}
				w := newWorld(t, jdir)
				w.seed("small")
				for name, size := range map[string]int{"copied": 200_000, "linked": 200_000, "saved": 200_000, "parts": 3_000_000, "holes": 3_000_000} {
					w.check(w.large(name, size))
				}
				w.check(os.Link(filepath.Join(w.dir, "linked"), filepath.Join(w.dir, "link")))
				w.start()
				for _, name := range []string{"copied", "linked", "saved", "parts"} {
					w.check(w.write(name, "task", 100_000))
				}
				w.check(w.write("parts", "task", 2_000_000))
				w.check(w.write("small", "task", -1))
				w.check(w.save("saved", "task"))
				w.changes() // which hashes them
				if how == "restarted" {
					w.restart()
				}
				if n := w.damage(); n != 4 {
					t.Fatalf("%d copies", n)
				}
				left := w.tree()
				r := w.undo()
				got := r.reasons()
				for _, name := range []string{"copied", "linked", "saved", "parts"} {
					if got[name] != ReasonNoImage {
						t.Errorf("%s: %q, want %q", name, got[name], ReasonNoImage)
					}
				}
				if len(got) != 4 || len(r.Undone) != 1 {
					t.Errorf("%+v", r)
				}
				w.has("small", "content of small")
				for _, line := range strings.Split(diff(sansDirTimes(left), sansDirTimes(w.tree())), "\n") {
					if line != "" && !strings.Contains(line, `"small"`) {
						t.Errorf("it is not as it was: %s", line)
					}
				}
				// Nothing was begun: what is there is still taken for the task's.
				for _, c := range w.undo().Conflicts {
					if c.Reason != ReasonNoImage {
						t.Errorf("the second time: %+v", c)
					}
				}
			})
		}
	}
}
