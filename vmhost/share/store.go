package share

import (
	"time"

	"piwork/vmhost/share/internal/at"
)

// Store is what a Tree shows and changes: the folder itself, every change
// journalled (Set.Add), or a layer in front of it that a person accepts later
// (vmhost/share/review). Paths are relative and slash-separated, "." being the
// folder itself, and made of single names. The Tree in front of it has checked
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
	Mkdir(rel string, perm uint32) (at.Info, error)
	Symlink(target, rel string) (at.Info, error)
	Link(old, rel string) (at.Info, error)
	// Rename moves something as rename(2) does; with noReplace it fails when the
	// new name is taken.
	Rename(old, rel string, noReplace bool) error
	Remove(rel string) error
	RemoveDir(rel string) error
	Chmod(rel string, mode uint32) error
	Chtimes(rel string, atime, mtime time.Time) error

	// Close is called when all handles are closed.
	Close()
}

// Handle is an open file or directory of a Store. It goes on when its name is
// renamed or removed. A handle that was not opened for changing is asked for no
// change.
type Handle interface {
	ReadAt(p []byte, off int64) (int, error)
	ReadvAt(bufs [][]byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	WritevAt(bufs [][]byte, off int64) (int, error)
	Truncate(size int64) error
	Allocate(mode uint32, off, size int64) error
	Seek(off int64, whence int) (int64, error)
	Chmod(mode uint32) error
	Chtimes(atime, mtime time.Time) error
	Stat() (at.Info, error)
	Original() (bool, error) // as Store.Original
	Sync() error
	// ReadDir returns names of a directory as File.ReadDir does.
	ReadDir(offset int64, size int) ([]at.Entry, error)
	Close() error
}
