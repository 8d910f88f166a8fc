package pack

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/pack/spec"
)

// TestTwoInstallsAtOnce: the second refuses, or waits when told to.
func TestTwoInstallsAtOnce(t *testing.T) {
	r := newKillRig(t)
	s := r.store(t)
	other, err := OpenStore(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	reached, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	s.step = func(name string) {
		if name == "sync" {
			close(reached)
			<-goOn
		}
	}
	go func() {
		_, err := Install(t.Context(), r.old, s, r.keys, InstallOptions{})
		done <- err
	}()
	<-reached
	before := tree(t, s.dir)
	if _, err := Install(t.Context(), r.new, other, r.keys, InstallOptions{}); !errors.Is(err, spec.ErrBusy) || spec.KindOf(err) != "" {
		t.Errorf("a second installation: %v", err)
	}
	if err := other.Promote(t.Context(), "1.0.0"); !errors.Is(err, spec.ErrBusy) {
		t.Errorf("promotion: %v", err)
	}
	if err := other.Sweep(t.Context()); err != nil {
		t.Errorf("sweep: %v", err)
	}
	if got := tree(t, s.dir); got != before {
		t.Errorf("the second disturbed the first:\n%s\n%s", before, got)
	}
	waited := make(chan error, 1)
	go func() {
		_, err := Install(t.Context(), r.new, other, r.keys, InstallOptions{Wait: true})
		waited <- err
	}()
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Install(short, r.new, other, r.keys, InstallOptions{Wait: true}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting without end: %v", err)
	}
	close(goOn)
	if err := errors.Join(<-done, <-waited); err != nil {
		t.Fatal(err)
	}
	if got := r.state(t, s); got != "current=1.1.0 previous=1.0.0 1.1.0:sound 1.0.0:sound" {
		t.Error(got)
	}
	r.tidy(t, s, "after both")
}

func TestFreeSpace(t *testing.T) {
	r := newKillRig(t)
	s := r.store(t)
	s.free = func(dir string) (uint64, error) {
		if dir != s.dir {
			t.Errorf("asked for %s", dir)
		}
		return 64 << 20, nil
	}
	s.step = func(name string) { t.Errorf("did %s on a full disk", name) }
	_, err := Install(t.Context(), r.old, s, r.keys, InstallOptions{})
	var full *spec.SpaceError
	if !errors.As(err, &full) || full.Free != 64<<20 || full.Need <= full.Free || spec.KindOf(err) != "" {
		t.Errorf("got %v", err)
	}
	r.tidy(t, s, "no space")
	s.step = func(string) {}
	s.free = func(string) (uint64, error) { return full.Need, nil }
	r.install(t, s, r.old)

	if n, err := FreeSpace(t.TempDir()); err != nil || n == 0 {
		t.Errorf("free space here: %d, %v", n, err)
	}
	if _, err := FreeSpace(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("free space of nothing")
	}
}

// TestDiskFullWhileWriting: the estimate was wrong; it is still not the pack's
// fault.
func TestDiskFullWhileWriting(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	f := newForger(t)
	data := f.soundChunks("1.0.0")
	s, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	frames := newFrameReader(bytes.NewReader(data))
	e := &extraction{open: map[int]*openFile{}}
	if e.h, err = readFrontHead(t.Context(), frames, f.keys, spec.Policy{}); err != nil {
		t.Fatal(err)
	}
	if e.stage, err = newStage(s, root, tempName(stagingPrefix)); err != nil {
		t.Fatal(err)
	}
	for i, file := range e.h.layout.files {
		if file.Path == "guest/rootfs.img" {
			e.open[i] = &openFile{File: full, left: file.Size}
		}
	}
	err = explain(t.Context(), e.run(t.Context(), frames, nil), frames.failed)
	if !errors.Is(err, syscall.ENOSPC) || spec.KindOf(err) != "" {
		t.Error(err)
	}
	if err := errors.Join(e.closeAll(), e.syncs.Wait(), e.stage.discard()); err != nil {
		t.Error(err)
	}
}

// TestSweep repairs what other accidents leave.
func TestSweep(t *testing.T) {
	r := newKillRig(t)
	const both = "1.1.0:sound 1.0.0:sound"
	write := func(content string) func(*testing.T, *Store) {
		return func(t *testing.T, s *Store) {
			if err := os.WriteFile(filepath.Join(s.dir, pointerName), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(names ...string) func(*testing.T, *Store) {
		return func(t *testing.T, s *Store) {
			for _, n := range names {
				if err := os.RemoveAll(filepath.Join(s.dir, n)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for name, tc := range map[string]struct {
		harm func(t *testing.T, s *Store)
		want string
	}{
		"nothing":                   {func(*testing.T, *Store) {}, "current=1.1.0 previous=1.0.0 " + both},
		"pointer lost":              {remove(pointerName), "current=1.1.0 previous= " + both},
		"pointer empty":             {write(""), "current=1.1.0 previous= " + both},
		"pointer is garbage":        {write("\x00\x00\x00"), "current=1.1.0 previous= " + both},
		"pointer leads outside":     {write(`{"current":"../../x"}`), "current=1.1.0 previous= " + both},
		"pointer is huge":           {write(strings.Repeat(" ", maxPointer+1)), "current=1.1.0 previous= " + both},
		"pointer at nothing":        {write(`{"current":"3.0.0","previous":"2.0.0"}`), "current= previous= " + both},
		"current version lost":      {remove("1.1.0"), "current=1.0.0 previous= 1.0.0:sound"},
		"previous version lost":     {remove("1.0.0"), "current=1.1.0 previous= 1.1.0:sound"},
		"all versions lost":         {remove("1.0.0", "1.1.0"), "current= previous="},
		"everything lost":           {remove("1.0.0", "1.1.0", pointerName), "current= previous="},
		"all but a garbage pointer": {func(t *testing.T, s *Store) { remove("1.0.0", "1.1.0")(t, s); write("x")(t, s) }, "current= previous="},
		"stale staging": {func(t *testing.T, s *Store) {
			if err := os.CopyFS(filepath.Join(s.dir, stagingPrefix+"1"), os.DirFS(filepath.Join(s.dir, "1.0.0"))); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(s.dir, tempPrefix+"1"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "current=1.1.0 previous=1.0.0 " + both},
		"put aside and not replaced": {func(t *testing.T, s *Store) {
			if err := os.Rename(filepath.Join(s.dir, "1.1.0"), filepath.Join(s.dir, asidePrefix+"aa-1.1.0")); err != nil {
				t.Fatal(err)
			}
		}, "current=1.1.0 previous=1.0.0 " + both},
		"put aside and replaced": {func(t *testing.T, s *Store) {
			if err := os.CopyFS(filepath.Join(s.dir, asidePrefix+"aa-1.1.0"), os.DirFS(filepath.Join(s.dir, "1.0.0"))); err != nil {
				t.Fatal(err)
			}
		}, "current=1.1.0 previous=1.0.0 " + both},
		"put aside under the name of a path": {func(t *testing.T, s *Store) {
			if err := os.Mkdir(filepath.Join(s.dir, asidePrefix+"aa-.."), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "current=1.1.0 previous=1.0.0 " + both},
	} {
		t.Run(name, func(t *testing.T) {
			s := r.store(t)
			r.install(t, s, r.old)
			r.install(t, s, r.new)
			tc.harm(t, s)
			for range 2 { // the second time nothing is left to do
				if err := s.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := r.state(t, s); got != tc.want {
					t.Errorf("got %s, want %s", got, tc.want)
				}
			}
			r.tidy(t, s, name)
		})
	}
}

// TestInstallTidiesUp: an installation does not wait for the next start to remove
// what an interrupted one left.
func TestInstallTidiesUp(t *testing.T) {
	r := newKillRig(t)
	s := r.store(t)
	r.install(t, s, r.old)
	if err := errors.Join(os.Rename(filepath.Join(s.dir, "1.0.0"), filepath.Join(s.dir, asidePrefix+"aa-1.0.0")),
		os.MkdirAll(filepath.Join(s.dir, stagingPrefix+"aa", "guest"), 0o700)); err != nil {
		t.Fatal(err)
	}
	r.install(t, s, r.new)
	if got := r.state(t, s); got != "current=1.1.0 previous=1.0.0 1.1.0:sound 1.0.0:sound" {
		t.Error(got)
	}
	r.tidy(t, s, "installed")
}

// TestVersionUnderAnotherName: a directory is what its manifest says.
func TestVersionUnderAnotherName(t *testing.T) {
	r := newKillRig(t)
	s := r.store(t)
	r.install(t, s, r.old)
	if err := os.Rename(filepath.Join(s.dir, "1.0.0"), filepath.Join(s.dir, "9.0.0")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open("9.0.0", r.keys, spec.Policy{}); spec.KindOf(err) != spec.KindWrongVersion {
		t.Errorf("an old pack under a new name: %v", err)
	}
	list, err := s.List(r.keys, spec.Policy{})
	if err != nil || len(list) != 1 || spec.KindOf(list[0].Err) != spec.KindWrongVersion || list[0].Pack != nil {
		t.Errorf("%+v, %v", list, err)
	}
}
