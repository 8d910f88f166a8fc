package api

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"piwork/app/filename"
	"piwork/app/problem"
)

// Copies are files that a person looks at in another program: copies of results that lie in
// none of their folders, or wait in front of one. Nobody can write them, so that nobody takes
// them for the results. They are a window's, whatever controller it talks to, and go when it
// ends; those of a window that was killed go when the next one begins. It is safe for
// concurrent use.
type Copies struct {
	base string // directory of all windows

	mu     sync.Mutex
	dir    string // of this window, once it has one
	lock   *flock.Flock
	made   map[OpenRequest][]string // directories, the latest last
	closed bool
}

// copiesKept is how many copies of a result stay: a program may be about to read the one before.
const copiesKept = 3

// NewCopies keeps copies below base, which is private to the user and of all windows.
func NewCopies(base string) *Copies {
	c := &Copies{base: base}
	c.sweep()
	return c
}

// ownLock is held by the window that a directory is of.
const ownLock = "lock"

// add copies a result that is called name, and returns where it lies. Of the same result the
// latest few stay.
func (c *Copies) add(of OpenRequest, name string, from io.Reader) (string, error) {
	dir, err := c.next()
	if err != nil {
		return "", err
	}
	otherwise := "file"
	if ext := strings.ToLower(path.Ext(name)); shown[ext] != "" {
		otherwise += ext // by which it is opened
	}
	to := filepath.Join(dir, filename.Plain(path.Base(name), otherwise))
	if err := writeCopy(to, from); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	of.Reveal = false
	c.mu.Lock()
	defer c.mu.Unlock()
	all := append(c.made[of], dir)
	if len(all) > copiesKept {
		_ = os.RemoveAll(all[0]) // a program may have it open: then it goes with the others
		all = all[1:]
	}
	c.made[of] = all
	return to, nil
}

// next makes a directory for a copy.
func (c *Copies) next() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return "", problem.New(problem.CodeShuttingDown)
	}
	if err := c.open(); err != nil {
		return "", err
	}
	return os.MkdirTemp(c.dir, "copy-*")
}

func writeCopy(to string, from io.Reader) error {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = cutOff(err)
	}
	return errors.Join(err, f.Close())
}

// open makes the directory of this window; mu is held.
func (c *Copies) open() error {
	if c.dir != "" {
		return nil
	}
	if err := os.MkdirAll(c.base, 0o700); err != nil {
		return err
	}
	return c.alone(func() error {
		dir, err := os.MkdirTemp(c.base, "")
		if err != nil {
			return err
		}
		own := flock.New(filepath.Join(dir, ownLock), flock.SetPermissions(0o600))
		if _, err := own.TryLock(); err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
		c.dir, c.lock, c.made = dir, own, map[OpenRequest][]string{}
		return nil
	})
}

// alone does what no other window may do at the same moment.
func (c *Copies) alone(do func() error) error {
	l := flock.New(filepath.Join(c.base, ownLock), flock.SetPermissions(0o600))
	if err := l.Lock(); err != nil {
		return err
	}
	return errors.Join(do(), l.Close())
}

// sweep removes the copies of windows that are gone.
func (c *Copies) sweep() {
	all, err := os.ReadDir(c.base)
	if err != nil || len(all) == 0 {
		return // there were none
	}
	_ = c.alone(func() error { // else the next window does
		for _, other := range all {
			if other.IsDir() {
				removeLeft(filepath.Join(c.base, other.Name()))
			}
		}
		return nil
	})
}

// removeLeft removes a directory whose window is gone.
func removeLeft(dir string) {
	l := flock.New(filepath.Join(dir, ownLock), flock.SetPermissions(0o600))
	if free, err := l.TryLock(); err != nil || !free {
		return
	}
	_ = l.Close()
	_ = os.RemoveAll(dir) // what a program has open goes the next time
}

// Close removes the copies of this window.
func (c *Copies) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.dir == "" {
		return
	}
	_ = c.lock.Close()
	_ = os.RemoveAll(c.dir) // as in removeLeft
	c.dir = ""
}
