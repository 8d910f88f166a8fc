// Package runtimepack has the runtime packs of this computer: what tasks run on.
//
// [Store] is where they are: installed versions and add-ons, or the one directory that a
// developer named, with the keys that this program trusts and what the update channel
// said. [Manager] is what a person does about them: install, verify, repair, take back,
// make a bundle, and choose how updates are looked for. The updater (its own package)
// decides when something is fetched, tried and promoted.
//
// Nothing here runs a machine: that a version boots is proven by whoever does
// ([Options].Prove).
package runtimepack

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/pack"
	"piwork/pack/update"
	"piwork/vmhost/qemu"
)

// Source is where runtime packs are installed.
type Source interface {
	// Current returns the pack that tasks run on, with the add-ons that usable says
	// fit it; [ErrNoPack] where none is installed.
	Current(ctx context.Context, usable func(*pack.Installed) ([]updater.AddOn, error)) (Current, error)
	List(ctx context.Context) ([]Info, error)
	VerifyFile(ctx context.Context, file string) (Info, error)
	Describe(in *pack.Installed) Info
	// Bundle writes a bundle of what is in use.
	Bundle(ctx context.Context, s updater.Settings, r BundleRequest, told func(done, total int64)) (BundleInfo, error)
}

// Current is a pack that can be run.
type Current struct {
	Info  Info
	Image qemu.Image
	// verify checks it again: with full every file, else what this computer
	// runs and boots.
	Verify func(ctx context.Context, full bool) error
	// verifyRestore checks it but for what a restored machine does not read.
	VerifyRestore func(ctx context.Context) error
	// lease keeps it on the disk until release is called.
	Lease func(ctx context.Context) (release func(), err error)
}

// Updater is what looks after the versions: what updater.Updater does.
type Updater interface {
	Run()
	Close()
	State() updater.State
	Check(ctx context.Context) (updater.State, error)
	Start(r updater.Request) (updater.State, error)
	Pause(ctx context.Context) (updater.State, error)
	SettingsChanged() updater.State
	Install(ctx context.Context, file string, told func(done, total int64)) ([]updater.Arrived, error)
	Repair(ctx context.Context, file string) (*pack.Installed, error)
	Rollback(ctx context.Context) (*pack.Installed, error)
	Remove(ctx context.Context, version string) error
	AddOns() ([]updater.AddOn, error)
	Usable(runtime *pack.Installed) ([]updater.AddOn, error)
	RemoveAddOn(ctx context.Context, name string) error
	Heal(ctx context.Context) (bool, error)
	TryCandidate()
	Beside(ctx context.Context) string
	Hold(ctx context.Context, why error) (release func(), err error)
}

// Options say what a manager works with.
type Options struct {
	Packs   Source
	Updater func(context.Context, updater.Options) (Updater, error)
	Choice  settings.Value[updater.Settings]
	Audit   *audit.Log // of who chooses where updates come from, and which version is used or removed
	Fixed   bool       // a developer's pack is in use, whatever is updated

	// Prove boots a version as tasks would.
	Prove func(context.Context, *pack.Installed) error
	Busy  func() bool // a task is at work

	Changed  func()              // what tasks run on may be another now
	State    func(updater.State) // hears every change
	Progress func(task.PackData) // of an installation or a bundle

	Log *slog.Logger
	Now func() time.Time
}

// Manager looks after the runtime packs of this computer. Its methods may be called
// from several goroutines at once.
type Manager struct {
	o     Options
	packs Source
	up    Updater
}

// New makes a manager; [Manager.Run] has it look for updates.
func New(ctx context.Context, o Options) (*Manager, error) {
	m := &Manager{o: o, packs: o.Packs}
	up, err := o.Updater(ctx, updater.Options{
		Prove: o.Prove, Settings: m.settings, MayUse: m.mayUse, Busy: o.Busy, OnChange: o.Changed, Log: o.Log, Now: o.Now,
		OnState: func(s updater.State) { o.State(m.updateState(s)) },
	})
	if err != nil {
		return nil, err
	}
	m.up = up
	return m, nil
}

// Run looks for updates until Stop.
func (m *Manager) Run() { m.up.Run() }

// Stop ends what is under way and waits for it.
func (m *Manager) Stop() { m.up.Close() }

// Current is the pack that tasks run on; [ErrNoPack] where none is installed.
func (m *Manager) Current(ctx context.Context) (Current, error) {
	return m.packs.Current(ctx, m.up.Usable)
}

// State is how the runtime stands, without asking anybody.
func (m *Manager) State() updater.State { return m.up.State() }

// Beside returns a file beside the program that a runtime can be installed from, "" for none.
func (m *Manager) Beside(ctx context.Context) string { return m.up.Beside(ctx) }

// Heal takes a runtime back that does not boot, where the one before does.
func (m *Manager) Heal(ctx context.Context) (bool, error) { return m.up.Heal(ctx) }

// TryCandidate has a version tried that waits for that.
func (m *Manager) TryCandidate() { m.up.TryCandidate() }

// Hold keeps packs as they are until release is called; who would change them gets why.
func (m *Manager) Hold(ctx context.Context, why error) (release func(), err error) {
	return m.up.Hold(ctx, why)
}

// settings are the choices as the updater follows them.
func (m *Manager) settings() updater.Settings {
	s := m.o.Choice.Get()
	s.Auto = s.Auto && !m.o.Fixed
	return s
}

// ErrNoPack is returned by [Source].Current where none is installed.
var ErrNoPack = errors.New("no runtime pack is installed")

// packEvents is how often at most a running installation says how far it is.
const packEvents = 200 * time.Millisecond

// Packs lists the installed runtime packs.
func (m *Manager) Packs(ctx context.Context) ([]Info, error) {
	packs, err := m.packs.List(ctx)
	if err != nil {
		return nil, problem.From(err)
	}
	return append([]Info{}, packs...), nil
}

// VerifyPack reads a pack's file to its end and keeps nothing.
func (m *Manager) VerifyPack(ctx context.Context, file string) (Info, error) {
	if err := packFile(file); err != nil {
		return Info{}, err
	}
	info, err := m.packs.VerifyFile(ctx, file)
	if err != nil {
		return info, problem.From(err)
	}
	return info, nil
}

// packFile refuses what is no file. Of whoever asks, the controller does not know the
// working directory.
func packFile(file string) error {
	if err := problem.CheckPath("file", file); err != nil {
		return err
	}
	switch st, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist), err == nil && !st.Mode().IsRegular():
		return problem.New(problem.CodeInputMissing).With("path", file).With("name", filepath.Base(file)).Because(err)
	case err != nil:
		return problem.New(problem.CodeInputUnreadable).With("path", file).With("name", filepath.Base(file)).Because(err)
	}
	return nil
}

// InstallPack installs a pack, an add-on or a bundle. Everybody
// hears of the progress; progress may be nil.
func (m *Manager) InstallPack(ctx context.Context, file string, progress func(done, total int64)) (Info, error) {
	if err := packFile(file); err != nil {
		return Info{}, err
	}
	got, err := m.up.Install(ctx, file, m.tellPack(progress))
	if err != nil {
		return Info{}, problem.From(err)
	}
	m.o.Changed() // the next Status looks at the new pack
	return m.packs.Describe(got[0].Pack), nil
}

// tellPack tells everybody, and the caller, how many bytes are done.
func (m *Manager) tellPack(progress func(done, total int64)) func(done, total int64) {
	last := time.Time{}
	return func(done, total int64) {
		if progress != nil {
			progress(done, total)
		}
		if now := m.o.Now(); done == total || now.Sub(last) >= packEvents {
			last = now
			m.o.Progress(task.PackData{Done: done, Total: total})
		}
	}
}

// MaxURLs bounds the addresses in the settings.
const MaxURLs = 16

// Update says how the runtime stands against its channel.
func (m *Manager) Update(context.Context) (updater.State, error) {
	return m.updateState(m.up.State()), nil
}

// CheckUpdate looks at the channel now. What it finds, also that it could not be
// reached, is in the state.
func (m *Manager) CheckUpdate(ctx context.Context) (updater.State, error) {
	return m.answer(m.up.Check(ctx))
}

// StartUpdate starts an update, or goes on with a paused one.
func (m *Manager) StartUpdate(_ context.Context, r updater.Request) (updater.State, error) {
	return m.answer(m.up.Start(r))
}

// PauseUpdate stops a download.
func (m *Manager) PauseUpdate(ctx context.Context) (updater.State, error) {
	return m.answer(m.up.Pause(ctx))
}

// RollbackPack makes the previous version current again.
func (m *Manager) RollbackPack(ctx context.Context) (Info, error) {
	in, err := m.up.Rollback(ctx)
	if err != nil {
		return Info{}, problem.From(err)
	}
	return m.packs.Describe(in), nil
}

// mayUse records who has a version used. An older one than that in use has holes that were closed
// since: it is the person's to choose.
func (m *Manager) mayUse(ctx context.Context, current, version string) error {
	if pack.Newer(current, version) {
		if err := task.RequirePerson(ctx); err != nil {
			return err
		}
	}
	return m.o.Audit.Decide(ctx, "", audit.Decision{Topic: "runtime-pack", Answer: "used", Mode: version})
}

// RemovePack deletes a version; a newer one than that in use for the person alone.
func (m *Manager) RemovePack(ctx context.Context, version string) error {
	if pack.Newer(version, m.up.State().Current) {
		if err := task.RequirePerson(ctx); err != nil {
			return err
		}
	}
	if err := m.o.Audit.Decide(ctx, "", audit.Decision{Topic: "runtime-pack", Answer: "removed", Mode: version}); err != nil {
		return err
	}
	if err := m.up.Remove(ctx, version); err != nil {
		return problem.From(err)
	}
	return nil
}

// RepairPack brings the version in use back to what was signed.
func (m *Manager) RepairPack(ctx context.Context, file string) (Info, error) {
	if file != "" {
		if err := packFile(file); err != nil {
			return Info{}, err
		}
	}
	in, err := m.up.Repair(ctx, file)
	m.o.Changed()
	if err != nil {
		return Info{}, problem.From(err)
	}
	return m.packs.Describe(in), nil
}

// Has reports whether the runtime in use has an add-on.
func (m *Manager) Has(ctx context.Context, name string) (bool, error) {
	list, err := m.AddOns(ctx)
	return slices.ContainsFunc(list, func(a AddOn) bool { return a.Name == name && a.Usable }), err
}

// AddOns lists what is installed and what the channel is known to offer.
func (m *Manager) AddOns(context.Context) ([]AddOn, error) {
	list, err := m.up.AddOns()
	if err != nil {
		return nil, problem.From(err)
	}
	out := make([]AddOn, 0, len(list))
	for _, a := range list {
		info := AddOn{Name: a.Name, Version: a.Version, Usable: a.Fits != nil, Download: a.Download}
		in := a.Fits
		if in == nil {
			in = a.Other
		}
		if in != nil {
			info.Bytes = in.Manifest.Bytes()
		}
		if a.Fits != nil {
			info.Dir, info.Tools = a.Fits.Dir, a.Fits.Manifest.Tools
		}
		info.Installed = in != nil || a.Problem != nil
		if a.Problem != nil && a.Fits == nil {
			info.Problem = problem.From(a.Problem)
		}
		out = append(out, info)
	}
	return out, nil
}

// InstallAddOn brings an add-on, and the runtime that it is made for.
func (m *Manager) InstallAddOn(ctx context.Context, name string) (updater.State, error) {
	return m.StartUpdate(ctx, updater.Request{AddOns: []string{name}})
}

// RemoveAddOn deletes an add-on.
func (m *Manager) RemoveAddOn(ctx context.Context, name string) error {
	if err := m.o.Audit.Decide(ctx, "", audit.Decision{Topic: "addon/" + name, Answer: "removed"}); err != nil {
		return err
	}
	if err := m.up.RemoveAddOn(ctx, name); err != nil {
		return problem.From(err)
	}
	return nil
}

// BundlePack writes an offline bundle. Everybody hears of the progress; progress
// may be nil.
func (m *Manager) BundlePack(ctx context.Context, r BundleRequest, progress func(done, total int64)) (BundleInfo, error) {
	info, err := m.packs.Bundle(ctx, m.settings(), r, m.tellPack(progress))
	if err != nil {
		return BundleInfo{}, problem.From(err)
	}
	return info, nil
}

// SetUpdates saves the choices, unless one of them cannot be used.
func (m *Manager) SetUpdates(ctx context.Context, s updater.Settings) (updater.State, error) {
	if err := checkUpdates(s); err != nil {
		return updater.State{}, problem.From(err)
	}
	how := "manual"
	if s.Auto {
		how = "auto"
	}
	for _, address := range append(slices.Clone(s.URLs), s.Proxy) {
		how += " " + audit.Chosen("", address).Mode
	}
	if err := m.o.Audit.Decide(ctx, "", audit.Decision{Topic: "updates", Answer: "written", Mode: strings.TrimSpace(how)}); err != nil {
		return updater.State{}, err
	}
	if err := m.o.Choice.Set(s); err != nil {
		return updater.State{}, problem.From(err)
	}
	return m.updateState(m.up.SettingsChanged()), nil
}

// checkUpdates refuses settings that cannot work, and those with a password: the
// file of the settings holds no secret. A proxy's password comes from the
// environment or the system.
func checkUpdates(s updater.Settings) error {
	if len(s.URLs) > MaxURLs {
		return problem.New(problem.CodeUpdateSettings).With("urls", len(s.URLs)).With("max", MaxURLs)
	}
	for _, address := range append([]string{s.Proxy}, s.URLs...) {
		u, err := url.Parse(address)
		if err != nil {
			continue // update.New says it better
		}
		if _, secret := u.User.Password(); secret {
			return problem.New(problem.CodeUpdateSettings).With("address", u.Redacted()).By("password")
		}
	}
	o := update.Options{Mirrors: s.URLs, Proxy: s.Proxy}
	if s.CAFile != "" {
		o.CAFiles = []string{s.CAFile}
	}
	client, err := update.New(o)
	if err != nil {
		return err
	}
	client.Close()
	return nil
}

// answer is a state for a caller.
func (m *Manager) answer(s updater.State, err error) (updater.State, error) {
	if err != nil {
		return m.updateState(s), problem.From(err)
	}
	return m.updateState(s), nil
}

// updateState is a state with what the person chose, which the updater may not follow.
func (m *Manager) updateState(s updater.State) updater.State {
	s.Settings = m.o.Choice.Get()
	s.Settings.URLs = append([]string{}, s.Settings.URLs...)
	return s
}
