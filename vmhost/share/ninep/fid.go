package ninep

import (
	"strings"
	"sync"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// fid is what a guest's number stands for: the virtual root, or a path in a
// folder, and a file once it is opened.
type fid struct {
	tree *share.Tree // nil: the virtual root
	uses int         // requests under way and the table's own, guarded by fids.mu

	mu   sync.Mutex
	path string      // in the folder, "." for itself
	gone bool        // its name was removed
	file *share.File // of its own, when it is opened
	kin  *fid        // another fid of the same removed name, which is open
	list bool        // the virtual root is open for listing
	attr *attribute  // it is an extended attribute
}

// rel returns the path, while there is one.
func (f *fid) rel() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone {
		return "", linux.ENOENT
	}
	return f.path, nil
}

// open returns the fid's own file, or nil.
func (f *fid) open() *share.File {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.file
}

// any returns a file that tells of the fid: its own, or when its name is gone
// that of another fid.
func (f *fid) any() *share.File {
	f.mu.Lock()
	file, kin := f.file, f.kin
	f.mu.Unlock()
	if file == nil && kin != nil {
		return kin.open()
	}
	return file
}

// hold makes file the fid's own, which it has once.
func (f *fid) hold(file *share.File) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil {
		file.Close()
		return linux.EBUSY
	}
	f.file = file
	return nil
}

// object is what the fid stands for.
func (f *fid) object() share.Object {
	rel, gone := f.rel()
	return share.Object{Tree: f.tree, Rel: rel, Gone: gone, File: f.any()}
}

func (f *fid) info() (at.Info, error) {
	if file := f.any(); file != nil {
		return file.Stat()
	}
	rel, err := f.rel()
	if err != nil {
		return at.Info{}, err
	}
	return f.tree.Lstat(rel)
}

// fids is the table of a mount.
type fids struct {
	mu  sync.Mutex
	all map[uint32]*fid

	// names is held for reading by requests that use paths, and for writing by
	// those that change the paths of fids.
	names sync.RWMutex
}

// get returns a fid; done ends its use.
func (t *fids) get(n uint32) (f *fid, done func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f = t.all[n]
	if f == nil {
		return nil, func() {}, linux.EBADF
	}
	f.uses++
	return f, func() { t.drop(f) }, nil
}

// replace gives the number of f, which is not open, to a fid of the same path in another
// tree. A fid that is open, or has the number no more, stays.
func (t *fids) replace(n uint32, f *fid, tree *share.Tree) {
	f.mu.Lock()
	next, open := &fid{tree: tree, path: f.path, gone: f.gone, uses: 1}, f.file != nil || f.attr != nil
	f.mu.Unlock()
	t.mu.Lock()
	same := t.all[n] == f && !open
	if same {
		t.all[n] = next
	}
	t.mu.Unlock()
	if same {
		t.drop(f)
	}
}

// put gives a number to a fid. What had the number before loses it.
func (t *fids) put(n uint32, f *fid) error {
	t.mu.Lock()
	old := t.all[n]
	if old == nil && len(t.all) >= MaxFids {
		t.mu.Unlock()
		return linux.EMFILE
	}
	f.uses++
	t.all[n] = f
	t.mu.Unlock()
	if old != nil {
		t.drop(old)
	}
	return nil
}

// take removes a number.
func (t *fids) take(n uint32) error {
	t.mu.Lock()
	f := t.all[n]
	delete(t.all, n)
	t.mu.Unlock()
	if f == nil {
		return linux.EBADF
	}
	t.drop(f)
	return nil
}

func (t *fids) drop(f *fid) {
	t.mu.Lock()
	f.uses--
	last := f.uses == 0
	t.mu.Unlock()
	if last {
		f.attribute().forget()
	}
	if file := f.open(); last && file != nil {
		file.Close()
	}
}

// clear closes everything; no request is under way.
func (t *fids) clear() {
	t.mu.Lock()
	all := t.all
	t.all = map[uint32]*fid{}
	t.mu.Unlock()
	for _, f := range all {
		t.drop(f)
	}
}

// at returns the fids of a path.
func (t *fids) at(tree *share.Tree, rel string) []*fid {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*fid
	for _, f := range t.all {
		f.mu.Lock()
		if f.tree == tree && f.path == rel && !f.gone {
			out = append(out, f)
		}
		f.mu.Unlock()
	}
	return out
}

// forget takes the name from the fids of a path that is about to be removed or
// replaced, before another file can have it. The returned function gives it
// back, because that did not happen.
func (t *fids) forget(tree *share.Tree, rel string) (back func()) {
	list := t.at(tree, rel)
	var open *fid
	for _, f := range list {
		f.mu.Lock()
		f.gone = true
		if f.file != nil {
			open = f
		}
		f.mu.Unlock()
	}
	for _, f := range list {
		f.mu.Lock()
		if f != open {
			f.kin = open
		}
		f.mu.Unlock()
	}
	return func() {
		for _, f := range list {
			f.mu.Lock()
			f.gone, f.kin = false, nil
			f.mu.Unlock()
		}
	}
}

// moved follows a rename; names is held for writing.
func (t *fids) moved(tree *share.Tree, old, rel string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.all {
		f.mu.Lock()
		if f.tree == tree && !f.gone {
			if f.path == old {
				f.path = rel
			} else if rest, ok := strings.CutPrefix(f.path, old+"/"); ok {
				f.path = rel + "/" + rest
			}
		}
		f.mu.Unlock()
	}
}
