// Package conformance holds the front ends of a share to the same answers: each
// gives a [Guest], what a guest's kernel gets from its mount, and [Run] runs one
// table of operations on it. Used by tests only.
package conformance

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// Attr is what stat(2) says in the guest.
type Attr struct {
	Ino, Size, NLink uint64
	Mode, UID, GID   uint32 // the mode with the type of Linux
	MTime            time.Time
}

// Flags of open(2) in Linux.
const (
	ReadOnly  = 0
	WriteOnly = 1
	ReadWrite = 2
	Neither   = 3
	Exclusive = 0o200
	Truncate  = 0o1000
	Append    = 0o2000
)

// Guest is a mount. Paths begin at the virtual root, without a slash. Errors are
// numbers of Linux (linux.Errno).
type Guest interface {
	Stat(path string) (Attr, error)
	List(path string) ([]string, error)
	Statfs(path string) (blocks uint64, nameLen int, err error)
	Open(path string, flags uint32) (Handle, error)
	Create(path string, flags, perm uint32) (Handle, error)
	Mkdir(path string, perm uint32) error
	Mknod(path string, mode uint32) error
	Symlink(target, path string) error
	Readlink(path string) (string, error)
	Link(old, path string) error
	Rename(old, path string) error
	Unlink(path string) error
	Rmdir(path string) error
	Truncate(path string, size uint64) error
	Chmod(path string, mode uint32) error
	Chtimes(path string, mtime time.Time) error
	Chown(path string, uid, gid uint32) error
}

// Handle is an open file.
type Handle interface {
	ReadAt(b []byte, off int64) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Sync() error
	Stat() (Attr, error)
	Truncate(size uint64) error
	Close() error
}

// host is a computer with two shared folders, rw and ro, and a guest.
type host struct {
	t    *testing.T
	base string
	j    *journal.Journal
	set  *share.Set
	g    Guest

	place   *place
	start   func(t *testing.T, set *share.Set) Guest
	sharing Sharing
	settle  func() error
}

// Sharing shares a folder that may be changed. settle brings what the guest did
// into the folder itself, when it is not there at once.
type Sharing func(t *testing.T, set *share.Set, f share.Folder, j *journal.Journal) (settle func() error)

// Ways runs a test on each of the ways in which a host resolves paths.
func Ways(t *testing.T, test func(t *testing.T)) {
	for name, stepwise := range map[string]bool{"in one call": false, "step by step": true} {
		t.Run(name, func(t *testing.T) {
			before := at.Stepwise(stepwise)
			t.Cleanup(func() { at.Stepwise(before) })
			test(t)
		})
	}
}

// Run runs the table. start mounts a set; what it starts ends by t.Cleanup.
func Run(t *testing.T, start func(t *testing.T, set *share.Set) Guest) { (&place{}).run(t, start) }

// RunShared is Run without the guards, for folders that are shared in another way.
func RunShared(t *testing.T, sharing Sharing, start func(t *testing.T, set *share.Set) Guest) {
	(&place{}).runShared(t, sharing, start)
}

// place is where the folders lie: by default wherever tests write.
type place struct {
	dir   string
	lacks map[string]string // what its file system cannot do, by the name in the table: why not
	lower func()            // makes what is in the folders the lower layer of an overlayfs; nil elsewhere
	hosts int               // at work
}

func (p *place) run(t *testing.T, start func(t *testing.T, set *share.Set) Guest) {
	p.runShared(t, direct, start)
	for name, do := range appendScenes {
		p.play(t, name, name, direct, start, do)
	}
	for name, do := range guardScenes {
		p.play(t, name, name, direct, start, do)
	}
	for name, do := range stateScenes {
		if p.dir != "" {
			break // it lies where the program has its own files
		}
		p.play(t, name, name, direct, start, do)
	}
}

func direct(t *testing.T, set *share.Set, f share.Folder, j *journal.Journal) func() error {
	t.Helper()
	if _, err := set.Add(f, j); err != nil {
		t.Fatal(err)
	}
	return func() error { return nil }
}

func (p *place) runShared(t *testing.T, sharing Sharing, start func(t *testing.T, set *share.Set) Guest) {
	for _, o := range operations {
		p.play(t, o.name, o.name, sharing, start, o.run)
	}
	for name, do := range scenes {
		p.play(t, name, name, sharing, start, do)
	}
	p.play(t, "extended attributes", "extended attributes", sharing, start, attributes)
}

// play plays one of the table, of which p.lacks tells by its key.
func (p *place) play(t *testing.T, key, name string, sharing Sharing, start func(t *testing.T, set *share.Set) Guest, do func(h *host)) {
	t.Run(name, func(t *testing.T) {
		if why := p.lacks[key]; why != "" {
			t.Skip(why)
		}
		do(p.host(t, sharing, start))
	})
}

// folder is an empty one.
func (p *place) folder(t *testing.T) string {
	t.Helper()
	if p.dir == "" {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(p.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return dir // it goes with the disk
}

func (p *place) host(t *testing.T, sharing Sharing, start func(t *testing.T, set *share.Set) Guest) *host {
	t.Helper()
	h := &host{t: t, base: p.folder(t), place: p, start: start, sharing: sharing}
	for _, d := range []string{"rw/dir/sub", "ro/dir/sub"} {
		h.check(os.MkdirAll(h.path(d), 0o755))
	}
	for _, f := range []string{"rw/file", "rw/dir/file", "ro/file", "ro/dir/file"} {
		h.check(os.WriteFile(h.path(f), []byte("secret of "+f[3:]), 0o644))
	}
	if p.lower != nil && p.hosts == 0 {
		p.lower()
	}
	p.hosts++
	t.Cleanup(func() { p.hosts-- })
	var err error
	h.j, err = journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	h.check(err)
	h.set = share.NewSet(share.Options{})
	t.Cleanup(func() {
		h.set.Close()
		h.check(h.j.Close())
	})
	h.add("rw", false)
	h.add("ro", true)
	h.g = start(t, h.set)
	return h
}

func (h *host) add(name string, readOnly bool) {
	h.t.Helper()
	f := share.Folder{ID: name, Path: h.path(name), ReadOnly: readOnly}
	if readOnly {
		direct(h.t, h.set, f, h.j)
	} else if settle := h.sharing(h.t, h.set, f, h.j); h.settle == nil {
		h.settle = settle
	}
}

func (h *host) path(rel string) string { return filepath.Join(h.base, rel) }

func (h *host) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// tree is everything in a folder: types, modes, content, and the times of files.
func (h *host) tree(rel string) string {
	h.t.Helper()
	var out []string
	root := h.path(rel)
	h.check(filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(p)
		if err != nil {
			return err
		}
		what := ""
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			what = fmt.Sprintf("%q %v", b, info.ModTime().UnixNano())
		case info.Mode()&fs.ModeSymlink != 0:
			if what, err = os.Readlink(p); err != nil {
				return err
			}
		}
		out = append(out, fmt.Sprintf("%s %v %s", strings.TrimPrefix(p, root), info.Mode(), what))
		return nil
	}))
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// expect makes of the error that must come none.
func expect(err error, want ...linux.Errno) error {
	if no, is := errors.AsType[linux.Errno](err); is && slices.Contains(want, no) {
		return nil
	}
	if err == nil {
		return fmt.Errorf("no error, want %v", want)
	}
	return fmt.Errorf("%w, want %v", err, want)
}
