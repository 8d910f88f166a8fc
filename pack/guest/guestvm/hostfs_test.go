//go:build vm && linux

package guestvm

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hugelgupf/p9/fsimpl/templatefs"
	"github.com/hugelgupf/p9/linux"
	"github.com/hugelgupf/p9/p9"
)

// HostFS serves a directory plainly over 9P: enough to test the guest's side.
// The real server, with confinement and journal, is vmhost/share.
type HostFS struct {
	T        testing.TB
	Dir      string
	ReadOnly bool
	// Before is called before each read, write, create and unlink with its
	// name; it may wait.
	Before func(op, path string)
}

// Serve serves one connection until its end.
func (h *HostFS) Serve(conn net.Conn) {
	defer conn.Close()
	err := p9.NewServer(h).Handle(conn, conn)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) && !errors.Is(err, syscall.ECONNRESET) {
		h.T.Logf("9p server: %v", err)
	}
}

// Attach implements p9.Attacher.
func (h *HostFS) Attach() (p9.File, error) { return &hostFile{fs: h, path: h.Dir}, nil }

func (h *HostFS) before(op, path string) error {
	if h.Before != nil {
		h.Before(op, path)
	}
	if h.ReadOnly && op != "read" {
		return linux.EROFS
	}
	return nil
}

type hostFile struct {
	p9.DefaultWalkGetAttr
	templatefs.NoopFile
	fs   *HostFS
	path string
	file *os.File
}

func (f *hostFile) info() (p9.QID, *syscall.Stat_t, error) {
	fi, err := os.Lstat(f.path)
	if err != nil {
		return p9.QID{}, nil, err
	}
	st := fi.Sys().(*syscall.Stat_t)
	return p9.QID{Type: p9.ModeFromOS(fi.Mode()).QIDType(), Path: st.Ino}, st, nil
}

func (f *hostFile) Walk(names []string) ([]p9.QID, p9.File, error) {
	next := &hostFile{fs: f.fs, path: f.path}
	var qids []p9.QID
	for _, name := range names {
		next = &hostFile{fs: f.fs, path: filepath.Join(next.path, name)}
		qid, _, err := next.info()
		if err != nil {
			return nil, nil, err
		}
		qids = append(qids, qid)
	}
	return qids, next, nil
}

func (f *hostFile) GetAttr(req p9.AttrMask) (p9.QID, p9.AttrMask, p9.Attr, error) {
	qid, st, err := f.info()
	if err != nil {
		return qid, p9.AttrMask{}, p9.Attr{}, err
	}
	return qid, req, p9.Attr{
		Mode: p9.FileMode(st.Mode), UID: 1000, GID: 1000, NLink: p9.NLink(st.Nlink), Size: uint64(st.Size),
		BlockSize: 1 << 20, Blocks: uint64(st.Blocks),
		MTimeSeconds: uint64(st.Mtim.Sec), MTimeNanoSeconds: uint64(st.Mtim.Nsec),
	}, nil
}

func (f *hostFile) SetAttr(valid p9.SetAttrMask, attr p9.SetAttr) error {
	if valid.Size {
		return os.Truncate(f.path, int64(attr.Size))
	}
	return nil
}

func (f *hostFile) Open(mode p9.OpenFlags) (p9.QID, uint32, error) {
	qid, _, err := f.info()
	if err != nil {
		return qid, 0, err
	}
	f.file, err = os.OpenFile(f.path, int(mode)&(syscall.O_ACCMODE|syscall.O_TRUNC), 0)
	return qid, 0, err
}

func (f *hostFile) Close() error {
	if f.file != nil {
		return f.file.Close()
	}
	return nil
}

func (f *hostFile) ReadAt(p []byte, offset int64) (int, error) {
	if err := f.fs.before("read", f.path); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, offset)
}

func (f *hostFile) WriteAt(p []byte, offset int64) (int, error) {
	if err := f.fs.before("write", f.path); err != nil {
		return 0, err
	}
	return f.file.WriteAt(p, offset)
}

func (f *hostFile) FSync() error { return f.file.Sync() }

func (f *hostFile) Create(name string, mode p9.OpenFlags, perm p9.FileMode, _ p9.UID, _ p9.GID) (p9.File, p9.QID, uint32, error) {
	path := filepath.Join(f.path, name)
	if err := f.fs.before("create", path); err != nil {
		return nil, p9.QID{}, 0, err
	}
	file, err := os.OpenFile(path, int(mode)&syscall.O_ACCMODE|os.O_CREATE|os.O_EXCL, os.FileMode(perm)&0o777)
	if err != nil {
		return nil, p9.QID{}, 0, err
	}
	next := &hostFile{fs: f.fs, path: path, file: file}
	qid, _, err := next.info()
	return next, qid, 0, err
}

func (f *hostFile) Mkdir(name string, perm p9.FileMode, _ p9.UID, _ p9.GID) (p9.QID, error) {
	path := filepath.Join(f.path, name)
	if err := f.fs.before("create", path); err != nil {
		return p9.QID{}, err
	}
	if err := os.Mkdir(path, os.FileMode(perm)&0o777); err != nil {
		return p9.QID{}, err
	}
	qid, _, err := (&hostFile{fs: f.fs, path: path}).info()
	return qid, err
}

func (f *hostFile) UnlinkAt(name string, _ uint32) error {
	path := filepath.Join(f.path, name)
	if err := f.fs.before("unlink", path); err != nil {
		return err
	}
	return os.Remove(path)
}

func (f *hostFile) RenameAt(from string, dir p9.File, to string) error {
	if err := f.fs.before("rename", f.path); err != nil {
		return err
	}
	return os.Rename(filepath.Join(f.path, from), filepath.Join(dir.(*hostFile).path, to))
}

func (f *hostFile) Renamed(dir p9.File, name string) {
	f.path = filepath.Join(dir.(*hostFile).path, name)
}

func (f *hostFile) Readdir(offset uint64, count uint32) (p9.Dirents, error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return nil, err
	}
	var out p9.Dirents
	for i, e := range entries {
		if uint64(i) < offset || len(out) >= int(count)/300 {
			continue
		}
		qid, _, err := (&hostFile{fs: f.fs, path: filepath.Join(f.path, e.Name())}).info()
		if err != nil {
			continue
		}
		out = append(out, p9.Dirent{QID: qid, Offset: uint64(i + 1), Type: qid.Type, Name: e.Name()})
	}
	return out, nil
}
