package ninep_test

import (
	"encoding/binary"
	"errors"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/hugelgupf/p9/p9"

	"piwork/vmhost/share"
	"piwork/vmhost/share/conformance"
)

// Each operation gives the answers that the other front end gives.
func TestConformance(t *testing.T) {
	conformance.Ways(t, func(t *testing.T) { conformance.Run(t, served) })
}

func TestConformanceReview(t *testing.T) { conformance.RunShared(t, conformance.Review, served) }

// What a guest did is undone as the model has it.
func TestHistories(t *testing.T) { conformance.Histories(t, served) }

func served(t *testing.T, set *share.Set) conformance.Guest {
	h := &host{t: t, base: t.TempDir(), set: set, log: &logs{}, done: make(chan error, 1)}
	h.connect()
	t.Cleanup(func() {
		if err := h.end(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	g := &guest{root: h.mount()}
	more := &host{t: t, base: h.base, set: set, log: &logs{}, done: make(chan error, 1)}
	more.connect()
	t.Cleanup(func() {
		if err := more.end(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	g.attrs = more.raw().start()
	return g
}

// guest is the client of hugelgupf/p9 as a conformance.Guest. It knows no
// extended attributes; those are asked for as the kernel's client does.
type guest struct {
	root  p9.File
	attrs *raw
}

// Fids that attributes are asked for with.
const attrFid, fileFid = uint32(1), uint32(2)

func (g *guest) xattr(p, name string) ([]byte, error) {
	if err := g.attrs.walk(fileFid, p); err != nil {
		return nil, err
	}
	defer g.attrs.must(clunk, fileFid)
	b, err := g.attrs.call(xattrwalk, fileFid, attrFid, str(name))
	if err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint64(b)
	b = g.attrs.must(read, attrFid, uint64(0), uint32(size))
	g.attrs.must(clunk, attrFid)
	if n := binary.LittleEndian.Uint32(b); uint64(n) != size {
		g.attrs.t.Errorf("%s of %s: %d bytes of %d", name, p, n, size)
	}
	return b[4:], nil
}

func (g *guest) GetXattr(p, attr string) ([]byte, error) { return g.xattr(p, attr) }

func (g *guest) ListXattr(p string) ([]string, error) {
	b, err := g.xattr(p, "")
	if err != nil || len(b) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), nil
}

func (g *guest) SetXattr(p, attr string, value []byte, flags uint32) error {
	if err := g.attrs.walk(attrFid, p); err != nil {
		return err
	}
	if _, err := g.attrs.call(xattrcreate, attrFid, str(attr), uint64(len(value)), flags); err != nil {
		g.attrs.must(clunk, attrFid)
		return err
	}
	const piece = 100
	for off := 0; off < len(value); off += piece {
		part := value[off:min(off+piece, len(value))]
		g.attrs.must(write, attrFid, uint64(off), uint32(len(part)), part)
	}
	_, err := g.attrs.call(clunk, attrFid)
	return err
}

func (g *guest) RemoveXattr(p, attr string) error {
	return g.SetXattr(p, attr, nil, conformance.AttrReplace)
}

func (g *guest) walk(p string) (p9.File, error) {
	var names []string
	if p != "" {
		names = strings.Split(p, "/")
	}
	_, f, err := g.root.Walk(names)
	return f, err
}

// with calls do with the directory of a path and the last part of it.
func (g *guest) with(p string, do func(dir p9.File, name string) error) error {
	dir, name := path.Split(p)
	f, err := g.walk(strings.TrimSuffix(dir, "/"))
	if err != nil {
		return err
	}
	return errors.Join(do(f, name), f.Close())
}

func attrOf(f p9.File) (conformance.Attr, error) {
	q, _, a, err := f.GetAttr(p9.AttrMaskAll)
	return conformance.Attr{Ino: q.Path, Size: a.Size, NLink: uint64(a.NLink), Mode: uint32(a.Mode), UID: uint32(a.UID),
		GID: uint32(a.GID), MTime: time.Unix(int64(a.MTimeSeconds), int64(a.MTimeNanoSeconds))}, err
}

func (g *guest) Stat(p string) (a conformance.Attr, err error) {
	f, err := g.walk(p)
	if err != nil {
		return a, err
	}
	a, err = attrOf(f)
	return a, errors.Join(err, f.Close())
}

func (g *guest) List(p string) ([]string, error) {
	f, err := g.walk(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return list(f)
}

func (g *guest) Statfs(p string) (uint64, int, error) {
	f, err := g.walk(p)
	if err != nil {
		return 0, 0, err
	}
	s, err := f.StatFS()
	return s.Blocks, int(s.NameLength), errors.Join(err, f.Close())
}

func (g *guest) Open(p string, flags uint32) (conformance.Handle, error) {
	f, err := g.walk(p)
	if err != nil {
		return nil, err
	}
	if _, _, err := f.Open(p9.OpenFlags(flags)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &openFile{f}, nil
}

func (g *guest) Create(p string, flags, perm uint32) (conformance.Handle, error) {
	dir, name := path.Split(p)
	f, err := g.walk(strings.TrimSuffix(dir, "/"))
	if err != nil {
		return nil, err
	}
	// A client makes the fid of the directory the file's.
	if _, _, _, err := f.Create(name, p9.OpenFlags(flags), p9.FileMode(perm), 0, 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &openFile{f}, nil
}

func (g *guest) Mkdir(p string, perm uint32) error {
	return g.with(p, func(d p9.File, n string) error { return second9(d.Mkdir(n, p9.FileMode(perm), 0, 0)) })
}

func (g *guest) Mknod(p string, mode uint32) error {
	return g.with(p, func(d p9.File, n string) error { return second9(d.Mknod(n, p9.FileMode(mode), 0, 0, 0, 0)) })
}

func (g *guest) Symlink(target, p string) error {
	return g.with(p, func(d p9.File, n string) error { return second9(d.Symlink(target, n, 0, 0)) })
}

func second9(_ p9.QID, err error) error { return err }

func (g *guest) Readlink(p string) (string, error) {
	f, err := g.walk(p)
	if err != nil {
		return "", err
	}
	s, err := f.Readlink()
	return s, errors.Join(err, f.Close())
}

func (g *guest) Link(old, p string) error {
	f, err := g.walk(old)
	if err != nil {
		return err
	}
	defer f.Close()
	return g.with(p, func(d p9.File, n string) error { return d.Link(f, n) })
}

func (g *guest) Rename(old, p string) error {
	return g.with(old, func(from p9.File, name string) error {
		return g.with(p, func(to p9.File, n string) error { return from.RenameAt(name, to, n) })
	})
}

func (g *guest) Unlink(p string) error {
	return g.with(p, func(d p9.File, n string) error { return d.UnlinkAt(n, 0) })
}

func (g *guest) Rmdir(p string) error {
	return g.with(p, func(d p9.File, n string) error { return d.UnlinkAt(n, 0x200) })
}

func (g *guest) set(p string, m p9.SetAttrMask, a p9.SetAttr) error {
	f, err := g.walk(p)
	if err != nil {
		return err
	}
	return errors.Join(f.SetAttr(m, a), f.Close())
}

func (g *guest) Truncate(p string, size uint64) error {
	return g.set(p, p9.SetAttrMask{Size: true}, p9.SetAttr{Size: size})
}

func (g *guest) Chmod(p string, mode uint32) error {
	return g.set(p, p9.SetAttrMask{Permissions: true}, p9.SetAttr{Permissions: p9.FileMode(mode)})
}

func (g *guest) Chtimes(p string, mtime time.Time) error {
	return g.set(p, p9.SetAttrMask{MTime: true, MTimeNotSystemTime: true},
		p9.SetAttr{MTimeSeconds: uint64(mtime.Unix()), MTimeNanoSeconds: uint64(mtime.Nanosecond())})
}

func (g *guest) Chown(p string, uid, gid uint32) error {
	return g.set(p, p9.SetAttrMask{UID: true, GID: true}, p9.SetAttr{UID: p9.UID(uid), GID: p9.GID(gid)})
}

// openFile is an open fid as a conformance.Handle.
type openFile struct{ p9.File }

func (f *openFile) Sync() error { return f.FSync() }

func (f *openFile) Stat() (conformance.Attr, error) { return attrOf(f.File) }

func (f *openFile) Truncate(size uint64) error {
	return f.SetAttr(p9.SetAttrMask{Size: true}, p9.SetAttr{Size: size})
}
