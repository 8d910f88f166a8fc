package virtiofs

import (
	"sync"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// node is what the guest's kernel knows by a number: the virtual root, a folder
// in it, or a name below one. Its fields are guarded by nodes.mu.
type node struct {
	id     uint64
	tree   *share.Tree // nil: the virtual root
	parent *node       // nil: the virtual root
	name   string
	kind   at.Kind
	ident  at.ID

	lookups uint64 // replies that told of it, and were not forgotten
	kids    int    // nodes below it
	gone    bool   // its name is removed, or another file's
	open    []*handle
}

// nameKey is where a node is.
type nameKey struct {
	parent uint64
	name   string
}

// nodes is the table of a mount.
type nodes struct {
	mu     sync.Mutex
	last   uint64
	byID   map[uint64]*node
	byName map[nameKey]*node

	// names is held for reading by requests that use paths, and for writing by
	// those that change the paths of nodes.
	names sync.RWMutex
}

func newNodes() nodes {
	root := &node{id: fuse.FUSE_ROOT_ID, kind: at.Directory}
	return nodes{last: root.id, byID: map[uint64]*node{root.id: root}, byName: map[nameKey]*node{}}
}

// get returns the node with a number.
func (t *nodes) get(id uint64) (*node, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.byID[id]; n != nil {
		return n, nil
	}
	return nil, syscall.ESTALE
}

// path returns where a node is in its folder.
func (t *nodes) path(n *node) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []*node
	for size := 0; ; n = n.parent {
		switch {
		case n.gone:
			return "", syscall.ENOENT
		case n.parent == nil:
			return "", syscall.EROFS // the virtual root is in no folder
		case n.parent.parent == nil:
			rel := "."
			for i := len(list) - 1; i >= 0; i-- {
				var err error
				if rel, err = share.Join(rel, list[i].name); err != nil {
					return "", err
				}
			}
			return rel, nil
		}
		list = append(list, n)
		if size += len(n.name) + 1; size > syscall.PathMax {
			return "", syscall.ENAMETOOLONG // also of a circle, if a host could make one
		}
	}
}

// child returns the path of a name in a directory.
func (t *nodes) child(dir *node, name string) (string, error) {
	if len(name) > at.MaxName {
		return "", syscall.ENAMETOOLONG
	}
	rel, err := t.path(dir)
	if err != nil {
		return "", err
	}
	return share.Join(rel, name)
}

// full says whether there is no room for another node.
func (t *nodes) full() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID) >= MaxNodes
}

// meet returns the node of a name that is there, and counts that the guest is
// told of it. Another file than before at the name is another node; a directory
// is the same whatever happened to it.
func (t *nodes) meet(dir *node, name string, tree *share.Tree, info at.Info) (*node, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := nameKey{dir.id, name}
	n := t.byName[key]
	if n != nil && (n.tree != tree || n.kind != info.Kind || n.kind != at.Directory && n.ident != info.ID) {
		t.part(n)
		n = nil
	}
	if n == nil {
		if len(t.byID) >= MaxNodes {
			return nil, syscall.ENFILE
		}
		t.last++
		n = &node{id: t.last, tree: tree, parent: dir, name: name, kind: info.Kind}
		dir.kids++
		t.byID[n.id], t.byName[key] = n, n
	}
	n.ident = info.ID
	n.lookups++
	return n, nil
}

// unnamed returns the node of a new file that has no name.
func (t *nodes) unnamed(dir *node, tree *share.Tree, info at.Info) (*node, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byID) >= MaxNodes {
		return nil, syscall.ENFILE
	}
	t.last++
	n := &node{id: t.last, tree: tree, parent: dir, kind: info.Kind, ident: info.ID, gone: true, lookups: 1}
	dir.kids++
	t.byID[n.id] = n
	return n, nil
}

// named gives a node without a name the one that its file has got.
func (t *nodes) named(n, dir *node, name string, info at.Info) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !n.gone || n.ident.Ino != info.Ino || n.ident.Dev != info.Dev || t.byID[n.id] != n {
		return
	}
	key := nameKey{dir.id, name}
	if old := t.byName[key]; old != nil {
		t.part(old)
	}
	before := n.parent
	before.kids--
	dir.kids++
	n.parent, n.name, n.gone = dir, name, false
	t.byName[key] = n
	t.drop(before)
}

// part takes the name from a node. mu is held.
func (t *nodes) part(n *node) {
	n.gone = true
	delete(t.byName, nameKey{n.parent.id, n.name})
}

// leave takes the name from what is at it, because it is about to be removed or
// replaced. The returned function gives it back, because that did not happen.
func (t *nodes) leave(dir *node, name string) (back func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := nameKey{dir.id, name}
	n := t.byName[key]
	if n == nil {
		return func() {}
	}
	t.part(n)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.byName[key] == nil && t.byID[n.id] == n {
			n.gone = false
			t.byName[key] = n
		}
	}
}

// moved follows a rename. names is held for writing.
func (t *nodes) moved(dir *node, name string, to *node, newName string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.byName[nameKey{dir.id, name}]
	if n == nil {
		return
	}
	delete(t.byName, nameKey{dir.id, name})
	dir.kids--
	to.kids++
	n.parent, n.name = to, newName
	t.byName[nameKey{to.id, newName}] = n
	t.drop(dir)
}

// forget takes back what the guest was told of a node.
func (t *nodes) forget(id, count uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.byID[id]
	if n == nil || n.parent == nil {
		return
	}
	n.lookups -= min(n.lookups, count)
	t.drop(n)
}

// drop removes a node that nobody knows any more, and those above it that were
// there for it. mu is held.
func (t *nodes) drop(n *node) {
	for n.parent != nil && n.lookups == 0 && n.kids == 0 && len(n.open) == 0 {
		if t.byID[n.id] != n {
			return
		}
		delete(t.byID, n.id)
		if key := (nameKey{n.parent.id, n.name}); t.byName[key] == n {
			delete(t.byName, key)
		}
		n.gone = true
		n = n.parent
		n.kids--
	}
}
