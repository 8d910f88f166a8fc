package at

import (
	"os"
	"sync/atomic"
)

// Everything that the packages of the share make durable passes through here, so
// that a test can know what a power cut would leave (internal/powercut).

var observer atomic.Pointer[func(f *os.File, all bool)]

// OnSync has do called after each sync that succeeded, before its caller goes on: of
// an open file or directory or, with all, of the whole file system that f lies on.
// It is for tests. do is called from several goroutines at once.
func OnSync(do func(f *os.File, all bool)) { observer.Store(&do) }

func synced(f *os.File, all bool, err error) error {
	if do := observer.Load(); do != nil && err == nil {
		(*do)(f, all)
	}
	return err
}

// Sync makes an open file or directory durable: content, size, mode, times and
// attributes, or names.
func Sync(f *os.File) error { return synced(f, false, wrap("fsync", f.Name(), syncFile(f))) }

// SyncData makes the content of f durable, and its size.
func SyncData(f *os.File) error { return synced(f, false, wrap("fdatasync", f.Name(), syncData(f))) }

// SyncAll makes everything on the file system of the Root durable in one go, or
// fails with ErrUnsupported where each file has to be synced. What is mounted inside
// of the Root is another file system.
func (r *Root) SyncAll() error { return synced(r.top.f, true, wrap("syncfs", r.path, syncAll(r))) }
