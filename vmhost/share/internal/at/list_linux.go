package at

import (
	"encoding/binary"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Lister reads a directory from any offset that it gave out, holding nothing
// in memory: offsets are the file system's own and stay valid while entries
// come and go.
type Lister struct {
	mu  sync.Mutex
	f   *os.File
	buf []byte
}

// Read returns entries from an offset on, 0 being the beginning, about as many
// as have size bytes in all; none at the end.
func (l *Lister) Read(offset int64, size int) ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fd := int(l.f.Fd())
	if _, err := unix.Seek(fd, offset, unix.SEEK_SET); err != nil {
		return nil, wrap("readdir", l.f.Name(), err)
	}
	size = min(max(size, 1<<10), 32<<10)
	if len(l.buf) < size {
		l.buf = make([]byte, size)
	}
	var n int
	err := again(func() (err error) {
		n, err = unix.Getdents(fd, l.buf[:size])
		return err
	})
	if err != nil {
		return nil, wrap("readdir", l.f.Name(), err)
	}
	return parseDirents(l.buf[:n]), nil
}

// parseDirents reads struct linux_dirent64 (getdents(2)).
func parseDirents(b []byte) []Entry {
	const header = 19
	var out []Entry
	for len(b) >= header {
		size := int(binary.NativeEndian.Uint16(b[16:]))
		if size < header || size > len(b) {
			break
		}
		name, _, _ := strings.Cut(string(b[header:size]), "\x00")
		out = append(out, Entry{
			Name: name,
			Ino:  binary.NativeEndian.Uint64(b),
			Next: int64(binary.NativeEndian.Uint64(b[8:])),
			Kind: direntKind(b[18]),
		})
		b = b[size:]
	}
	return out
}

func direntKind(t byte) Kind {
	switch t {
	case unix.DT_REG:
		return File
	case unix.DT_DIR:
		return Directory
	case unix.DT_LNK:
		return Symlink
	case unix.DT_UNKNOWN:
		return Unknown
	}
	return Special
}
