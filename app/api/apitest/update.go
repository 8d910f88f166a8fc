package apitest

import (
	"context"

	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
)

// Updates are what a Fake knows about the runtime's versions. The zero value
// knows no channel.
type Updates struct {
	State  updater.State   // of now
	Checks *updater.State  // what a look at the channel finds; nil is State
	Steps  []updater.State // what follows StartUpdate and InstallAddOn, as events
	Holds  bool            // the steps stop before the last one until PauseUpdate
}

// packs are the packs, add-ons and updates.
type packs struct{ *core }

func (f packs) update() updater.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Updates.State
}

// enter makes s the state of now and tells everybody.
func (f packs) enter(s updater.State) updater.State {
	f.mu.Lock()
	s.Settings = f.Updates.State.Settings
	f.Updates.State = s
	f.mu.Unlock()
	f.Publish(task.Event{Kind: task.EventUpdate, Data: s})
	return s
}

// play goes through the steps by itself.
func (f packs) play(what string) updater.State {
	steps := f.Updates.Steps
	if len(steps) == 0 {
		return f.update()
	}
	for i := range steps {
		steps[i].What = what
	}
	if last := &steps[len(steps)-1]; last.Phase == updater.PhaseUpToDate {
		last.What = "runtime" // as at rest
	}
	now := f.enter(steps[0])
	go func() {
		for i, s := range steps[1:] {
			if f.Updates.Holds && i == len(steps)-2 {
				return
			}
			f.enter(s)
		}
	}()
	return now
}

func (f packs) Update(context.Context) (updater.State, error) {
	return f.update(), f.refused("Update")
}

func (f packs) CheckUpdate(context.Context) (updater.State, error) {
	if err := f.refused("CheckUpdate"); err != nil {
		return updater.State{}, err
	}
	if f.Updates.Checks != nil {
		return f.enter(*f.Updates.Checks), nil
	}
	return f.update(), nil
}

func (f packs) StartUpdate(_ context.Context, r updater.Request) (updater.State, error) {
	if err := f.asked("StartUpdate", r); err != nil {
		return updater.State{}, err
	}
	return f.play("runtime"), nil
}

func (f packs) PauseUpdate(context.Context) (updater.State, error) {
	if err := f.asked("PauseUpdate", "pause"); err != nil {
		return updater.State{}, err
	}
	s := f.update()
	if s.Phase == updater.PhaseDownloading {
		s.Phase = updater.PhasePaused
		s = f.enter(s)
	}
	return s, nil
}

func (f packs) InstallAddOn(_ context.Context, name string) (updater.State, error) {
	if err := f.asked("InstallAddOn", name); err != nil {
		return updater.State{}, err
	}
	return f.play(name), nil
}

func (f packs) SetUpdates(_ context.Context, s updater.Settings) (updater.State, error) {
	if err := f.asked("SetUpdates", s); err != nil {
		return updater.State{}, err
	}
	f.mu.Lock()
	f.Updates.State.Settings = s
	f.mu.Unlock()
	return f.enter(f.update()), nil
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
