// Package onlinetest plays the folder of a cloud service, for tests: a FUSE file system whose files
// have no blocks until somebody reads them.
package onlinetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// Cloud is a mounted folder.
type Cloud struct {
	Dir string // where it is mounted

	mu      sync.Mutex
	away    map[uint64]bool // inodes whose content is not here
	opens   int             // of them
	reads   int
	offline bool
	late    string
}

// Mount makes the folder of these contents, by path, all of them only online. It skips the test
// where nothing can be mounted.
func Mount(t testing.TB, files map[string]string) *Cloud {
	t.Helper()
	below := t.TempDir()
	c := &Cloud{Dir: t.TempDir(), away: map[uint64]bool{}}
	for rel, content := range files {
		p := filepath.Join(below, rel)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var st syscall.Stat_t
		if err := syscall.Stat(p, &st); err != nil {
			t.Fatal(err)
		}
		c.away[st.Ino] = len(content) > 0
	}
	var top syscall.Stat_t
	if err := syscall.Stat(below, &top); err != nil {
		t.Fatal(err)
	}
	root := &fs.LoopbackRoot{Path: below, Dev: top.Dev}
	first := &node{LoopbackNode: &fs.LoopbackNode{RootData: root}, c: c}
	root.RootNode = first
	none := time.Duration(0)
	server, err := fs.Mount(c.Dir, first, &fs.Options{EntryTimeout: &none, AttrTimeout: &none,
		MountOptions: fuse.MountOptions{FsName: "cloud", DirectMount: true}})
	if err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Opens is how often a file was opened that was only online, and Reads how often one was read.
func (c *Cloud) Opens() int { c.mu.Lock(); defer c.mu.Unlock(); return c.opens }

// Reads is how often a file was read that was only online.
func (c *Cloud) Reads() int { c.mu.Lock(); defer c.mu.Unlock(); return c.reads }

// Offline has every download fail.
func (c *Cloud) Offline(on bool) { c.mu.Lock(); defer c.mu.Unlock(); c.offline = on }

// Free has the service free the space of a file: its content is only with the service then.
func (c *Cloud) Free(rel string) error {
	var st syscall.Stat_t
	if err := syscall.Stat(filepath.Join(c.Dir, rel), &st); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away[st.Ino] = true
	return nil
}

// Late has lists lack a name, as those of a server that lag behind what another computer made.
func (c *Cloud) Late(name string) { c.mu.Lock(); defer c.mu.Unlock(); c.late = name }

type node struct {
	*fs.LoopbackNode
	c *Cloud
}

// WrapChild implements fs.NodeWrapChilder.
func (n *node) WrapChild(_ context.Context, ops fs.InodeEmbedder) fs.InodeEmbedder {
	return &node{LoopbackNode: ops.(*fs.LoopbackNode), c: n.c}
}

func (n *node) attr(a *fuse.Attr) {
	n.c.mu.Lock()
	defer n.c.mu.Unlock()
	if n.c.away[a.Ino] {
		a.Blocks, a.Blksize = 0, 4096
	}
}

func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	i, errno := n.LoopbackNode.Lookup(ctx, name, out)
	n.attr(&out.Attr)
	return i, errno
}

func (n *node) Getattr(ctx context.Context, f fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	if h, ok := f.(*handle); ok {
		f = h.FileHandle
	}
	errno := n.LoopbackNode.Getattr(ctx, f, out)
	n.attr(&out.Attr)
	return errno
}

// Statx has the kernel ask for what Getattr says.
func (n *node) Statx(context.Context, fs.FileHandle, uint32, uint32, *fuse.StatxOut) syscall.Errno {
	return syscall.ENOSYS
}

func (n *node) Setattr(ctx context.Context, f fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if h, ok := f.(*handle); ok {
		f = h.FileHandle
	}
	errno := n.LoopbackNode.Setattr(ctx, f, in, out)
	n.attr(&out.Attr)
	return errno
}

func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	f, fuseFlags, errno := n.LoopbackNode.Open(ctx, flags)
	if errno != 0 {
		return f, fuseFlags, errno
	}
	ino := n.StableAttr().Ino
	n.c.mu.Lock()
	defer n.c.mu.Unlock()
	if n.c.away[ino] {
		n.c.opens++
	}
	return &handle{FileHandle: f, c: n.c, ino: ino}, fuse.FOPEN_DIRECT_IO, 0
}

// handle is an open file of a Cloud.
type handle struct {
	fs.FileHandle
	c   *Cloud
	ino uint64
}

func (h *handle) Read(ctx context.Context, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	h.c.mu.Lock()
	if h.c.away[h.ino] {
		if h.c.offline {
			h.c.mu.Unlock()
			return nil, syscall.EIO
		}
		h.c.reads++
		delete(h.c.away, h.ino)
	}
	h.c.mu.Unlock()
	return h.FileHandle.(fs.FileReader).Read(ctx, dest, off)
}

func (h *handle) Write(ctx context.Context, data []byte, off int64) (uint32, syscall.Errno) {
	h.c.mu.Lock()
	delete(h.c.away, h.ino)
	h.c.mu.Unlock()
	return h.FileHandle.(fs.FileWriter).Write(ctx, data, off)
}

// Lseek says that what is not here is a hole, as some file systems do.
func (h *handle) Lseek(ctx context.Context, off uint64, whence uint32) (uint64, syscall.Errno) {
	h.c.mu.Lock()
	away := h.c.away[h.ino]
	h.c.mu.Unlock()
	if away {
		return 0, syscall.ENXIO
	}
	return h.FileHandle.(fs.FileLseeker).Lseek(ctx, off, whence)
}

func (h *handle) Fsync(ctx context.Context, flags uint32) syscall.Errno {
	return h.FileHandle.(fs.FileFsyncer).Fsync(ctx, flags)
}

func (h *handle) Release(ctx context.Context) syscall.Errno {
	return h.FileHandle.(fs.FileReleaser).Release(ctx)
}

func (n *node) OpendirHandle(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	h, fuseFlags, errno := n.LoopbackNode.OpendirHandle(ctx, flags)
	return &list{h, n.c}, fuseFlags, errno
}

// list is an open directory of a Cloud.
type list struct {
	fs.FileHandle
	c *Cloud
}

func (l *list) Readdirent(ctx context.Context) (*fuse.DirEntry, syscall.Errno) {
	l.c.mu.Lock()
	late := l.c.late
	l.c.mu.Unlock()
	for {
		e, errno := l.FileHandle.(fs.FileReaddirenter).Readdirent(ctx)
		if e == nil || e.Name != late {
			return e, errno
		}
	}
}

func (l *list) Seekdir(ctx context.Context, off uint64) syscall.Errno {
	return l.FileHandle.(fs.FileSeekdirer).Seekdir(ctx, off)
}

func (l *list) Fsyncdir(ctx context.Context, flags uint32) syscall.Errno {
	return l.FileHandle.(fs.FileFsyncdirer).Fsyncdir(ctx, flags)
}

func (l *list) Releasedir(ctx context.Context, flags uint32) {
	l.FileHandle.(fs.FileReleasedirer).Releasedir(ctx, flags)
}
