package ninep_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/hugelgupf/p9/p9"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
)

// serve shares dir as "rw" and "ro" and returns a mounted client.
func serve(t *testing.T, dir string) (p9.File, *journal.Journal) {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := share.NewSet(share.Options{})
	for _, f := range []share.Folder{{ID: "1", Path: dir, Name: "rw"}, {ID: "2", Path: dir, Name: "ro", ReadOnly: true}} {
		if _, err := set.Add(f, j); err != nil {
			t.Fatal(err)
		}
	}
	host, guest := net.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- ninep.Serve(ctx, host, set, ninep.Options{}) }()
	c, err := p9.NewClient(guest)
	if err != nil {
		t.Fatal(err)
	}
	root, err := c.Attach("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		guest.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		set.Close()
		j.Close()
	})
	return root, j
}

func walk(t *testing.T, f p9.File, names ...string) p9.File {
	t.Helper()
	_, g, err := f.Walk(names)
	if err != nil {
		t.Fatalf("walk %q: %v", names, err)
	}
	return g
}

func TestWriteListUndo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	root, j := serve(t, dir)
	f := walk(t, root, "rw", "old")
	if _, _, err := f.Open(p9.ReadWrite); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("AFTER!!"), 0); err != nil {
		t.Fatal(err)
	}
	f.Close()
	d := walk(t, root, "rw")
	n, _, _, err := d.Create("new", p9.ReadWrite, 0o644, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	n.WriteAt([]byte("x"), 0)
	n.Close()
	changes, err := j.Changes(context.Background())
	if err != nil || len(changes) != 2 {
		t.Fatalf("%v %v", changes, err)
	}
	if _, err := j.Undo(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "old")); string(b) != "before" {
		t.Fatalf("%q", b)
	}
	ro := walk(t, root, "ro", "old")
	if _, _, err := ro.Open(p9.WriteOnly); err == nil {
		t.Fatal("read-only was opened for writing")
	}
	l := walk(t, root, "ro")
	if _, _, err := l.Open(p9.ReadOnly); err != nil {
		t.Fatal(err)
	}
	ents, err := l.Readdir(0, 4096)
	if err != nil || len(ents) != 3 { // ".", ".." and old
		t.Fatalf("%v %v", ents, err)
	}
}
