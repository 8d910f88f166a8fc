package virtiofs

import (
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// attributes works on the extended attributes of a node.
func (f *mount) attributes(id uint64, do func(share.Object) error) error {
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
		return f.stale(n, do(f.object(n, nil)))
	})
}

// fits copies an answer to where the guest wants it. Without room it asks for the
// length.
func fits(value, dest []byte, err error) (uint32, fuse.Status) {
	switch {
	case err != nil:
		return 0, status(err)
	case len(value) > len(dest):
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
	err := f.attributes(in.NodeId, func(o share.Object) (err error) { value, err = o.GetXattr(attr); return err })
	return fits(value, dest, err)
}

// ListXAttr tells the names of the extended attributes, each ended by NUL.
func (f *fileSystem) ListXAttr(_ <-chan struct{}, in *fuse.InHeader, dest []byte) (uint32, fuse.Status) {
	var names []byte
	err := f.attributes(in.NodeId, func(o share.Object) (err error) { names, err = o.ListXattr(); return err })
	return fits(names, dest, err)
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
	return status(f.attributes(in.NodeId, func(o share.Object) error { return o.SetXattr(attr, data, flags) }))
}

// RemoveXAttr removes an extended attribute.
func (f *fileSystem) RemoveXAttr(_ <-chan struct{}, in *fuse.InHeader, attr string) fuse.Status {
	return status(f.attributes(in.NodeId, func(o share.Object) error { return o.RemoveXattr(attr) }))
}
