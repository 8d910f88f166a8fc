//go:build !linux

package at

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// maxSnapshot bounds what a Lister keeps in memory.
const maxSnapshot = 1 << 20

// Lister reads a directory from any offset that it gave out. This host's
// offsets cannot be used for that, so the names are read once, at offset 0.
type Lister struct {
	mu      sync.Mutex
	f       *os.File
	entries []Entry
	read    bool
}

// Read returns entries from an offset on, 0 being the beginning, about as many
// as have size bytes in all; none at the end.
func (l *Lister) Read(offset int64, size int) ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if offset == 0 || !l.read {
		if err := l.snapshot(); err != nil {
			return nil, err
		}
	}
	if offset < 0 || offset > int64(len(l.entries)) {
		return nil, fs.ErrInvalid
	}
	left := l.entries[offset:]
	for i, e := range left {
		if size -= 24 + len(e.Name); size < 0 && i > 0 {
			return left[:i], nil
		}
	}
	return left, nil
}

func (l *Lister) snapshot() error {
	if _, err := l.f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	list, err := l.f.ReadDir(maxSnapshot + 1)
	if err != nil && err != io.EOF {
		return err
	}
	if len(list) > maxSnapshot {
		return fmt.Errorf("readdir: more than %d names", maxSnapshot)
	}
	l.read = true
	l.entries = []Entry{{Name: ".", Kind: Directory, Next: 1}, {Name: "..", Kind: Directory, Next: 2}}
	for i, e := range list {
		kind := Special
		switch {
		case e.Type().IsRegular():
			kind = File
		case e.IsDir():
			kind = Directory
		case e.Type()&fs.ModeSymlink != 0:
			kind = Symlink
		case e.Type()&fs.ModeIrregular != 0:
			kind = Unknown // of a cloud service, or not
		}
		l.entries = append(l.entries, Entry{Name: e.Name(), Kind: kind, Next: int64(i + 3)})
	}
	return nil
}
