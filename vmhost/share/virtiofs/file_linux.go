package virtiofs

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// Open opens a regular file.
func (f *fileSystem) Open(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	file, n, err := f.openNode(in.NodeId, in.Flags)
	if err != nil {
		return status(err)
	}
	if n.kind == at.Directory {
		if file != nil {
			file.Close()
		}
		return status(syscall.EISDIR)
	}
	return f.opened(n, file, out)
}

// openNode opens what a node stands for; the file is nil for the virtual root.
func (f *mount) openNode(id uint64, flags uint32) (*share.File, *node, error) {
	n, err := f.nodes.get(id)
	if err != nil || n.tree == nil {
		return nil, n, err
	}
	var file *share.File
	err = f.settle(func() error {
		f.nodes.names.RLock()
		defer f.nodes.names.RUnlock()
		rel, err := f.nodes.path(n)
		if err != nil {
			return err
		}
		var i at.Info
		file, i, err = n.tree.OpenFor(rel, flags)
		if err == nil && i.Kind != n.kind {
			file.Close()
			err = syscall.ESTALE
		}
		return f.stale(n, err)
	})
	return file, n, err
}

func (f *mount) opened(n *node, file *share.File, out *fuse.OpenOut) fuse.Status {
	id, err := f.hold(n, file)
	*out = fuse.OpenOut{Fh: id}
	if err == nil && n.kind == at.File {
		out.OpenFlags = n.caching().file
	}
	return status(err)
}

// Create makes a file and opens it.
func (f *fileSystem) Create(_ <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	var file *share.File
	st := f.put(in.NodeId, name, &out.EntryOut, func(dir *node, rel string) (i at.Info, err error) {
		file, i, err = dir.tree.Create(rel, in.Mode, in.Flags&syscall.O_EXCL != 0, in.Flags&syscall.O_TRUNC != 0)
		return i, err
	})
	if st != fuse.OK {
		if file != nil {
			file.Close()
		}
		return st
	}
	file.UseFor(in.Flags)
	n, err := f.nodes.get(out.NodeId)
	if err != nil {
		file.Close()
		return status(err)
	}
	return f.opened(n, file, &out.OpenOut)
}

// Tmpfile makes a file without a name in the file system of a directory. LINK
// gives it one.
func (f *fileSystem) Tmpfile(_ <-chan struct{}, in *fuse.CreateIn, out *fuse.CreateOut) fuse.Status {
	dir, err := f.nodes.get(in.NodeId)
	switch {
	case err != nil:
		return status(err)
	case dir.tree == nil:
		return status(share.ErrReadOnly)
	}
	var file *share.File
	var n *node
	err = f.settle(func() error {
		f.nodes.names.RLock()
		defer f.nodes.names.RUnlock()
		rel, err := f.nodes.path(dir)
		if err != nil {
			return err
		}
		var i at.Info
		if file, i, err = dir.tree.Tmpfile(rel, in.Mode); err != nil {
			return f.stale(dir, err)
		}
		if n, err = f.nodes.unnamed(dir, dir.tree, i); err != nil {
			file.Close()
			return err
		}
		f.entry(&out.EntryOut, n, i)
		return nil
	})
	if err != nil {
		return status(err)
	}
	file.UseFor(in.Flags)
	return f.opened(n, file, &out.OpenOut)
}

// Release closes a file.
func (f *fileSystem) Release(_ <-chan struct{}, in *fuse.ReleaseIn) { f.release(in.Fh) }

// read answers a READ: the content goes from the file to the guest's memory
// directly. go-fuse would make a buffer of that length for each.
func (f *fileSystem) read(r request, write [][]byte) ([]byte, int) {
	le := binary.LittleEndian
	off, size := le.Uint64(r.in[inHead+8:]), int(le.Uint32(r.in[sizeAt:]))
	if off > math.MaxInt64 || size > length(write)-outHead {
		return r.failure(syscall.EINVAL), 0
	}
	file, err := f.handles.file(le.Uint64(r.in[inHead:]))
	if err != nil {
		return r.failure(syscall.Errno(status(err))), 0
	}
	n, err := file.ReadvAt(first(after(write, nil, outHead), size), int64(off))
	if err != nil && !errors.Is(err, io.EOF) && n == 0 {
		return r.failure(syscall.Errno(status(err))), 0
	}
	scatter(write, r.head(outHead+n, 0))
	return nil, outHead + n
}

// first cuts buffers, which are the caller's own, down to their first n bytes.
func first(bufs [][]byte, n int) [][]byte {
	for i, b := range bufs {
		if n <= len(b) {
			bufs[i] = b[:n]
			return bufs[:i+1]
		}
		n -= len(b)
	}
	return bufs
}

// Writev writes to a file.
func (f *fileSystem) Writev(_ <-chan struct{}, in *fuse.WriteIn, data [][]byte) (uint32, fuse.Status) {
	file, err := f.handles.file(in.Fh)
	size := length(data)
	switch {
	case err != nil:
		return 0, status(err)
	case uint64(size) != uint64(in.Size) || in.Offset > math.MaxInt64:
		return 0, fuse.EINVAL
	case int64(in.Offset) > math.MaxInt64-int64(size):
		return 0, status(syscall.EFBIG)
	}
	n := 0
	write := func() (int, error) { return file.WritevAt(data, int64(in.Offset)) }
	// The guest's kernel takes what it last heard of the end for the end. It says with each write whether
	// that is to be appended (fcntl(2) may have changed it since the file was opened), but for what a
	// program wrote into a mapping: that has its place.
	if share.Appends(in.Flags) && in.WriteFlags&fuse.WRITE_CACHE == 0 {
		write = func() (int, error) { return file.Append(data) }
	}
	err = f.settle(func() (err error) {
		if n, err = write(); n > 0 && errors.As(err, new(share.Waiter)) {
			err = nil // the rest is another call
		}
		return err
	})
	if st := status(err); err != nil && (n == 0 || st == fuse.Status(syscall.ENOSPC) || st == fuse.Status(syscall.EDQUOT)) {
		return 0, st // a full disk is said at once, as over 9p
	}
	return uint32(n), fuse.OK
}

// Fsync makes a file durable.
func (f *fileSystem) Fsync(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	h, err := f.handles.get(in.Fh)
	if err != nil || h.file == nil {
		return status(err)
	}
	return status(h.file.Sync())
}

// FsyncDir is the counterpart of Fsync.
func (f *fileSystem) FsyncDir(cancel <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return f.Fsync(cancel, in)
}

// Fallocate makes or unmakes room in a file.
func (f *fileSystem) Fallocate(_ <-chan struct{}, in *fuse.FallocateIn) fuse.Status {
	file, err := f.handles.file(in.Fh)
	switch {
	case err != nil:
		return status(err)
	case in.Offset > math.MaxInt64 || in.Length > math.MaxInt64:
		return status(syscall.EFBIG)
	}
	return status(f.settle(func() error { return file.Allocate(in.Mode, int64(in.Offset), int64(in.Length)) }))
}

// Lseek finds data and holes.
func (f *fileSystem) Lseek(_ <-chan struct{}, in *fuse.LseekIn, out *fuse.LseekOut) fuse.Status {
	file, err := f.handles.file(in.Fh)
	switch {
	case err != nil:
		return status(err)
	case in.Offset > math.MaxInt64:
		return status(syscall.ENXIO)
	}
	off, err := file.Seek(int64(in.Offset), int(in.Whence))
	out.Offset = uint64(off)
	return status(err)
}

// OpenDir opens a directory for reading its names.
func (f *fileSystem) OpenDir(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	file, n, err := f.openNode(in.NodeId, 0)
	if err != nil {
		return status(err)
	}
	if n.kind != at.Directory {
		file.Close()
		return fuse.ENOTDIR
	}
	return f.opened(n, file, out)
}

// ReleaseDir closes a directory.
func (f *fileSystem) ReleaseDir(in *fuse.ReleaseIn) { f.release(in.Fh) }

// ReadDir lists names from an offset that an earlier answer gave.
func (f *fileSystem) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	_, list, err := f.list(in)
	for _, e := range list {
		if !out.AddDirEntry(dirEntry(e)) {
			break
		}
	}
	return status(err)
}

// ReadDirPlus lists names with what Lookup says of them, where that lasts.
func (f *fileSystem) ReadDirPlus(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	h, list, err := f.list(in)
	if err != nil {
		return status(err)
	}
	f.nodes.names.RLock()
	defer f.nodes.names.RUnlock()
	plus := h.file != nil && h.node.caching().entries
	for _, e := range list {
		o := out.AddDirLookupEntry(dirEntry(e)) // node 0: nothing is said of it
		if o == nil {
			break
		}
		if !plus || e.Name == "." || e.Name == ".." {
			continue
		}
		rel, err := f.nodes.child(h.node, e.Name)
		if err != nil {
			continue
		}
		if i, err := h.node.tree.Lstat(rel); err == nil {
			_ = f.met(h.node, e.Name, i, o) // without room for it the guest asks
		}
	}
	return fuse.OK
}

// list returns names of an open directory.
func (f *mount) list(in *fuse.ReadIn) (*handle, []at.Entry, error) {
	h, err := f.handles.get(in.Fh)
	switch {
	case err != nil:
		return nil, nil, err
	case in.Offset > math.MaxInt64:
		return nil, nil, syscall.EINVAL
	case h.file == nil:
		return h, f.set.ListRoot(in.Offset), nil
	}
	f.nodes.names.RLock()
	defer f.nodes.names.RUnlock()
	rel, gone := f.nodes.path(h.node)
	list, err := h.file.List(int64(in.Offset), int(in.Size), rel, gone)
	return h, list, err
}

// dirEntry is a name as go-fuse has it.
func dirEntry(e at.Entry) fuse.DirEntry {
	return fuse.DirEntry{Name: e.Name, Mode: modeOf(e.Kind), Off: uint64(e.Next), Ino: e.Ino}
}

// modeOf is the type in a directory entry; 0 makes the guest ask.
func modeOf(k at.Kind) uint32 {
	switch k {
	case at.File:
		return syscall.S_IFREG
	case at.Directory:
		return syscall.S_IFDIR
	case at.Symlink:
		return syscall.S_IFLNK
	}
	return 0
}
