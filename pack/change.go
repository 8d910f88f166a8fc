package pack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Promote makes an installed version current, and what was current the previous
// one. It does not look at the files: whoever promotes has booted it.
func (s *Store) Promote(ctx context.Context, version string) error {
	return s.change(ctx, "promote version "+version, func(root *os.Root) error {
		if err := present(root, version); err != nil {
			return err
		}
		return s.point(root, version)
	})
}

// Rollback makes the previous version current again, and returns it. What was
// current becomes the previous one, so that a second call takes the first back.
func (s *Store) Rollback(ctx context.Context) (string, error) {
	var version string
	err := s.change(ctx, "roll back", func(root *os.Root) error {
		p, err := readPointer(root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if p.Previous == "" {
			return fmt.Errorf("no previous version: %w", ErrNotInstalled)
		}
		if err := present(root, p.Previous); err != nil {
			return err
		}
		version = p.Previous
		return s.point(root, version)
	})
	return version, err
}

// Remove deletes a version that is not current ([ErrCurrent]). That no task still
// runs on it is the caller's to know.
func (s *Store) Remove(ctx context.Context, version string) error {
	return s.change(ctx, "remove version "+version, func(root *os.Root) error {
		if err := present(root, version); err != nil {
			return err
		}
		p, err := readPointer(root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if p.Current == version {
			return ErrCurrent
		}
		if p.Previous == version {
			if err := s.writePointer(root, Pointer{Current: p.Current}); err != nil {
				return err
			}
		}
		// The rename makes it one step: a half-deleted version is never visible.
		// Under the name of a staging directory, because it is not to come back.
		s.step("remove")
		gone := tempName(stagingPrefix)
		if err := root.Rename(version, gone); err != nil {
			return err
		}
		s.step("delete")
		return root.RemoveAll(gone)
	})
}

// Sweep removes what interrupted installations left and repairs a pointer that
// is damaged or points at nothing. While another process changes the store it
// does nothing: there is nothing stale then.
func (s *Store) Sweep(ctx context.Context) error {
	err := s.change(ctx, "tidy up", s.sweep)
	if errors.Is(err, ErrBusy) {
		return nil
	}
	return err
}

// change runs do with the lock, after a sweep.
func (s *Store) change(ctx context.Context, what string, do func(*os.Root) error) error {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer unlock()
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer root.Close()
	if err := s.sweep(root); err != nil {
		return fmt.Errorf("%s: tidy up: %w", what, err)
	}
	if err := do(root); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// sweep needs the lock. Its order matters: a version that was put aside comes
// back before anything is deleted.
func (s *Store) sweep(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		v, ok := asideVersion(e.Name())
		if !ok {
			continue
		}
		if _, err := root.Lstat(v); errors.Is(err, fs.ErrNotExist) {
			s.step("restore")
			if err := root.Rename(e.Name(), v); err != nil {
				return err
			}
		}
	}
	for _, e := range entries {
		n := e.Name()
		if strings.HasPrefix(n, stagingPrefix) || strings.HasPrefix(n, asidePrefix) || strings.HasPrefix(n, tempPrefix) {
			s.step("sweep")
			if err := root.RemoveAll(n); err != nil {
				return err
			}
		}
	}
	return s.repairPointer(root)
}

// repairPointer makes the pointer say what is there: a lost one is the newest
// version, one at a missing version is the previous.
func (s *Store) repairPointer(root *os.Root) error {
	versions, err := listVersions(root)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, v := range versions {
		there[v] = true
	}
	p, err := readPointer(root)
	switch lost := errors.Is(err, fs.ErrNotExist); {
	case lost && len(versions) == 0:
		return nil
	case lost || errors.Is(err, errBadPointer):
		if len(versions) == 0 {
			versions = []string{""}
		}
		return s.writePointer(root, Pointer{Current: versions[0]})
	case err != nil:
		return err
	}
	fixed := p
	if !there[fixed.Previous] {
		fixed.Previous = ""
	}
	if !there[fixed.Current] {
		fixed.Current, fixed.Previous = fixed.Previous, ""
	}
	if fixed == p {
		return nil
	}
	return s.writePointer(root, fixed)
}

// present returns [ErrNotInstalled] unless version is a directory in root.
func present(root *os.Root, version string) error {
	if err := checkVersion(version); err != nil {
		return err
	}
	info, err := root.Lstat(version)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return ErrNotInstalled
	}
	return err
}
