package projectcache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"piwork/app/durable"
	"piwork/app/problem"
	"piwork/vmhost/qemu"
)

// Errors of Keep: the cache is as it was before the task.
var (
	// ErrFull says that what the task changed takes more room than a cache may.
	ErrFull = errors.New("the cache takes more room than it may")
	// ErrManyLayers says that the cache was never left alone for long enough to be tidied.
	ErrManyLayers = errors.New("the cache is not tidied yet")
)

// Lease is a cache in the hands of one task. It is given back with Keep or with Drop.
type Lease struct {
	c       *Caches
	s       state // as it was when the task came
	overlay string
	limitMB int64
	writer  bool
	renewed bool
	over    bool
}

// Lease gives a task the cache of a project, which is made when there is none; empty is an
// empty disk with a file system.
func (c *Caches) Lease(ctx context.Context, p Project, empty string) (*Lease, error) {
	id := p.ID()
	if !validID(id) {
		return nil, fmt.Errorf("%q is no cache", id)
	}
	if err := c.lockQuiet(ctx, id); err != nil {
		return nil, err
	}
	defer c.mu.Unlock()
	s, renewed, err := c.ready(p, empty)
	if err != nil {
		return nil, fmt.Errorf("open the cache %s: %w", id, err)
	}
	l := &Lease{c: c, s: s, limitMB: c.limit(), renewed: renewed, overlay: filepath.Join(c.dir(id), fmt.Sprintf("run-%d.qcow2", s.Next))}
	u := c.inUse[id]
	if u == nil {
		u = &use{}
	}
	l.writer = !u.writer
	s.Next, s.Used, s.LimitMB = s.Next+1, c.o.Now().UTC(), l.limitMB
	if err := c.write(s); err != nil {
		return nil, fmt.Errorf("open the cache %s: %w", id, err)
	}
	if err := c.step("overlay"); err != nil {
		return nil, err
	}
	if err := qemu.CreateOverlay(l.overlay, c.files(s)[0]); err != nil {
		return nil, fmt.Errorf("open the cache %s: %w", id, err)
	}
	u.tasks++
	u.writer = true
	c.inUse[id] = u
	return l, nil
}

// ready is the state of a cache that can be used, made anew where there is none (renewed is false)
// or its files are damaged (true): all of it can be fetched or built again. A cache that cannot be
// read now, or that a later piwork made, stays. c.mu is held.
func (c *Caches) ready(p Project, empty string) (s state, renewed bool, err error) {
	id := p.ID()
	s, err = c.read(id)
	had := !errors.Is(err, fs.ErrNotExist)
	if err == nil {
		err = c.whole(s)
	}
	switch {
	case c.busy(id): // its files are in use, and whole
		return s, false, err
	case err == nil:
		return s, false, c.sweep(s)
	case errors.Is(err, errNewer):
		return s, false, problem.New(problem.CodeRecordDamaged).By("cache").With("cache", id).Because(err)
	case !errors.Is(err, errDamaged) && !errors.Is(err, qemu.ErrNotQCOW2) && !errors.Is(err, fs.ErrNotExist):
		return s, false, err
	case had:
		c.o.Log.Warn("a cache is damaged; it begins anew", "cache", id, "error", err)
	}
	if s, err = c.create(p, empty); err != nil {
		return s, false, err
	}
	return s, had, c.write(s)
}

// Files are those of the disk, the topmost first: it alone is written.
func (l *Lease) Files() []string { return append([]string{l.overlay}, l.c.files(l.s)...) }

// LimitMB is how much may be in the cache.
func (l *Lease) LimitMB() int64 { return l.limitMB }

// ID is that of the cache.
func (l *Lease) ID() string { return l.s.Project.ID() }

// Kept reports whether Keep keeps what the task changes: not while an earlier task is at work
// with the same cache.
func (l *Lease) Kept() bool { return l.writer }

// Renewed reports whether the cache was damaged and begins anew with the task.
func (l *Lease) Renewed() bool { return l.renewed }

// Drop gives the cache back as it was before the task. After Keep it does nothing.
func (l *Lease) Drop() error {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.over {
		return nil
	}
	l.end()
	err := os.Remove(l.overlay)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// end gives the cache back; c.mu is held.
func (l *Lease) end() {
	l.over = true
	u := l.c.inUse[l.ID()]
	u.tasks--
	if l.writer {
		u.writer = false
	}
	if u.tasks == 0 {
		delete(l.c.inUse, l.ID())
	}
}

// Keep gives the cache back with what the task changed. The machine has ended, and its
// guest had switched it off. After an error the cache is as it was before the task.
func (l *Lease) Keep() (err error) {
	if !l.writer {
		return l.Drop()
	}
	err = l.c.step("sync")
	if err == nil {
		err = syncFile(l.overlay) // all of what was written: nobody is to wait for that
	}
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.over {
		return nil
	}
	defer func() {
		l.end()
		if err != nil {
			_ = os.Remove(l.overlay)
		}
	}()
	if err != nil {
		return err
	}
	if _, err := qemu.CheckCacheFile(l.overlay); err != nil {
		return err
	}
	s, err := l.c.read(l.ID()) // others took numbers meanwhile
	if err != nil {
		return err
	}
	if large, err := l.c.large(s); err != nil || large || len(s.Layers) > maxLayers {
		return cmp.Or(err, ErrManyLayers)
	}
	if size, err := sizeOf(l.overlay); err != nil || size > 2*l.limitMB<<20 { // more than its guest was given
		return cmp.Or(err, fmt.Errorf("%w: %d MiB", ErrFull, size>>20))
	}
	dir, name := l.c.dir(l.ID()), layerName(s.Next)
	if err := l.c.step("rename"); err != nil {
		return err
	}
	if err := os.Rename(l.overlay, filepath.Join(dir, name)); err != nil {
		return err
	}
	if err := durable.SyncDir(dir); err != nil {
		return err
	}
	s.Layers, s.Next = append(s.Layers, name), s.Next+1
	return l.c.write(s)
}

// sizeOf is how many bytes files take together.
func sizeOf(files ...string) (sum int64, err error) {
	for _, f := range files {
		fi, err := os.Lstat(f)
		if err != nil {
			return 0, err
		}
		sum += fi.Size()
	}
	return sum, nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
