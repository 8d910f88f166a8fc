package virtiofs

import (
	"math"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/errno"
)

// status is how a guest hears of an error: as over 9p.
func status(err error) fuse.Status {
	if err == nil {
		return fuse.OK
	}
	return fuse.Status(errno.Of(err))
}

// caching is how long a guest may believe what it was told, and with which
// FOPEN_… flags it opens files (see the package's comment).
type caching struct {
	names   time.Duration // what a name stands for
	absent  time.Duration // that it stands for nothing
	attrs   time.Duration
	file    uint32
	entries bool // READDIRPLUS brings entries, which would be no use if they did not last
}

func cachingOf(f share.Folder) caching {
	c := caching{file: fuse.FOPEN_DIRECT_IO, attrs: oneTick}
	if f.ReadOnly {
		c.names, c.absent, c.attrs, c.entries = time.Second, time.Second, time.Second, true
	}
	return c
}

// oneTick is for how long attributes are kept that must not be kept: until the
// next tick of the guest's clock, which is the least that its kernel knows above
// nothing. With nothing it would ask again for what the answer to LOOKUP has just
// said, for every directory on the way to a file.
const oneTick = time.Nanosecond

// rootKept is for how long names in the virtual root and its own attributes are
// kept.
const rootKept = time.Second

func (f *mount) attr(out *fuse.Attr, i at.Info) {
	uid, gid := f.set.Owner()
	*out = fuse.Attr{
		Ino: f.set.Number(i.ID), Size: uint64(i.Size), Blocks: uint64(i.Blocks), Blksize: uint32(i.Block),
		Mode: i.Type | i.Mode&0o1777, Nlink: uint32(i.NLink), Owner: fuse.Owner{Uid: uid, Gid: gid},
		Rdev:  device(i.RDev),
		Atime: uint64(i.ATime.Unix()), Atimensec: uint32(i.ATime.Nanosecond()),
		Mtime: uint64(i.MTime.Unix()), Mtimensec: uint32(i.MTime.Nanosecond()),
		Ctime: uint64(i.CTime.Unix()), Ctimensec: uint32(i.CTime.Nanosecond()),
	}
}

// device is a device number as FUSE has it (new_encode_dev of Linux).
func device(d uint64) uint32 {
	major, minor := unix.Major(d), unix.Minor(d)
	return minor&0xff | major<<8 | minor&^0xff<<12
}

// rootInfo is what the virtual root is.
func (f *mount) rootInfo() at.Info {
	trees, changed, _ := f.set.List()
	return at.Info{Kind: at.Directory, Type: syscall.S_IFDIR, Mode: 0o555, NLink: uint64(2 + len(trees)), Block: 4096,
		ATime: changed, MTime: changed, CTime: changed}
}

// entry fills in what a guest is told of a name.
func (f *mount) entry(out *fuse.EntryOut, n *node, i at.Info) {
	c := cachingOf(n.tree.Folder())
	*out = fuse.EntryOut{NodeId: n.id, Generation: 1}
	out.SetEntryTimeout(c.names)
	out.SetAttrTimeout(c.attrs)
	if n.parent.parent == nil {
		out.SetEntryTimeout(rootKept)
	}
	f.attr(&out.Attr, i)
}

// info returns what a node is: by an open file that is asked for by its number,
// by its path, or when its name is gone by any open file.
func (f *mount) info(n *node, file *share.File) (at.Info, error) {
	if file != nil {
		return file.Stat()
	}
	rel, err := f.nodes.path(n)
	if err == nil {
		var i at.Info
		if i, err = n.tree.Lstat(rel); err == nil {
			if i.Kind != n.kind {
				return i, syscall.ESTALE // the guest looks the name up again
			}
			return i, nil
		}
	}
	if file := f.any(n); file != nil {
		return file.Stat()
	}
	return at.Info{}, err
}

// GetAttr answers stat(2) and fstat(2).
func (f *fileSystem) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	n, err := f.nodes.get(in.NodeId)
	if err != nil {
		return status(err)
	}
	if n.tree == nil {
		f.attr(&out.Attr, f.rootInfo())
		out.Ino = share.RootNumber
		out.SetTimeout(rootKept)
		return fuse.OK
	}
	var file *share.File
	if in.Flags()&fuse.FUSE_GETATTR_FH != 0 {
		if file, err = f.handles.file(in.Fh()); err != nil {
			return status(err)
		}
	}
	f.nodes.names.RLock()
	defer f.nodes.names.RUnlock()
	return f.tell(n, file, out)
}

func (f *mount) tell(n *node, file *share.File, out *fuse.AttrOut) fuse.Status {
	i, err := f.info(n, file)
	if err != nil {
		return status(err)
	}
	f.attr(&out.Attr, i)
	out.SetTimeout(cachingOf(n.tree.Folder()).attrs)
	return fuse.OK
}

// SetAttr changes size, mode and times. A change of the owner is accepted and
// does nothing: everything belongs to the one user of the host.
func (f *fileSystem) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	n, err := f.nodes.get(in.NodeId)
	if err != nil {
		return status(err)
	}
	if n.tree == nil || n.tree.Folder().ReadOnly {
		return status(share.ErrReadOnly)
	}
	var file *share.File
	if in.Valid&fuse.FATTR_FH != 0 {
		if file, err = f.handles.file(in.Fh); err != nil {
			return status(err)
		}
	}
	atime, err := timeOf(in.Valid, fuse.FATTR_ATIME, fuse.FATTR_ATIME_NOW, in.Atime, in.Atimensec)
	if err != nil {
		return status(err)
	}
	mtime, err := timeOf(in.Valid, fuse.FATTR_MTIME, fuse.FATTR_MTIME_NOW, in.Mtime, in.Mtimensec)
	if err != nil {
		return status(err)
	}
	err = f.settle(func() error {
		f.nodes.names.RLock()
		defer f.nodes.names.RUnlock()
		return f.setAttr(n, file, in, atime, mtime)
	})
	if err != nil {
		return status(err)
	}
	f.nodes.names.RLock()
	defer f.nodes.names.RUnlock()
	return f.tell(n, file, out)
}

// setAttr sets size, mode and times. Doing it again changes nothing.
func (f *mount) setAttr(n *node, file *share.File, in *fuse.SetAttrIn, atime, mtime time.Time) error {
	if in.Valid&fuse.FATTR_SIZE != 0 {
		if in.Size > math.MaxInt64 {
			return syscall.EFBIG
		}
		if err := f.truncate(n, file, int64(in.Size)); err != nil {
			return err
		}
	}
	m := at.Meta{ATime: atime, MTime: mtime}
	if in.Valid&fuse.FATTR_MODE != 0 {
		m.Mode = &in.Mode
	}
	if m == (at.Meta{}) {
		return nil
	}
	return f.change(n, func(rel string) error { return n.tree.SetMeta(rel, m) },
		func(file *share.File) error { return file.SetMeta(m) })
}

// timeOf is a time to be set: none, now or one that a clock can show.
func timeOf(valid, bit, nowBit uint32, sec uint64, nsec uint32) (time.Time, error) {
	switch {
	case valid&bit == 0:
		return time.Time{}, nil
	case valid&nowBit != 0:
		return time.Now(), nil
	case nsec >= 1e9 || int64(sec) > share.MaxTime || int64(sec) < share.MinTime:
		return time.Time{}, syscall.EINVAL
	}
	return time.Unix(int64(sec), int64(nsec)), nil
}

func (f *mount) truncate(n *node, file *share.File, size int64) error {
	if file == nil {
		file = f.any(n)
	}
	if file != nil && file.Writable() {
		return file.Truncate(size)
	}
	rel, err := f.nodes.path(n)
	if err != nil {
		return syscall.EINVAL
	}
	return n.tree.Truncate(rel, size)
}

// change works on the path while there is one, and on an open file after that.
func (f *mount) change(n *node, byPath func(rel string) error, byFile func(*share.File) error) error {
	rel, err := f.nodes.path(n)
	if err == nil {
		return byPath(rel)
	}
	if file := f.any(n); file != nil {
		return byFile(file)
	}
	return err
}
