package apitest

import (
	"context"

	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
)

// Updates are what happens to the runtime's updater.State. The zero value knows no channel.
type Updates struct {
	Checks *updater.State  // what a check of the channel finds; nil is the state of now
	Steps  []updater.State // what follows StartUpdate and InstallAddOn, as events
	Holds  bool            // the steps stop before the last one until PauseUpdate
}

// packs are the packs, add-ons and updates.
type packs struct{ *core }

// enter makes s the state of now and tells everybody.
func (f packs) enter(s updater.State) updater.State {
	change(f.core, func(now *updater.State) {
		s.Settings = now.Settings
		*now = s
	})
	f.Publish(task.Event{Kind: task.EventUpdate, Data: s})
	return s
}

// play goes through the steps by itself, unless what was asked is refused.
func (f packs) play(method, what string, request any) (updater.State, error) {
	now, err := answered[updater.State](f.core, method, request)
	steps := f.Updates.Steps
	if err != nil || len(steps) == 0 {
		return now, err
	}
	for i := range steps {
		steps[i].What = what
	}
	if last := &steps[len(steps)-1]; last.Phase == updater.PhaseUpToDate {
		last.What = "runtime" // as at rest
	}
	now = f.enter(steps[0])
	go func() {
		for i, s := range steps[1:] {
			if f.Updates.Holds && i == len(steps)-2 {
				return
			}
			f.enter(s)
		}
	}()
	return now, nil
}

func (f packs) CheckUpdate(context.Context) (updater.State, error) {
	now, err := answered[updater.State](f.core, "CheckUpdate")
	if err == nil && f.Updates.Checks != nil {
		now = f.enter(*f.Updates.Checks)
	}
	return now, err
}

func (f packs) StartUpdate(_ context.Context, r updater.Request) (updater.State, error) {
	return f.play("StartUpdate", "runtime", r)
}

func (f packs) InstallAddOn(_ context.Context, name string) (updater.State, error) {
	return f.play("InstallAddOn", name, name)
}

func (f packs) PauseUpdate(context.Context) (updater.State, error) {
	s, err := answered[updater.State](f.core, "PauseUpdate", "pause")
	if err == nil && s.Phase == updater.PhaseDownloading {
		s.Phase = updater.PhasePaused
		s = f.enter(s)
	}
	return s, err
}

func (f packs) SetUpdates(_ context.Context, s updater.Settings) (updater.State, error) {
	if err := f.asked("SetUpdates", s); err != nil {
		return updater.State{}, err
	}
	return f.enter(change(f.core, func(now *updater.State) { now.Settings = s })), nil
}

// Packs are the runtime alone where nothing else is said.
func (f packs) Packs(context.Context) ([]runtimepack.Info, error) {
	all := value[[]runtimepack.Info](f.core)
	if p := value[runtimepack.Info](f.core); all == nil && p.Version != "" {
		all = []runtimepack.Info{p}
	}
	return all, f.refused("Packs")
}

func (f packs) RollbackPack(ctx context.Context) (runtimepack.Info, error) {
	all, _ := f.Packs(ctx)
	for _, p := range all {
		if p.Previous {
			return p, f.refused("RollbackPack")
		}
	}
	return runtimepack.Info{}, problem.New(problem.CodeNoPrevious)
}

func (f packs) InstallPack(_ context.Context, file string, progress func(done, total int64)) (runtimepack.Info, error) {
	f.count(progress)
	return answered[runtimepack.Info](f.core, "InstallPack", file)
}

func (f packs) RepairPack(_ context.Context, file string) (runtimepack.Info, error) {
	f.count(nil)
	return answered[runtimepack.Info](f.core, "RepairPack", file)
}

func (f packs) BundlePack(_ context.Context, r runtimepack.BundleRequest, progress func(done, total int64)) (runtimepack.BundleInfo, error) {
	f.count(progress)
	b, err := answered[runtimepack.BundleInfo](f.core, "BundlePack", r)
	b.File = r.Out
	return b, err
}

// count counts the bytes of a pack.
func (f packs) count(progress func(done, total int64)) {
	for n := int64(1); n <= f.InstallHas; n++ {
		if progress != nil {
			progress(n, f.InstallHas)
		}
		f.Publish(task.Event{Kind: task.EventPack, Data: task.PackData{Done: n, Total: f.InstallHas}})
	}
}
