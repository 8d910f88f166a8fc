//go:build unix

package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/vmhost/share/internal/at"
)

// copied has the world go on with a copy of its journal in base; the old one is
// gone.
func (w *world) copied(base string) {
	w.t.Helper()
	w.stop()
	dir, err := os.MkdirTemp(base, "copy-")
	w.check(err)
	w.check(os.Remove(dir)) // Copy makes it
	n := int64(0)
	w.check(Copy(context.Background(), w.jdir, dir, func(b int64) { n += b }))
	if left, err := os.ReadDir(filepath.Join(dir, "refs")); err != nil || len(left) > 0 || n == 0 {
		w.t.Fatalf("references in the copy: %v, %v; %d bytes", left, err, n)
	}
	w.check(os.RemoveAll(w.jdir))
	w.jdir = dir
	w.restart()
}

// places has copies made beside the journal, and on another file system.
func places(t *testing.T, run func(t *testing.T, base string)) {
	t.Run("same disk", func(t *testing.T) { run(t, t.TempDir()) })
	t.Run("other disk", func(t *testing.T) { run(t, otherFS(t)) })
}

// A little of everything is undone, done again and undone with a journal that was
// copied before each, and lists the same.
func TestCopy(t *testing.T) {
	places(t, func(t *testing.T, base string) {
		w := crashWorldIn(t, filepath.Join(t.TempDir(), "folder"), filepath.Join(t.TempDir(), "journal"))
		w.start()
		crashTask(w)
		w.stop()
		w.restart()
		if refs, err := os.ReadDir(filepath.Join(w.jdir, "refs")); err != nil || len(refs) == 0 {
			t.Fatalf("no references to copy: %v", err)
		}
		list, left := strings.Join(w.changes(), "\n"), timeless(w.tree())
		w.copied(base)
		if got := strings.Join(w.changes(), "\n"); got != list {
			t.Fatalf("the copy lists something else:\n%s", diff(list, got))
		}
		r := w.undo()
		if got := w.tree(); got != w.before || len(r.Conflicts) > 0 {
			t.Fatalf("undo with the copy: %+v\n%s", r.Conflicts, diff(w.before, got))
		}
		w.copied(base)
		again, err := w.j.Redo(t.Context(), nil)
		w.check(err)
		if got := timeless(w.tree()); got != left || len(again.Conflicts) > 0 {
			t.Fatalf("redo with the copy: %+v\n%s", again.Conflicts, diff(left, got))
		}
		w.copied(base)
		r = w.undo()
		if got := w.tree(); got != w.before || len(r.Conflicts) > 0 {
			t.Fatalf("undo of the redo with the copy: %+v\n%s", r.Conflicts, diff(w.before, got))
		}
	})
}

// Names of one file: some the task removed, some it left, one outside the folder.
func TestCopyOfLinks(t *testing.T) {
	places(t, func(t *testing.T, base string) {
		w := newWorld(t, "")
		w.seed("a", "b = a", "c", "d = c", "e", "out")
		outside := filepath.Join(filepath.Dir(w.dir), "outside")
		w.check(os.Link(filepath.Join(w.dir, "out"), outside))
		w.before = w.tree()
		w.start()
		w.check(w.remove("a")) // b stays, and is written
		w.check(w.write("b", "task", -1))
		w.check(w.remove("c")) // both go
		w.check(w.remove("d"))
		w.check(w.chmod("e", 0o600))
		w.check(w.remove("e"))
		w.check(w.remove("out"))
		w.copied(base)
		w.check(os.WriteFile(outside, []byte("changed since"), 0o600))
		r := w.undo()
		if got := w.tree(); got != w.before || len(r.Conflicts) > 0 {
			t.Errorf("%+v\n%s", r.Conflicts, diff(w.before, got))
		}
		if data, err := os.ReadFile(outside); err != nil || string(data) != "changed since" {
			t.Errorf("the name outside: %q, %v", data, err)
		}
	})
}

// Files that only their owner's rights keep from being read, and attributes.
func TestCopyKeepsRightsAndAttributes(t *testing.T) {
	places(t, func(t *testing.T, base string) {
		w := newWorld(t, "")
		w.seed("closed", "marked")
		w.start()
		if err := w.setxattr("marked", "user.person", "mine"); err != nil {
			t.Logf("no attributes here: %v", err)
		}
		w.stop()
		w.check(os.RemoveAll(w.jdir)) // that was the person
		w.check(os.Chmod(filepath.Join(w.dir, "closed"), 0))
		w.check(os.Chmod(filepath.Join(w.dir, "marked"), 0o444))
		before := func() string { return w.treeOf("marked") + w.modeOf("closed") }
		want := before()
		w.start()
		w.check(w.remove("closed"))
		w.check(w.remove("marked"))
		w.copied(base)
		if r := w.undo(); len(r.Conflicts) > 0 {
			t.Errorf("%+v", r.Conflicts)
		}
		if got := before(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func (w *world) treeOf(rel string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, rel))
	w.check(err)
	root, err := at.OpenRoot(w.dir)
	w.check(err)
	defer root.Close()
	data = append(data, w.attrsAt(root, rel)...)
	return w.modeOf(rel) + string(data)
}

func TestCopyRefuses(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "b")
	w.start()
	w.check(w.remove("a"))
	dst := filepath.Join(t.TempDir(), "copy")
	if err := Copy(t.Context(), w.jdir, dst, func(int64) {}); !errors.Is(err, ErrLocked) {
		t.Errorf("one that is open: %v", err)
	}
	w.stop()
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	err := Copy(ctx, w.jdir, dst, func(int64) { stop(why) })
	if !errors.Is(err, why) {
		t.Errorf("ended: %v", err)
	}
	w.check(os.RemoveAll(dst))
	w.restart()
	if r := w.undo(); len(r.Conflicts) > 0 {
		t.Errorf("the journal that was to be copied: %+v", r)
	}
}
