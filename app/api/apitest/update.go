package apitest

import (
	"context"
	"piwork/app/runtimepack"

	"piwork/app/problem"
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

func (f *Fake) update() updater.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Updates.State
}

// enter makes s the state of now and tells everybody.
func (f *Fake) enter(s updater.State) updater.State {
	f.mu.Lock()
	s.Settings = f.Updates.State.Settings
	f.Updates.State = s
	f.mu.Unlock()
	f.Publish(task.Event{Kind: task.EventUpdate, Data: s})
	return s
}

// play goes through the steps by itself.
func (f *Fake) play(what string) updater.State {
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

// Update is of the service.
func (f *Fake) Update(context.Context) (updater.State, error) {
	return f.update(), f.refused("Update")
}

// CheckUpdate is of the service.
func (f *Fake) CheckUpdate(context.Context) (updater.State, error) {
	if err := f.refused("CheckUpdate"); err != nil {
		return updater.State{}, err
	}
	if f.Updates.Checks != nil {
		return f.enter(*f.Updates.Checks), nil
	}
	return f.update(), nil
}

// StartUpdate is of the service.
func (f *Fake) StartUpdate(_ context.Context, r updater.Request) (updater.State, error) {
	if err := f.asked("StartUpdate", r); err != nil {
		return updater.State{}, err
	}
	return f.play("runtime"), nil
}

// PauseUpdate is of the service.
func (f *Fake) PauseUpdate(context.Context) (updater.State, error) {
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

// InstallAddOn is of the service.
func (f *Fake) InstallAddOn(_ context.Context, name string) (updater.State, error) {
	if err := f.asked("InstallAddOn", name); err != nil {
		return updater.State{}, err
	}
	return f.play(name), nil
}

// SetUpdates is of the service.
func (f *Fake) SetUpdates(_ context.Context, s updater.Settings) (updater.State, error) {
	if err := f.asked("SetUpdates", s); err != nil {
		return updater.State{}, err
	}
	f.mu.Lock()
	f.Updates.State.Settings = s
	now := f.Updates.State
	f.mu.Unlock()
	return f.enter(now), nil
}

// Packs is of the service: the runtime alone where nothing else is said.
func (f *Fake) Packs(context.Context) ([]runtimepack.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := has[[]runtimepack.Info](f)
	if p := has[runtimepack.Info](f); all == nil && p.Version != "" {
		all = []runtimepack.Info{p}
	}
	return all, f.refused("Packs")
}

// RollbackPack is of the service.
func (f *Fake) RollbackPack(ctx context.Context) (runtimepack.Info, error) {
	all, _ := f.Packs(ctx)
	for _, p := range all {
		if p.Previous {
			return p, f.refused("RollbackPack")
		}
	}
	return runtimepack.Info{}, problem.New(problem.CodeNoPrevious)
}

// InstallPack is of the service.
func (f *Fake) InstallPack(_ context.Context, file string, progress func(done, total int64)) (runtimepack.Info, error) {
	f.count(progress)
	return answered[runtimepack.Info](f, "InstallPack", file)
}

// RepairPack is of the service.
func (f *Fake) RepairPack(_ context.Context, file string) (runtimepack.Info, error) {
	f.count(nil)
	return answered[runtimepack.Info](f, "RepairPack", file)
}

// BundlePack is of the service.
func (f *Fake) BundlePack(_ context.Context, r runtimepack.BundleRequest, progress func(done, total int64)) (runtimepack.BundleInfo, error) {
	f.count(progress)
	b, err := answered[runtimepack.BundleInfo](f, "BundlePack", r)
	b.File = r.Out
	return b, err
}

// count counts the bytes of a pack.
func (f *Fake) count(progress func(done, total int64)) {
	for n := int64(1); n <= f.InstallHas; n++ {
		if progress != nil {
			progress(n, f.InstallHas)
		}
		f.Publish(task.Event{Kind: task.EventPack, Data: task.PackData{Done: n, Total: f.InstallHas}})
	}
}
