package virtiofs_test

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/hugelgupf/p9/linux"
	"golang.org/x/sys/unix"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

// tmpfile opens a file without a name.
func (c *client) tmpfile(dir uint64) (entry, *file, error) {
	b, err := c.call(opTmpfile, dir, uint32(2), uint32(0o640), uint32(0), uint32(0), "#1")
	if err != nil {
		return entry{}, nil, err
	}
	e := parseEntry(b)
	return e, &file{c: c, node: e.node, fh: binary.LittleEndian.Uint64(b[128:])}, nil
}

// tree is the names below a directory.
func tree(t *testing.T, dir string) (names string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		names += name + "\n"
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// A file without a name is nobody's until it gets one; then it is as any other
// that the task made.
func TestTmpfile(t *testing.T) {
	h := newHost(t, share.Options{})
	before := tree(t, h.path("rw"))
	e, f, err := h.tmpfile(h.at("rw/dir"))
	h.check(err)
	if e.attr.NLink != 0 || e.attr.Mode != unix.S_IFREG|0o640 {
		t.Errorf("it is %+v", e.attr)
	}
	if _, err := f.WriteAt([]byte("content"), 0); err != nil {
		t.Fatal(err)
	}
	h.check(f.Truncate(4))
	if after := tree(t, h.path("rw")); after != before {
		t.Errorf("it is seen:\n%s\ninstead of\n%s", after, before)
	}
	h.check(h.must2(opLink, h.at("rw"), e.node, "named"))
	if b, err := os.ReadFile(h.path("rw/named")); err != nil || string(b) != "cont" {
		t.Errorf("with a name it is %q, %v", b, err)
	}
	if n := h.at("rw/named"); n != e.node {
		t.Errorf("with a name it is node %d, not %d", n, e.node)
	}
	if _, err := f.WriteAt([]byte("more"), 4); err != nil {
		t.Error(err)
	}
	h.check(h.must2(opLink, h.at("rw/dir"), e.node, "twice"))
	if err := h.must2(opLink, h.at("rw"), e.node, "file"); !isErrno(err, linux.EEXIST) {
		t.Errorf("over another file: %v", err)
	}
	h.check(f.Close())
	h.forget(e.node, 100)
	if a, err := h.Stat("rw/dir/twice"); err != nil || a.Size != 8 || a.NLink != 2 {
		t.Errorf("%+v %v", a, err)
	}
	if r, err := h.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("undo: %+v %v", r, err)
	}
	if after := tree(t, h.path("rw")); after != before {
		t.Errorf("after undo:\n%s\ninstead of\n%s", after, before)
	}
}

// Where there may be none there is none, and one that is closed is gone.
func TestTmpfileRefused(t *testing.T) {
	h := newHost(t, share.Options{})
	for p, want := range map[string]linux.Errno{"": linux.EROFS, "ro": linux.EROFS, "rw/file": linux.ENOTDIR} {
		if _, _, err := h.tmpfile(h.at(p)); !isErrno(err, want) {
			t.Errorf("in %q: %v", p, err)
		}
	}
	e, f, err := h.tmpfile(h.at("rw"))
	h.check(err)
	if err := h.must2(opLink, h.at("ro"), e.node, "x"); !isErrno(err, linux.EXDEV, linux.EROFS) {
		t.Errorf("a name in another folder: %v", err)
	}
	h.check(f.Close())
	if err := h.must2(opLink, h.at("rw"), e.node, "x"); !isErrno(err, linux.ENOENT) {
		t.Errorf("a name for what is gone: %v", err)
	}
	// A file whose name was removed gets none again.
	g, err := h.Open("rw/file", 2)
	h.check(err)
	n := h.at("rw/file")
	h.check(h.Unlink("rw/file"))
	if err := h.must2(opLink, h.at("rw"), n, "again"); !isErrno(err, linux.ENOENT) {
		t.Errorf("a name for what was removed: %v", err)
	}
	h.check(g.Close())
}

// must2 is call without what it answers.
func (c *client) must2(op uint32, node uint64, fields ...any) error {
	_, err := c.call(op, node, fields...)
	return err
}
