package ninep

import (
	"path"
	"sync/atomic"

	"github.com/hugelgupf/p9/fsimpl/templatefs"
	"github.com/hugelgupf/p9/linux"
	"github.com/hugelgupf/p9/p9"

	"piwork/vmhost/share"
)

// connection is one connection state: what one mount of the guest holds.
type connection struct {
	set         *share.Set
	nodes, open atomic.Int64
}

// Attach returns the virtual root.
func (c *connection) Attach() (p9.File, error) { return &root{c: c}, nil }

// take counts one up to limit.
func take(n *atomic.Int64, limit int64) bool {
	if n.Add(1) > limit {
		n.Add(-1)
		return false
	}
	return true
}

// root is the virtual directory whose entries are the folders. Nothing in it
// can be changed by the guest.
type root struct {
	templatefs.NoopFile
	c *connection
}

const rootPath = 1 // QID path of the root; inodes of the host begin at 2

func (r *root) qid(generation uint32) p9.QID {
	return p9.QID{Type: p9.TypeDir, Version: generation, Path: rootPath}
}

// Walk finds a folder and goes on in it.
func (r *root) Walk(names []string) ([]p9.QID, p9.File, error) {
	if len(names) == 0 {
		return nil, &root{c: r.c}, nil
	}
	m := r.c.set.Lookup(names[0])
	if m == nil {
		return nil, nil, linux.ENOENT
	}
	n := &node{c: r.c, m: m, path: "."}
	qids, _, file, err := n.walk([]string{"."})
	if err != nil || len(names) == 1 {
		return qids, file, err
	}
	more, last, err := file.Walk(names[1:])
	file.Close()
	return append(qids, more...), last, err
}

// WalkGetAttr leaves it to Walk and GetAttr.
func (r *root) WalkGetAttr([]string) ([]p9.QID, p9.File, p9.AttrMask, p9.Attr, error) {
	return nil, nil, p9.AttrMask{}, p9.Attr{}, linux.ENOSYS
}

// GetAttr describes the root as a directory that changes with its folders.
func (r *root) GetAttr(req p9.AttrMask) (p9.QID, p9.AttrMask, p9.Attr, error) {
	folders, changed, generation := r.c.set.List()
	s, ns := uint64(changed.Unix()), uint64(changed.Nanosecond())
	return r.qid(generation), req, p9.Attr{
		Mode: p9.ModeDirectory | 0o755, UID: GuestID, GID: GuestID,
		NLink: p9.NLink(2 + len(folders)), BlockSize: 4096,
		ATimeSeconds: s, ATimeNanoSeconds: ns, MTimeSeconds: s, MTimeNanoSeconds: ns,
		CTimeSeconds: s, CTimeNanoSeconds: ns,
	}, nil
}

// Open opens the root for listing.
func (r *root) Open(mode p9.OpenFlags) (p9.QID, uint32, error) {
	_, _, generation := r.c.set.List()
	if mode.Mode() != p9.ReadOnly {
		return p9.QID{}, 0, linux.EISDIR
	}
	return r.qid(generation), 0, nil
}

// Readdir lists the folders.
func (r *root) Readdir(offset uint64, count uint32) (p9.Dirents, error) {
	folders, _, _ := r.c.set.List()
	var out p9.Dirents
	for i, m := range folders {
		if uint64(i) < offset {
			continue
		}
		info, err := m.Root.Lstat(".")
		if err != nil {
			continue // gone in this moment
		}
		if count < uint32(24+len(m.Name)) {
			break
		}
		count -= uint32(24 + len(m.Name))
		out = append(out, p9.Dirent{QID: qid(info), Type: p9.TypeDir, Name: m.Name, Offset: uint64(i) + 1})
	}
	return out, nil
}

// StatFS has no disk of its own.
func (r *root) StatFS() (p9.FSStat, error) {
	return p9.FSStat{Type: magic, BlockSize: 4096, NameLength: maxName}, nil
}

// Nothing in the root can be changed.

func (r *root) Create(string, p9.OpenFlags, p9.FileMode, p9.UID, p9.GID) (p9.File, p9.QID, uint32, error) {
	return nil, p9.QID{}, 0, linux.EROFS
}

func (r *root) Mkdir(string, p9.FileMode, p9.UID, p9.GID) (p9.QID, error) {
	return p9.QID{}, linux.EROFS
}

func (r *root) Symlink(string, string, p9.UID, p9.GID) (p9.QID, error) {
	return p9.QID{}, linux.EROFS
}

func (r *root) Mknod(string, p9.FileMode, uint32, uint32, p9.UID, p9.GID) (p9.QID, error) {
	return p9.QID{}, linux.EROFS
}

func (r *root) Link(p9.File, string) error               { return linux.EROFS }
func (r *root) UnlinkAt(string, uint32) error            { return linux.EROFS }
func (r *root) RenameAt(string, p9.File, string) error   { return linux.EROFS }
func (r *root) SetAttr(p9.SetAttrMask, p9.SetAttr) error { return linux.EROFS }
func (r *root) Close() error                             { return nil }
func (r *root) Renamed(p9.File, string)                  {}

// below joins a path in a folder and a name.
func below(dir, name string) string {
	if name == "." {
		return dir
	}
	return path.Join(dir, name)
}
