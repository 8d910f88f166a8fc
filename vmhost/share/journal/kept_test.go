//go:build unix

package journal

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const envKept = "PIWORK_TEST_KEPT" // the directories, for a child

func init() { children[envKept] = keptChild }

// What an undo of a few files keeps for Redo survives a power cut right after it.
func TestKeptSurvivesPowerCut(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		for whim := range 2 {
			t.Run(where, func(t *testing.T) {
				jdir := filepath.Join(t.TempDir(), "j")
				if where == "other" {
					jdir = filepath.Join(otherFS(t), "j")
				}
				w := newWorld(t, jdir)
				w.seed("old")
				w.check(w.large("old", 300_000))
				w.check(w.large("parts", 3_000_000))
				w.age()
				cmd := exec.CommandContext(t.Context(), os.Args[0])
				cmd.Env = append(os.Environ(), envKept+"="+w.dir+" "+w.jdir)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				w.check(cut(w.jdir, whim))
				j, err := Open(w.jdir, Options{})
				w.check(err)
				defer j.Close()
				r, err := j.Redo(t.Context(), nil)
				if err != nil || len(r.Redone) != 3 || len(r.Conflicts) > 0 {
					t.Errorf("%+v %v", r, err)
				}
				for name, want := range map[string]string{"new": "xxxxxxxxxx", "old": "0123456yyy", "parts": "0123456yyy"} {
					if got, err := os.ReadFile(filepath.Join(w.dir, name)); !strings.HasPrefix(string(got), want) {
						t.Errorf("%s: %d bytes, %v", name, len(got), err)
					}
				}
			})
		}
	}
}

func keptChild(spec string) {
	w := &world{t: &childT{}, oldtime: time.Now()}
	w.dir, w.jdir, _ = strings.Cut(spec, " ")
	w.check(watched(w.jdir, w.check))
	w.start()
	w.check(w.create("new", strings.Repeat("x", 200_000)))
	w.check(w.write("old", strings.Repeat("y", 200_000), 7))
	w.check(w.write("parts", strings.Repeat("y", 200_000), 7))
	if r := w.undo(); len(r.Undone) != 3 {
		w.t.Fatalf("%+v", r)
	}
	os.Exit(0) // nothing is closed
}
