package journal

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What a person wants replaced stays where what was before cannot be put in its place after all, and
// is not lost when the program dies in between.
func TestRestoreFailsHalfway(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing removes a directory there that the journal has open")
	}
	for name, task := range map[string]func(w *world) error{
		"removed":           func(w *world) error { return w.remove("a") },
		"saved":             func(w *world) error { return w.save("a", "task") },
		"removed, and link": func(w *world) error { return w.remove("l") },
	} {
		for _, where := range []string{"same", "other"} {
			for _, how := range []string{"fails", "dies before", "dies after", "somebody saves"} {
				t.Run(strings.Join([]string{name, where, how}, "/"), func(t *testing.T) {
					t.Parallel()
					jdir, path := "", "a"
					if where == "other" {
						jdir = otherFS(t)
					}
					if strings.HasSuffix(name, "link") {
						path = "l"
					}
					w := newWorld(t, jdir)
					w.seed("a", "l = a")
					before := strings.Repeat("before ", 20_000)
					w.by("a", before)
					w.age()
					var do func()
					arm := w.while("undo-beside", func() { do() })
					w.check(task(w))
					w.changes()
					w.by("b", "the person's")
					w.check(os.Rename(filepath.Join(w.dir, "b"), filepath.Join(w.dir, path)))
					id := w.id(path)
					answers := UndoOptions{Resolve: map[string]Resolution{id: Restore}}
					if step, dies := map[string]string{"dies before": "undo-beside", "dies after": "undo-placed"}[how]; dies {
						died := w.diesAt(step, 1, func() { _, _ = w.j.Undo(context.Background(), nil, answers) })
						j, err := Open(died, Options{})
						w.check(err)
						defer j.Close()
						w.has(path, before)
						w.noLeftovers()
						r, err := j.Redo(t.Context(), []string{id})
						w.check(err)
						if len(r.Conflicts) > 0 {
							t.Errorf("%+v", r)
						}
						w.has(path, "the person's")
						return
					}
					arm()
					do = func() {
						for _, dir := range []string{"images", "refs"} { // as if they could not be read, or copied
							w.check(os.RemoveAll(filepath.Join(w.jdir, dir)))
							w.check(os.Mkdir(filepath.Join(w.jdir, dir), 0o700))
						}
						list, err := filepath.Glob(filepath.Join(w.dir, ".piwork-undo-*"))
						w.check(err)
						for _, staged := range list {
							w.check(os.Remove(staged))
						}
						if how == "somebody saves" {
							w.by("new", "newer")
							w.check(os.Rename(filepath.Join(w.dir, "new"), filepath.Join(w.dir, path)))
						}
					}
					r, err := w.j.Undo(t.Context(), nil, answers)
					w.check(err)
					if len(r.Undone) > 0 || len(r.Conflicts) != 1 {
						t.Errorf("%+v", r)
					}
					if how == "fails" {
						w.has(path, "the person's")
					} else {
						w.has(path, "newer")
					}
					w.noLeftovers()
				})
			}
		}
	}
}
