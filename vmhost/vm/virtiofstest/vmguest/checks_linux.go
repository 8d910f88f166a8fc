//go:build vm

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// checks work at a path where nothing is.
var checks = map[string]func(p string) error{
	"write and read": func(p string) error {
		want := bytes.Repeat([]byte("0123456789abcde\n"), 3<<16)
		if err := os.WriteFile(p, want, 0o644); err != nil {
			return err
		}
		got, err := os.ReadFile(p)
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%d bytes of %d: %w", len(got), len(want), err)
		}
		return err
	},
	"append": func(p string) error {
		for _, s := range []string{"one", "two", "three"} {
			f, err := os.OpenFile(p, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
			if err != nil {
				return err
			}
			if _, err := f.WriteString(s); err != nil {
				return err
			}
			f.Close()
		}
		return is(p, "onetwothree")
	},
	"mmap shared": func(p string) error {
		f, err := os.Create(p)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := f.Truncate(8192); err != nil {
			return err
		}
		m, err := unix.Mmap(int(f.Fd()), 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return err
		}
		copy(m[4096:], "mapped")
		if err := errors.Join(unix.Msync(m, unix.MS_SYNC), unix.Munmap(m)); err != nil {
			return err
		}
		b := make([]byte, 6)
		if _, err := f.ReadAt(b, 4096); err != nil || string(b) != "mapped" {
			return fmt.Errorf("%q %w", b, err)
		}
		return nil
	},
	"unlinked and open": func(p string) error {
		f, err := os.Create(p)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := os.Remove(p); err != nil {
			return err
		}
		if _, err := f.WriteString("still there"); err != nil {
			return err
		}
		if err := f.Truncate(5); err != nil {
			return err
		}
		info, err := f.Stat()
		if err != nil || info.Size() != 5 {
			return fmt.Errorf("%v %w", info, err)
		}
		b := make([]byte, 10)
		if n, err := f.ReadAt(b, 0); string(b[:n]) != "still" || !errors.Is(err, io.EOF) {
			return fmt.Errorf("%q %w", b[:n], err)
		}
		return nil
	},
	"rename over what is open": func(p string) error {
		if err := errors.Join(os.Mkdir(p, 0o755), os.WriteFile(p+"/a", []byte("a"), 0o644), os.WriteFile(p+"/b", []byte("b"), 0o644)); err != nil {
			return err
		}
		f, err := os.Open(p + "/b")
		if err != nil {
			return err
		}
		defer f.Close()
		if err := os.Rename(p+"/a", p+"/b"); err != nil {
			return err
		}
		b, err := io.ReadAll(f)
		if string(b) != "b" {
			return fmt.Errorf("%q %w", b, err)
		}
		return is(p+"/b", "a")
	},
	"rename that replaces nothing": func(p string) error {
		if err := errors.Join(os.Mkdir(p, 0o755), os.WriteFile(p+"/a", nil, 0o644), os.WriteFile(p+"/b", nil, 0o644)); err != nil {
			return err
		}
		return wants(unix.Renameat2(unix.AT_FDCWD, p+"/a", unix.AT_FDCWD, p+"/b", unix.RENAME_NOREPLACE), unix.EEXIST)
	},
	"links": func(p string) error {
		if err := errors.Join(os.Mkdir(p, 0o755), os.WriteFile(p+"/a", []byte("a"), 0o644), os.Link(p+"/a", p+"/b"), os.Symlink("b", p+"/c")); err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Stat(p+"/c", &st); err != nil || st.Nlink != 2 || st.Uid != 1000 {
			return fmt.Errorf("%+v %w", st, err)
		}
		return is(p+"/c", "a")
	},
	"fallocate": func(p string) error {
		f, err := os.Create(p)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := unix.Fallocate(int(f.Fd()), 0, 0, 1<<20); err != nil {
			return err
		}
		info, err := f.Stat()
		if err != nil || info.Size() != 1<<20 {
			return fmt.Errorf("%v %w", info, err)
		}
		return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 4096, 4096)
	},
	"many names": func(p string) error {
		if err := os.Mkdir(p, 0o755); err != nil {
			return err
		}
		for i := range 400 {
			if err := os.WriteFile(fmt.Sprintf("%s/a rather long name %d", p, i), nil, 0o644); err != nil {
				return err
			}
		}
		list, err := os.ReadDir(p)
		if len(list) != 400 {
			return fmt.Errorf("%d names %w", len(list), err)
		}
		return os.RemoveAll(p)
	},
	"times and modes": func(p string) error {
		when := time.Date(2001, 2, 3, 4, 5, 6, 789, time.UTC)
		if err := errors.Join(os.WriteFile(p, nil, 0o600), os.Chmod(p, 0o640), os.Chtimes(p, when, when)); err != nil {
			return err
		}
		info, err := os.Stat(p)
		if err != nil || info.Mode() != 0o640 || !info.ModTime().Equal(when) {
			return fmt.Errorf("%v %w", info, err)
		}
		return nil
	},
	"locks": func(p string) error {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			return err
		}
		a, err := os.Open(p)
		if err != nil {
			return err
		}
		defer a.Close()
		b, err := os.Open(p)
		if err != nil {
			return err
		}
		defer b.Close()
		if err := unix.Flock(int(a.Fd()), unix.LOCK_EX); err != nil {
			return err
		}
		return wants(unix.Flock(int(b.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
	},
	"no FIFO": func(p string) error { return wants(unix.Mkfifo(p, 0o644), unix.EPERM) },
	"attributes": func(p string) error {
		if err := errors.Join(os.WriteFile(p, nil, 0o600), unix.Setxattr(p, "user.x", []byte("value"), 0)); err != nil {
			return err
		}
		b := make([]byte, 10)
		if n, err := unix.Getxattr(p, "user.x", b); err != nil || string(b[:n]) != "value" {
			return fmt.Errorf("%q %w", b[:max(n, 0)], err)
		}
		return wants(unix.Setxattr(p, "trusted.x", []byte("x"), 0), unix.EOPNOTSUPP)
	},
	"a file without a name": func(p string) error {
		fd, err := unix.Open(filepath.Dir(p), unix.O_TMPFILE|unix.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		if _, err := unix.Write(fd, []byte("named")); err != nil {
			return err
		}
		if err := unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, p, unix.AT_SYMLINK_FOLLOW); err != nil {
			return err
		}
		return is(p, "named")
	},
	"no way out": func(p string) error {
		if err := os.Symlink("../../../../host", p); err != nil {
			return err
		}
		return wants(second(os.ReadFile(p)), unix.ENOENT)
	},
	"a read-only folder": func(p string) error {
		ro := filepath.Join(filepath.Dir(filepath.Dir(p)), "ro")
		return errors.Join(wants(os.WriteFile(ro+"/x", nil, 0o644), unix.EROFS), wants(os.Remove(ro+"/file"), unix.EROFS),
			wants(os.WriteFile(ro+"/file", nil, 0o644), unix.EROFS), is(ro+"/file", "read me"))
	},
	"the size of the disk": func(p string) error {
		var st unix.Statfs_t
		if err := unix.Statfs(filepath.Dir(p), &st); err != nil || st.Blocks == 0 {
			return fmt.Errorf("%+v %w", st, err)
		}
		return nil
	},
	"a long path": func(p string) error {
		dir := p
		for range 10 {
			dir = filepath.Join(dir, strings.Repeat("x", 200))
		}
		return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(dir+"/file", []byte("deep"), 0o644), is(dir+"/file", "deep"))
	},
}

func second[T any](_ T, err error) error { return err }

func is(p, want string) error {
	b, err := os.ReadFile(p)
	if string(b) != want {
		return fmt.Errorf("%s is %q: %w", p, b, err)
	}
	return err
}

func wants(err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	if err == nil {
		return fmt.Errorf("no error instead of: %w", want)
	}
	return fmt.Errorf("%w, instead of: %w", err, want)
}
