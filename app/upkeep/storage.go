package upkeep

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/app/durable"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/projectcache"
	"piwork/app/runtimepack"
)

// Storage says what takes how much.
func (u *Upkeep) Storage(ctx context.Context) (Storage, error) {
	s, err := u.storage(ctx)
	if err != nil {
		return Storage{}, problem.From(err)
	}
	return s, nil
}

func (u *Upkeep) storage(ctx context.Context) (Storage, error) {
	items := map[StorageKind]*StorageItem{}
	out := Storage{FreeBytes: -1}
	for _, place := range []struct {
		what StorageKind
		dir  string
	}{
		{StorageRuntime, filepath.Join(u.o.DataDir, runtimepack.PacksDir)},
		{StorageAddOns, filepath.Join(u.o.DataDir, runtimepack.AddOnsDir)},
		{StorageTemplates, filepath.Join(u.o.CacheDir, machines.TemplatesDir)},
		{StorageCaches, filepath.Join(u.o.CacheDir, projectcache.Dir)},
		{StorageTrees, filepath.Join(u.o.CacheDir, TreesDir)},
		{StorageEnvironments, filepath.Join(u.o.CacheDir, EnvironmentsDir)},
		{StorageDownloads, u.downloads()},
		{StorageTasks, u.o.Tasks},
		{StorageJournals, u.o.Tasks},
		{StorageLogs, u.o.Machines},
	} {
		if treeDirs[place.what] == "" || hasTrees {
			out.Items = append(out.Items, StorageItem{What: place.what, Path: place.dir})
		}
	}
	for i := range out.Items {
		items[out.Items[i].What] = &out.Items[i]
	}
	for _, what := range []StorageKind{StorageRuntime, StorageAddOns, StorageTemplates, StorageCaches, StorageTrees, StorageEnvironments, StorageDownloads} {
		if items[what] == nil {
			continue
		}
		bytes, _, err := durable.SizeOf(items[what].Path)
		if err != nil {
			return out, err
		}
		items[what].Bytes = bytes
	}
	for _, step := range []func(context.Context, map[StorageKind]*StorageItem) error{u.taskRoom, u.logRoom, u.packRoomToFree, u.downloadRoom, u.cacheRoom, u.treeRoom} {
		if err := step(ctx, items); err != nil {
			return out, err
		}
	}
	imageRoom(ctx, u.o, &out) // what items has is not looked at any more
	if u.o.DiskFree != nil {
		if mib, err := u.o.DiskFree(ctx, u.o.DataDir); err == nil {
			out.FreeBytes = int64(mib) << 20
		}
	}
	for i := range out.Items {
		out.Items[i].Cleanable = out.Items[i].Frees > 0
	}
	return out, nil
}

// taskRoom counts tasks and journals. A file is undo's when it lies in a journal,
// or in what is left of one.
func (u *Upkeep) taskRoom(ctx context.Context, items map[StorageKind]*StorageItem) error {
	root := items[StorageTasks].Path
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	free := map[string]bool{}
	for _, id := range u.finished() {
		free[id] = true
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		whole, _, err := durable.SizeOf(filepath.Join(root, e.Name()))
		if err != nil {
			return err
		}
		var undo int64
		if dir := u.o.Store.JournalDir(e.Name()); u.o.Store.Dir(e.Name()) != "" {
			for _, d := range []string{dir, dir + ".gone"} {
				bytes, _, err := durable.SizeOf(d)
				if err != nil {
					return err
				}
				undo += bytes
			}
		}
		items[StorageTasks].Bytes += whole - undo
		items[StorageJournals].Bytes += undo
		if free[e.Name()] {
			items[StorageJournals].Frees += undo
		}
	}
	items[StorageJournals].LosesUndo = items[StorageJournals].Frees > 0
	return nil
}

// finished are the tasks that are over and not in use.
func (u *Upkeep) finished() []string {
	out, err := u.o.Registry.Finished()
	if err != nil {
		u.o.Log.Warn("the tasks could not be listed", "error", err)
	}
	return out
}

func (u *Upkeep) logRoom(_ context.Context, items map[StorageKind]*StorageItem) error {
	files, err := u.logFiles()
	if err != nil {
		return err
	}
	over := u.finished()
	for _, f := range files {
		items[StorageLogs].Bytes += f.Bytes
		if oldLog(f, over) {
			items[StorageLogs].Frees += f.Bytes
		}
	}
	return nil
}

// oldLog reports whether no machine writes to a log any more: of a task that is
// over, or put aside.
func oldLog(f logFile, over []string) bool {
	return slices.Contains(over, f.Task) || strings.HasSuffix(f.Name, ".1") && f.Task == ""
}

// packRoomToFree counts the versions that nothing needs: not the current one, not
// the one before, to which one can go back, and none that a task runs on.
func (u *Upkeep) packRoomToFree(ctx context.Context, items map[StorageKind]*StorageItem) error {
	spare, err := u.sparePacks(ctx)
	for _, p := range spare {
		bytes, _, err := durable.SizeOf(p.Dir)
		if err != nil {
			return err
		}
		items[StorageRuntime].Frees += bytes
	}
	return err
}

func (u *Upkeep) sparePacks(ctx context.Context) ([]runtimepack.Info, error) {
	packs, err := u.o.Packs.Packs(ctx)
	if err != nil {
		return nil, err
	}
	root := filepath.Join(u.o.DataDir, runtimepack.PacksDir) + string(filepath.Separator)
	return slices.DeleteFunc(packs, func(p runtimepack.Info) bool {
		return p.Current || p.Previous || p.Candidate || p.InUse || !strings.HasPrefix(p.Dir, root)
	}), nil
}

// CleanStorage removes what is of no use any more. What cannot be
// removed now stays, and is told in the log.
func (u *Upkeep) CleanStorage(ctx context.Context, r CleanRequest) (Cleaned, error) {
	var out Cleaned
	cleanJournals := func(ctx context.Context) (err error) { out.Waiting, err = u.cleanJournals(ctx); return err }
	clean := map[StorageKind]func(context.Context) error{
		StorageRuntime: u.cleanPacks, StorageCaches: u.cleanCaches, StorageDownloads: u.cleanDownloads, StorageLogs: u.cleanLogs, StorageJournals: cleanJournals,
		StorageTrees: u.cleanTrees(StorageTrees), StorageEnvironments: u.cleanTrees(StorageEnvironments), StorageImages: cleanImages(u.o),
	}
	for _, what := range r.What {
		switch {
		case clean[what] == nil:
			return Cleaned{}, problem.BadRequest("what", "%q is nothing that can be cleaned", what)
		case what == StorageJournals && !r.LoseUndo:
			return Cleaned{}, problem.BadRequest("loseUndo", "changes of tasks that are over could not be taken back any more")
		}
	}
	ctx, done, err := u.o.Registry.Use(ctx)
	if err != nil {
		return Cleaned{}, err
	}
	defer done()
	before, err := u.storage(ctx)
	if err != nil {
		return Cleaned{}, problem.From(err)
	}
	var failed error
	for _, what := range slices.Compact(slices.Sorted(slices.Values(r.What))) {
		failed = errors.Join(failed, clean[what](ctx))
	}
	after, err := u.storage(context.WithoutCancel(ctx))
	if err := errors.Join(failed, err); err != nil {
		return Cleaned{}, problem.From(err)
	}
	left := map[StorageKind]int64{}
	for _, item := range after.Items {
		if !item.Silent {
			left[item.What] = item.Bytes
		}
	}
	for _, item := range before.Items {
		if bytes, there := left[item.What]; there && slices.Contains(r.What, item.What) {
			out.Freed += max(0, item.Bytes-bytes)
		}
	}
	return out, nil
}

func (u *Upkeep) cleanPacks(ctx context.Context) error {
	spare, err := u.sparePacks(ctx)
	for _, p := range spare {
		if rerr := u.o.Packs.RemovePack(ctx, p.Version); rerr != nil {
			u.o.Log.Warn("a version of the runtime stays", "version", p.Version, "error", rerr)
		}
	}
	return err
}

func (u *Upkeep) cleanLogs(context.Context) error {
	files, err := u.logFiles()
	over := u.finished()
	for _, f := range files {
		if oldLog(f, over) {
			if rerr := os.Remove(f.path); !errors.Is(rerr, fs.ErrNotExist) {
				err = errors.Join(err, rerr)
			}
		}
	}
	return err
}

// cleanJournals returns the tasks whose undo waits for its folder: the person gives that up by
// itself, or not at all.
func (u *Upkeep) cleanJournals(ctx context.Context) (waiting []string, err error) {
	for _, id := range u.finished() {
		if ctx.Err() != nil {
			return waiting, context.Cause(ctx)
		}
		err := u.o.ForgetUndo(ctx, id)
		switch {
		case err == nil:
		case problem.From(err).Code == problem.CodeUndoWaits:
			waiting = append(waiting, id)
		default: // it was begun again, or is being looked at
			u.o.Log.Warn("the undo of a task stays", "task", id, "error", err)
		}
	}
	return waiting, nil
}
