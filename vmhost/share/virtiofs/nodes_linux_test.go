package virtiofs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fuse"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// Nothing is left of what a guest forgot, whatever became of it meanwhile.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"a/b/c", "a/x", "d"} {
		if err := os.MkdirAll(filepath.Join(dir, p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	set := share.NewSet(share.Options{})
	defer set.Close()
	folder, err := set.Add(share.Folder{ID: "1", Path: dir, ReadOnly: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFileSystem(set)
	told := map[uint64]uint64{}
	lookup := func(parent uint64, name string) uint64 {
		var out fuse.EntryOut
		if st := f.Lookup(nil, &fuse.InHeader{NodeId: parent}, name, &out); st != fuse.OK {
			t.Fatalf("%s: %v", name, st)
		}
		told[out.NodeId]++
		return out.NodeId
	}
	root := lookup(fuse.FUSE_ROOT_ID, folder.Name)
	a := lookup(root, "a")
	b := lookup(a, "b")
	lookup(b, "c")
	lookup(b, "c")
	lookup(a, "x")
	lookup(root, "d")
	node := func(id uint64) *node { return f.nodes.byID[id] }
	f.nodes.moved(node(a), "b", node(root), "moved")
	f.nodes.leave(node(a), "x")
	f.nodes.leave(node(root), "d")() // that was not to be
	if rel, err := f.nodes.path(node(b)); rel != "moved" || err != nil {
		t.Errorf("%q %v", rel, err)
	}
	if n := len(f.nodes.byID); n != 7 {
		t.Errorf("%d nodes", n)
	}
	for id, n := range told { // in any order
		f.Forget(id, n)
	}
	if n, names := len(f.nodes.byID), len(f.nodes.byName); n != 1 || names != 0 {
		t.Errorf("%d nodes and %d names are left", n, names)
	}
	if r := node(fuse.FUSE_ROOT_ID); r.kids != 0 {
		t.Errorf("the root has %d children", r.kids)
	}
}

func TestNodesAreBounded(t *testing.T) {
	n := newNodes()
	root := n.byID[fuse.FUSE_ROOT_ID]
	for i := range MaxNodes - 1 {
		if _, err := n.meet(root, fmt.Sprint(i), nil, at.Info{Kind: at.File}); err != nil {
			t.Fatal(i, err)
		}
	}
	if _, err := n.meet(root, "one more", nil, at.Info{}); !errors.Is(err, syscall.ENFILE) || !n.full() {
		t.Errorf("one more: %v", err)
	}
	if _, err := n.meet(root, "7", nil, at.Info{Kind: at.File}); err != nil {
		t.Errorf("one that is there: %v", err)
	}
}

// A path of names that a guest put together is never longer than Linux's.
func TestLongPaths(t *testing.T) {
	n := newNodes()
	dir := n.byID[fuse.FUSE_ROOT_ID]
	for i := range 30 {
		next, err := n.meet(dir, fmt.Sprintf("%0255d", i), nil, at.Info{Kind: at.Directory})
		if err != nil {
			t.Fatal(err)
		}
		dir = next
	}
	if _, err := n.path(dir); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Errorf("%v", err)
	}
	dir.parent.parent.parent = dir // no host makes circles
	if _, err := n.path(dir); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Errorf("a circle: %v", err)
	}
}
