package share

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
)

// maxPath is the longest path inside a folder in bytes, PATH_MAX of Linux. It
// also bounds what a guest can make the host remember for a name.
const maxPath = 4096

// Tree is one shared folder. Paths are relative to it, slash-separated, "."
// being the folder itself; front ends build them with [Join]. Errors are those
// of the operating system, wrapped, and those of this package and of the
// journal. Methods may be called from several goroutines at once.
type Tree struct {
	set     *Set
	folder  Folder
	store   Store
	consent consent

	presence *presence
	dense    func() bool  // its disk has no holes (at.Space)
	under    atomic.Int64 // calls under way, of the tree and its files

	life context.Context // ends when the folder is not shared any more
	end  context.CancelFunc

	mu     sync.RWMutex // held for reading by every call, none of which waits for a person
	closed bool
	filesM sync.Mutex
	files  map[*File]struct{}
}

func newTree(s *Set, f Folder, store Store) *Tree {
	t := &Tree{set: s, folder: f, store: store, files: map[*File]struct{}{}, presence: newPresence(f.Path)}
	t.dense = sync.OnceValue(func() bool { s, err := store.Space(); return err == nil && s.Dense })
	t.life, t.end = context.WithCancel(context.Background())
	t.consent = consent{guard: f.Guard, folder: f.ID, store: store, tree: t}
	return t
}

// close ends the sharing. It waits for calls under way until the drive is silent, and no longer than
// that takes; calls that go on later change nothing any more, and the last closes what is open.
func (t *Tree) close() {
	t.end()
	if s, can := t.store.(interface{ Seal() }); can {
		s.Seal()
	}
	done := make(chan struct{})
	go func() { defer close(done); t.shut() }()
	ctx, cancel := context.WithTimeout(context.Background(), drive.Silence()+drive.Farewell())
	defer cancel()
	if err := drive.Wait(ctx, done, drive.Silence(), t.folder.Path); err != nil {
		t.set.log.Warn("share: a folder is in use after the end of its sharing", "path", t.folder.Path, "err", err)
	}
}

// shut closes what is open, when no call is under way.
func (t *Tree) shut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = true
	t.filesM.Lock()
	var files []*File
	for f := range t.files {
		files = append(files, f)
	}
	t.filesM.Unlock()
	for _, f := range files {
		f.Close()
	}
	t.store.Close()
}

// Folder returns what is shared.
func (t *Tree) Folder() Folder { return t.folder }

// Join returns the path of a name in a directory. It refuses whatever is not a
// single name, and paths over PATH_MAX (ENAMETOOLONG).
func Join(dir, name string) (string, error) {
	if err := at.CheckName(name); err != nil {
		return "", &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if len(dir)+1+len(name) > maxPath {
		return "", &fs.PathError{Op: "open", Path: name, Err: errTooLong}
	}
	if dir == "." {
		return name, nil
	}
	return dir + "/" + name, nil
}

// do makes a call that looks, unless the folder is not shared any more.
func (t *Tree) do(call func() error) error { return t.counted(&t.set.opts.Counts.look, call) }

func (t *Tree) counted(calls *atomic.Int64, call func() error) error {
	calls.Add(1)
	if !t.mu.TryRLock() { // it is being closed, which may wait for another call
		return ErrGone
	}
	defer t.mu.RUnlock()
	t.under.Add(1)
	defer t.under.Add(-1)
	if t.closed {
		return ErrGone
	}
	return t.notice(call())
}

// edit is do for a call that changes the folder.
func (t *Tree) edit(call func() error) error {
	return t.counted(&t.set.opts.Counts.change, func() error {
		if t.folder.ReadOnly {
			return ErrReadOnly
		}
		return t.wait(call())
	})
}

// Lstat returns what rel is.
func (t *Tree) Lstat(rel string) (info at.Info, err error) {
	err = t.do(func() error { info, err = t.store.Lstat(rel); return err })
	return info, err
}

// KindOf looks at a name in a directory that does not say what it is (at.Unknown
// in an entry). "." and ".." are directories.
func (t *Tree) KindOf(dir, name string) at.Kind {
	rel, err := Join(dir, name)
	if err != nil {
		return at.Directory
	}
	var kind at.Kind
	_ = t.do(func() error { kind = kindOf(t.store, rel); return nil })
	return kind
}

// kindOf is at.Unknown where it cannot be told.
func kindOf(s Store, rel string) at.Kind {
	info, err := s.Lstat(rel)
	if err != nil {
		return at.Unknown
	}
	return info.Kind
}

// Readlink returns the target of a symbolic link.
func (t *Tree) Readlink(rel string) (target string, err error) {
	err = t.do(func() error { target, err = t.store.Readlink(rel); return err })
	return target, err
}

// Space returns the size of the file system that the folder lies on.
func (t *Tree) Space() (space at.Space, err error) {
	err = t.do(func() error { space, err = t.store.Space(); return err })
	return space, err
}

// Open opens a file or a directory; flag is os.O_RDONLY, os.O_WRONLY or
// os.O_RDWR, with os.O_TRUNC or without. Everything else that a guest asks for
// is its own kernel's business.
func (t *Tree) Open(rel string, flag int) (*File, at.Info, error) {
	write := flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC) != 0
	call := t.do
	if write {
		if err := changeable(rel); err != nil {
			return nil, at.Info{}, err
		}
		call = t.edit
	}
	return t.file(call, rel, write, func() (Handle, at.Info, error) { return t.store.Open(rel, write) }, flag&os.O_TRUNC != 0)
}

// Create makes a file and opens it for reading and writing. When the name is
// taken and excl is not set, the file there is opened; trunc then empties it.
func (t *Tree) Create(rel string, perm uint32, excl, trunc bool) (*File, at.Info, error) {
	call := func(do func() error) error { return t.consent.creates(rel, at.File, do) }
	if g := t.folder.Guard; !excl && g != nil && (strings.Contains(rel, "~") || !g.Idle(t.folder.ID, guard.Create, at.File, rel)) {
		if _, err := t.Lstat(rel); err == nil {
			call = func(func() error) error { return errExist } // nothing is made, so that nothing is asked
		}
	}
	f, info, err := t.file(call, rel, true, func() (Handle, at.Info, error) { return t.store.Create(rel, perm&0o777) }, false)
	if err == nil || excl || !isExist(err) {
		return f, info, err
	}
	flag := os.O_RDWR
	if trunc {
		flag |= os.O_TRUNC
	}
	return t.Open(rel, flag)
}

// file makes a File of the handle that open returns.
func (t *Tree) file(call func(func() error) error, rel string, write bool, open func() (Handle, at.Info, error), trunc bool) (f *File, info at.Info, err error) {
	err = call(func() error {
		if err := t.set.take(); err != nil {
			return err
		}
		var h Handle
		if h, info, err = open(); err != nil {
			t.set.open.Add(-1)
			return err
		}
		if err := t.fetch(t.folder.Bytes, rel, info); err != nil {
			h.Close()
			t.set.open.Add(-1)
			return err
		}
		f = &File{tree: t, h: h, rel: t.consent.spelled(rel), write: write, dir: info.Kind == at.Directory, away: info.Online}
		t.keep(f)
		if !trunc {
			return nil
		}
		if err := f.Truncate(0); err != nil {
			f.Close()
			f = nil
			return err
		}
		return nil
	})
	return f, info, err
}

// Mkdir makes a directory.
func (t *Tree) Mkdir(rel string, perm uint32) (info at.Info, err error) {
	err = t.consent.creates(rel, at.Directory, func() error { info, err = t.store.Mkdir(rel, perm&0o777); return err })
	return info, err
}

// Symlink makes a symbolic link with any target.
func (t *Tree) Symlink(target, rel string) (info at.Info, err error) {
	err = t.consent.creates(rel, at.Symlink, func() error { info, err = t.store.Symlink(target, rel); return err })
	return info, err
}

// Link gives a file of the same folder a second name.
func (t *Tree) Link(old, rel string) (info at.Info, err error) {
	err = t.consent.links(old, rel, func() error { info, err = t.store.Link(old, rel); return err })
	return info, err
}

// Rename moves something within the folder, replacing what is there as
// rename(2) does.
func (t *Tree) Rename(old, rel string) error {
	return t.consent.moves(old, rel, false, func() error {
		return t.loses(rel, func() error { return t.store.Rename(old, rel, false) })
	})
}

// RenameNoReplace moves something within the folder, and fails when the new
// name is taken.
func (t *Tree) RenameNoReplace(old, rel string) error {
	return t.consent.moves(old, rel, true, func() error { return t.store.Rename(old, rel, true) })
}

// Remove removes a name that is not a directory.
func (t *Tree) Remove(rel string) error {
	return t.consent.changes(guard.Delete, rel, func() error {
		return t.loses(rel, func() error { return t.store.Remove(rel) })
	})
}

// RemoveDir removes an empty directory.
func (t *Tree) RemoveDir(rel string) error {
	return t.consent.changes(guard.Delete, rel, func() error { return t.store.RemoveDir(rel) })
}

// SetMeta sets the permission bits, without setuid, setgid and the sticky bit, and
// times. Times that no clock shows are refused, because records could not hold them.
func (t *Tree) SetMeta(rel string, m at.Meta) error {
	_, err := t.setMeta(rel, m)
	return err
}

// setMeta returns what is at rel then, or nothing where that is not known.
func (t *Tree) setMeta(rel string, m at.Meta) (info at.Info, err error) {
	for _, x := range []time.Time{m.ATime, m.MTime} {
		if s := x.Unix(); !x.IsZero() && (s < MinTime || s > MaxTime) {
			return info, &fs.PathError{Op: "utimes", Path: path.Base(rel), Err: fs.ErrInvalid}
		}
	}
	err = t.consent.changes(guard.Change, rel, func() error { info, err = t.store.SetMeta(rel, m.Plain()); return err })
	return info, err
}

// The times, in seconds since 1970, that SetMeta accepts.
const (
	MinTime = -1 << 35
	MaxTime = 253402300799 // the last second of the year 9999
)

// Truncate sets the length of a file.
func (t *Tree) Truncate(rel string, size int64) error {
	f, _, err := t.Open(rel, os.O_WRONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(size)
}
