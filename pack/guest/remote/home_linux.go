package remote

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire/resume"
)

// Names in a place's directory.
const (
	socketName = "socket"
	lockName   = "lock"
	workName   = "work" // becomes /work
	rootName   = "root" // where the place's root is put together
)

// idBytes are those of a place's id.
const idBytes = 8

// codeError is an error with a code of resume.Answer.
type codeError struct {
	code string
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

func answerFor(err error) resume.Answer {
	a := resume.Answer{Error: err.Error()}
	var c *codeError
	switch {
	case errors.As(err, &c):
		a.Code = c.code
	case errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT):
		a.Code = resume.CodeDisk
	}
	return a
}

// runs is the directory of all places of this login, made where it is not.
func runs() (string, error) { return below("run") }

// below is a directory of piwork's in the home of this login, made where it is not.
func below(last string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Clean(home)
	for _, name := range []string{".cache", "piwork", last} {
		dir = filepath.Join(dir, name)
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if err := own(dir, name != ".cache"); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// own refuses a directory in which others could put something, or that is elsewhere.
func own(dir string, private bool) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, _ := info.Sys().(*syscall.Stat_t)
	forbidden := fs.FileMode(0o022)
	if private {
		forbidden = 0o077
	}
	if !info.IsDir() || st == nil || int(st.Uid) != os.Getuid() || info.Mode().Perm()&forbidden != 0 {
		return &codeError{resume.CodeUnsafe, fmt.Errorf("%s is not a directory of this user alone", dir)}
	}
	return nil
}

// enter makes a place's directory the present one: names of sockets are short.
func enter(id string) error {
	all, err := runs()
	if err != nil {
		return err
	}
	if b, err := hex.DecodeString(id); err != nil || len(b) != idBytes {
		return fmt.Errorf("%q is no place", id)
	}
	if err := os.Chdir(filepath.Join(all, id)); err != nil {
		return &codeError{resume.CodeGone, err}
	}
	return nil
}

// newRun makes the directory of a place, and locks it as long as this process is.
func newRun() (id, dir string, err error) {
	all, err := runs()
	if err != nil {
		return "", "", err
	}
	sweep(all)
	random := make([]byte, idBytes)
	if _, err := rand.Read(random); err != nil {
		return "", "", err
	}
	id = hex.EncodeToString(random)
	made := filepath.Join(all, newPrefix+id) // until it is locked
	dir = filepath.Join(all, id)
	if err := os.Mkdir(made, 0o700); err != nil {
		return "", "", err
	}
	_, err = lock(made, unix.LOCK_EX)
	err = errors.Join(err, os.MkdirAll(filepath.Join(made, workName, "out"), 0o700), os.Mkdir(filepath.Join(made, rootName), 0o700))
	if err == nil {
		err = os.Rename(made, dir)
	}
	if err != nil {
		return "", "", errors.Join(err, removeAll(made))
	}
	return id, dir, os.Chdir(dir)
}

// lock is held until what it returns is closed, or this process ends.
func lock(dir string, how int) (fd int, err error) {
	return lockFile(filepath.Join(dir, lockName), how)
}

func lockFile(name string, how int) (fd int, err error) {
	fd, err = unix.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return -1, err
	}
	if err := unix.Flock(fd, how); err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// madeTime is after what a directory of a place is no longer being made.
const madeTime = time.Hour

// sweep removes what holders that were killed left.
func sweep(all string) {
	entries, err := os.ReadDir(all)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(all, e.Name())
		if info, err := e.Info(); strings.HasPrefix(e.Name(), newPrefix) && (err != nil || time.Since(info.ModTime()) < madeTime) {
			continue
		}
		if fd, err := lock(dir, unix.LOCK_EX|unix.LOCK_NB); err == nil {
			_ = errors.Join(removeAll(dir), unix.Close(fd))
		}
	}
}

// removeAll removes a directory with all in it, also what programs locked. pack/durable's
// brings a library along that the guest's init is not made of.
func removeAll(dir string) error {
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && err != nil && os.Chmod(name, 0o700) == nil {
			return removeAll(name)
		}
		if d != nil && d.IsDir() {
			_ = os.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
