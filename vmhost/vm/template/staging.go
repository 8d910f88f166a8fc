package template

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/shirou/gopsutil/v4/disk"

	"piwork/pack/durable"
)

// Staging is a template that is being made. It ends with Commit or Abandon.
type Staging struct {
	Note json.RawMessage // kept with the template; small

	store *Store
	key   string
	dir   string
	lock  *flock.Flock
}

// Stage begins a template. It waits while another process makes one; needs is
// how many bytes it may take at most, ErrNoSpace says that the disk has less.
func (s *Store) Stage(ctx context.Context, key string, needs int64) (*Staging, error) {
	if !keyForm().MatchString(key) {
		return nil, fmt.Errorf("%.80q is no key of a template", key)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of templates: %w", err)
	}
	if u, err := disk.UsageWithContext(ctx, s.dir); err == nil && u.Free < uint64(max(needs, 0)) {
		return nil, fmt.Errorf("%w: %d MiB, at least %d are needed", ErrNoSpace, u.Free>>20, needs>>20)
	}
	l := flock.New(filepath.Join(s.dir, lockFile), flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("wait for the lock of the templates: %w", err)
	}
	dir, err := os.MkdirTemp(s.dir, stagingName) // 0700
	if err != nil {
		return nil, errors.Join(fmt.Errorf("stage a template: %w", err), l.Close())
	}
	return &Staging{store: s, key: key, dir: dir, lock: l}, nil
}

// Path returns where a file of the template is to be put.
func (g *Staging) Path(name string) string { return filepath.Join(g.dir, name) }

// Abandon removes what was staged. After Commit it does nothing.
func (g *Staging) Abandon() error {
	if g.lock == nil {
		return nil
	}
	err := errors.Join(os.RemoveAll(g.dir), g.lock.Close())
	g.lock = nil
	return err
}

// Commit makes the template from what was staged, in the place of one that is
// there. On an error the staging is gone.
func (g *Staging) Commit(ctx context.Context) (*Template, error) {
	t, err := g.commit(ctx)
	if err != nil {
		err = fmt.Errorf("store the template: %w", err)
	}
	return t, errors.Join(err, g.Abandon())
}

func (g *Staging) commit(ctx context.Context) (*Template, error) {
	s := g.store
	i := info{V: version, Key: g.key, Made: s.now().UTC(), Files: make(map[string]file), Note: g.Note}
	type step struct {
		name string
		do   func() error
	}
	var steps []step
	for _, name := range parts {
		steps = append(steps, step{"sync " + name, func() (err error) {
			i.Files[name], err = g.sync(ctx, name)
			return err
		}})
	}
	steps = append(steps,
		step{"describe", func() error {
			b, err := json.MarshalIndent(i, "", "  ")
			if err != nil {
				return err
			}
			return durable.WriteFile(g.Path(infoFile), append(b, '\n'), 0o600)
		}},
		step{"sync the directory", func() error { return durable.SyncDir(g.dir) }},
		step{"remove the old one", func() error { return s.Drop(g.key) }},
		step{"rename", func() error { return os.Rename(g.dir, filepath.Join(s.dir, g.key)) }},
		step{"sync the store", func() error { return durable.SyncDir(s.dir) }},
	)
	for _, x := range steps {
		if err := s.step(x.name); err != nil {
			return nil, err
		}
		if err := x.do(); err != nil {
			return nil, err
		}
	}
	return s.Lookup(g.key)
}

// sync syncs a file of the template and describes it.
func (g *Staging) sync(ctx context.Context, name string) (file, error) {
	if err := syncFile(g.Path(name)); err != nil {
		return file{}, err
	}
	sum, err := digest(ctx, g.Path(name))
	if err != nil {
		return file{}, err
	}
	fi, err := os.Stat(g.Path(name))
	if err != nil {
		return file{}, err
	}
	return file{Size: fi.Size(), SHA256: sum}, nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
