package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share/journal/internal/ledger"
)

// What the person answered holds when undo is interrupted and goes on by itself.
func TestInterruptedUndoKeepsAnswers(t *testing.T) {
	for _, step := range []string{"undo-begun", "undo-all-kept", "undo-durable", "undo-done"} {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t, "")
			w.seed("mine", "theirs", "beside", "plain")
			w.start()
			options := UndoOptions{Label: "old", Resolve: map[string]Resolution{}}
			for name, answer := range map[string]Resolution{"mine": Keep, "theirs": Restore, "beside": Both, "plain": ""} {
				w.check(w.write(name, "task "+name, -1))
				options.Resolve[w.id(name)] = answer
			}
			for _, name := range []string{"theirs", "beside"} {
				w.check(os.WriteFile(filepath.Join(w.dir, name), []byte("person's "+name), 0o644))
			}
			// It dies: the journal is what it was at this moment, and nothing more is done.
			died := filepath.Join(t.TempDir(), "journal")
			w.j.rec.Hook = func(s string) {
				if s == step && !exists(died) {
					w.check(os.CopyFS(died, os.DirFS(w.jdir)))
					panic(died)
				}
			}
			func() {
				defer func() { _ = recover() }()
				_, _ = w.j.Undo(context.Background(), nil, options)
			}()
			if !exists(died) {
				t.Fatal("it did not die")
			}
			w.j = nil // as it is
			j, err := Open(died, Options{})
			w.check(err)
			defer j.Close()
			for name, want := range map[string]string{"mine": "task mine", "theirs": "content of theirs", "beside": "person's beside",
				"beside (old)": "content of beside", "plain": "content of plain"} {
				if got, err := os.ReadFile(filepath.Join(w.dir, name)); string(got) != want {
					t.Errorf("%s: %q %v", name, got, err)
				}
			}
			if exists(filepath.Join(w.dir, "beside (old 2)")) {
				t.Error("put beside twice")
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Any number of changes can be left alone: what is written down about them is cut into
// records of a length that the log takes.
func TestManyLeftAlone(t *testing.T) {
	w := newWorld(t, "").start()
	var ids []string
	for i := range 300_000 {
		ids = append(ids, fmt.Sprint("o", 100_000+i))
	}
	recs := ledger.About[ledger.DropRecord](ids)
	w.j.rec.Mu.Lock()
	defer w.j.rec.Mu.Unlock()
	for _, r := range recs {
		if _, err := w.j.rec.Put(r); err != nil {
			t.Fatal(err)
		}
	}
}
