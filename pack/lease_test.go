package pack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"piwork/pack/spec"
)

// TestLease: what something runs on stays, whatever the store does meanwhile.
func TestLease(t *testing.T) {
	r := newKillRig(t)
	s := r.store(t)
	r.install(t, s, r.old)
	r.install(t, s, r.new)
	other, err := OpenStore(s.dir) // as another process would
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	first, err := s.Lease(ctx, "1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	second, err := other.Lease(ctx, "1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	inUse := func(want bool) {
		t.Helper()
		list, err := other.List(r.keys, spec.Policy{})
		if err != nil || len(list) != 2 || list[1].InUse != want || list[0].InUse {
			t.Errorf("in use: %+v, %v, want %v", list, err, want)
		}
	}
	for _, l := range []*Lease{first, second} {
		inUse(true)
		if err := other.Remove(ctx, "1.0.0"); !errors.Is(err, ErrInUse) {
			t.Errorf("removed what a task runs on: %v", err)
		}
		if err := other.Sweep(ctx); err != nil { // must not make the lease worthless
			t.Error(err)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		if err := l.Release(); err != nil {
			t.Errorf("released twice: %v", err)
		}
	}
	inUse(false)
	if err := other.Remove(ctx, "1.0.0"); err != nil {
		t.Error(err)
	}
	if _, err := s.Lease(ctx, "1.0.0"); !errors.Is(err, spec.ErrNotInstalled) {
		t.Errorf("lease of what is gone: %v", err)
	}
	for _, v := range []string{"", "..", "../x", "lock"} {
		if _, err := s.Lease(ctx, v); err == nil {
			t.Errorf("lease of %q", v)
		}
		if _, err := s.InUse(v); err == nil {
			t.Errorf("%q in use?", v)
		}
	}
	if err := s.Sweep(ctx); err != nil {
		t.Error(err)
	}
	r.tidy(t, s, "after the leases")
}

// TestLeasedFilesAreNotReplaced: installing a version again, from a file or from
// chunks, leaves the files alone that something runs on, and mends them afterwards.
func TestLeasedFilesAreNotReplaced(t *testing.T) {
	r := newAssemblyRig(t)
	s := r.store
	file := writeFile(t, filepath.Join(t.TempDir(), "new"), r.new)
	if _, err := Install(t.Context(), file, s, r.keys, InstallOptions{}); err != nil {
		t.Fatal(err)
	}
	kernel := filepath.Join(s.dir, "1.1.0", "guest", "vmlinux")
	flip(t, kernel, 0)
	before, err := os.Stat(kernel)
	if err != nil {
		t.Fatal(err)
	}
	lease := func() *Lease {
		t.Helper()
		l, err := s.Lease(t.Context(), "1.1.0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrInUse) {
			t.Errorf("%s: %v", what, err)
		}
		if now, err := os.Stat(kernel); err != nil || !os.SameFile(before, now) {
			t.Errorf("%s: the files were replaced under what runs on them: %v", what, err)
		}
	}
	l := lease()
	written := false
	s.step = func(name string) { written = written || name == "file" || name == "files" }
	_, err = Install(t.Context(), file, s, r.keys, InstallOptions{})
	refused("installed from a file", err)
	_, err = Assemble(t.Context(), r.head, s, r.keys, AssembleOptions{})
	refused("assembled", err)
	if written {
		t.Error("a refusal that was known beforehand cost the work")
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}

	a := r.begin(t)
	put(t, a, r.new, a.Missing())
	l = lease() // a task begins meanwhile
	_, err = a.Finish(t.Context())
	refused("finished", err)
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	complete(t, r.begin(t))
	if entries, err := os.ReadDir(s.dir); err != nil || len(entries) != 4 { // two versions, pointer, lock
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestLeaseAgainstRemove lets leases and removals meet: a lease that was given
// means that the version is there until it is released.
func TestLeaseAgainstRemove(t *testing.T) {
	r := newKillRig(t)
	s := r.store(t)
	r.install(t, s, r.new)
	dir := filepath.Join(s.dir, "1.0.0", "guest")
	for range 15 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				l, err := s.Lease(ctx, "1.0.0")
				if errors.Is(err, spec.ErrNotInstalled) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				for range 20 {
					if _, err := os.Stat(dir); err != nil {
						t.Errorf("leased and gone: %v", err)
						break
					}
				}
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			for {
				switch err := s.Patient().Remove(ctx, "1.0.0"); {
				case err == nil || errors.Is(err, spec.ErrNotInstalled):
					return
				case !errors.Is(err, ErrInUse):
					t.Error(err)
					return
				}
			}
		})
		wg.Go(func() {
			if err := s.Patient().Sweep(ctx); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		cancel()
	}
	if err := s.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	r.tidy(t, s, "after the race")
}

// TestInUseOfMany: whoever only looks is not taken for one who has a lease, neither by
// others who look nor by a removal.
func TestInUseOfMany(t *testing.T) {
	r := newKillRig(t)
	s := r.store(t)
	r.install(t, s, r.new)
	name := s.leaseName("1.0.0")
	for what, try := range map[string]func() error{
		"look": func() error {
			used, err := s.InUse("1.0.0")
			if used {
				err = ErrInUse
			}
			return err
		},
		"removal": func() error { return s.unused("1.0.0", func() error { return nil }) },
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		other := flock.New(name)
		if ok, err := other.TryLock(); !ok {
			t.Fatal(err)
		}
		over := make(chan error)
		time.AfterFunc(2*leaseRetry, func() { over <- other.Close() })
		if err := try(); err != nil {
			t.Errorf("a %s beside a look: %v", what, err)
		}
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
}

// TestLeaseWaitsForADecision: a removal that is deciding is waited for, no longer
// than ctx allows.
func TestLeaseWaitsForADecision(t *testing.T) {
	r := newKillRig(t)
	s := r.store(t)
	r.install(t, s, r.old)
	r.install(t, s, r.new)
	other, err := OpenStore(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	deciding, goOn := make(chan struct{}), make(chan struct{})
	s.step = func(name string) {
		if name == "remove" {
			close(deciding)
			<-goOn
		}
	}
	done := make(chan error, 1)
	go func() { done <- s.Remove(t.Context(), "1.0.0") }()
	<-deciding
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := other.Lease(short, "1.0.0"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lease while it is being removed: %v", err)
	}
	late := make(chan error, 1)
	go func() { _, err := other.Lease(t.Context(), "1.0.0"); late <- err }()
	close(goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-late; !errors.Is(err, spec.ErrNotInstalled) {
		t.Errorf("a lease after the removal: %v", err)
	}
}
