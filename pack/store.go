package pack

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"github.com/gofrs/flock"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// Names in a store beside the directories of versions. None of them is a version.
const (
	pointerName   = "current.json"
	lockName      = "lock"
	stagingPrefix = ".staging-" // what an installation has unpacked so far
	asidePrefix   = ".aside-"   // a version that is being replaced or removed: .aside-<random>-<version>
	tempPrefix    = ".new-"     // a small file before its rename
)

// lockRetry is how often a waiting installation tries to get the lock.
const lockRetry = 200 * time.Millisecond

// Store is a directory of installed packs. Several may be open on one directory,
// also in several processes; changes take its lock.
type Store struct {
	dir     string
	patient bool    // changes wait for the lock
	parsed  *parsed // shared by copies

	free  func(dir string) (uint64, error)       // of the disk
	erase func(root *os.Root, name string) error // deletes all of it
	step  func(name string)                      // told before each step that changes the disk; for tests
}

// Entry is one version in a store.
type Entry struct {
	Version string
	Dir     string

	// Its place in the life cycle, see [Pointer].
	Current   bool
	Previous  bool
	Candidate bool
	Failed    Why  // "" is nothing held against it
	InUse     bool // somebody has a lease

	Pack *Installed // nil when Err says why it cannot be used
	Err  error
}

// OpenStore opens the store in dir, which is made when missing.
func OpenStore(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open pack store: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open pack store: %w", err)
	}
	return &Store{dir: dir, parsed: &parsed{}, free: FreeSpace, erase: (*os.Root).RemoveAll, step: func(string) {}}, nil
}

// Dir is the absolute path of the store.
func (s *Store) Dir() string { return s.dir }

// Patient returns the same store, whose changes wait until another one of the
// store is over, or ctx ends, instead of [spec.ErrBusy].
func (s *Store) Patient() *Store {
	p := *s
	p.patient = true
	return &p
}

// lock takes the lock of the store. With wait it waits until ctx ends, else it
// returns [spec.ErrBusy] at once when another has it. The lock ends with the process.
func (s *Store) lock(ctx context.Context, wait bool) (unlock func(), err error) {
	l := flock.New(filepath.Join(s.dir, lockName), flock.SetPermissions(0o600))
	var ok bool
	if wait || s.patient {
		ok, err = l.TryLockContext(ctx, lockRetry)
	} else {
		ok, err = l.TryLock()
	}
	if err != nil {
		return nil, fmt.Errorf("lock pack store: %w", err)
	}
	if !ok {
		return nil, spec.ErrBusy
	}
	return func() { _ = l.Close() }, nil
}

// Pointer reads which version is in use. A store without a pointer answers the
// zero value.
func (s *Store) Pointer() (Pointer, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return Pointer{}, fmt.Errorf("read the current version: %w", err)
	}
	defer root.Close()
	p, err := s.readLife(root)
	if err != nil {
		return Pointer{}, fmt.Errorf("read the current version: %w", err)
	}
	return p.Pointer, nil
}

// Refused returns why the pack with this manifest (its SHA-256 in hex) is not to
// be tried by itself; "" is that nothing is held against it.
func (s *Store) Refused(manifest string) (Why, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return "", fmt.Errorf("read what failed: %w", err)
	}
	defer root.Close()
	p, err := s.readLife(root)
	if err != nil {
		return "", fmt.Errorf("read what failed: %w", err)
	}
	return p.refused(manifest), nil
}

// Open opens an installed version. Its manifest is verified, its files are not:
// see [Installed.Verify]. A version that is not there is [spec.ErrNotInstalled].
func (s *Store) Open(version string, keys *trust.KeyRing, policy spec.Policy) (*Installed, error) {
	if err := spec.CheckVersion(version); err != nil {
		return nil, fmt.Errorf("%w: version %.80q: %w", spec.ErrNotInstalled, version, err)
	}
	in, err := openInstalled(filepath.Join(s.dir, version), keys, policy, s.parsed.parse)
	if errors.Is(err, fs.ErrNotExist) && spec.KindOf(err) == "" {
		return nil, fmt.Errorf("version %s: %w", version, spec.ErrNotInstalled)
	}
	if err == nil && in.Manifest.Version != version {
		err = spec.Refuse(spec.KindWrongVersion, "", "the directory %s holds version %s", version, in.Manifest.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("open pack version %s: %w", version, err)
	}
	return in, nil
}

// Current opens the version in use, or returns [spec.ErrNotInstalled].
func (s *Store) Current(keys *trust.KeyRing, policy spec.Policy) (*Installed, error) {
	p, err := s.Pointer()
	if err != nil {
		return nil, err
	}
	if p.Current == "" {
		return nil, spec.ErrNotInstalled
	}
	return s.Open(p.Current, keys, policy)
}

// List returns all versions, newest first, also those that cannot be used.
func (s *Store) List(keys *trust.KeyRing, policy spec.Policy) ([]Entry, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, fmt.Errorf("list packs: %w", err)
	}
	defer root.Close()
	versions, err := listVersions(root)
	if err != nil {
		return nil, fmt.Errorf("list packs: %w", err)
	}
	p, err := readPointer(root)
	if err != nil {
		p = life{} // Sweep repairs it; the list is right without
	}
	var list []Entry
	for _, v := range versions {
		e := Entry{
			Version: v, Dir: filepath.Join(s.dir, v),
			Current: v == p.Current, Previous: v == p.Previous, Candidate: v == p.Candidate,
		}
		e.Failed = p.refused(digestIn(root, v))
		e.InUse, _ = s.InUse(v) // a question that cannot be asked has no answer
		e.Pack, e.Err = s.Open(v, keys, policy)
		list = append(list, e)
	}
	return list, nil
}

// listVersions returns the names of directories that are versions, newest first.
func listVersions(root *os.Root) ([]string, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var versions []*semver.Version
	for _, e := range entries {
		if !e.IsDir() || spec.CheckVersion(e.Name()) != nil {
			continue
		}
		if v, err := semver.StrictNewVersion(e.Name()); err == nil {
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, func(a, b *semver.Version) int { return b.Compare(a) })
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.Original()
	}
	return names, nil
}

// tempName returns a fresh name in the store.
func tempName(prefix string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

// asideVersion returns the version that was put aside under name.
func asideVersion(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, asidePrefix)
	if !ok {
		return "", false
	}
	_, version, ok := strings.Cut(rest, "-")
	return version, ok && spec.CheckVersion(version) == nil
}

// writeAtomic replaces a file in root in one durable step.
func writeAtomic(root *os.Root, name string, data []byte, perm fs.FileMode, step func(string)) (err error) {
	tmp := tempName(tempPrefix)
	step("write " + name)
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // may be closed already
			err = errors.Join(err, root.Remove(tmp))
		}
	}()
	step("fill " + name)
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	step("rename " + name)
	if err := root.Rename(tmp, name); err != nil {
		return err
	}
	step("sync " + name)
	return syncDir(root, ".")
}
