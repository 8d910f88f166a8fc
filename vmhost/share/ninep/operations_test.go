package ninep_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hugelgupf/p9/linux"
	"github.com/hugelgupf/p9/p9"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/journal"
)

func list(d p9.File) ([]string, error) {
	_, f, err := d.Walk(nil)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, _, err := f.Open(p9.ReadOnly); err != nil {
		return nil, err
	}
	var names []string
	for off := uint64(0); ; {
		part, err := f.Readdir(off, 1000)
		if err != nil || len(part) == 0 {
			return names, err
		}
		for _, e := range part {
			names = append(names, e.Name)
			off = e.Offset
		}
	}
}

// The virtual root lists the folders, follows them, and nothing can be done to
// it.
func TestVirtualRoot(t *testing.T) {
	h := newHost(t)
	root := h.mount()
	names, err := list(root)
	if err != nil || !slices.Equal(names, []string{".", "..", "ro", "rw"}) {
		t.Fatalf("%q %v", names, err)
	}
	rw := walk(t, root, "rw")
	for name, err := range map[string]error{
		"mkdir":   func() error { _, err := root.Mkdir("x", 0o755, 0, 0); return err }(),
		"create":  func() error { _, _, _, err := walk(t, root).Create("x", p9.ReadWrite, 0o644, 0, 0); return err }(),
		"symlink": func() error { _, err := root.Symlink("x", "y", 0, 0); return err }(),
		"unlink":  root.UnlinkAt("rw", 0x200),
		"rename":  root.RenameAt("rw", root, "x"),
		"chmod":   root.SetAttr(p9.SetAttrMask{Permissions: true}, p9.SetAttr{}),
		"link":    root.Link(walk(t, rw, "file"), "x"),
	} {
		if !isErrno(err, linux.EROFS) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := rw.RenameAt("file", root, "x"); !isErrno(err, linux.EXDEV) {
		t.Errorf("rename out of a folder: %v", err)
	}
	third := t.TempDir()
	f, err := h.set.Add(shareFolder("3", third, "rw"), nil)
	if err != nil || f.Name != "rw (2)" {
		t.Fatalf("%+v %v", f, err)
	}
	if names, _ := list(root); !slices.Contains(names, "rw (2)") {
		t.Errorf("an added folder: %q", names)
	}
	open := walk(t, rw, "file")
	if _, _, err := open.Open(p9.ReadOnly); err != nil {
		t.Fatal(err)
	}
	h.set.Remove("1")
	if _, err := open.ReadAt(make([]byte, 10), 0); !isErrno(err, linux.ESTALE) {
		t.Errorf("reading in a removed folder: %v", err)
	}
	if _, _, err := rw.Walk([]string{"file"}); !isErrno(err, linux.ESTALE) {
		t.Errorf("walking in a removed folder: %v", err)
	}
	if _, _, err := root.Walk([]string{"rw"}); !isErrno(err, linux.ENOENT) {
		t.Errorf("walking to a removed folder: %v", err)
	}
	// The guest's kernel keeps what it had for the name: it is of the folder there now.
	dir := t.TempDir()
	h.check(os.WriteFile(dir+"/new", []byte("new"), 0o644))
	if _, err := h.set.Add(shareFolder("4", dir, "rw"), nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := rw.Walk([]string{"new"}); err != nil {
		t.Errorf("walking in a folder of the same name: %v", err)
	}
	if _, _, _, err := rw.GetAttr(p9.AttrMaskAll); err != nil {
		t.Errorf("looking at a folder of the same name: %v", err)
	}
	if _, _, err := rw.Walk([]string{"file"}); !isErrno(err, linux.ENOENT) {
		t.Errorf("walking to what was there before: %v", err)
	}
	if _, err := open.ReadAt(make([]byte, 10), 0); !isErrno(err, linux.ESTALE) {
		t.Errorf("reading what was open: %v", err)
	}
}

// A person edits while the guest looks: it sees that at once.
func TestHostEdits(t *testing.T) {
	h := newHost(t)
	rw := walk(t, h.mount(), "rw")
	f := walk(t, rw, "file")
	if _, _, err := f.Open(p9.ReadOnly); err != nil {
		t.Fatal(err)
	}
	h.check(os.WriteFile(h.path("rw/file"), []byte("new content"), 0o644))
	b := make([]byte, 100)
	n, err := f.ReadAt(b, 0)
	if string(b[:n]) != "new content" {
		t.Errorf("%q %v", b[:n], err)
	}
	_, _, a, err := f.GetAttr(p9.AttrMaskAll)
	if a.Size != 11 {
		t.Errorf("size %d %v", a.Size, err)
	}
	h.check(os.Remove(h.path("rw/file")))
	if _, _, err := rw.Walk([]string{"file"}); !isErrno(err, linux.ENOENT) {
		t.Errorf("walk: %v", err)
	}
}

// Large directories come whole, while entries are removed.
func TestLargeDirectory(t *testing.T) {
	tier.Unraced(t)
	h := newHost(t)
	const n = 3000
	for i := range n {
		h.check(os.WriteFile(h.path(fmt.Sprintf("rw/dir/f%d", i)), nil, 0o644))
	}
	d := walk(t, h.mount(), "rw", "dir")
	names, err := list(d)
	if err != nil || len(names) != n+4 { // . .. file sub
		t.Fatalf("%d names, %v", len(names), err)
	}
	r := walk(t, d)
	if _, _, err := r.Open(p9.ReadOnly); err != nil {
		t.Fatal(err)
	}
	gone := 0
	for off := uint64(0); ; {
		part, err := r.Readdir(off, 4096)
		h.check(err)
		if len(part) == 0 {
			break
		}
		for _, e := range part {
			off = e.Offset
			if strings.HasPrefix(e.Name, "f") && e.Name != "file" {
				h.check(d.UnlinkAt(e.Name, 0))
				gone++
			}
		}
	}
	if gone != n {
		t.Errorf("%d of %d seen while removing", gone, n)
	}
	if names, _ := list(d); len(names) != 4 {
		t.Errorf("left: %q", names)
	}
}

// Many requests at once, of all kinds, from one guest.
func TestConcurrent(t *testing.T) {
	h := newHost(t)
	root := h.mount()
	before := h.tree("rw")
	errs := make(chan error)
	const workers = 8
	for w := range workers {
		go func() { errs <- worker(root, w) }()
	}
	for range workers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	list, err := h.j.Changes(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatalf("%v %v", list, err)
	}
	if r, err := h.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("undo: %+v %v", r.Conflicts, err)
	}
	if after := h.tree("rw"); after != before {
		t.Errorf("after undo:\n%s\nwant:\n%s", after, before)
	}
}

func worker(root p9.File, w int) error {
	_, rw, err := root.Walk([]string{"rw"})
	if err != nil {
		return err
	}
	defer rw.Close()
	for i := range 30 {
		name := fmt.Sprintf("w%d-%d", w, i%5)
		f, err := func() (p9.File, error) {
			_, d, err := rw.Walk(nil)
			if err != nil {
				return nil, err
			}
			f, _, _, err := d.Create(name, p9.ReadWrite, 0o644, 0, 0)
			return f, err
		}()
		if err != nil {
			return fmt.Errorf("create %s: %w", name, err)
		}
		data := bytes.Repeat([]byte{byte(i)}, 10000)
		if _, err := f.WriteAt(data, 0); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		_, shared, err := rw.Walk([]string{"dir", "file"})
		if err == nil {
			if _, _, err := shared.Open(p9.ReadWrite); err == nil {
				if _, err := shared.WriteAt([]byte(name), int64(i)); err != nil {
					return err
				}
			}
			shared.Close()
		}
		if i%3 == 0 {
			if err := rw.RenameAt(name, rw, name+"-moved"); err != nil {
				return err
			}
		}
		if i%7 == 0 {
			_ = rw.UnlinkAt(name, 0)
		}
	}
	return nil
}

// No file's qid has a version, whatever its times are: the guest's kernel would keep what it
// read and wrote, and neither side would see what the other one does.
func TestNothingIsCached(t *testing.T) {
	h := newHost(t)
	old := time.Unix(1_500_000_000, 0)
	if err := os.Chtimes(h.path("rw/file"), old, old); err != nil {
		t.Fatal(err)
	}
	rw := walk(t, h.mount(), "rw")
	walked, f, err := rw.Walk([]string{"file"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	opened, _, err := f.Open(p9.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	attr, _, _, err := f.GetAttr(p9.AttrMask{MTime: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := walk(t, rw)
	defer dir.Close()
	_, created, _, err := dir.Create("new", p9.ReadWrite, 0o644, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for what, q := range map[string]p9.QID{"walk": walked[0], "open": opened, "attributes": attr, "create": created} {
		if q.Version != 0 || q.Path == 0 {
			t.Errorf("%s: %+v", what, q)
		}
	}
}
