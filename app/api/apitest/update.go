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
	State  updater.State      // of now
	Checks *updater.State     // what a look at the channel finds; nil is State
	Steps  []updater.State    // what follows StartUpdate and InstallAddOn, as events
	Holds  bool               // the steps stop before the last one until PauseUpdate
	Packs  []runtimepack.Info // installed; nil is Fake.Pack
	AddOns []runtimepack.AddOn
	Bundle runtimepack.BundleInfo
	Asked  []any // what was asked for, in order: UpdateRequest, BundleRequest, names
}

// Asked are the requests about updates so far.
func (f *Fake) Asked() []any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]any(nil), f.Updates.Asked...)
}

func (f *Fake) ask(what any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Updates.Asked = append(f.Updates.Asked, what)
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

// Update implements api.Service.
func (f *Fake) Update(context.Context) (updater.State, error) {
	return f.update(), f.refused("Update")
}

// CheckUpdate implements api.Service.
func (f *Fake) CheckUpdate(context.Context) (updater.State, error) {
	if err := f.refused("CheckUpdate"); err != nil {
		return updater.State{}, err
	}
	if f.Updates.Checks != nil {
		return f.enter(*f.Updates.Checks), nil
	}
	return f.update(), nil
}

// StartUpdate implements api.Service.
func (f *Fake) StartUpdate(_ context.Context, r updater.Request) (updater.State, error) {
	if err := f.refused("StartUpdate"); err != nil {
		return updater.State{}, err
	}
	f.ask(r)
	return f.play("runtime"), nil
}

// PauseUpdate implements api.Service.
func (f *Fake) PauseUpdate(context.Context) (updater.State, error) {
	if err := f.refused("PauseUpdate"); err != nil {
		return updater.State{}, err
	}
	f.ask("pause")
	s := f.update()
	if s.Phase == updater.PhaseDownloading {
		s.Phase = updater.PhasePaused
		s = f.enter(s)
	}
	return s, nil
}

// RollbackPack implements api.Service.
func (f *Fake) RollbackPack(context.Context) (runtimepack.Info, error) {
	if err := f.refused("RollbackPack"); err != nil {
		return runtimepack.Info{}, err
	}
	for _, p := range f.Updates.Packs {
		if p.Previous {
			return p, nil
		}
	}
	return runtimepack.Info{}, problem.New(problem.CodeNoPrevious)
}

// RemovePack implements api.Service.
func (f *Fake) RemovePack(_ context.Context, version string) error {
	f.ask(version)
	return f.refused("RemovePack")
}

// RepairPack implements api.Service.
func (f *Fake) RepairPack(_ context.Context, file string) (runtimepack.Info, error) {
	f.ask(file)
	for n := int64(1); n <= f.InstallHas; n++ {
		f.Publish(task.Event{Kind: task.EventPack, Data: task.PackData{Done: n, Total: f.InstallHas}})
	}
	return f.Pack, f.refused("RepairPack")
}

// AddOns implements api.Service.
func (f *Fake) AddOns(context.Context) ([]runtimepack.AddOn, error) {
	return f.Updates.AddOns, f.refused("AddOns")
}

// InstallAddOn implements api.Service.
func (f *Fake) InstallAddOn(_ context.Context, name string) (updater.State, error) {
	if err := f.refused("InstallAddOn"); err != nil {
		return updater.State{}, err
	}
	f.ask(name)
	return f.play(name), nil
}

// RemoveAddOn implements api.Service.
func (f *Fake) RemoveAddOn(_ context.Context, name string) error {
	f.ask(name)
	return f.refused("RemoveAddOn")
}

// BundlePack implements api.Service.
func (f *Fake) BundlePack(_ context.Context, r runtimepack.BundleRequest, progress func(done, total int64)) (runtimepack.BundleInfo, error) {
	f.ask(r)
	for n := int64(1); n <= f.InstallHas; n++ {
		if progress != nil {
			progress(n, f.InstallHas)
		}
		f.Publish(task.Event{Kind: task.EventPack, Data: task.PackData{Done: n, Total: f.InstallHas}})
	}
	b := f.Updates.Bundle
	b.File = r.Out
	return b, f.refused("BundlePack")
}

// SetUpdates implements api.Service.
func (f *Fake) SetUpdates(_ context.Context, s updater.Settings) (updater.State, error) {
	if err := f.refused("SetUpdates"); err != nil {
		return updater.State{}, err
	}
	f.ask(s)
	f.mu.Lock()
	f.Updates.State.Settings = s
	now := f.Updates.State
	f.mu.Unlock()
	return f.enter(now), nil
}
