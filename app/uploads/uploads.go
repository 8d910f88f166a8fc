// Package uploads keeps files that come with a request, for the task that the request starts:
// each in a private folder below the data directory, which the task sees read-only and which goes
// with it. What a killed program left is removed at the next start.
package uploads

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"piwork/app/filename"
	"piwork/app/task"
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
}

// New makes an upload below a directory, which is made when it is not there.
func New(parent string) (*Upload, error) {
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
	u := &Upload{dir: dir, files: filepath.Join(dir, "files"), names: map[string]bool{}}
	if err := os.Mkdir(u.files, 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("make a directory for an upload: %w", err), u.Close())
	}
	return u, nil
}

// Add writes a file of at most limit bytes and returns its path. name is what a
// stranger called it; the file is called like that as far as it is a plain name
// and free. [ErrTooLarge] says that there was more.
func (u *Upload) Add(name string, r io.Reader, limit int64) (file string, size int64, err error) {
	name = u.free(filename.Plain(baseName(name), "file"))
	file = filepath.Join(u.files, name)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, fmt.Errorf("keep an upload: %w", err)
	}
	size, err = io.Copy(f, io.LimitReader(r, limit+1))
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

// ErrTooLarge says that a file has more bytes than it may.
var ErrTooLarge = errors.New("the file is larger than may be")

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

// Close removes it with its files. It is idempotent.
func (u *Upload) Close() error {
	u.once.Do(func() {
		if u.err = os.RemoveAll(u.dir); u.err != nil {
			u.err = fmt.Errorf("remove an upload: %w", u.err)
		}
	})
	return u.err
}

// Folder is how a task sees the upload.
func (u *Upload) Folder() task.Folder {
	return task.Folder{ID: "f1", Path: u.files, Name: filepath.Base(u.files), Mode: task.ModeReadOnly}
}

// baseName is the last part of a path of any system.
func baseName(p string) string { return p[strings.LastIndexAny(p, `/\`)+1:] }
