package relocate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/review"
)

// What a task staged for review moves to another disk: the list is the same there,
// the merged view is, it is applied, and taken back.
func TestMoveOfWhatWaitsForReview(t *testing.T) {
	elsewhere, err := os.MkdirTemp("/dev/shm", "piwork-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(elsewhere) })
	h := &home{t: t, r: request(memdir.Disk(t))}
	h.r.Dir = elsewhere
	const large = 33 << 20 // of such a file only what changes is staged
	folder := filepath.Join(h.base(), "folder")
	h.put("folder/a", "a person's")
	h.put("folder/gone", "a person's")
	h.put("folder/sub/b", "a person's")
	h.put("folder/large", strings.Repeat("0123456789abcdef", large/16))
	h.put("cache/x", "")
	h.put("config/config.json", "{}")
	old := time.Unix(1e9, 5000)
	for _, name := range []string{"a", "gone", "sub/b", "large"} {
		h.check(os.Chtimes(filepath.Join(folder, name), old, old))
	}
	before := h.tree("folder")

	open := func(data string) (*review.Layer, *journal.Journal) {
		task := filepath.Join(data, "tasks", "1")
		h.check(os.MkdirAll(filepath.Join(task, "review"), 0o700))
		l, err := review.Open(filepath.Join(task, "review", "f1"), folder, review.Options{Folder: "f1"})
		h.check(err)
		j, err := journal.Open(filepath.Join(task, "journal"), journal.Options{})
		h.check(err)
		return l, j
	}
	seen := func(l *review.Layer) (listed, shown string) {
		s := l.Store()
		defer s.Close()
		list, err := l.Changes(t.Context())
		h.check(err)
		for _, c := range list {
			listed += fmt.Sprintln(c.ID, c.Effect, c.From, c.Path)
		}
		var out []string
		for _, name := range []string{"a", "large", "moved/b", "moved/new"} {
			info, err := s.Lstat(name)
			h.check(err)
			data := make([]byte, info.Size)
			f, _, err := s.Open(name, false)
			h.check(err)
			_, err = f.ReadAt(data, 0)
			h.check(errors.Join(err, f.Close()))
			out = append(out, fmt.Sprintf("%s %o %v %x", name, info.Mode, info.MTime, sha256.Sum256(data)))
		}
		return listed, strings.Join(out, "\n")
	}

	l, j := open(h.r.Data)
	h.check(staged(l.Store()))
	list, view := seen(l)
	h.check(errors.Join(l.Close(), j.Close()))
	h.check(h.look().Run(t.Context(), Options{Copy: func(ctx context.Context, rel, from, to string, told func(int64)) (bool, error) {
		if rel != filepath.Join("tasks", "1", "journal") {
			return false, nil
		}
		return true, journal.Copy(ctx, from, to, told)
	}}))
	h.settle()
	if _, err := os.Lstat(h.r.Data); !os.IsNotExist(err) {
		t.Fatalf("the old place: %v", err)
	}

	l, j = open(filepath.Join(elsewhere, placeName, dataName))
	defer func() { h.check(errors.Join(l.Close(), j.Close())) }()
	if l, v := seen(l); l != list || v != view {
		t.Fatalf("got\n%s%s\nwant\n%s%s", l, v, list, view)
	}
	if got := h.tree("folder"); got != before {
		t.Fatalf("the original:\n%s", got)
	}
	r, err := l.Apply(t.Context(), j, nil, review.ApplyOptions{})
	if err != nil || len(r.Conflicts) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if l, v := seen(l); l != "" || v != view {
		t.Errorf("applied\n%s%s\nwant\n%s", l, v, view)
	}
	u, err := j.Undo(t.Context(), nil, journal.UndoOptions{})
	if err != nil || len(u.Conflicts) > 0 {
		t.Fatalf("%+v, %v", u, err)
	}
	if got := h.tree("folder"); got != before {
		t.Errorf("after undo\n%s\nwant\n%s", got, before)
	}
}

// staged is what the task does.
func staged(s share.Store) error {
	defer s.Close()
	write := func(name, data string, off int64) error {
		f, _, err := s.Open(name, true)
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte(data), off)
		return errors.Join(err, f.Close())
	}
	f, _, err := s.Create("sub/new", 0o640)
	if err != nil {
		return err
	}
	set := func(rel string, m share.Meta) error {
		_, err := s.SetMeta(rel, m)
		return err
	}
	_, err = f.WriteAt([]byte("made"), 1<<20) // after a hole
	return errors.Join(err, f.Close(),
		write("a", "task's", 0),
		write("large", strings.Repeat("\x00", 64<<10), 16<<20), // zeros are content, too
		write("large", "task's", 20<<20),
		s.Remove("gone"),
		s.Rename("sub", "moved", true),
		set("moved/b", share.Meta{Mode: new(uint32(0o600))}),
		set("moved/new", share.Meta{ATime: time.Unix(2e9, 0), MTime: time.Unix(1.5e9, 7)}))
}
