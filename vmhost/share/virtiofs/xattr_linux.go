package virtiofs

import (
	"strings"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// attributes works on the extended attributes of a node: by its path while there
// is one, and of an open file after that.
func (f *mount) attributes(id uint64, byPath func(t *share.Tree, rel string) error, byFile func(*share.File) error) error {
	n, err := f.nodes.get(id)
	switch {
	case err != nil:
		return err
	case n.tree == nil:
		return syscall.EOPNOTSUPP
	}
	return f.settle(func() error {
		f.nodes.names.RLock()
		defer f.nodes.names.RUnlock()
		return f.change(n, func(rel string) error { return byPath(n.tree, rel) }, byFile)
	})
}

// fits copies an answer to where the guest wants it. Without room it asks for the
// length.
func fits(value, dest []byte) (uint32, fuse.Status) {
	if len(value) > len(dest) {
		return uint32(len(value)), fuse.ERANGE
	}
	return uint32(copy(dest, value)), fuse.OK
}

// GetXAttr tells an extended attribute. Most questions are for those of the
// system, of which nothing is known here.
func (f *fileSystem) GetXAttr(_ <-chan struct{}, in *fuse.InHeader, attr string, dest []byte) (uint32, fuse.Status) {
	if err := at.CheckAttr(attr, 0); err != nil {
		return 0, status(err)
	}
	var value []byte
	err := f.attributes(in.NodeId, func(t *share.Tree, rel string) (err error) {
		value, err = t.GetXattr(rel, attr)
		return err
	}, func(file *share.File) (err error) {
		value, err = file.GetXattr(attr)
		return err
	})
	if err != nil {
		return 0, status(err)
	}
	return fits(value, dest)
}

// ListXAttr tells the names of the extended attributes, each ended by NUL.
func (f *fileSystem) ListXAttr(_ <-chan struct{}, in *fuse.InHeader, dest []byte) (uint32, fuse.Status) {
	var names []string
	err := f.attributes(in.NodeId, func(t *share.Tree, rel string) (err error) {
		names, err = t.ListXattr(rel)
		return err
	}, func(file *share.File) (err error) {
		names, err = file.ListXattr()
		return err
	})
	if err != nil {
		return 0, status(err)
	}
	list := strings.Join(names, "\x00")
	if len(names) > 0 {
		list += "\x00"
	}
	return fits([]byte(list), dest)
}

// SetXAttr sets an extended attribute.
func (f *fileSystem) SetXAttr(_ <-chan struct{}, in *fuse.SetXAttrIn, attr string, data []byte) fuse.Status {
	if uint64(len(data)) != uint64(in.Size) {
		return fuse.EINVAL
	}
	if err := at.CheckAttr(attr, len(data)); err != nil {
		return status(err)
	}
	flags := int(in.Flags)
	return status(f.attributes(in.NodeId, func(t *share.Tree, rel string) error { return t.SetXattr(rel, attr, data, flags) },
		func(file *share.File) error { return file.SetXattr(attr, data, flags) }))
}

// RemoveXAttr removes an extended attribute.
func (f *fileSystem) RemoveXAttr(_ <-chan struct{}, in *fuse.InHeader, attr string) fuse.Status {
	return status(f.attributes(in.NodeId, func(t *share.Tree, rel string) error { return t.RemoveXattr(rel, attr) },
		func(file *share.File) error { return file.RemoveXattr(attr) }))
}
