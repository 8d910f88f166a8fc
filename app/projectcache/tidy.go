package projectcache

import (
	"context"
	"os"
	"path/filepath"
	"slices"
)

// Tidy merges what older tasks changed into the base of a cache that no task uses, and
// leaves what the last one changed, unless the cache is large. It returns when that is done, when ctx ends, or when a
// task wants the cache: what is not merged then is the next time.
func (c *Caches) Tidy(ctx context.Context, id string, merge Merge) error {
	c.mu.Lock()
	if u := c.inUse[id]; u != nil {
		c.mu.Unlock()
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	u := &use{tidy: cancel, tidied: make(chan struct{})}
	c.inUse[id] = u
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.inUse, id)
		c.mu.Unlock()
		close(u.tidied)
	}()
	for {
		again, err := c.mergeOne(ctx, id, merge)
		if ctx.Err() != nil || err == nil && !again {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// mergeOne merges the lowest layer into the base, unless there are few enough.
func (c *Caches) mergeOne(ctx context.Context, id string, merge Merge) (again bool, err error) {
	s, ok, err := c.beginMerge(id)
	if !ok {
		return false, err
	}
	merged := filepath.Join(c.dir(id), s.Layers[1])
	if err := c.step("merge"); err != nil {
		return false, err
	}
	if err := merge(ctx, merged, filepath.Join(c.dir(id), baseName)); err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Layers, s.Merging = slices.Delete(s.Layers, 1, 2), false
	if err := c.write(s); err != nil {
		return false, err
	}
	if err := c.step("unlink"); err != nil {
		return false, err
	}
	return true, os.Remove(merged)
}

// beginMerge writes down that the first layer is going to be merged into the base; ok is
// false where nothing is to be merged. A kill during the merge leaves it written: whatever
// part of the layer the base has then is right only while the layer lies on it.
func (c *Caches) beginMerge(id string) (s state, ok bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, err = c.read(id); err != nil {
		return s, false, err
	}
	if large, err := c.large(s); err != nil || len(s.Layers) <= keptLayers && !large {
		return s, false, err
	}
	if s.Merging { // an earlier merge was broken off
		return s, true, nil
	}
	s.Merging = true
	err = c.write(s)
	return s, err == nil, err
}

// large reports whether the files of a cache take more than twice its bound, though merging them
// would leave less: each has its own version of what several tasks wrote.
func (c *Caches) large(s state) (bool, error) {
	sum, err := sizeOf(c.files(s)...)
	return len(s.Layers) > 1 && sum > 2*s.LimitMB<<20, err
}

// lockQuiet locks c.mu when nobody tidies a cache; whoever does is ended.
func (c *Caches) lockQuiet(ctx context.Context, id string) error {
	for {
		c.mu.Lock()
		u := c.inUse[id]
		if u == nil || u.tidy == nil {
			return nil
		}
		c.mu.Unlock()
		u.tidy()
		select {
		case <-u.tidied:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
