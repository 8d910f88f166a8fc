package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"piwork/pack/durable"
	"piwork/pack/spec"
)

// stage is a directory in a store in which a version comes together, invisible
// until it is published. Its methods may be called from several goroutines at
// once, but for publish and close.
type stage struct {
	store *Store
	root  *os.Root // of the store
	name  string   // in the store; "" once it is published
	dir   *os.Root

	mu   sync.Mutex
	dirs []string // in it, parents first
	made map[string]bool
}

// newStage makes an empty directory.
func newStage(s *Store, root *os.Root, name string) (*stage, error) {
	s.step("stage")
	if err := root.Mkdir(name, 0o755); err != nil {
		return nil, err
	}
	return openStage(s, root, name)
}

// openStage opens a directory that is there.
func openStage(s *Store, root *os.Root, name string) (*stage, error) {
	dir, err := root.OpenRoot(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	return &stage{store: s, root: root, name: name, dir: dir, made: map[string]bool{}}, nil
}

// head writes manifest and signature.
func (t *stage) head(raw, sig []byte) error {
	for _, f := range []struct {
		name string
		data []byte
	}{{spec.ManifestName, raw}, {spec.SignatureName, sig}} {
		t.store.step("head")
		if err := t.write(f.name, 0o644, f.data); err != nil {
			return err
		}
	}
	return nil
}

// write makes a whole new file, durably.
func (t *stage) write(name string, mode fs.FileMode, data []byte) error {
	f, err := t.create(name, mode)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	return finish(f)
}

// create makes a new file and the directories above it.
func (t *stage) create(name string, mode fs.FileMode) (*os.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range parents(name) {
		if t.made[d] {
			continue
		}
		if err := t.dir.Mkdir(filepath.FromSlash(d), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		t.made[d] = true
		t.dirs = append(t.dirs, d)
	}
	return t.dir.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// know notes the directories above a file that is there already.
func (t *stage) know(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range parents(name) {
		if !t.made[d] {
			t.made[d] = true
			t.dirs = append(t.dirs, d)
		}
	}
}

// finish makes a file durable and closes it.
func finish(f *os.File) error {
	if err := syncFile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// publish makes the directory durable and gives it the name of its version. Its
// files must be durable. A version that is replaced is put aside first, and
// brought back by [Store.Sweep] when this ends between the two renames. One that
// something runs on is not replaced ([ErrInUse]): it opens its files by name.
func (t *stage) publish(version string) error {
	s := t.store
	s.step("sync")
	for _, d := range append(t.dirs, ".") {
		if err := syncDir(t.dir, d); err != nil {
			return err
		}
	}
	if err := t.dir.Close(); err != nil { // Windows renames no open directory
		return err
	}
	t.dir = nil
	if d := path.Dir(t.name); d != "." {
		if err := syncDir(t.root, d); err != nil {
			return err
		}
	}
	if err := present(t.root, version); errors.Is(err, spec.ErrNotInstalled) {
		return t.rename(version)
	} else if err != nil {
		return err
	}
	var aside string
	err := s.unused(version, func() error {
		aside = tempName(asidePrefix) + "-" + version
		s.step("aside")
		if err := durable.RenameDir(func() error { return t.root.Rename(version, aside) }); err != nil {
			return fmt.Errorf("put version %s aside: %w", version, err)
		}
		if err := t.rename(version); err != nil {
			return errors.Join(err, durable.RenameDir(func() error { return t.root.Rename(aside, version) }))
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.leave(t.root, aside)
	return nil
}

// rename gives the directory its final name, durably.
func (t *stage) rename(version string) error {
	t.store.step("rename")
	if err := durable.RenameDir(func() error { return t.root.Rename(filepath.FromSlash(t.name), version) }); err != nil {
		return err
	}
	t.name = ""
	t.store.step("sync the store")
	return syncDir(t.root, ".")
}

// close closes the directory and leaves it as it is.
func (t *stage) close() error {
	if t.dir == nil {
		return nil
	}
	err := t.dir.Close()
	t.dir = nil
	return err
}

// discard closes and removes what is not published.
func (t *stage) discard() error {
	err := t.close()
	if t.name != "" {
		if gone := t.root.RemoveAll(filepath.FromSlash(t.name)); gone != nil {
			err = errors.Join(err, fmt.Errorf("remove %s: %w", t.name, gone))
		}
	}
	return err
}
