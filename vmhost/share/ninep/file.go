package ninep

import (
	"errors"
	"io"
	"math"
	"os"
	"time"

	"github.com/hugelgupf/p9/linux"
	"github.com/hugelgupf/p9/p9"

	"piwork/vmhost/share/internal/at"
)

const (
	oTrunc   = 0o1000 // Linux O_TRUNC, as 9P2000.L sends it
	permBits = 0o777
)

// Open opens a regular file or a directory. Other flags than the access mode
// and O_TRUNC do not reach the host; the guest's kernel appends by itself.
func (n *node) Open(mode p9.OpenFlags) (p9.QID, uint32, error) {
	access := mode.Mode()
	changes := access != p9.ReadOnly || mode&oTrunc != 0
	if changes && n.m.ReadOnly {
		return p9.QID{}, 0, linux.EROFS
	}
	if !take(&n.c.open, maxOpen) {
		return p9.QID{}, 0, linux.EMFILE
	}
	info, err := n.open(changes, access == p9.WriteOnly, mode&oTrunc != 0)
	if err != nil {
		n.c.open.Add(-1)
		return p9.QID{}, 0, errno(err)
	}
	return qid(info), 0, nil
}

func (n *node) open(changes, writeOnly, truncate bool) (at.Info, error) {
	info, err := n.m.Root.Lstat(n.path)
	switch {
	case err != nil:
		return info, err
	case info.Kind == at.Directory && changes:
		return info, linux.EISDIR
	case info.Kind == at.Directory:
		return n.openDir()
	}
	p, err := n.place()
	if err != nil {
		return info, err
	}
	defer p.Dir.Close()
	if !changes {
		n.read, info, err = p.Dir.Open(p.Name, os.O_RDONLY)
		return info, err
	}
	flag := os.O_RDWR
	if writeOnly {
		flag = os.O_WRONLY
	}
	f, info, err := n.m.Files.Open(p, flag)
	if err != nil {
		return info, err
	}
	if truncate {
		if err := f.Truncate(0); err != nil {
			return info, errors.Join(err, f.Close())
		}
	}
	n.write = f
	return info, nil
}

// openDir opens the directory for listing, with a handle of its own.
func (n *node) openDir() (at.Info, error) {
	d, err := n.m.Root.Dir(n.path)
	if err != nil {
		return at.Info{}, err
	}
	defer d.Close()
	own, err := d.Again()
	if err != nil {
		return at.Info{}, err
	}
	info, err := own.Info()
	if err != nil {
		own.Close()
		return info, err
	}
	n.dir, n.lister = own, at.NewLister(own.File())
	return info, nil
}

// ReadAt reads; the end of the file is io.EOF.
func (n *node) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 {
		return 0, linux.EINVAL
	}
	var k int
	var err error
	switch {
	case n.write != nil:
		k, err = n.write.ReadAt(b, off)
	case n.read != nil:
		k, err = n.read.ReadAt(b, off)
	case n.dir != nil:
		return 0, linux.EISDIR
	default:
		return 0, linux.EBADF
	}
	if errors.Is(err, io.EOF) {
		return k, io.EOF
	}
	return k, errno(err)
}

// WriteAt writes; the journal has kept what was there.
func (n *node) WriteAt(b []byte, off int64) (int, error) {
	switch {
	case off < 0 || off > math.MaxInt64-int64(len(b)):
		return 0, linux.EFBIG
	case n.write == nil:
		return 0, linux.EBADF
	}
	k, err := n.write.WriteAt(b, off)
	return k, errno(err)
}

// FSync makes the content durable.
func (n *node) FSync() error {
	switch {
	case n.write != nil:
		return errno(n.write.Sync())
	case n.read == nil && n.dir == nil:
		return linux.EBADF
	}
	return nil
}

// Create makes a regular file and opens it.
func (n *node) Create(name string, mode p9.OpenFlags, perm p9.FileMode, _ p9.UID, _ p9.GID) (p9.File, p9.QID, uint32, error) {
	if n.m.ReadOnly {
		return nil, p9.QID{}, 0, linux.EROFS
	}
	p, err := n.child(name)
	if err != nil {
		return nil, p9.QID{}, 0, errno(err)
	}
	defer p.Dir.Close()
	if !take(&n.c.nodes, maxNodes) {
		return nil, p9.QID{}, 0, linux.ENFILE
	}
	if !take(&n.c.open, maxOpen) {
		n.c.nodes.Add(-1)
		return nil, p9.QID{}, 0, linux.EMFILE
	}
	f, info, err := n.m.Files.Create(p, uint32(perm)&permBits)
	if err != nil {
		n.c.nodes.Add(-1)
		n.c.open.Add(-1)
		return nil, p9.QID{}, 0, errno(err)
	}
	return &node{c: n.c, m: n.m, path: below(n.path, name), write: f}, qid(info), 0, nil
}

// Readdir lists from an offset that an earlier answer gave.
func (n *node) Readdir(offset uint64, count uint32) (p9.Dirents, error) {
	if n.lister == nil {
		return nil, linux.ENOTDIR
	}
	if offset > math.MaxInt64 {
		return nil, linux.EINVAL
	}
	entries, err := n.lister.Read(int64(offset), int(min(count, maxFrame)))
	if err != nil {
		return nil, errno(err)
	}
	info, err := n.dir.Info()
	if err != nil {
		return nil, errno(err)
	}
	out := make(p9.Dirents, 0, len(entries))
	for _, e := range entries {
		i := at.Info{Kind: e.Kind, ID: at.ID{Ino: e.Ino, Dev: info.Dev}}
		if e.Name == ".." {
			i.Ino = info.Ino // what lies above is none of the guest's business
		}
		q := qid(i)
		out = append(out, p9.Dirent{QID: q, Type: q.Type, Name: e.Name, Offset: uint64(e.Next)})
	}
	return out, nil
}

// SetAttr changes length, mode and times. A change of the owner is accepted
// and does nothing: everything belongs to the one user of the host.
func (n *node) SetAttr(valid p9.SetAttrMask, a p9.SetAttr) error {
	if n.m.ReadOnly {
		return linux.EROFS
	}
	if valid.Size {
		if a.Size > math.MaxInt64 {
			return linux.EFBIG
		}
		if err := n.truncate(int64(a.Size)); err != nil {
			return errno(err)
		}
	}
	if !valid.Permissions && !valid.ATime && !valid.MTime {
		return nil
	}
	p, err := n.place()
	if err != nil {
		return errno(err)
	}
	defer p.Dir.Close()
	if valid.Permissions {
		if err := n.m.Files.Chmod(p, uint32(a.Permissions)&permBits); err != nil {
			return errno(err)
		}
	}
	if valid.ATime || valid.MTime {
		now := time.Now()
		pick := func(set, given bool, s, ns uint64) time.Time {
			switch {
			case !set:
				return time.Time{}
			case !given:
				return now
			}
			return time.Unix(int64(s), int64(ns%1e9))
		}
		return errno(n.m.Files.Chtimes(p,
			pick(valid.ATime, valid.ATimeNotSystemTime, a.ATimeSeconds, a.ATimeNanoSeconds),
			pick(valid.MTime, valid.MTimeNotSystemTime, a.MTimeSeconds, a.MTimeNanoSeconds)))
	}
	return nil
}

func (n *node) truncate(size int64) error {
	if n.write != nil {
		return n.write.Truncate(size)
	}
	p, err := n.place()
	if err != nil {
		return err
	}
	defer p.Dir.Close()
	f, _, err := n.m.Files.Open(p, os.O_WRONLY)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}

// Lock grants: the guest's kernel has settled its own locks before it asks,
// and no one else has this mount.
func (n *node) Lock(int, p9.LockType, p9.LockFlags, uint64, uint64, string) (p9.LockStatus, error) {
	return p9.LockStatusOK, nil
}
