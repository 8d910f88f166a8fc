package upkeep

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"time"

	"piwork/app/durable"
)

// Directories of the runtime for tasks without a machine, in the cache directory.
const (
	TreesDir        = "trees"        // the unpacked root images of runtime packs, for sandboxes and containers
	EnvironmentsDir = "environments" // what is made of them for tasks on this computer itself
)

// UnusedTree is how long the tree of a pack stays after it was used last: longer than a task that
// works in it.
const UnusedTree = 14 * 24 * time.Hour

// recentTree is how long a tree stays that a person would have removed: longer than proving that
// a place works, of which no task tells.
const recentTree = time.Hour

var treeDirs = map[StorageKind]string{StorageTrees: TreesDir, StorageEnvironments: EnvironmentsDir}

// hasTrees reports whether tasks work without a machine on this system.
const hasTrees = runtime.GOOS == "linux"

// idleTrees is the time before which a tree was used last that nobody works in; whether a task
// that is not over does is not known of each.
func idleTrees(o Options) time.Time {
	if len(o.Registry.All()) > 0 {
		return o.Now().Add(-UnusedTree)
	}
	return o.Now().Add(-recentTree)
}

// treeRoom counts what removing trees would free.
func (u *Upkeep) treeRoom(_ context.Context, items map[StorageKind]*StorageItem) error {
	for what := range treeDirs {
		if items[what] == nil {
			continue
		}
		unused, err := unusedTrees(items[what].Path, idleTrees(u.o))
		if err != nil {
			return err
		}
		for _, path := range unused {
			bytes, _, err := durable.SizeOf(path)
			if err != nil {
				return err
			}
			items[what].Frees += bytes
		}
	}
	return nil
}

// cleanTrees removes trees that nobody works in: a task that needs one unpacks it again.
func (u *Upkeep) cleanTrees(what StorageKind) func(context.Context) error {
	return func(ctx context.Context) error {
		return pruneTrees(ctx, filepath.Join(u.o.CacheDir, treeDirs[what]), idleTrees(u.o))
	}
}

// Run removes what a crash left in caches of projects, and each day trees that nobody used for
// long, until ctx ends.
func (u *Upkeep) Run(ctx context.Context) {
	if err := u.o.Caches.Sweep(); err != nil {
		u.o.Log.Warn("what a crash left in the caches of projects stays", "error", err)
	}
	day := time.NewTicker(24 * time.Hour)
	defer day.Stop()
	for {
		if err := pruneUnused(ctx, u.o); err != nil && ctx.Err() == nil {
			u.o.Log.Warn("the runtime of earlier tasks stays", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-day.C:
		}
	}
}

// pruneUnused removes trees that nobody used for long.
func pruneUnused(ctx context.Context, o Options) error {
	ctx, done, err := o.Registry.Use(ctx)
	if err != nil { // the data is being moved
		return nil
	}
	defer done()
	for _, dir := range treeDirs {
		err = errors.Join(err, pruneTrees(ctx, filepath.Join(o.CacheDir, dir), o.Now().Add(-UnusedTree)))
	}
	return err
}
