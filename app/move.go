package app

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"piwork/app/history"
	"piwork/app/lock"
	"piwork/app/machines"
	"piwork/app/relocate"
	"piwork/app/samples"
	"piwork/app/settings"
	"piwork/app/upkeep"
	"piwork/app/uploads"
)

// settleMove ends what a move left, when the directories are those that the
// program is to use.
func (c *Controller) settleMove(ctx context.Context) {
	if c.o.fixedBy != "" {
		return // another controller may be at it
	}
	if err := relocate.Settle(ctx, c.o.ConfigDir, lock.InUse); err != nil && ctx.Err() == nil {
		c.log.Warn("what a move of the data left could not be removed", "error", err)
	}
}

// notMoved says what is not copied: what is made again, of this process, or a person's.
func notMoved(cache bool, rel string) bool {
	if cache {
		return rel == machines.TemplatesDir || rel == samples.Dir || rel == history.OpenedDir || rel == machines.ShareTest || strings.HasPrefix(rel, "bundle-")
	}
	switch rel {
	case lock.File, lock.HolderFile, lock.ReserveFile, "controller.sock", uploads.Dir:
		return true
	}
	dir, name := path.Split(rel)
	if path.Dir(path.Clean(dir)) == machineDir { // of a task's machine
		return !machines.IsLog(name)
	}
	return path.Base(rel) == path.Base(journalOf)+".gone" && isJournal(strings.TrimSuffix(rel, ".gone"))
}

// journalOf is where the journal of a task is, in the directory of data.
const journalOf = tasksDir + "/*/journal"

func isJournal(rel string) bool {
	ok, _ := path.Match(journalOf, rel)
	return ok
}

// newMover makes what moves the data of this controller.
func (c *Controller) newMover() *upkeep.Mover {
	return upkeep.NewMover(upkeep.MoverOptions{
		Config: c.o.ConfigDir, Data: c.o.DataDir, Cache: c.o.CacheDir, FixedBy: c.o.fixedBy,
		Own: []string{c.runs.Base, c.o.PackDir}, KeepCache: []string{samples.Dir}, Skip: notMoved, IsJournal: isJournal,
		Shared: c.registry.Folders, Registry: c.registry, HoldPacks: c.Manager.Hold, Log: c.log,
		Free: func(ctx context.Context, dir string) (int64, error) {
			mib, err := c.s.diskFree(ctx, dir)
			return int64(mib) << 20, err
		},
		Arrive: func(ctx context.Context, data string) (func() error, error) {
			l, err := lock.Acquire(ctx, data)
			if err != nil {
				return nil, err
			}
			if err := l.Announce(c.holder()); err != nil {
				return nil, errors.Join(err, l.Release())
			}
			return l.Release, nil
		},
	})
}

// newUpkeep makes what keeps this computer's side in order.
func (c *Controller) newUpkeep() *upkeep.Upkeep {
	return upkeep.New(upkeep.Options{
		Version: c.o.Version, Developer: c.o.Developer, Accel: c.o.Accel, Places: c.places(), RunDir: c.runs.Base, Tasks: filepath.Join(c.o.DataDir, tasksDir),
		Store: c.store, Registry: c.registry, Packs: c.Manager, Fleet: c.Fleet, Caches: c.Runner.ProjectCaches, Status: c.Status, Audit: c.audit,
		AuditChoice: settings.Of(c.config, func(all *choices) *upkeep.AuditSettings { return &all.Audit }),
		ForgetUndo: func(ctx context.Context, id string) error {
			_, err := c.ForgetUndo(ctx, id, false)
			return err
		},
		Facts: c.settingFacts, DiskFree: c.s.diskFree, Log: c.log, Now: c.now,
		Window: settings.Of(c.config, func(all *choices) *upkeep.WindowSettings { return &all.Window }),
	})
}

// holder is what others are told of this controller.
func (c *Controller) holder() lock.Holder {
	return lock.Holder{PID: os.Getpid(), Socket: c.socket, Version: c.o.Version, Since: c.now().UTC()}
}

// FinishMove removes the place that a move has left, when no controller uses it.
// It does nothing while one has the new place: that does it by itself.
func FinishMove(ctx context.Context, o Options) error {
	o = o.WithDefaults()
	if err := errors.Join(o.placeErr, o.place.Check()); err != nil || o.place.Data == "" {
		return err
	}
	l, err := lock.Acquire(ctx, o.DataDir)
	if _, is := errors.AsType[*lock.HeldError](err); is {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(relocate.Settle(ctx, o.ConfigDir, lock.InUse), l.Release())
}
