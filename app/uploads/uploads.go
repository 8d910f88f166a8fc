// Package uploads keeps files that come with a request, for the task that the request starts:
// each in a private folder below the data directory, which the task sees read-only and which goes
// with it. What a killed program left is removed at the next start.
//
// Uploads have at most half of the room that is there for them, so that what has to be recorded, and
// undo, keep theirs; those of one program with a token have at most [MaxOfClient]. Bytes count as
// they come, until the upload is removed, which is tried again with the next one.
package uploads

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"piwork/app/filename"
	"piwork/app/task"
	"piwork/pack"
	"piwork/vmhost/share"
)

// Dir in the data directory has a directory for each [Upload].
const Dir = "uploads"

// Upload is a private folder of files that came with one request, for the inputs
// of one task. Whoever has it closes it; once a task works on it, the
// task does, at its end. What a killed program left is removed at the next start.
// It is for one goroutine, but for Close.
type Upload struct {
	dir   string // private
	files string // in it: what the task sees
	names map[string]bool
	once  sync.Once
	err   error

	store  *Store
	closed func() // called once it is closed; nil
	client string
	taken  int64 // Store.mu: bytes that it may have
	used   int64
}

// Store has the uploads of a data directory. It is safe for concurrent use.
type Store struct {
	dir  string
	free func(dir string) (uint64, error)

	mu  sync.Mutex
	all int64
	by  map[string]int64 // of clients with a token

	left []*Upload // that were closed and could not be removed
}

// NewStore makes one. Its directory is made with the first upload.
func NewStore(dir string) *Store {
	return &Store{dir: dir, free: pack.FreeSpace, by: map[string]int64{}}
}

// MaxOfClient is what the uploads of one program with a token have together, in bytes.
const MaxOfClient = 4 << 30

// step is how many bytes are counted at once.
const step = 1 << 20

// Errors of [Upload.Add].
var (
	ErrTooLarge = errors.New("the file is larger than may be")
	ErrTooMany  = errors.New("the files of the program are larger than may be together")
	ErrFull     = errors.New("uploads have half of what is free on the disk")
)

// take gives an upload room for a step more.
func (s *Store) take(u *Upload) error {
	free, err := s.free(s.dir)
	if err != nil {
		return fmt.Errorf("find room for an upload: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.client != "" && s.by[u.client]+step > MaxOfClient {
		return ErrTooMany
	}
	if s.all+step > (s.all+int64(min(free, math.MaxInt64/2)))/2 {
		return ErrFull
	}
	s.add(u, step)
	return nil
}

// add counts bytes of an upload. s.mu is held.
func (s *Store) add(u *Upload, bytes int64) {
	u.taken += bytes
	s.all += bytes
	if s.by[u.client] += bytes; s.by[u.client] == 0 {
		delete(s.by, u.client)
	}
}

// New makes an upload of a client with a token, or of the person (""). closed is called when it
// is closed; it may be nil.
func (s *Store) New(client string, closed func()) (*Upload, error) {
	s.removeLeft()
	parent := s.dir
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of uploads: %w", err)
	}
	parent, err := share.RealPath(parent) // as a folder of a task has it
	if err != nil {
		return nil, fmt.Errorf("find the directory of uploads: %w", err)
	}
	dir, err := os.MkdirTemp(parent, "")
	if err != nil {
		return nil, fmt.Errorf("make a directory for an upload: %w", err)
	}
	u := &Upload{dir: dir, files: filepath.Join(dir, "files"), names: map[string]bool{}, store: s, client: client}
	if err := os.Mkdir(u.files, 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("make a directory for an upload: %w", err), u.Close())
	}
	u.closed = closed
	return u, nil
}

// Add writes a file of at most limit bytes and returns its path. name is what a
// stranger called it; the file is called like that as far as it is a plain name
// and free.
func (u *Upload) Add(name string, r io.Reader, limit int64) (file string, size int64, err error) {
	name = u.free(filename.Plain(baseName(name), "file"))
	file = filepath.Join(u.files, name)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, fmt.Errorf("keep an upload: %w", err)
	}
	size, err = io.Copy(counted{f, u}, io.LimitReader(r, limit+1))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil && size > limit {
		err = ErrTooLarge
	}
	if err != nil {
		return "", size, fmt.Errorf("keep an upload: %w", err)
	}
	return file, size, nil
}

// counted is a file whose bytes count.
type counted struct {
	f *os.File
	u *Upload
}

// Write implements io.Writer.
func (c counted) Write(p []byte) (int, error) {
	for c.u.used += int64(len(p)); c.u.used > c.u.taken; {
		if err := c.u.store.take(c.u); err != nil {
			return 0, err
		}
	}
	return c.f.Write(p) //nolint:wrapcheck // Add says what it is about
}

// free makes a name unique, also where names that differ in case are one.
func (u *Upload) free(name string) string {
	ext := filepath.Ext(name)
	out := name
	for n := 2; u.names[strings.ToLower(out)]; n++ {
		out = strings.TrimSuffix(name, ext) + " (" + strconv.Itoa(n) + ")" + ext
	}
	u.names[strings.ToLower(out)] = true
	return out
}

// Close removes it with its files. It is idempotent. What could not be removed counts, until a later
// upload finds that it can be.
func (u *Upload) Close() error {
	u.once.Do(func() {
		if u.closed != nil {
			defer u.closed()
		}
		if u.err = u.store.remove(u); u.err != nil {
			u.store.mu.Lock()
			defer u.store.mu.Unlock()
			u.store.left = append(u.store.left, u)
		}
	})
	return u.err
}

// remove removes what a closed upload has, which counts until then.
func (s *Store) remove(u *Upload) error {
	if err := os.RemoveAll(u.dir); err != nil {
		return fmt.Errorf("remove an upload: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(u, -u.taken)
	return nil
}

// removeLeft tries again to remove what could not be removed.
func (s *Store) removeLeft() {
	s.mu.Lock()
	left := s.left
	s.left = nil
	s.mu.Unlock()
	left = slices.DeleteFunc(left, func(u *Upload) bool { return s.remove(u) == nil })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = append(s.left, left...)
}

// Folder is how a task sees the upload.
func (u *Upload) Folder() task.Folder {
	return task.Folder{ID: "f1", Path: u.files, Name: filepath.Base(u.files), Mode: task.ModeReadOnly}
}

// baseName is the last part of a path of any system.
func baseName(p string) string { return p[strings.LastIndexAny(p, `/\`)+1:] }
