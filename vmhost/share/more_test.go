package share_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

// journalled shares a folder that may be changed.
func journalled(t *testing.T, dir string) (*share.Tree, *journal.Journal) {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := share.NewSet(share.Options{})
	t.Cleanup(func() {
		set.Close()
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	f, err := set.Add(share.Folder{ID: "1", Path: dir}, j)
	if err != nil {
		t.Fatal(err)
	}
	return set.Lookup(f.Name), j
}

// Content that comes in parts is written, read and taken back as in one.
func TestVectors(t *testing.T) {
	dir := t.TempDir()
	const before = "before the task came"
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, j := journalled(t, dir)
	open := func(flag int) *share.File {
		x, _, err := tree.Open("file", flag)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(x.Close)
		return x
	}
	w := open(os.O_RDWR)
	var parts [][]byte // more than one call takes
	want := ""
	for range 1500 {
		parts = append(parts, []byte("ab"), nil, []byte("c"))
		want += "abc"
	}
	if n, err := w.WritevAt(parts, 7); n != len(want) || err != nil {
		t.Errorf("%d %v", n, err)
	}
	for _, r := range []*share.File{w, open(os.O_RDONLY)} {
		got := [][]byte{make([]byte, 5), make([]byte, 4000), make([]byte, 4000)}
		n, err := r.ReadvAt(got, 5)
		if n != 2+len(want) || !errors.Is(err, io.EOF) {
			t.Errorf("%d %v", n, err)
		}
		if all := string(got[0]) + string(got[1]) + string(got[2]); all[:n] != before[5:7]+want {
			t.Errorf("%q", all[:50])
		}
		if _, err := r.ReadvAt(got, -1); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("before the beginning: %v", err)
		}
	}
	if _, err := open(os.O_RDONLY).WritevAt(parts, 0); err == nil {
		t.Error("wrote to what is open for reading")
	}
	if err := w.Allocate(0, 0, 1<<20); runtime.GOOS == "linux" && err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(file); runtime.GOOS == "linux" && (err != nil || info.Size() != 1<<20) {
		t.Errorf("%v %v", info, err)
	}
	if err := w.Allocate(0, 0, 0); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("room of nothing: %v", err)
	}
	if err := open(os.O_RDONLY).Allocate(0, 0, 1); err == nil {
		t.Error("made room in what is open for reading")
	}
	if r, err := j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("undo: %+v %v", r, err)
	}
	if got, err := os.ReadFile(file); string(got) != before {
		t.Errorf("after undo: %q %v", got[:min(len(got), 40)], err)
	}
}

// The first change of a file keeps it, also when that is making room.
func TestAllocateIsTakenBack(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("fallocate(2) is Linux's")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	before := strings.Repeat("before", 4000)
	if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	tree, j := journalled(t, dir)
	x, _, err := tree.Open("file", os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	const punchHole = 3 // FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
	if err := x.Allocate(punchHole, 100, 9000); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); len(got) != len(before) || got[100] != 0 || got[99] == 0 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	x.Close()
	if r, err := j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("undo: %+v %v", r, err)
	}
	if got, err := os.ReadFile(file); string(got) != before {
		t.Errorf("after undo %d bytes, %v", len(got), err)
	}
}

func TestRenameNoReplace(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, j := journalled(t, dir)
	for _, to := range []string{"b", "a"} {
		if err := tree.RenameNoReplace("a", to); !errors.Is(err, fs.ErrExist) {
			t.Errorf("to %s: %v", to, err)
		}
	}
	if err := tree.RenameNoReplace("a", "c"); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "c")); string(got) != "a" {
		t.Errorf("%q %v", got, err)
	}
	if r, err := j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("undo: %+v %v", r, err)
	}
	for _, name := range []string{"a", "b"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != name {
			t.Errorf("after undo: %q %v", got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "c")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after undo: %v", err)
	}
}
