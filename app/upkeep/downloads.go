package upkeep

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"piwork/app/durable"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/pack"
)

// downloads has archives. Versions that were fetched in part are in the stores of packs.
func (u *Upkeep) downloads() string { return filepath.Join(u.o.CacheDir, runtimepack.DownloadsDir) }

// fetching reports whether downloads may be in use. One that is paused begins anew after they were
// removed.
func fetching(o Options) bool {
	switch o.Packs.State().Phase {
	case updater.PhaseDownloading, updater.PhaseInstalling, updater.PhaseTrying:
		return true
	default:
		return false
	}
}

// eachStore calls do with each store of packs, and what its versions count as.
func eachStore(o Options, do func(StorageKind, *pack.Store) error) error {
	dirs := map[string]StorageKind{filepath.Join(o.DataDir, runtimepack.PacksDir): StorageRuntime}
	root := filepath.Join(o.DataDir, runtimepack.AddOnsDir)
	addOns, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range addOns {
		if e.IsDir() {
			dirs[filepath.Join(root, e.Name())] = StorageAddOns
		}
	}
	for dir, what := range dirs {
		s, serr := pack.OpenStore(dir)
		if serr == nil {
			serr = do(what, s)
		}
		err = errors.Join(err, serr)
	}
	return err
}

// downloadRoom counts versions that were fetched in part as downloads.
func (u *Upkeep) downloadRoom(_ context.Context, items map[StorageKind]*StorageItem) error {
	all := items[StorageDownloads]
	err := eachStore(u.o, func(what StorageKind, s *pack.Store) error {
		parts, err := s.Unfinished()
		for _, dir := range parts {
			bytes, _, serr := durable.SizeOf(dir)
			all.Bytes += bytes
			items[what].Bytes = max(0, items[what].Bytes-bytes)
			err = errors.Join(err, serr)
		}
		return err
	})
	if !fetching(u.o) {
		all.Frees = all.Bytes
	}
	return err
}

func (u *Upkeep) cleanDownloads(ctx context.Context) error {
	if fetching(u.o) {
		return nil
	}
	entries, err := os.ReadDir(u.downloads())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(u.downloads(), e.Name())))
	}
	return errors.Join(err, eachStore(u.o, func(_ StorageKind, s *pack.Store) error {
		if err := s.RemoveUnfinished(ctx); err != nil {
			u.o.Log.Warn("what was fetched of a version stays", "store", s.Dir(), "error", err)
		}
		return nil
	}))
}
