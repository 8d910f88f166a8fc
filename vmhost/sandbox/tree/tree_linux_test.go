package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/pack/durable"
)

const digest = "0123456789abcdef"

// image makes one of a directory.
func image(t *testing.T, from string) string {
	t.Helper()
	mkfs, err := exec.LookPath("mkfs.erofs")
	if err != nil {
		t.Fatal("mkfs.erofs is missing: ./scripts/setup --test")
	}
	out := filepath.Join(t.TempDir(), "image")
	if b, err := exec.CommandContext(t.Context(), mkfs, out, from).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return out
}

// source is a directory with one of everything.
func source(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(dir, "usr/bin/deep"), 0o755))
	must(os.WriteFile(filepath.Join(dir, "usr/bin/small"), []byte("x"), 0o755))
	must(os.WriteFile(filepath.Join(dir, "usr/bin/large"), []byte(strings.Repeat("0123456789", 10_001)), 0o644))
	must(os.WriteFile(filepath.Join(dir, "usr/bin/empty"), nil, 0o600))
	must(os.WriteFile(filepath.Join(dir, "usr/bin/su"), []byte("root"), 0o755))
	must(syscall.Chmod(filepath.Join(dir, "usr/bin/su"), 0o6755))
	must(os.Link(filepath.Join(dir, "usr/bin/large"), filepath.Join(dir, "usr/other")))
	must(os.Symlink("usr/bin", filepath.Join(dir, "bin")))
	must(os.Symlink("/etc/passwd", filepath.Join(dir, "absolute")))
	must(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	for range 300 { // more than one block of names
		f, err := os.CreateTemp(filepath.Join(dir, "usr"), strings.Repeat("n", 40)+"-*")
		must(err)
		f.Close()
	}
	must(os.Chmod(filepath.Join(dir, "usr/bin/deep"), 0o555))
	old := time.Unix(1_500_000_000, 0)
	must(os.Chtimes(filepath.Join(dir, "usr/bin/small"), old, old))
	must(os.Chtimes(filepath.Join(dir, "usr"), old, old))
	return dir
}

// A tree is as its image, without what gives rights.
func TestEnsure(t *testing.T) {
	from, dir := source(t), filepath.Join(t.TempDir(), "trees")
	img := image(t, from)
	got, err := Ensure(t.Context(), dir, img, digest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { durable.RemoveAll(got) })
	err = filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, name)
		there := filepath.Join(got, rel)
		want, err := os.Lstat(name)
		if err != nil {
			return err
		}
		have, err := os.Lstat(there)
		if want.Mode()&fs.ModeNamedPipe != 0 {
			if err == nil {
				t.Errorf("%s is there", rel)
			}
			return nil
		}
		if err != nil {
			return err
		}
		mode := want.Mode() &^ (fs.ModeSetuid | fs.ModeSetgid)
		if have.Mode() != mode || mode&fs.ModeSymlink == 0 && rel != "." && !have.ModTime().Equal(want.ModTime().Truncate(time.Second)) && !have.ModTime().Equal(want.ModTime()) {
			t.Errorf("%s is %v of %v, not %v of %v", rel, have.Mode(), have.ModTime(), mode, want.ModTime())
		}
		switch {
		case mode.IsRegular():
			a, _ := os.ReadFile(name)
			b, err := os.ReadFile(there)
			if err != nil || string(a) != string(b) {
				t.Errorf("%s has %d bytes, not %d: %v", rel, len(b), len(a), err)
			}
		case mode&fs.ModeSymlink != 0:
			a, _ := os.Readlink(name)
			if b, err := os.Readlink(there); err != nil || a != b {
				t.Errorf("%s points to %q, not %q: %v", rel, b, a, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	one, err1 := os.Stat(filepath.Join(got, "usr/other"))
	two, err2 := os.Stat(filepath.Join(got, "usr/bin/large"))
	if err := errors.Join(err1, err2); err != nil || !os.SameFile(one, two) {
		t.Errorf("two names of one file are two files: %v", err)
	}
	// It is not made again, whatever became of the image.
	if again, err := Ensure(t.Context(), dir, "/no/such/image", digest); err != nil || again != got {
		t.Errorf("%q %v", again, err)
	}
}

// What is no image, and what was given up, leaves nothing; nor does what was killed.
func TestEnsureFails(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk")
	if err := os.WriteFile(junk, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	img := image(t, source(t))
	cut := filepath.Join(t.TempDir(), "cut")
	b, err := os.ReadFile(img)
	if err == nil {
		err = os.WriteFile(cut, b[:len(b)/2], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx           context.Context
		image, digest string
	}{
		"no image":       {t.Context(), junk, digest},
		"half an image":  {t.Context(), cut, digest},
		"none there":     {t.Context(), "/no/such/image", digest},
		"a wrong digest": {t.Context(), img, "../../x"},
		"given up":       {ended, img, digest},
	} {
		dir := t.TempDir()
		left := filepath.Join(dir, staging+"fedcba9876543210")
		if err := os.MkdirAll(filepath.Join(left, "locked"), 0o500); err != nil {
			t.Fatal(err)
		}
		if got, err := Ensure(tt.ctx, dir, tt.image, tt.digest); err == nil {
			t.Errorf("%s: %s", name, got)
		}
		if _, err := Ensure(t.Context(), dir, img, digest); err != nil {
			t.Errorf("%s, then an image: %v", name, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 4 { // and the lock, its sum, and when it was used
			t.Errorf("%s leaves %v %v", name, entries, err)
		}
		durable.RemoveAll(filepath.Join(dir, digest))
	}
}
