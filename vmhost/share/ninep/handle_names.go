package ninep

import (
	"errors"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// make makes a directory, a symbolic link or a regular file at a name. No
// device, FIFO or socket reaches the host.
func (m *mount) make(typ msgType, f *fid, c *cursor) ([]byte, error) {
	rel, err := f.child(c.str())
	if err != nil {
		return nil, err
	}
	var info at.Info
	switch typ {
	case tMkdir:
		info, err = f.tree.Mkdir(rel, c.u32())
	case tSymlink:
		info, err = f.tree.Symlink(c.str(), rel)
	case tMknod:
		info, err = f.tree.Mknod(rel, c.u32())
	}
	if err != nil {
		return nil, err
	}
	return appendQID(nil, m.qid(info)), nil
}

// other returns the second fid of a request, which must be of the same folder.
func (m *mount) other(f *fid, n uint32) (*fid, func(), error) {
	g, done, err := m.get(n)
	if err != nil {
		return nil, done, err
	}
	if g.tree != f.tree {
		done()
		return nil, func() {}, linux.EXDEV
	}
	return g, done, nil
}

// link gives a file a second name.
func (m *mount) link(f *fid, c *cursor) error {
	g, done, err := m.other(f, c.u32())
	if err != nil {
		return err
	}
	defer done()
	old, err := g.rel()
	if err != nil {
		return err
	}
	rel, err := f.child(c.str())
	if err != nil {
		return err
	}
	_, err = f.tree.Link(old, rel)
	return err
}

// rename moves what f stands for.
func (m *mount) rename(f *fid, c *cursor) error {
	dir, done, err := m.other(f, c.u32())
	if err != nil {
		return err
	}
	defer done()
	old, err := f.rel()
	if err != nil {
		return err
	}
	return m.move(f, old, dir, c.str())
}

// renameat moves a name in the directory f.
func (m *mount) renameat(f *fid, c *cursor) error {
	old, err := f.child(c.str())
	if err != nil {
		return err
	}
	dir, done, err := m.other(f, c.u32())
	if err != nil {
		return err
	}
	defer done()
	return m.move(f, old, dir, c.str())
}

// move renames, and lets the fids of both names follow. names is held for
// writing, so that no request uses a path in between.
func (m *mount) move(f *fid, old string, dir *fid, name string) error {
	rel, err := dir.child(name)
	if err != nil {
		return err
	}
	switch {
	case f.tree.Folder().ReadOnly:
		return linux.EROFS
	case old == ".":
		return linux.EBUSY
	case old == rel:
		_, err := f.tree.Lstat(old)
		return err
	}
	from, err := f.tree.Lstat(old)
	if err != nil {
		return err
	}
	if to, err := f.tree.Lstat(rel); err == nil && to.ID == from.ID && to.NLink > 1 && to.Kind != at.Directory {
		return nil // two names of one file: rename(2) does nothing
	}
	back := m.forget(f.tree, rel)
	if err := f.tree.Rename(old, rel); err != nil {
		back()
		return err
	}
	m.moved(f.tree, old, rel)
	return nil
}

const atRemoveDir = 0x200 // AT_REMOVEDIR of Linux

// unlinkat removes a name in the directory f, or with AT_REMOVEDIR an empty
// directory.
func (m *mount) unlinkat(f *fid, c *cursor) error {
	rel, err := f.child(c.str())
	if err != nil {
		return err
	}
	return m.unlink(f, rel, c.u32()&atRemoveDir != 0)
}

func (m *mount) unlink(f *fid, rel string, dir bool) error {
	if f.tree.Folder().ReadOnly {
		return linux.EROFS
	}
	back := m.forget(f.tree, rel)
	var err error
	if dir {
		err = f.tree.RemoveDir(rel)
	} else {
		err = f.tree.Remove(rel)
	}
	if err != nil {
		back()
	}
	return err
}

// removeFid answers Tremove: it removes what the fid stands for, and the fid
// whether that worked or not.
func (m *mount) removeFid(n uint32) (err error) {
	f, done, err := m.get(n)
	if err != nil {
		return err
	}
	defer done()
	defer func() {
		if _, is := errors.AsType[share.Waiter](err); !is { // else it is done again
			_ = m.take(n) // perhaps it is gone by now
		}
	}()
	m.names.RLock()
	defer m.names.RUnlock()
	if f.tree == nil {
		return linux.EROFS
	}
	rel, err := f.rel()
	if err != nil {
		return err
	}
	if rel == "." {
		return linux.EBUSY
	}
	info, err := f.tree.Lstat(rel)
	if err != nil {
		return err
	}
	return m.unlink(f, rel, info.Kind == at.Directory)
}
