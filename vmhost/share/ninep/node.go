package ninep

import (
	"os"
	"time"

	"github.com/hugelgupf/p9/fsimpl/templatefs"
	"github.com/hugelgupf/p9/linux"
	"github.com/hugelgupf/p9/p9"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

const (
	magic   = 0x01021997 // V9FS_MAGIC of Linux
	maxName = at.MaxName
)

// node is a fid: a path in a folder and, once opened, a file. The library
// keeps calls of one node apart where they would meet (see p9.File).
type node struct {
	templatefs.NoopFile
	c    *connection
	m    *share.Mounted
	path string // in the folder, "." for itself; only Renamed changes it

	read   *os.File      // opened for reading
	write  *journal.File // opened for changing
	dir    *at.Dir       // opened for listing, with its lister
	lister *at.Lister
}

// place opens the directory that holds the node; the caller closes p.Dir.
func (n *node) place() (journal.Place, error) { return n.at(n.path) }

func (n *node) at(rel string) (journal.Place, error) {
	if rel == "." {
		d, err := n.m.Root.Dir(".")
		return journal.Place{Dir: d, Path: ".", Name: "."}, err
	}
	d, name, err := n.m.Root.Split(rel)
	if err != nil {
		return journal.Place{}, err
	}
	dir := "."
	if len(rel) > len(name) {
		dir = rel[:len(rel)-len(name)-1]
	}
	return journal.Place{Dir: d, Path: dir, Name: name}, nil
}

// child opens the node, a directory, as the place of a name in it.
func (n *node) child(name string) (journal.Place, error) {
	if err := at.CheckName(name); err != nil {
		return journal.Place{}, err
	}
	d, err := n.m.Root.Dir(n.path)
	return journal.Place{Dir: d, Path: n.path, Name: name}, err
}

func (n *node) info() (at.Info, error) {
	switch {
	case n.write != nil:
		return n.write.Stat()
	case n.read != nil:
		return at.Stat(n.read)
	case n.dir != nil:
		return n.dir.Info()
	}
	return n.m.Root.Lstat(n.path)
}

func qid(i at.Info) p9.QID {
	t := p9.TypeRegular
	switch i.Kind {
	case at.Directory:
		t = p9.TypeDir
	case at.Symlink:
		t = p9.TypeSymlink
	}
	return p9.QID{Type: t, Version: uint32(i.MTime.UnixNano()) ^ uint32(i.MTime.UnixNano()>>32), Path: i.Ino ^ i.Dev<<48}
}

func attr(i at.Info) p9.Attr {
	split := func(t time.Time) (uint64, uint64) { return uint64(t.Unix()), uint64(t.Nanosecond()) }
	a := p9.Attr{
		Mode: p9.FileMode(i.Type | i.Mode), UID: GuestID, GID: GuestID,
		NLink: p9.NLink(i.NLink), RDev: p9.Dev(i.RDev), Size: uint64(i.Size),
		BlockSize: uint64(i.Block), Blocks: uint64(i.Blocks),
	}
	a.ATimeSeconds, a.ATimeNanoSeconds = split(i.ATime)
	a.MTimeSeconds, a.MTimeNanoSeconds = split(i.MTime)
	a.CTimeSeconds, a.CTimeNanoSeconds = split(i.CTime)
	return a
}

// Walk goes down by single names; the library asks for one at a time.
func (n *node) Walk(names []string) ([]p9.QID, p9.File, error) {
	if len(names) == 0 {
		names = []string{"."}
		_, _, f, err := n.walk(names)
		return nil, f, err
	}
	qids, _, f, err := n.walk(names)
	return qids, f, err
}

// WalkGetAttr is Walk and GetAttr in one.
func (n *node) WalkGetAttr(names []string) ([]p9.QID, p9.File, p9.AttrMask, p9.Attr, error) {
	if len(names) == 0 {
		return nil, nil, p9.AttrMask{}, p9.Attr{}, linux.ENOSYS
	}
	qids, info, f, err := n.walk(names)
	return qids, f, p9.AttrMaskAll, attr(info), err
}

// walk is the only maker of nodes in a folder. The name "." is the node again.
func (n *node) walk(names []string) (qids []p9.QID, info at.Info, _ p9.File, err error) {
	to := n.path
	for _, name := range names {
		if name != "." {
			if err := at.CheckName(name); err != nil {
				return nil, info, nil, errno(err)
			}
		}
		to = below(to, name)
		if info, err = n.m.Root.Lstat(to); err != nil {
			if len(names) == 1 && name == "." && (n.read != nil || n.write != nil || n.dir != nil) {
				// A second fid of a file whose name is gone.
				break
			}
			return nil, info, nil, errno(err)
		}
		qids = append(qids, qid(info))
	}
	if !take(&n.c.nodes, maxNodes) {
		return nil, info, nil, linux.ENFILE
	}
	return qids, info, &node{c: n.c, m: n.m, path: to}, nil
}

// GetAttr describes the node, an opened one also when its name is gone.
func (n *node) GetAttr(p9.AttrMask) (p9.QID, p9.AttrMask, p9.Attr, error) {
	i, err := n.info()
	if err != nil {
		return p9.QID{}, p9.AttrMask{}, p9.Attr{}, errno(err)
	}
	return qid(i), p9.AttrMaskAll, attr(i), nil
}

// StatFS describes the disk of the folder.
func (n *node) StatFS() (p9.FSStat, error) {
	s, err := n.m.Root.Space()
	if err != nil {
		return p9.FSStat{}, errno(err)
	}
	return p9.FSStat{
		Type: magic, BlockSize: s.Block, Blocks: s.Blocks, BlocksFree: s.Free, BlocksAvailable: s.Available,
		Files: s.Files, FilesFree: s.FilesFree, NameLength: maxName,
	}, nil
}

// Readlink returns a link's target, which the guest's kernel resolves.
func (n *node) Readlink() (string, error) {
	p, err := n.place()
	if err != nil {
		return "", errno(err)
	}
	defer p.Dir.Close()
	target, err := p.Dir.Readlink(p.Name)
	return target, errno(err)
}

// Renamed follows a rename that was done.
func (n *node) Renamed(dir p9.File, name string) {
	if d, ok := dir.(*node); ok {
		n.path = below(d.path, name)
	}
}

// Close drops the fid.
func (n *node) Close() error {
	n.c.nodes.Add(-1)
	switch {
	case n.read != nil:
		n.read.Close()
	case n.write != nil:
		if err := n.write.Close(); err != nil {
			n.c.open.Add(-1)
			return errno(err)
		}
	case n.dir != nil:
		n.dir.Close()
	default:
		return nil
	}
	n.c.open.Add(-1)
	return nil
}
