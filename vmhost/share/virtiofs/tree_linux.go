package virtiofs

import (
	"context"
	"strings"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// fileSystem answers the requests that are let through to go-fuse, one method for
// each; what they have in common is in mount.
type fileSystem struct {
	fuse.RawFileSystem
	*mount
}

// mount is what a guest knows of the set and has open.
type mount struct {
	life    context.Context // ends with the mount, and with it what waits for a person
	end     context.CancelFunc
	set     *share.Set
	owner   fuse.Owner // of everything
	nodes   nodes
	handles handles
}

func newFileSystem(set *share.Set) *fileSystem {
	uid, gid := set.Owner()
	m := &mount{set: set, owner: fuse.Owner{Uid: uid, Gid: gid}, nodes: newNodes(), handles: handles{all: map[uint64]*handle{}}}
	m.life, m.end = context.WithCancel(context.Background())
	return &fileSystem{fuse.NewDefaultRawFileSystem(), m}
}

// close closes what the guest has open, and ends what waits.
func (f *mount) close() {
	f.end()
	f.handles.close()
}

// settle makes a call that may have to wait for a person (share.Settle). It takes
// its locks in call.
func (f *mount) settle(call func() error) error { return share.Settle(f.life, call) }

// String is the name of the file system.
func (f *fileSystem) String() string { return "folders" }

// Lookup tells of a name.
func (f *fileSystem) Lookup(_ <-chan struct{}, in *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	dir, err := f.nodes.get(in.NodeId)
	if err != nil {
		return status(err)
	}
	f.nodes.names.RLock()
	defer f.nodes.names.RUnlock()
	if dir.tree == nil {
		return status(f.lookupFolder(dir, name, out))
	}
	rel, err := f.nodes.child(dir, name)
	if err != nil {
		return status(err)
	}
	i, err := dir.tree.Lstat(rel)
	if st := status(f.stale(dir, err)); st != fuse.OK {
		if c := dir.caching(); st == fuse.ENOENT && c.absent > 0 {
			*out = fuse.EntryOut{} // node 0: there is nothing
			out.SetEntryTimeout(c.absent)
			return fuse.OK
		}
		return st
	}
	return status(f.met(dir, name, i, out))
}

func (f *mount) lookupFolder(root *node, name string, out *fuse.EntryOut) error {
	tree := f.set.Lookup(name)
	if tree == nil {
		return syscall.ENOENT
	}
	i, err := tree.Lstat(".")
	if err != nil {
		return err
	}
	n, err := f.nodes.meet(root, name, tree, i)
	if err != nil {
		return err
	}
	f.entry(out, n, i)
	return nil
}

// met tells the guest of what is at a name.
func (f *mount) met(dir *node, name string, i at.Info, out *fuse.EntryOut) error {
	n, err := f.nodes.meet(dir, name, dir.tree, i)
	if err != nil {
		return err
	}
	f.entry(out, n, i)
	return nil
}

// Forget takes back what the guest was told.
func (f *fileSystem) Forget(id, count uint64) { f.nodes.forget(id, count) }

// put does what puts something at a name of a directory, and tells of it.
func (f *mount) put(id uint64, name string, out *fuse.EntryOut, do func(dir *node, rel string) (at.Info, error)) fuse.Status {
	dir, err := f.nodes.get(id)
	if err != nil {
		return status(err)
	}
	if dir.tree == nil {
		return status(share.ErrReadOnly)
	}
	return status(f.settle(func() error {
		f.nodes.names.RLock()
		defer f.nodes.names.RUnlock()
		if f.nodes.full() {
			return syscall.ENFILE
		}
		rel, err := f.nodes.child(dir, name)
		if err != nil {
			return err
		}
		i, err := do(dir, rel)
		if err != nil {
			return f.stale(dir, err)
		}
		return f.met(dir, name, i, out)
	}))
}

// Mkdir makes a directory.
func (f *fileSystem) Mkdir(_ <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	return f.put(in.NodeId, name, out, func(dir *node, rel string) (at.Info, error) {
		return dir.tree.Mkdir(rel, in.Mode)
	})
}

// Symlink makes a symbolic link with any target.
func (f *fileSystem) Symlink(_ <-chan struct{}, in *fuse.InHeader, target, name string, out *fuse.EntryOut) fuse.Status {
	switch {
	case target == "" || strings.IndexByte(target, 0) >= 0:
		return fuse.EINVAL
	case len(target) >= syscall.PathMax:
		return status(syscall.ENAMETOOLONG)
	}
	return f.put(in.NodeId, name, out, func(dir *node, rel string) (at.Info, error) {
		return dir.tree.Symlink(target, rel)
	})
}

// Mknod makes a regular file. No device, FIFO or socket reaches the host.
func (f *fileSystem) Mknod(_ <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	return f.put(in.NodeId, name, out, func(dir *node, rel string) (at.Info, error) {
		return dir.tree.Mknod(rel, in.Mode)
	})
}

// Link gives a file of the same folder a second name.
func (f *fileSystem) Link(_ <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	old, err := f.nodes.get(in.Oldnodeid)
	if err != nil {
		return status(err)
	}
	return f.put(in.NodeId, name, out, func(dir *node, rel string) (at.Info, error) {
		if old.tree != dir.tree {
			return at.Info{}, syscall.EXDEV
		}
		from, err := f.nodes.path(old)
		if err == nil {
			return dir.tree.Link(from, rel)
		}
		file := f.any(old)
		if file == nil {
			return at.Info{}, err
		}
		i, err := dir.tree.LinkFile(file, rel)
		if err == nil {
			f.nodes.named(old, dir, name, i)
		}
		return i, err
	})
}

// Readlink returns a link's target, which the guest's kernel resolves.
func (f *fileSystem) Readlink(_ <-chan struct{}, in *fuse.InHeader) ([]byte, fuse.Status) {
	n, err := f.nodes.get(in.NodeId)
	if err != nil {
		return nil, status(err)
	}
	if n.tree == nil {
		return nil, fuse.EINVAL
	}
	f.nodes.names.RLock()
	defer f.nodes.names.RUnlock()
	rel, err := f.nodes.path(n)
	if err != nil {
		return nil, status(err)
	}
	target, err := n.tree.Readlink(rel)
	return []byte(target), status(err)
}

// Unlink removes a name that is not a directory.
func (f *fileSystem) Unlink(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return f.remove(in.NodeId, name, (*share.Tree).Remove)
}

// Rmdir removes an empty directory.
func (f *fileSystem) Rmdir(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return f.remove(in.NodeId, name, (*share.Tree).RemoveDir)
}

func (f *mount) remove(id uint64, name string, do func(*share.Tree, string) error) fuse.Status {
	dir, err := f.nodes.get(id)
	if err != nil {
		return status(err)
	}
	if dir.tree == nil || dir.tree.Folder().ReadOnly {
		return status(share.ErrReadOnly)
	}
	return status(f.settle(func() error {
		f.nodes.names.RLock()
		defer f.nodes.names.RUnlock()
		rel, err := f.nodes.child(dir, name)
		if err != nil {
			return err
		}
		back := f.nodes.leave(dir, name)
		if err := do(dir.tree, rel); err != nil {
			back()
			return f.stale(dir, err)
		}
		return nil
	}))
}

const renameNoReplace = 1 // RENAME_NOREPLACE of Linux

// Rename moves a name, and lets the nodes of both names follow. names is held
// for writing, so that no request uses a path in between.
func (f *fileSystem) Rename(_ <-chan struct{}, in *fuse.RenameIn, name, newName string) fuse.Status {
	dir, err := f.nodes.get(in.NodeId)
	if err != nil {
		return status(err)
	}
	to, err := f.nodes.get(in.Newdir)
	if err != nil {
		return status(err)
	}
	switch {
	case dir.tree != to.tree:
		return status(syscall.EXDEV)
	case dir.tree == nil || dir.tree.Folder().ReadOnly:
		return status(share.ErrReadOnly)
	case in.Flags&^renameNoReplace != 0:
		return fuse.EINVAL
	}
	return status(f.settle(func() error {
		f.nodes.names.Lock()
		defer f.nodes.names.Unlock()
		return f.move(dir, name, to, newName, in.Flags&renameNoReplace != 0)
	}))
}

func (f *mount) move(dir *node, name string, to *node, newName string, noReplace bool) error {
	old, err := f.nodes.child(dir, name)
	if err != nil {
		return err
	}
	rel, err := f.nodes.child(to, newName)
	if err != nil {
		return err
	}
	from, err := dir.tree.Lstat(old)
	if err != nil {
		return f.stale(dir, err)
	}
	rename := dir.tree.Rename
	if noReplace {
		rename = dir.tree.RenameNoReplace
	} else if there, err := dir.tree.Lstat(rel); err == nil && there.ID == from.ID && (old == rel || there.NLink > 1 && there.Kind != at.Directory) {
		return nil // two names of one file: rename(2) does nothing
	}
	if noReplace && old == rel {
		return syscall.EEXIST
	}
	back := f.nodes.leave(to, newName)
	if err := rename(old, rel); err != nil {
		back()
		return f.stale(to, err)
	}
	f.nodes.moved(dir, name, to, newName)
	return nil
}

// StatFs returns the size of the file system that a folder lies on.
func (f *fileSystem) StatFs(_ <-chan struct{}, in *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	n, err := f.nodes.get(in.NodeId)
	if err != nil {
		return status(err)
	}
	s := at.Space{Block: 4096}
	if n.tree != nil {
		if s, err = n.tree.Space(); err != nil {
			return status(err)
		}
	}
	*out = fuse.StatfsOut{Blocks: s.Blocks, Bfree: s.Free, Bavail: s.Available, Files: s.Files, Ffree: s.FilesFree,
		Bsize: s.Block, Frsize: s.Block, NameLen: at.MaxName}
	return fuse.OK
}
