package pack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"piwork/pack/spec"
)

// leasesDir holds one lock file for each version that something runs on, or ran
// on until lately. It lies beside the versions: nothing may be added to those.
const leasesDir = ".leases"

// leaseRetry is how often a lease is tried for while a removal decides.
const leaseRetry = 10 * time.Millisecond

// leasePatience and leaseRetries are for how long, and how often, whoever cannot lock a version
// takes that for another's look at it.
const (
	leasePatience = 2 * time.Second
	leaseRetries  = 5
)

// ErrInUse says that something runs on the version.
var ErrInUse = errors.New("something runs on this version")

// Lease keeps one version on the disk while something runs on it. It is a shared
// lock of a file (flock(2), LockFileEx), so it ends with its process, however that
// ends, and holds against every other process.
//
// A lease says nothing about which version is current: that may change meanwhile,
// and what runs finishes on what it started with.
type Lease struct {
	Version string

	file *flock.Flock
}

// Lease takes a lease, or returns [spec.ErrNotInstalled]. It waits for a removal that
// is deciding, which takes moments.
func (s *Store) Lease(ctx context.Context, version string) (*Lease, error) {
	l, err := s.lease(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("lease pack version %.80q: %w", version, err)
	}
	return l, nil
}

func (s *Store) lease(ctx context.Context, version string) (*Lease, error) {
	if err := spec.CheckVersion(version); err != nil { // no pack has it
		return nil, fmt.Errorf("%w: version %.80q: %w", spec.ErrNotInstalled, version, err)
	}
	name := s.leaseName(version)
	for {
		if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		f := flock.New(name, flock.SetPermissions(0o600))
		ok, err := f.TryRLockContext(ctx, leaseRetry)
		if errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil { // a sweep removed the directory meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		if !ok || !sameFile(f, name) { // a sweep removed the file meanwhile: this lock binds nobody
			_ = f.Close()
			continue
		}
		// Only now, with the lock, does an answer hold.
		info, err := os.Lstat(filepath.Join(s.dir, version))
		if err == nil && info.IsDir() {
			return &Lease{Version: version, file: f}, nil
		}
		_ = f.Close()
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = spec.ErrNotInstalled
		}
		return nil, err
	}
}

// Release ends the lease. A second call does nothing.
func (l *Lease) Release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("release pack version %s: %w", l.Version, err)
	}
	return nil
}

// InUse reports whether anybody has a lease of the version, at this moment.
func (s *Store) InUse(version string) (bool, error) {
	if err := spec.CheckVersion(version); err != nil {
		return false, fmt.Errorf("%w: version %.80q: %w", spec.ErrNotInstalled, version, err)
	}
	f := flock.New(s.leaseName(version), flock.SetFlag(os.O_RDONLY)) // makes no file
	ok, err := tryAlone(f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for leases of %s: %w", version, err)
	case !ok:
		return true, nil
	}
	return false, f.Close()
}

// tryAlone takes the exclusive lock of a version, or reports that somebody has a lease.
// [Store.InUse] and removals have that lock for moments: it is waited for. That it can be
// shared a few times in a row, but not taken, is a lease.
func tryAlone(f *flock.Flock) (ok bool, err error) {
	leases := 0
	for end := time.Now().Add(leasePatience); ; <-time.After(leaseRetry / 10) {
		if ok, err = f.TryLock(); ok || err != nil || leases == leaseRetries || time.Now().After(end) {
			return ok, err
		}
		shared, err := f.TryRLock()
		if shared {
			leases++
			err = f.Unlock()
		}
		if err != nil {
			return false, err
		}
	}
}

// replaceable refuses what publishing a version would refuse, before the work.
func (s *Store) replaceable(version string) error {
	used, err := s.InUse(version)
	if used {
		err = fmt.Errorf("version %s: %w", version, ErrInUse)
	}
	return err
}

func (s *Store) leaseName(version string) string {
	return filepath.Join(s.dir, leasesDir, version)
}

// unused runs do while nobody has a lease of the version nor can get one, or
// returns [ErrInUse]. It needs the lock of the store.
func (s *Store) unused(version string, do func() error) error {
	name := s.leaseName(version)
	if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	s.step("lease")
	f := flock.New(name, flock.SetPermissions(0o600))
	ok, err := tryAlone(f)
	if err != nil {
		return err
	}
	if !ok {
		return ErrInUse
	}
	defer func() {
		dropLease(f, name)
		_ = os.Remove(filepath.Dir(name)) // fails while a lease is held
	}()
	return do()
}

// sweepLeases removes the files of leases that ended. It needs the lock of the
// store. What cannot be removed now is removed another time.
func (s *Store) sweepLeases(root *os.Root) {
	entries, err := fs.ReadDir(root.FS(), leasesDir)
	if err != nil {
		return
	}
	for _, e := range entries {
		s.step("sweep lease")
		name := filepath.Join(s.dir, leasesDir, e.Name())
		f := flock.New(name, flock.SetFlag(os.O_RDONLY))
		if ok, err := f.TryLock(); ok && err == nil {
			dropLease(f, name)
		}
	}
	_ = root.Remove(leasesDir) // fails while a lease is held
}

// dropLease removes a lock file whose exclusive lock is held. On Unix the lock
// ends after the name, so that whoever has the file open notices; Windows removes
// no file that anybody has open, which is as good.
func dropLease(f *flock.Flock, name string) {
	if runtime.GOOS == "windows" {
		_ = f.Close()
		_ = os.Remove(name)
		return
	}
	_ = os.Remove(name)
	_ = f.Close()
}

// sameFile reports whether name still is the file that is locked.
func sameFile(f *flock.Flock, name string) bool {
	locked, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(name)
	return err == nil && os.SameFile(locked, now)
}
