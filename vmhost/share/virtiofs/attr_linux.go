package virtiofs

import (
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/hugelgupf/p9/linux"
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

func (n *node) caching() caching {
	c := caching{file: fuse.FOPEN_DIRECT_IO, attrs: oneTick}
	switch {
	case n.tree.Folder().ReadOnly:
		c.names, c.absent, c.attrs, c.entries = time.Second, time.Second, time.Second, true
	case n.kind == at.Directory:
		c.names, c.attrs = dirKept, dirKept
	}
	return c
}

// dirKept is for how long a guest may believe that a directory is what it was: with less
// it asks for each one on the way to a file before it asks for the file.
const dirKept = 20 * time.Millisecond

// stale is what a guest hears instead of err where it believes in a directory that is
// none any more: then its kernel looks the whole path up again (LOOKUP_REVAL), and the
// call is about what is there now, such as the file to which a link leads.
func (f *mount) stale(n *node, err error) error {
	if no := errno.Of(err); err == nil || n.kind != at.Directory || no != linux.ENOTDIR && no != linux.ELOOP {
		return err
	}
	rel, gone := f.nodes.path(n)
	if gone != nil {
		return err
	}
	if i, gone := n.tree.Lstat(rel); gone == nil && i.Kind == at.Directory {
		return err
	}
	return syscall.ESTALE
}

// oneTick is for how long attributes are kept that must not be kept: until the
// next tick of the guest's clock, which is the least that its kernel knows above
// nothing. With nothing it would ask again for what the answer to LOOKUP has just
// said.
const oneTick = time.Nanosecond

// rootKept is for how long names in the virtual root and its own attributes are
// kept.
const rootKept = time.Second

func (f *mount) attr(out *fuse.Attr, i at.Info) {
	*out = fuse.Attr{
		Ino: f.set.Number(i.ID), Size: uint64(i.Size), Blocks: uint64(i.Blocks), Blksize: uint32(i.Block),
		Mode: i.Type | i.Mode&0o1777, Nlink: uint32(i.NLink), Owner: f.owner,
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

// entry fills in what a guest is told of a name.
func (f *mount) entry(out *fuse.EntryOut, n *node, i at.Info) {
	c := n.caching()
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
	return at.Info{}, f.stale(n, err)
}

// GetAttr answers stat(2) and fstat(2).
func (f *fileSystem) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	n, err := f.nodes.get(in.NodeId)
	if err != nil {
		return status(err)
	}
	if n.tree == nil {
		f.attr(&out.Attr, f.set.RootInfo())
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
	f.told(n, i, out)
	return fuse.OK
}

func (f *mount) told(n *node, i at.Info, out *fuse.AttrOut) {
	f.attr(&out.Attr, i)
	out.SetTimeout(n.caching().attrs)
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
	var m at.Meta
	if m.ATime, err = share.GuestTime(in.Valid&fuse.FATTR_ATIME != 0, in.Valid&fuse.FATTR_ATIME_NOW == 0, in.Atime, uint64(in.Atimensec)); err != nil {
		return status(err)
	}
	if m.MTime, err = share.GuestTime(in.Valid&fuse.FATTR_MTIME != 0, in.Valid&fuse.FATTR_MTIME_NOW == 0, in.Mtime, uint64(in.Mtimensec)); err != nil {
		return status(err)
	}
	var size *uint64
	if in.Valid&fuse.FATTR_SIZE != 0 {
		size = &in.Size
	}
	if in.Valid&fuse.FATTR_MODE != 0 {
		m.Mode = &in.Mode
	}
	return status(f.settle(func() error {
		f.nodes.names.RLock()
		defer f.nodes.names.RUnlock()
		now, err := f.object(n, file).SetAttr(size, m)
		if err == nil && (file != nil || now.Kind != n.kind) {
			now, err = f.info(n, file)
		}
		if err != nil {
			return f.stale(n, err)
		}
		f.told(n, now, out)
		return nil
	}))
}
