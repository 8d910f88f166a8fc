package virtiofs_test

import (
	"encoding/binary"
	"fmt"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share/conformance"
	"piwork/vmhost/share/virtiofs/vhostuser/vhostusertest"
)

// Requests (enum fuse_opcode).
const (
	opLookup      = 1
	opForget      = 2
	opGetattr     = 3
	opSetattr     = 4
	opReadlink    = 5
	opSymlink     = 6
	opMknod       = 8
	opMkdir       = 9
	opUnlink      = 10
	opRmdir       = 11
	opRename      = 12
	opLink        = 13
	opOpen        = 14
	opRead        = 15
	opWrite       = 16
	opStatfs      = 17
	opRelease     = 18
	opFsync       = 20
	opSetxattr    = 21
	opGetxattr    = 22
	opListxattr   = 23
	opRemovexattr = 24
	opFlush       = 25
	opInit        = 26
	opOpendir     = 27
	opReaddir     = 28
	opReleasedir  = 29
	opAccess      = 34
	opCreate      = 35
	opInterrupt   = 36
	opDestroy     = 38
	opIoctl       = 39
	opBatchForget = 42
	opFallocate   = 43
	opReaddirPlus = 44
	opRename2     = 45
	opLseek       = 46
	opTmpfile     = 51
)

// client is the kernel of a guest: it speaks FUSE through the rings.
type client struct {
	t      testing.TB
	f      *vhostusertest.Front
	unique atomic.Uint64
}

// message is a request of fields: integers, strings (which end with a NUL) and
// bytes.
func message(op uint32, unique, node uint64, fields ...any) []byte {
	le := binary.LittleEndian
	b := make([]byte, 40)
	for _, v := range fields {
		switch v := v.(type) {
		case uint32:
			b = le.AppendUint32(b, v)
		case uint64:
			b = le.AppendUint64(b, v)
		case string:
			b = append(append(b, v...), 0)
		case []byte:
			b = append(b, v...)
		default:
			panic(fmt.Sprintf("a field of type %T", v))
		}
	}
	le.PutUint32(b, uint32(len(b)))
	le.PutUint32(b[4:], op)
	le.PutUint64(b[8:], unique)
	le.PutUint64(b[16:], node)
	return b
}

// call sends a request and returns the body of its reply.
func (c *client) call(op uint32, node uint64, fields ...any) ([]byte, error) {
	room := 512
	switch op {
	case opRead, opReaddir, opReaddirPlus:
		room = 16 + 1<<20
	case opReadlink:
		room = 16 + 4096
	case opGetxattr, opListxattr:
		room = 16 + 64<<10
	}
	return c.callRoom(room, op, node, fields...)
}

func (c *client) callRoom(room int, op uint32, node uint64, fields ...any) ([]byte, error) {
	unique := c.unique.Add(2)
	b, err := c.f.Rings[1].Do(message(op, unique, node, fields...), room)
	if err != nil {
		c.t.Errorf("request %d: %v", op, err)
		return nil, err
	}
	return body(unique, b)
}

// body checks the head of a reply.
func body(unique uint64, b []byte) ([]byte, error) {
	le := binary.LittleEndian
	if len(b) < 16 || int(le.Uint32(b)) != len(b) || le.Uint64(b[8:]) != unique {
		return nil, fmt.Errorf("a reply that is none: %x", b[:min(len(b), 32)])
	}
	if no := -int32(le.Uint32(b[4:])); no != 0 {
		return nil, linux.Errno(no)
	}
	return b[16:], nil
}

func (c *client) must(op uint32, node uint64, fields ...any) []byte {
	c.t.Helper()
	b, err := c.call(op, node, fields...)
	if err != nil {
		c.t.Fatalf("request %d of node %d: %v", op, node, err)
	}
	return b
}

// init is the first request of a mount, as Linux 6.12 sends it; it returns the
// flags that were agreed on.
func (c *client) init() uint64 {
	c.t.Helper()
	const want = 1<<0 | 1<<3 | 1<<5 | 1<<12 | 1<<13 | 1<<14 | 1<<16 | 1<<18 | 1<<22 | 1<<30 | fuse.CAP_DIRECT_IO_ALLOW_MMAP
	b := c.must(opInit, 0, uint32(7), uint32(41), uint32(128<<10), uint32(want&0xffffffff), uint32(want>>32), make([]byte, 11*4))
	le := binary.LittleEndian
	return uint64(le.Uint32(b[12:])) | uint64(le.Uint32(b[32:]))<<32
}

// entry is struct fuse_entry_out.
type entry struct {
	node         uint64
	names, attrs time.Duration
	attr         conformance.Attr
}

func parseEntry(b []byte) entry {
	le := binary.LittleEndian
	return entry{node: le.Uint64(b),
		names: time.Duration(le.Uint64(b[16:]))*time.Second + time.Duration(le.Uint32(b[32:])),
		attrs: time.Duration(le.Uint64(b[24:]))*time.Second + time.Duration(le.Uint32(b[36:])),
		attr:  parseAttr(b[40:])}
}

// parseAttr reads struct fuse_attr.
func parseAttr(b []byte) conformance.Attr {
	le := binary.LittleEndian
	return conformance.Attr{Ino: le.Uint64(b), Size: le.Uint64(b[8:]),
		MTime: time.Unix(int64(le.Uint64(b[32:])), int64(le.Uint32(b[52:]))),
		Mode:  le.Uint32(b[60:]), NLink: uint64(le.Uint32(b[64:])), UID: le.Uint32(b[68:]), GID: le.Uint32(b[72:])}
}

// walk looks up a path from the root.
func (c *client) walk(p string) (uint64, error) {
	node := uint64(1)
	if p == "" {
		return node, nil
	}
	for name := range strings.SplitSeq(p, "/") {
		b, err := c.call(opLookup, node, name)
		if err != nil {
			return 0, err
		}
		if node = parseEntry(b).node; node == 0 {
			return 0, linux.ENOENT
		}
	}
	return node, nil
}

func (c *client) at(p string) uint64 {
	c.t.Helper()
	n, err := c.walk(p)
	if err != nil {
		c.t.Fatalf("%s: %v", p, err)
	}
	return n
}

// with returns the node of the directory of a path and the last part of it.
func (c *client) with(p string) (uint64, string, error) {
	dir, name := path.Split(p)
	n, err := c.walk(strings.TrimSuffix(dir, "/"))
	return n, name, err
}

func (c *client) in(p string, op uint32, fields ...any) error {
	n, name, err := c.with(p)
	if err != nil {
		return err
	}
	_, err = c.call(op, n, append(fields, name)...)
	return err
}

// xattr asks for the length of an answer and then for it, as programs do.
func (c *client) xattr(op uint32, p string, name ...any) ([]byte, error) {
	n, err := c.walk(p)
	if err != nil {
		return nil, err
	}
	b, err := c.call(op, n, append([]any{uint32(0), uint32(0)}, name...)...)
	if err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(b)
	if size == 0 {
		return nil, nil
	}
	if size > 1 {
		if _, err := c.call(op, n, append([]any{size - 1, uint32(0)}, name...)...); !isErrno(err, linux.ERANGE) {
			c.t.Errorf("too little room for an answer: %v", err)
		}
	}
	return c.call(op, n, append([]any{size, uint32(0)}, name...)...)
}

func (c *client) GetXattr(p, attr string) ([]byte, error) { return c.xattr(opGetxattr, p, attr) }

func (c *client) ListXattr(p string) ([]string, error) {
	b, err := c.xattr(opListxattr, p)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), nil
}

func (c *client) SetXattr(p, attr string, value []byte, flags uint32) error {
	n, err := c.walk(p)
	if err != nil {
		return err
	}
	_, err = c.call(opSetxattr, n, uint32(len(value)), flags, attr, value)
	return err
}

func (c *client) RemoveXattr(p, attr string) error {
	n, err := c.walk(p)
	if err != nil {
		return err
	}
	_, err = c.call(opRemovexattr, n, attr)
	return err
}

func (c *client) Stat(p string) (a conformance.Attr, err error) {
	n, err := c.walk(p)
	if err != nil {
		return a, err
	}
	return c.getattr(n, 0, 0)
}

func (c *client) getattr(n uint64, flags uint32, fh uint64) (a conformance.Attr, err error) {
	b, err := c.call(opGetattr, n, flags, uint32(0), fh)
	if err != nil {
		return a, err
	}
	return parseAttr(b[16:]), nil
}

func (c *client) opendir(n uint64) (uint64, error) {
	b, err := c.call(opOpendir, n, uint32(0), uint32(0))
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

func (c *client) List(p string) ([]string, error) {
	n, err := c.walk(p)
	if err != nil {
		return nil, err
	}
	fh, err := c.opendir(n)
	if err != nil {
		return nil, err
	}
	defer c.must(opReleasedir, n, fh, uint32(0), uint32(0), uint64(0))
	var names []string
	for off := uint64(0); ; {
		b, err := c.call(opReaddir, n, fh, off, uint32(4096), uint32(0), uint64(0), uint32(0), uint32(0))
		if err != nil || len(b) == 0 {
			return names, err
		}
		list, err := fuse.ParseDirEntries(b)
		if err != nil {
			return names, err
		}
		for _, e := range list {
			names = append(names, e.Name)
			off = e.Off
		}
	}
}

func (c *client) Statfs(p string) (uint64, int, error) {
	n, err := c.walk(p)
	if err != nil {
		return 0, 0, err
	}
	b, err := c.call(opStatfs, n)
	if err != nil {
		return 0, 0, err
	}
	return binary.LittleEndian.Uint64(b), int(binary.LittleEndian.Uint32(b[44:])), nil
}

func (c *client) Open(p string, flags uint32) (conformance.Handle, error) {
	n, err := c.walk(p)
	if err != nil {
		return nil, err
	}
	b, err := c.call(opOpen, n, flags, uint32(0))
	if err != nil {
		return nil, err
	}
	return &file{c, n, binary.LittleEndian.Uint64(b), flags}, nil
}

// Create looks first, as the guest's kernel does: what is there it opens.
func (c *client) Create(p string, flags, perm uint32) (conformance.Handle, error) {
	dir, name, err := c.with(p)
	if err != nil {
		return nil, err
	}
	b, err := c.call(opCreate, dir, flags, perm, uint32(0), uint32(0), name)
	if err != nil {
		return nil, err
	}
	return &file{c, parseEntry(b).node, binary.LittleEndian.Uint64(b[128:]), flags}, nil
}

func (c *client) Mkdir(p string, perm uint32) error { return c.in(p, opMkdir, perm, uint32(0)) }

func (c *client) Mknod(p string, mode uint32) error {
	return c.in(p, opMknod, mode, uint32(0), uint32(0), uint32(0))
}

func (c *client) Symlink(target, p string) error {
	n, name, err := c.with(p)
	if err != nil {
		return err
	}
	_, err = c.call(opSymlink, n, name, target)
	return err
}

func (c *client) Readlink(p string) (string, error) {
	n, err := c.walk(p)
	if err != nil {
		return "", err
	}
	b, err := c.call(opReadlink, n)
	return string(b), err
}

func (c *client) Link(old, p string) error {
	n, err := c.walk(old)
	if err != nil {
		return err
	}
	return c.in(p, opLink, n)
}

func (c *client) Rename(old, p string) error { return c.rename(old, p, 0) }

func (c *client) rename(old, p string, flags uint32) error {
	from, name, err := c.with(old)
	if err != nil {
		return err
	}
	to, newName, err := c.with(p)
	if err != nil {
		return err
	}
	_, err = c.call(opRename2, from, to, flags, uint32(0), name, newName)
	return err
}

func (c *client) Unlink(p string) error { return c.in(p, opUnlink) }

func (c *client) Rmdir(p string) error { return c.in(p, opRmdir) }

// attrs is struct fuse_setattr_in.
type attrs struct {
	valid, mode, uid, gid uint32
	fh, size              uint64
	mtime                 time.Time
}

func (c *client) setattr(n uint64, a attrs) error {
	sec, nsec := uint64(0), uint32(0)
	if !a.mtime.IsZero() {
		sec, nsec = uint64(a.mtime.Unix()), uint32(a.mtime.Nanosecond())
	}
	_, err := c.call(opSetattr, n, a.valid, uint32(0), a.fh, a.size, uint64(0), uint64(0), sec, uint64(0),
		uint32(0), nsec, uint32(0), a.mode, uint32(0), a.uid, a.gid, uint32(0))
	return err
}

func (c *client) set(p string, a attrs) error {
	n, err := c.walk(p)
	if err != nil {
		return err
	}
	return c.setattr(n, a)
}

func (c *client) Truncate(p string, size uint64) error {
	return c.set(p, attrs{valid: fuse.FATTR_SIZE, size: size})
}

func (c *client) Chmod(p string, mode uint32) error {
	return c.set(p, attrs{valid: fuse.FATTR_MODE, mode: mode})
}

func (c *client) Chtimes(p string, mtime time.Time) error {
	return c.set(p, attrs{valid: fuse.FATTR_MTIME, mtime: mtime})
}

func (c *client) Chown(p string, uid, gid uint32) error {
	return c.set(p, attrs{valid: fuse.FATTR_UID | fuse.FATTR_GID, uid: uid, gid: gid})
}

// file is an open file as a conformance.Handle.
type file struct {
	c    *client
	node uint64
	fh   uint64

	flags uint32 // which Linux sends with each write, as fcntl(2) may have changed them
}

func (f *file) ReadAt(b []byte, off int64) (int, error) {
	got, err := f.c.call(opRead, f.node, f.fh, uint64(off), uint32(len(b)), uint32(0), uint64(0), uint32(0), uint32(0))
	return copy(b, got), err
}

func (f *file) WriteAt(b []byte, off int64) (int, error) {
	got, err := f.c.call(opWrite, f.node, f.fh, uint64(off), uint32(len(b)), uint32(0), uint64(0), f.flags, uint32(0), b)
	if err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint32(got)), nil
}

func (f *file) Sync() error {
	_, err := f.c.call(opFsync, f.node, f.fh, uint32(0), uint32(0))
	return err
}

func (f *file) Stat() (conformance.Attr, error) {
	return f.c.getattr(f.node, fuse.FUSE_GETATTR_FH, f.fh)
}

func (f *file) Truncate(size uint64) error {
	return f.c.setattr(f.node, attrs{valid: fuse.FATTR_SIZE | fuse.FATTR_FH, size: size, fh: f.fh})
}

func (f *file) Close() error {
	_, err := f.c.call(opRelease, f.node, f.fh, uint32(0), uint32(0), uint64(0))
	return err
}
