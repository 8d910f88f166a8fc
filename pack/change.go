package pack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"piwork/pack/durable"
	"piwork/pack/spec"
)

// Propose notes an installed version as the one that waits for its first boot on
// this computer. What was held against it is forgotten: somebody asked for it.
func (s *Store) Propose(ctx context.Context, version string) error {
	return s.change(ctx, "propose version "+version, func(root *os.Root) error {
		if err := present(root, version); err != nil {
			return err
		}
		_, err := s.edit(root, func(p life) life {
			p = p.forgive(version, digestIn(root, version))
			if p.Current != version {
				p.Candidate = version
			}
			return p
		})
		return err
	})
}

// Promote makes an installed version current, and what was current the previous
// one, which is kept until the next promotion. It does not look at the files:
// whoever promotes has booted it.
func (s *Store) Promote(ctx context.Context, version string) error {
	return s.change(ctx, "promote version "+version, func(root *os.Root) error {
		if err := present(root, version); err != nil {
			return err
		}
		return s.point(root, version)
	})
}

// Choose is Promote for a version that a person picked: when it is older than the
// one that was current, that one is not to come back by itself.
func (s *Store) Choose(ctx context.Context, version string) error {
	return s.change(ctx, "choose version "+version, func(root *os.Root) error {
		if err := present(root, version); err != nil {
			return err
		}
		_, err := s.edit(root, func(p life) life {
			old := p.Current
			p = p.promote(root, version)
			if old != "" && Newer(old, version) {
				p = p.refuse(Failure{Version: old, Manifest: digestIn(root, old), Why: WhyReplaced})
			}
			return p
		})
		return err
	})
}

// Fail holds it against a version that it does not work here, and returns where
// the store stands then. A candidate is none any more. In place of the current
// version the previous one becomes current, also when only a person's choice is
// held against it, or else the newest that nothing is held against; without any
// the current one stays, because a broken one can be repaired.
func (s *Store) Fail(ctx context.Context, version string, why Why) (Pointer, error) {
	var now life
	err := s.change(ctx, "mark version "+version, func(root *os.Root) (err error) {
		if err := present(root, version); err != nil {
			return err
		}
		versions, err := listVersions(root)
		if err != nil {
			return err
		}
		now, err = s.edit(root, func(p life) life {
			p = p.refuse(Failure{Version: version, Manifest: digestIn(root, version), Why: why})
			if p.Candidate == version {
				p.Candidate = ""
			}
			if p.Previous == version {
				p.Previous = ""
			}
			if p.Current == version {
				p = p.stepDown(root, versions)
			}
			return p
		})
		return err
	})
	return now.Pointer, err
}

// stepDown puts another version in place of the current one, if there is any.
func (p life) stepDown(root *os.Root, versions []string) life {
	for _, v := range append([]string{p.Previous}, versions...) {
		if v == "" || v == p.Current {
			continue
		}
		digest := digestIn(root, v)
		why := p.refused(digest)
		// A person left the previous one, and it worked all the same.
		chosen := v == p.Previous && (why == WhyRolledBack || why == WhyReplaced)
		if digest == "" || why != "" && !chosen {
			continue
		}
		p = p.forgive(v, digest)
		if p.Candidate == v {
			p.Candidate = ""
		}
		p.Current, p.Previous = v, ""
		break
	}
	return p
}

// Rollback makes the previous version current again, and returns it. What was
// current becomes the previous one, so that a second call takes the first back;
// it is not proposed again by itself.
func (s *Store) Rollback(ctx context.Context) (string, error) {
	var version string
	err := s.change(ctx, "roll back", func(root *os.Root) error {
		p, err := pointerOrNone(root)
		if err != nil {
			return err
		}
		if p.Previous == "" {
			return fmt.Errorf("no previous version: %w", spec.ErrNotInstalled)
		}
		if err := present(root, p.Previous); err != nil {
			return err
		}
		now, err := s.edit(root, func(p life) life {
			p = p.forgive(p.Previous, digestIn(root, p.Previous))
			if p.Current != "" {
				p = p.refuse(Failure{Version: p.Current, Manifest: digestIn(root, p.Current), Why: WhyRolledBack})
			}
			p.Current, p.Previous = p.Previous, p.Current
			return p
		})
		version = now.Current
		return err
	})
	return version, err
}

// Remove deletes a version that is not current ([spec.ErrCurrent]) and that nothing
// runs on ([ErrInUse]).
func (s *Store) Remove(ctx context.Context, version string) error {
	return s.change(ctx, "remove version "+version, func(root *os.Root) error {
		if err := present(root, version); err != nil {
			return err
		}
		p, err := pointerOrNone(root)
		if err != nil {
			return err
		}
		if p.Current == version {
			return spec.ErrCurrent
		}
		return s.remove(root, version)
	})
}

// Discard deletes a version even when it is current, unless something runs on it
// ([ErrInUse]). It is for stores whose pointer says nothing.
func (s *Store) Discard(ctx context.Context, version string) error {
	return s.change(ctx, "discard version "+version, func(root *os.Root) error {
		if err := present(root, version); err != nil {
			return err
		}
		return s.remove(root, version)
	})
}

// Clear deletes all versions, or none when something runs on one ([ErrInUse]).
func (s *Store) Clear(ctx context.Context) error {
	return s.change(ctx, "remove all versions", func(root *os.Root) error {
		versions, err := listVersions(root)
		if err != nil {
			return err
		}
		for _, v := range versions {
			if used, err := s.InUse(v); err != nil || used {
				return errors.Join(err, ErrInUse)
			}
		}
		for _, v := range versions {
			if err := s.remove(root, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// Collect deletes the versions that are neither current, previous nor candidate,
// nor named in keep, and that nothing runs on. It returns those it deleted.
// Without a current version nothing is known to be unused.
func (s *Store) Collect(ctx context.Context, keep ...string) ([]string, error) {
	var gone []string
	err := s.change(ctx, "remove unused versions", func(root *os.Root) error {
		p, err := pointerOrNone(root)
		if err != nil {
			return err
		}
		if p.Current == "" {
			return nil
		}
		versions, err := listVersions(root)
		if err != nil {
			return err
		}
		keep = append(slices.Clone(keep), p.Current, p.Previous, p.Candidate)
		var errs []error
		for _, v := range versions {
			if slices.Contains(keep, v) {
				continue
			}
			switch err := s.remove(root, v); {
			case errors.Is(err, ErrInUse):
			case err != nil:
				errs = append(errs, err)
			default:
				gone = append(gone, v)
			}
		}
		return errors.Join(errs...)
	})
	return gone, err
}

// remove deletes a version, if nothing runs on it.
func (s *Store) remove(root *os.Root, version string) error {
	var gone string
	err := s.unused(version, func() error {
		_, err := s.edit(root, func(p life) life {
			for _, v := range []*string{&p.Current, &p.Previous, &p.Candidate} {
				if *v == version {
					*v = ""
				}
			}
			return p
		})
		if err != nil {
			return err
		}
		// The rename makes it one step: a half-deleted version is never visible.
		// Under the name of a staging directory, because it is not to come back.
		s.step("remove")
		gone = tempName(stagingPrefix)
		return root.Rename(version, gone)
	})
	if err != nil {
		return err
	}
	s.step("delete")
	return s.erase(root, gone)
}

// Sweep removes what interrupted installations left and repairs a pointer that
// is damaged or points at nothing. While another process changes the store it
// does nothing: there is nothing stale then.
func (s *Store) Sweep(ctx context.Context) error {
	err := s.change(ctx, "tidy up", s.sweep)
	if errors.Is(err, spec.ErrBusy) {
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
			if err := durable.RenameDir(func() error { return root.Rename(e.Name(), v) }); err != nil {
				return err
			}
		}
	}
	for _, e := range entries {
		n := e.Name()
		if strings.HasPrefix(n, stagingPrefix) || strings.HasPrefix(n, asidePrefix) || strings.HasPrefix(n, tempPrefix) {
			s.leave(root, n)
		}
	}
	if err := s.sweepAssemblies(root); err != nil {
		return err
	}
	s.sweepLeases(root)
	return s.repairPointer(root)
}

// leave deletes what is superfluous. What cannot be deleted now, because somebody
// has it open, hinders nothing: the next sweep tries again. A version that was put
// aside loses its name first, so that what is left of it never comes back.
func (s *Store) leave(root *os.Root, name string) {
	if strings.HasPrefix(name, asidePrefix) {
		s.step("forget")
		gone := tempName(stagingPrefix)
		if root.Rename(name, gone) != nil {
			return
		}
		name = gone
	}
	s.step("delete")
	_ = s.erase(root, name)
}

// present returns [spec.ErrNotInstalled] unless version is a directory in root.
func present(root *os.Root, version string) error {
	if err := spec.CheckVersion(version); err != nil { // no pack has it
		return fmt.Errorf("%w: version %.80q: %w", spec.ErrNotInstalled, version, err)
	}
	info, err := root.Lstat(version)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return spec.ErrNotInstalled
	}
	return err
}
