package virtiofs

import (
	"slices"
	"sync"
	"syscall"

	"piwork/vmhost/share"
)

// maxLists bounds how often the virtual root is open.
const maxLists = 1024

// handle is a file or directory that the guest has open; file is nil for the
// virtual root.
type handle struct {
	node *node
	file *share.File
}

// handles is the table of open files of a mount. Files are bounded by
// share.Options.
type handles struct {
	mu    sync.Mutex
	last  uint64
	all   map[uint64]*handle
	lists int
	ended bool
}

// put gives a number to an open file.
func (t *handles) put(h *handle) (uint64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.ended:
		return 0, syscall.ENOTCONN
	case h.file == nil && t.lists >= maxLists:
		return 0, syscall.EMFILE
	case h.file == nil:
		t.lists++
	}
	t.last++
	t.all[t.last] = h
	return t.last, nil
}

// get returns the open file with a number.
func (t *handles) get(id uint64) (*handle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h := t.all[id]; h != nil {
		return h, nil
	}
	return nil, syscall.EBADF
}

// file returns the open file with a number, which is not the virtual root.
func (t *handles) file(id uint64) (*share.File, error) {
	h, err := t.get(id)
	switch {
	case err != nil:
		return nil, err
	case h.file == nil:
		return nil, syscall.EISDIR
	}
	return h.file, nil
}

// take removes a number.
func (t *handles) take(id uint64) *handle {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.all[id]
	if h == nil {
		return nil
	}
	delete(t.all, id)
	if h.file == nil {
		t.lists--
	}
	return h
}

// close closes everything, also what is opened later.
func (t *handles) close() {
	t.mu.Lock()
	all := t.all
	t.all, t.ended = nil, true
	t.mu.Unlock()
	for _, h := range all {
		if h.file != nil {
			h.file.Close()
		}
	}
}

// hold makes an open file known, by a number and to its node, or closes it. A
// guest may guess the number and release it before it was told: the node knows the
// file by then.
func (f *mount) hold(n *node, file *share.File) (uint64, error) {
	h := &handle{node: n, file: file}
	if file == nil {
		return f.handles.put(h)
	}
	f.nodes.mu.Lock()
	id, err := f.handles.put(h)
	if err == nil {
		n.open = append(n.open, h)
	}
	f.nodes.mu.Unlock()
	if err != nil {
		file.Close()
	}
	return id, err
}

// release closes an open file.
func (f *mount) release(id uint64) {
	h := f.handles.take(id)
	if h == nil || h.file == nil {
		return
	}
	h.file.Close()
	f.nodes.mu.Lock()
	defer f.nodes.mu.Unlock()
	h.node.open = slices.DeleteFunc(h.node.open, func(o *handle) bool { return o == h })
	f.nodes.drop(h.node)
}

// object is what a node stands for, with an open file of it that is asked for by its
// number, or else any. names is held.
func (f *mount) object(n *node, file *share.File) share.Object {
	rel, gone := f.nodes.path(n)
	if file == nil {
		file = f.any(n)
	}
	return share.Object{Tree: n.tree, Rel: rel, Gone: gone, File: file}
}

// any returns an open file of a node, one that can be changed if there is one,
// or nil.
func (f *mount) any(n *node) *share.File {
	f.nodes.mu.Lock()
	defer f.nodes.mu.Unlock()
	var out *share.File
	for _, h := range n.open {
		if out == nil || h.file.Writable() {
			out = h.file
		}
	}
	return out
}
