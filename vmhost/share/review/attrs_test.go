//go:build unix

package review

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// attributedWorld is a world where files have extended attributes.
func attributedWorld(t *testing.T) *world {
	t.Helper()
	base := quick(t)
	if !keepsAttrs(base) {
		if base = t.TempDir(); !keepsAttrs(base) {
			t.Skip("no file system here keeps attributes of programs")
		}
	}
	w := newWorld(t, base)
	w.check(seed(w.dir, "a", "b", "d/e", "l -> a"))
	w.check(plain{w.dir}.setxattr("a", "user.old", "1"))
	w.begin()
	t.Cleanup(w.end)
	return w
}

// Attributes wait as all changes do: they are in the list, not in the folder;
// accepted they are there, and undo takes them back.
func TestAttributes(t *testing.T) {
	w := attributedWorld(t)
	s := staged{w.s}
	before := w.original(withTimes)
	w.check(s.setxattr("a", "user.new", "2"))
	w.check(s.removexattr("a", "user.old"))
	w.check(s.setxattr("d", "user.dir", ""))
	w.check(s.setxattr("b", "user.gone", "x"))
	w.check(s.removexattr("b", "user.gone"))
	w.check(s.create("new", "of the task"))
	w.check(s.setxattr("new", "user.mine", "3"))
	if got, want := w.changes(), []string{"change file a", "change dir d", "create file new"}; !slices.Equal(got, want) {
		t.Errorf("the list is %q", got)
	}
	list, err := w.l.Changes(t.Context())
	w.check(err)
	for _, c := range list {
		if c.Effect == journal.EffectChange && (c.Before.Attributes == "" || c.Before.Attributes == c.After.Attributes) {
			t.Errorf("%s: %+v to %+v", c.Path, c.Before, c.After)
		}
	}
	if d := diff(before, w.original(withTimes)); d != "" {
		t.Errorf("the original was changed:\n%s", d)
	}
	view := w.merged(withTimes)
	w.end()
	w.begin()
	if d := diff(view, w.merged(withTimes)); d != "" {
		t.Errorf("opened again:\n%s", d)
	}
	if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r.Conflicts)
	}
	if d := diff(view, w.original(withTimes)); d != "" {
		t.Errorf("applied:\n%s", d)
	}
	if r, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("undo: %+v %v", r.Conflicts, err)
	}
	if d := diff(before, w.original(withTimes)); d != "" {
		t.Errorf("undone:\n%s", d)
	}
}

// What a person did to the attributes meanwhile is not lost without a word.
func TestAttributesConflict(t *testing.T) {
	w := attributedWorld(t)
	w.check(staged{w.s}.setxattr("a", "user.old", "task"))
	w.check(plain{w.dir}.setxattr("a", "user.old", "person"))
	r := w.apply(nil, ApplyOptions{})
	if len(r.Conflicts) != 1 || r.Conflicts[0].Reason != journal.ReasonChanged {
		t.Fatalf("%+v", r.Conflicts)
	}
	if got, err := (staged{w.s}).attrs("a"); got != ` user.old="task"` || err != nil {
		t.Errorf("the task sees %s %v", got, err)
	}
	r = w.apply(nil, ApplyOptions{Resolve: map[string]journal.Resolution{r.Conflicts[0].Change.ID: Replace}})
	if len(r.Conflicts) > 0 {
		t.Fatalf("%+v", r.Conflicts)
	}
	if !strings.Contains(w.original(0), `user.old="task"`) {
		t.Errorf("replaced:\n%s", w.original(0))
	}
}

func TestAttributesRefused(t *testing.T) {
	w := attributedWorld(t)
	s := w.s.(attributed)
	w.check(staged{w.s}.chmod("b", 0o400))
	w.check(s.SetXattr("a", "user.have", []byte("x"), 0))
	for _, c := range []struct {
		what string
		err  error
		want error
	}{
		{"a link", s.SetXattr("l", "user.a", nil, 0), fs.ErrPermission},
		{"what may not be written", s.SetXattr("b", "user.a", nil, 0), fs.ErrPermission},
		{"what is not there", s.SetXattr("none", "user.a", nil, 0), fs.ErrNotExist},
		{"making one that is there", s.SetXattr("a", "user.have", nil, at.AttrCreate), syscall.EEXIST},
		{"replacing one that is not", s.SetXattr("a", "user.none", nil, at.AttrReplace), at.ErrNoAttr},
		{"removing one that is not", s.RemoveXattr("a", "user.none"), at.ErrNoAttr},
		{"unknown flags", s.SetXattr("a", "user.a", nil, 8), syscall.EINVAL},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v instead of %v", c.what, c.err, c.want)
		}
	}
}

// A guest that sets attributes without end gets an error, and memory stays
// bounded.
func TestAttributesBounded(t *testing.T) {
	w := attributedWorld(t)
	s := staged{w.s}
	value := strings.Repeat("x", 60<<10)
	var err error
	for i := 0; i < 4 && err == nil; i++ {
		err = s.setxattr("a", fmt.Sprint("user.", i), value)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("many of one file: %v", err)
	}
	n := 0
	for err = nil; err == nil && n <= 2*maxAllAttrs/maxFileAttrs; n++ {
		name := fmt.Sprint("f", n)
		w.check(s.create(name, ""))
		if err = s.setxattr(name, "user.1", value); err == nil {
			err = s.setxattr(name, "user.2", value)
		}
	}
	if !errors.Is(err, ErrFull) {
		t.Errorf("of %d files: %v", n, err)
	}
	for i := range n {
		w.check(s.remove(fmt.Sprint("f", i)))
	}
	if w.l.t.attrs != s.sizeOf(t, "a") {
		t.Errorf("%d bytes are counted, %d are there", w.l.t.attrs, s.sizeOf(t, "a"))
	}
	w.check(s.setxattr("d", "user.1", value))
}

func (d staged) sizeOf(t *testing.T, p string) (n int) {
	t.Helper()
	names, err := d.s.(attributed).ListXattr(p)
	for _, name := range names {
		v, gerr := d.s.(attributed).GetXattr(p, name)
		err = errors.Join(err, gerr)
		n += len(name) + len(v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A file without a name is nobody's until it gets one.
func TestTmpfile(t *testing.T) {
	w := newWorld(t, quick(t))
	w.check(seed(w.dir, "a", "d/e"))
	w.begin()
	defer func() { w.end() }()
	before := w.original(withTimes)
	s := w.l
	h, info, err := s.Tmpfile("d", 0o640)
	w.check(err)
	if info.NLink != 0 || info.Kind != at.File || info.Mode != 0o640 {
		t.Errorf("it is %+v", info)
	}
	_, err = h.WriteAt([]byte("content"), 0)
	w.check(errors.Join(err, h.Truncate(4), h.SetMeta(at.Meta{Mode: new(uint32(0o600))})))
	if len(w.changes()) > 0 || w.merged(withTimes) != before {
		t.Errorf("it is seen: %q", w.changes())
	}
	if _, err := s.LinkFile(h, "a"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another file: %v", err)
	}
	if _, err := s.LinkFile(h, "none/a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("where there is nothing: %v", err)
	}
	info, err = s.LinkFile(h, "named")
	w.check(err)
	if info.NLink != 1 || info.Mode != 0o600 || info.Size != 4 {
		t.Errorf("with a name it is %+v", info)
	}
	if info, err = s.LinkFile(h, "twice"); err != nil || info.NLink != 2 {
		t.Errorf("with two it is %+v %v", info, err)
	}
	w.check(errors.Join(w.s.Remove("named"), w.s.Remove("twice")))
	if _, err := s.LinkFile(h, "again"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what lost its name: %v", err)
	}
	w.check(h.Close())
	h, _, err = s.Tmpfile(".", 0o644)
	w.check(err)
	_, err = h.WriteAt([]byte("kept"), 0)
	w.check(err)
	_, err = s.LinkFile(h, "kept")
	w.check(errors.Join(err, h.Close()))
	// One that is never named goes with its handle, and with the program.
	h, _, err = s.Tmpfile("d", 0o644)
	w.check(err)
	w.check(h.Close())
	_, _, err = s.Tmpfile("d", 0o644)
	w.check(err)
	if _, _, err := s.Tmpfile("a", 0o644); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("in a file: %v", err)
	}
	w.end()
	w.begin()
	if names, err := os.ReadDir(filepath.Join(w.own, "objects")); err != nil || len(names) != 1 {
		t.Errorf("left: %v %v", names, err)
	}
	if got := w.changes(); !slices.Equal(got, []string{"create file kept"}) {
		t.Errorf("the list is %q", got)
	}
}
