// Package store has the interfaces of what a share shows ([Store], [Handle]), which the
// journal and the layer for review implement and the share uses. It holds no code but
// what a handle that changes nothing answers.
package store

import (
	"errors"

	"piwork/vmhost/share/internal/at"
)

// ErrGone says that a folder is not shared any more.
var ErrGone = errors.New("the folder is not shared any more")

// Store is what a share shows and changes: the folder itself, every change
// journalled (vmhost/share/journal), or a layer in front of it that a person accepts
// later (vmhost/share/review). Paths are relative and slash-separated, "." being the
// folder itself, and made of single names. The share in front of it has checked
// that the folder may be changed and that the call is allowed; a Store knows
// nothing of guests. Its methods are called from several goroutines at once,
// none of them after Close.
type Store interface {
	Lstat(rel string) (at.Info, error)
	Readlink(rel string) (string, error)
	Space() (at.Space, error)
	// Original reports whether what is at rel was there before the task, by
	// whatever names it goes by now; where that is not known it was.
	Original(rel string) (bool, error)
	// Taken reports whether rel, which need not be there, is a name that meant a
	// person's directory before the task made another one of it, or lies in a
	// directory that the task made there.
	Taken(rel string) (bool, error)

	// Open opens a file or directory as it is; write says that it may be changed.
	Open(rel string, write bool) (Handle, at.Info, error)
	// Create makes a file, open for reading and writing, and fails when the name
	// is taken.
	Create(rel string, perm uint32) (Handle, at.Info, error)
	// Tmpfile makes a file without a name (O_TMPFILE), open for reading and
	// writing, in the file system of a directory; LinkFile gives it a name, and
	// fails when that is taken.
	Tmpfile(dir string, perm uint32) (Handle, at.Info, error)
	LinkFile(h Handle, rel string) (at.Info, error)
	Mkdir(rel string, perm uint32) (at.Info, error)
	Symlink(target, rel string) (at.Info, error)
	Link(old, rel string) (at.Info, error)
	// Rename moves something as rename(2) does; with noReplace it fails when the
	// new name is taken.
	Rename(old, rel string, noReplace bool) error
	Remove(rel string) error
	RemoveDir(rel string) error
	// SetMeta returns what is at rel then, or nothing where that is not known.
	SetMeta(rel string, m at.Meta) (at.Info, error)

	// Extended attributes; flags are at.AttrCreate, at.AttrReplace or 0.
	GetXattr(rel, attr string) ([]byte, error)
	ListXattr(rel string) ([]string, error)
	SetXattr(rel, attr string, value []byte, flags int) error
	RemoveXattr(rel, attr string) error

	// Close is called when all handles are closed.
	Close()
}

// Handle is an open file or directory of a Store. It goes on when its name is
// renamed or removed. A handle that was not opened for changing is asked for no
// change.
type Handle interface {
	Content
	SetMeta(m at.Meta) error
	Stat() (at.Info, error)
	Original() (bool, error) // as Store.Original
	Sync() error
	GetXattr(attr string) ([]byte, error)
	ListXattr() ([]string, error)
	SetXattr(attr string, value []byte, flags int) error
	RemoveXattr(attr string) error
	// ReadDir returns names of a directory from an offset that an earlier call
	// returned, 0 being the beginning: about size bytes of them, none at the end.
	// "." and ".." are among them.
	ReadDir(offset int64, size int) ([]at.Entry, error)
	Close() error
}

// Content is what a Handle of a file reads and changes.
type Content interface {
	ReadAt(p []byte, off int64) (int, error)
	ReadvAt(bufs [][]byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	WritevAt(bufs [][]byte, off int64) (int, error)
	// Append writes buffers to the end that the file has by then, as a handle of O_APPEND does:
	// what another handle or another program appends at the same time comes before or after it.
	Append(bufs [][]byte) (int, error)
	Truncate(size int64) error
	Allocate(mode uint32, off, size int64) error
	Seek(off int64, whence int) (int64, error)
}

// None is the Content of a handle that has none, or does not change it: every call is
// refused with Err, but for those that whoever embeds it has of its own.
type None struct{ Err error }

// ReadAt is refused.
func (x None) ReadAt([]byte, int64) (int, error) { return 0, x.Err }

// ReadvAt is refused.
func (x None) ReadvAt([][]byte, int64) (int, error) { return 0, x.Err }

// WriteAt is refused.
func (x None) WriteAt([]byte, int64) (int, error) { return 0, x.Err }

// WritevAt is refused.
func (x None) WritevAt([][]byte, int64) (int, error) { return 0, x.Err }

// Append is refused.
func (x None) Append([][]byte) (int, error) { return 0, x.Err }

// Truncate is refused.
func (x None) Truncate(int64) error { return x.Err }

// Allocate is refused.
func (x None) Allocate(uint32, int64, int64) error { return x.Err }

// Seek is refused.
func (x None) Seek(int64, int) (int64, error) { return 0, x.Err }
