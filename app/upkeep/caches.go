package upkeep

import (
	"context"
	"errors"

	"piwork/app/problem"
	"piwork/app/projectcache"
)

// Caches are those of projects, the last used first.
func (u *Upkeep) Caches(ctx context.Context) ([]projectcache.Cache, error) {
	return u.o.Caches.List(ctx)
}

// EmptyCache removes all that tasks of a project left in its cache.
func (u *Upkeep) EmptyCache(ctx context.Context, id string) error {
	ctx, done, err := u.o.Registry.Use(ctx)
	if err != nil {
		return err
	}
	defer done()
	return u.o.Caches.Empty(ctx, id)
}

// BackCache takes what the last task changed out of the cache of a project.
func (u *Upkeep) BackCache(ctx context.Context, id string) error {
	ctx, done, err := u.o.Registry.Use(ctx)
	if err != nil {
		return err
	}
	defer done()
	return u.o.Caches.Back(ctx, id)
}

// cacheRoom counts what emptying the caches would free that no task uses.
func (u *Upkeep) cacheRoom(ctx context.Context, items map[StorageKind]*StorageItem) error {
	all, err := u.o.Caches.List(ctx)
	for _, c := range all {
		if !c.InUse {
			items[StorageCaches].Frees += c.Bytes
		}
	}
	return err
}

// cleanCaches empties the caches that no task uses. One that a task took meanwhile stays, and
// one that somebody else emptied is.
func (u *Upkeep) cleanCaches(ctx context.Context) error {
	all, err := u.o.Caches.List(ctx)
	for _, c := range all {
		if c.InUse {
			continue
		}
		cerr := u.o.Caches.Empty(ctx, c.ID)
		if p := problem.From(cerr); p != nil && (p.Code == problem.CodeCacheInUse || p.Code == problem.CodeNotFound) {
			u.o.Log.Info("a cache stays as it is", "cache", c.ID, "reason", cerr)
			continue
		}
		err = errors.Join(err, cerr)
	}
	return err
}
