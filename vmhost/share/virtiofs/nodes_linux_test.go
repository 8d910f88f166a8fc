package virtiofs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

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

// A guest releases numbers that it was not told yet: nothing stays open, and the
// nodes know of no file that is closed.
func TestGuessedRelease(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	set := share.NewSet(share.Options{MaxOpen: 4})
	defer set.Close()
	folder, err := set.Add(share.Folder{ID: "1", Path: dir, ReadOnly: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := newFileSystem(set)
	var root, file fuse.EntryOut
	if st := f.Lookup(nil, &fuse.InHeader{NodeId: fuse.FUSE_ROOT_ID}, folder.Name, &root); st != fuse.OK {
		t.Fatal(st)
	}
	if st := f.Lookup(nil, &fuse.InHeader{NodeId: root.NodeId}, "file", &file); st != fuse.OK {
		t.Fatal(st)
	}
	// Before a number can be used, the node knows the file.
	tree := set.Lookup(folder.Name)
	open, _, err := tree.Open("file", os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan uint64)
	f.nodes.mu.Lock()
	go func() {
		id, err := f.hold(f.nodes.byID[file.NodeId], open)
		if err != nil {
			t.Error(err)
		}
		held <- id
	}()
	time.Sleep(10 * time.Millisecond)
	if _, err := f.handles.get(1); err == nil {
		t.Error("there is a number before the node knows of it")
	}
	f.nodes.mu.Unlock()
	f.Release(nil, &fuse.ReleaseIn{Fh: <-held})

	const opens = 500
	var guess atomic.Uint64
	var guesser sync.WaitGroup
	guesser.Go(func() {
		for id := guess.Load(); id < opens+2; id = guess.Load() {
			f.Release(nil, &fuse.ReleaseIn{Fh: id})
		}
	})
	for i := range uint64(opens) {
		guess.Store(i + 2)
		var out fuse.OpenOut
		if st := f.Open(nil, &fuse.OpenIn{InHeader: fuse.InHeader{NodeId: file.NodeId}}, &out); st != fuse.OK {
			t.Fatalf("%d: %v", i, st)
		}
		f.Release(nil, &fuse.ReleaseIn{Fh: out.Fh})
	}
	guess.Store(opens + 2)
	guesser.Wait()
	if n := len(f.nodes.byID[file.NodeId].open); n != 0 {
		t.Errorf("%d of %d are known as open", n, opens)
	}
	f.Forget(file.NodeId, 1)
	f.Forget(root.NodeId, 1)
	if n := len(f.nodes.byID); n != 1 {
		t.Errorf("%d nodes are left", n)
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
