package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/durable"
)

// listing is what is in a tree: names, modes, times, contents, and which names are one file.
func listing(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		line := fmt.Sprint(rel, " ", info.Mode())
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %v %x", info.ModTime(), b)
		case info.IsDir():
			line += fmt.Sprint(" ", info.ModTime())
		default:
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			line += " " + to
		}
		out = append(out, line)
		return nil
	})
	one, err1 := os.Stat(filepath.Join(dir, "usr/other"))
	two, err2 := os.Stat(filepath.Join(dir, "usr/bin/large"))
	if err := errors.Join(err, err1, err2); err != nil {
		t.Fatal(err)
	}
	return append(out, fmt.Sprint("one file: ", os.SameFile(one, two)))
}

// What was changed in a tree, taken from it or put into it is noticed without a look at what
// is in its files, and comes back; nothing outside is touched.
func TestCheck(t *testing.T) {
	dir, outside := filepath.Join(t.TempDir(), "trees"), t.TempDir()
	img := image(t, source(t))
	got, err := Ensure(t.Context(), dir, img, digest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { durable.RemoveAll(got) })
	if err := os.WriteFile(filepath.Join(outside, "small"), []byte("of the person"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"the same", "another"} {
		t.Run(program+" program", func(t *testing.T) { checkTable(t, dir, img, got, outside, program == "another") })
	}
	if b, err := os.ReadFile(filepath.Join(outside, "small")); err != nil || string(b) != "of the person" {
		t.Errorf("what is outside: %q %v", b, err)
	}
}

// checkTable damages a tree and checks it: in the program that watches it, or in another one.
func checkTable(t *testing.T, dir, img, got, outside string, another bool) {
	want := listing(t, got)
	in := func(name string) string { return filepath.Join(got, name) }
	write := func(name, content string) error {
		info, err := os.Stat(in(name))
		if err != nil {
			return err
		}
		err = errors.Join(os.Chmod(in(name), 0o700), os.WriteFile(in(name), []byte(content), 0o700), os.Chmod(in(name), info.Mode()))
		return errors.Join(err, os.Chtimes(in(name), info.ModTime(), info.ModTime()))
	}
	for _, row := range []struct {
		name    string
		damage  func() error
		deep    bool
		mended  string // the names, "" for none
		checked bool   // the image was verified
	}{
		{"nothing", func() error { return nil }, false, "", false},
		{"nothing, and all is read", func() error { return nil }, true, "", true},
		{"another content, of the same size and time", func() error { return write("usr/bin/small", "y") }, false, "usr/bin/small", true},
		{"a byte in the middle", func() error {
			return write("usr/bin/large", strings.Repeat("0123456789", 9_999)+"0123x56789"+"0123456789")
		}, false, "usr/bin/large usr/other", true},
		{"cut off", func() error { return os.Truncate(in("usr/bin/large"), 5) }, false, "usr/bin/large usr/other", true},
		{"a file is gone", func() error { return os.Remove(in("usr/bin/small")) }, false, "usr/bin usr/bin/small", true},
		{"a directory is gone", func() error { return durable.RemoveAll(in("usr/bin")) }, false, "usr usr/bin usr/other", true},
		{"nearly all is gone", func() error { return durable.RemoveAll(in("usr")) }, false, ". usr", true},
		{"another file", func() error { return os.WriteFile(in("usr/bin/new"), nil, 0o600) }, false, "usr/bin usr/bin/new", true},
		{"another directory, that nobody may read", func() error {
			return errors.Join(os.MkdirAll(in("new/deep"), 0o700), os.Chmod(in("new"), 0))
		}, false, ". new", true},
		{"a mode", func() error { return os.Chmod(in("usr/bin/small"), fs.ModeSetuid|0o755) }, false, "usr/bin/small", true},
		{"nobody may read it", func() error { return os.Chmod(in("usr/bin/small"), 0) }, false, "usr/bin/small", true},
		{"nobody may read a directory", func() error { return os.Chmod(in("usr"), 0) }, false, "usr", true},
		{"a time", func() error { return os.Chtimes(in("usr/bin/empty"), time.Now(), time.Now()) }, false, "usr/bin/empty", true},
		{"a link to elsewhere", func() error {
			return errors.Join(os.Remove(in("bin")), os.Symlink(outside, in("bin")))
		}, false, ". bin", true},
		{"a directory that is a link to elsewhere", func() error {
			return errors.Join(durable.RemoveAll(in("usr/bin")), os.Symlink(outside, in("usr/bin")))
		}, false, "usr usr/bin usr/other", true},
		{"a file that is a directory", func() error {
			return errors.Join(os.Remove(in("usr/bin/empty")), os.MkdirAll(in("usr/bin/empty/x"), 0o700))
		}, false, "usr/bin usr/bin/empty", true},
		{"a directory that is a file", func() error {
			return errors.Join(os.Remove(in("usr/bin/deep")), os.WriteFile(in("usr/bin/deep"), nil, 0o600))
		}, false, "usr/bin usr/bin/deep", true},
		{"two files that were one", func() error {
			b, err := os.ReadFile(in("usr/other"))
			return errors.Join(err, os.Remove(in("usr/other")), os.WriteFile(in("usr/other"), b, 0o644))
		}, false, "usr usr/other", true},
		{"the sum is gone", func() error { return os.Remove(filepath.Join(dir, sumPrefix+digest)) }, false, "", true},
		{"the sum of another", func() error { return os.WriteFile(filepath.Join(dir, sumPrefix+digest), []byte("x"), 0o600) }, false, "", true},
		{"what is in order after that is not read again", func() error { return nil }, false, "", false},
		{"through a mapping", func() error { return mapped(in("usr/bin/large")) }, false, "usr/bin/large usr/other", true},
		{"with the directory above it", func() error {
			old := dir + "-old"
			err := errors.Join(os.Rename(dir, old), os.MkdirAll(got, 0o700), os.Rename(filepath.Join(old, sumPrefix+digest), filepath.Join(dir, sumPrefix+digest)))
			return errors.Join(err, durable.RemoveAll(old))
		}, false, ". absolute bin usr", true},
		{"its use is noted", func() error {
			return errors.Join(os.WriteFile(filepath.Join(dir, agentPrefix+digest), nil, 0o700), Used(t.Context(), dir, digest, time.Now()))
		}, false, "", false},
	} {
		if err := row.damage(); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if another {
			watched.forget(got)
		}
		checked := false
		mended, err := Check(t.Context(), dir, img, digest, row.deep, func(context.Context) error { checked = true; return nil })
		if said := strings.Join(mended, " "); err != nil || said != row.mended || checked != row.checked {
			t.Errorf("%s: %q, checked %v, %v", row.name, said, checked, err)
		}
		if watch := watched.of[got]; !checked && (watch == nil || !watch.quiet()) {
			t.Errorf("%s: it is not watched after it", row.name)
		}
		if now := listing(t, got); !slices.Equal(now, want) {
			t.Errorf("%s: it is\n%.2000s", row.name, strings.Join(now, "\n"))
		}
	}
}

// What cannot be mended stays as it is, and is not taken for sound.
func TestCheckFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trees")
	img := image(t, source(t))
	place, err := Ensure(t.Context(), dir, img, digest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { durable.RemoveAll(place) })
	lost := filepath.Join(place, "usr/bin/small")
	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	bad := errors.New("not what was signed")
	good := func(context.Context) error { return nil }
	for name, try := range map[string]func() error{
		"a bad image": func() error {
			_, err := Check(t.Context(), dir, img, digest, false, func(context.Context) error { return bad })
			return err
		},
		"no image":       func() error { _, err := Check(t.Context(), dir, "/no/such/image", digest, false, good); return err },
		"given up":       func() error { _, err := Check(ended, dir, img, digest, false, good); return err },
		"no tree":        func() error { _, err := Check(t.Context(), dir, img, "fedcba9876543210", false, good); return err },
		"a wrong digest": func() error { _, err := Check(t.Context(), dir, img, "../x", false, good); return err },
	} {
		if err := try(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(lost); err == nil {
			t.Errorf("%s: the file is there", name)
		}
	}
	if names, err := Check(t.Context(), dir, img, digest, false, good); err != nil || len(names) != 2 {
		t.Errorf("%v %v", names, err)
	}
}

// Of many programs that find a tree damaged, one mends it.
func TestCheckAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trees")
	img := image(t, source(t))
	place, err := Ensure(t.Context(), dir, img, digest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { durable.RemoveAll(place) })
	if err := os.Remove(filepath.Join(place, "usr/bin/small")); err != nil {
		t.Fatal(err)
	}
	mended := make(chan int)
	for range 8 {
		go func() {
			names, err := Check(t.Context(), dir, img, digest, false, func(context.Context) error { return nil })
			if err != nil {
				t.Error(err)
			}
			mended <- len(names)
		}()
	}
	sum := 0
	for range 8 {
		sum += <-mended
	}
	if sum != 2 {
		t.Errorf("%d names were mended", sum)
	}
}

// mapped writes into a file through a mapping.
func mapped(name string) error {
	if err := os.Chmod(name, 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	b, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	b[7] ^= 1
	return unix.Munmap(b)
}
