//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/share/journal/internal/recorder"
)

// later is so long after the task that whoever changes something then is somebody
// else: a person puts a file into a directory that the task changed, too.
func later(w *world) {
	time.Sleep(recorder.DeathSlack + 200*time.Millisecond)
	w.check(os.WriteFile(filepath.Join(w.dir, "d", "person"), []byte("theirs"), 0o600))
}

// An undo that comes long after the task and is killed is finished with the times that
// directories had: what it changed itself is not taken for a person's. What a person
// changed before it came keeps a time of now.
func TestUndoKilledLate(t *testing.T) {
	t.Parallel() // its time is that of the person
	world := func() *world {
		return crashWorldIn(t, filepath.Join(t.TempDir(), "folder"), filepath.Join(otherFS(t), "j"))
	}
	names := runChild(t, world(), "late", 0)
	for _, step := range []int{len(names) / 2, len(names) * 9 / 10} {
		w := world()
		runChild(t, w, "late", step)
		if !w.begun("undo") {
			t.Fatalf("no undo had begun at step %d", step)
		}
		if died := w.tree(); died == w.before {
			t.Fatalf("nothing was left to undo at step %d", step)
		}
		j, err := Open(w.jdir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		after := w.tree()
		w.check(j.Close())
		if d := diff(others(w.before), others(after)); d != "" {
			t.Errorf("undo died at step %d and was not finished:\n%s", step, d)
		}
		if !strings.Contains(after, `"d/person" file`) || slices.Contains(strings.Split(after, "\n"), lineOf(w.before, `"d" dir`)) {
			t.Errorf("what a person did to the directory is lost:\n%s", after)
		}
	}
}

// others leaves out the directory that a person came to.
func others(tree string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(tree, "\n"), func(line string) bool {
		return strings.HasPrefix(line, `"d`)
	}), "\n")
}

func lineOf(tree, prefix string) string {
	for line := range strings.SplitSeq(tree, "\n") {
		if strings.HasPrefix(line, prefix) {
			return line
		}
	}
	return ""
}
