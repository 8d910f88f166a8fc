package apitest

import (
	"context"

	"piwork/app"
	"piwork/app/problem"
	"piwork/app/task"
)

// Updates are what a Fake knows about the runtime's versions. The zero value
// knows no channel.
type Updates struct {
	State  app.UpdateState   // of now
	Checks *app.UpdateState  // what a look at the channel finds; nil is State
	Steps  []app.UpdateState // what follows StartUpdate and InstallAddOn, as events
	Holds  bool              // the steps stop before the last one until PauseUpdate
	Packs  []app.PackInfo    // installed; nil is Fake.Pack
	AddOns []app.AddOnInfo
	Bundle app.BundleInfo
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

func (f *Fake) update() app.UpdateState {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Updates.State
}

// enter makes s the state of now and tells everybody.
func (f *Fake) enter(s app.UpdateState) app.UpdateState {
	f.mu.Lock()
	s.Settings = f.Updates.State.Settings
	f.Updates.State = s
	f.mu.Unlock()
	f.Publish(task.Event{Kind: task.EventUpdate, Data: s})
	return s
}

// play goes through the steps by itself.
func (f *Fake) play(what string) app.UpdateState {
	steps := f.Updates.Steps
	if len(steps) == 0 {
		return f.update()
	}
	for i := range steps {
		steps[i].What = what
	}
	if last := &steps[len(steps)-1]; last.Phase == app.UpdateUpToDate {
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

// Update implements app.Service.
func (f *Fake) Update(context.Context) (app.UpdateState, error) {
	return f.update(), f.refused("Update")
}

// CheckUpdate implements app.Service.
func (f *Fake) CheckUpdate(context.Context) (app.UpdateState, error) {
	if err := f.refused("CheckUpdate"); err != nil {
		return app.UpdateState{}, err
	}
	if f.Updates.Checks != nil {
		return f.enter(*f.Updates.Checks), nil
	}
	return f.update(), nil
}

// StartUpdate implements app.Service.
func (f *Fake) StartUpdate(_ context.Context, r app.UpdateRequest) (app.UpdateState, error) {
	if err := f.refused("StartUpdate"); err != nil {
		return app.UpdateState{}, err
	}
	f.ask(r)
	return f.play("runtime"), nil
}

// PauseUpdate implements app.Service.
func (f *Fake) PauseUpdate(context.Context) (app.UpdateState, error) {
	if err := f.refused("PauseUpdate"); err != nil {
		return app.UpdateState{}, err
	}
	f.ask("pause")
	s := f.update()
	if s.Phase == app.UpdateDownloading {
		s.Phase = app.UpdatePaused
		s = f.enter(s)
	}
	return s, nil
}

// RollbackPack implements app.Service.
func (f *Fake) RollbackPack(context.Context) (app.PackInfo, error) {
	if err := f.refused("RollbackPack"); err != nil {
		return app.PackInfo{}, err
	}
	for _, p := range f.Updates.Packs {
		if p.Previous {
			return p, nil
		}
	}
	return app.PackInfo{}, problem.New(problem.CodeNoPrevious)
}

// RemovePack implements app.Service.
func (f *Fake) RemovePack(_ context.Context, version string) error {
	f.ask(version)
	return f.refused("RemovePack")
}

// RepairPack implements app.Service.
func (f *Fake) RepairPack(_ context.Context, file string) (app.PackInfo, error) {
	f.ask(file)
	for n := int64(1); n <= f.InstallHas; n++ {
		f.Publish(task.Event{Kind: task.EventPack, Data: task.PackData{Done: n, Total: f.InstallHas}})
	}
	return f.Pack, f.refused("RepairPack")
}

// AddOns implements app.Service.
func (f *Fake) AddOns(context.Context) ([]app.AddOnInfo, error) {
	return f.Updates.AddOns, f.refused("AddOns")
}

// InstallAddOn implements app.Service.
func (f *Fake) InstallAddOn(_ context.Context, name string) (app.UpdateState, error) {
	if err := f.refused("InstallAddOn"); err != nil {
		return app.UpdateState{}, err
	}
	f.ask(name)
	return f.play(name), nil
}

// RemoveAddOn implements app.Service.
func (f *Fake) RemoveAddOn(_ context.Context, name string) error {
	f.ask(name)
	return f.refused("RemoveAddOn")
}

// BundlePack implements app.Service.
func (f *Fake) BundlePack(_ context.Context, r app.BundleRequest, progress func(done, total int64)) (app.BundleInfo, error) {
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

// SetUpdates implements app.Service.
func (f *Fake) SetUpdates(_ context.Context, s app.UpdateSettings) (app.UpdateState, error) {
	if err := f.refused("SetUpdates"); err != nil {
		return app.UpdateState{}, err
	}
	f.ask(s)
	f.mu.Lock()
	f.Updates.State.Settings = s
	now := f.Updates.State
	f.mu.Unlock()
	return f.enter(now), nil
}
