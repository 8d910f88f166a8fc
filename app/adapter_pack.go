package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/pack"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/vmhost/qemu"
)

// Names in the data directory.
const (
	packsDir   = "runtime"
	addOnsDir  = "addons"
	channelDir = "channel" // what is known of the update channel
	updateFile = "update.json"
)

// packRoom is the packSource of the real packs: those of the stores, or the one
// unpacked directory that a developer named.
type packRoom struct {
	o      Options
	store  *pack.Store
	policy pack.Policy

	changed func() // told when the trusted keys may be others

	mu   sync.Mutex
	ring *trust.KeyRing
	said *channel.KeyList // by the update channel
	open *pack.Installed  // of a developer's directory: opening it hashes everything
}

func openPacks(ctx context.Context, o Options) (*packRoom, error) {
	store, err := pack.OpenStore(filepath.Join(o.DataDir, packsDir))
	if err != nil {
		return nil, err
	}
	p := &packRoom{o: o, store: store, changed: func() {}}
	p.policy = pack.Policy{AppVersion: o.Version, Withdrawn: p.withdrawn}
	if err := p.reloadKeys(); err != nil {
		return nil, err
	}
	if err := store.Sweep(ctx); err != nil && !errors.Is(err, pack.ErrBusy) {
		o.Log.Warn("what an interrupted installation left could not be cleared", "error", err)
	}
	p.sweepDownloads(func(string) bool { return false })
	return p, nil
}

// trustOptions say whom this program trusts.
func (p *packRoom) trustOptions() trust.Options {
	return trust.Options{
		ConfigDir: p.o.ConfigDir, Developer: p.o.Developer,
		ChannelDir: filepath.Join(p.o.DataDir, channelDir), Built: p.o.built,
	}
}

// reloadKeys reads the trusted keys and the withdrawn versions: the update channel
// adds and revokes some.
func (p *packRoom) reloadKeys() error {
	ring, err := trust.Load(p.trustOptions())
	if err != nil {
		return fmt.Errorf("load the trusted keys: %w", err)
	}
	said, err := trust.ChannelList(p.trustOptions())
	if err != nil {
		return fmt.Errorf("load the withdrawn versions: %w", err)
	}
	p.mu.Lock()
	p.ring, p.said = ring, said
	p.mu.Unlock()
	p.changed()
	return nil
}

// withdrawn is pack.Policy.Withdrawn: what the channel said last.
func (p *packRoom) withdrawn(version string) (reason string, yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.Withdraws(version)
}

func (p *packRoom) keys() *trust.KeyRing {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ring
}

// addOnStore opens the store of an add-on whose name is a plain one.
func (p *packRoom) addOnStore(name string) (*pack.Store, error) {
	return pack.OpenStore(filepath.Join(p.o.DataDir, addOnsDir, name))
}

func (p *packRoom) current(ctx context.Context, usable func(*pack.Installed) ([]updater.AddOn, error)) (installedPack, error) {
	in, err := p.installed(ctx)
	if err != nil {
		return installedPack{}, err
	}
	image, err := ImageOf(in)
	if err != nil {
		return installedPack{}, err
	}
	set := packSet{room: p, base: in}
	addOns, err := usable(in)
	if err != nil {
		// A task that needs one says so itself; the others do not suffer.
		p.o.Log.Warn("the add-ons could not be looked at", "error", err)
	}
	for _, a := range addOns {
		layer, err := LayerOf(a.Fits)
		if err != nil || len(image.AddOns) == qemu.MaxLayers {
			p.o.Log.Warn("an add-on is left out", "name", a.Name, "error", err)
			continue
		}
		image.AddOns = append(image.AddOns, layer)
		set.addOns = append(set.addOns, a)
	}
	return installedPack{info: p.info(in, pack.Entry{Current: true}), image: image, verify: set.verify, verifyRestore: set.verifyRestore, lease: set.lease}, nil
}

// packSet is what one machine runs on: a runtime and the add-ons that fit it.
type packSet struct {
	room   *packRoom
	base   *pack.Installed
	addOns []updater.AddOn
}

// verify checks the runtime and the add-ons; full is every file.
func (s packSet) verify(ctx context.Context, full bool) error {
	if full {
		return s.verifyTo(ctx, pack.LevelFull)
	}
	return s.verifyTo(ctx, pack.LevelQuick)
}

func (s packSet) verifyRestore(ctx context.Context) error {
	return s.verifyTo(ctx, pack.LevelRestore)
}

func (s packSet) verifyTo(ctx context.Context, level pack.Level) error {
	errs := []error{s.base.Verify(ctx, level)}
	for _, a := range s.addOns {
		if err := a.Fits.Verify(ctx, level); err != nil {
			errs = append(errs, &pack.AddOnError{Name: a.Name, Err: err})
		}
	}
	return errors.Join(errs...)
}

// lease keeps all of it on the disk.
func (s packSet) lease(ctx context.Context) (func(), error) {
	var held []*pack.Lease
	release := func() {
		for _, l := range held {
			if err := l.Release(); err != nil {
				s.room.o.Log.Warn("a lease could not be ended", "error", err)
			}
		}
	}
	take := func(store *pack.Store, version string) error {
		l, err := store.Lease(ctx, version)
		if err == nil {
			held = append(held, l)
		}
		return err
	}
	var err error
	if s.room.o.PackDir == "" { // nobody removes a developer's
		err = take(s.room.store, s.base.Manifest.Version)
	}
	for _, a := range s.addOns {
		if err != nil {
			break
		}
		var store *pack.Store
		if store, err = s.room.addOnStore(a.Name); err == nil {
			err = take(store, a.Version)
		}
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

func (p *packRoom) installed(ctx context.Context) (*pack.Installed, error) {
	if p.o.PackDir == "" {
		in, err := p.store.Current(p.keys(), p.policy)
		if errors.Is(err, pack.ErrNotInstalled) {
			return nil, errNoPack
		}
		return in, err
	}
	keys := p.keys()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		in, err := pack.OpenDir(ctx, p.o.PackDir, keys, p.policy)
		if err != nil {
			return nil, err
		}
		p.open = in
	}
	return p.open, nil
}

func (p *packRoom) list(ctx context.Context) ([]PackInfo, error) {
	var out []PackInfo
	if dir := p.o.PackDir; dir != "" {
		in, err := p.installed(ctx)
		if err != nil {
			out = append(out, PackInfo{Dir: dir, Installed: true, Current: true, Kind: PackRuntime, Problem: problem.Installed(err)})
		} else {
			out = append(out, p.info(in, pack.Entry{Current: true}))
		}
	}
	entries, err := p.store.List(p.keys(), p.policy)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		e.Current = e.Current && p.o.PackDir == ""
		out = append(out, p.entry(e))
	}
	return out, nil
}

// entry describes a version in the store.
func (p *packRoom) entry(e pack.Entry) PackInfo {
	info := PackInfo{Version: e.Version, Dir: e.Dir, Kind: PackRuntime}
	if e.Err == nil {
		info = p.info(e.Pack, e)
	} else {
		info.Problem = problem.Installed(e.Err)
		info = place(info, e)
	}
	_, info.Withdrawn = p.withdrawn(e.Version)
	return info
}

func (p *packRoom) verifyFile(ctx context.Context, file string) (PackInfo, error) {
	if pack.IsBundle(file) {
		return p.verifyBundle(ctx, file)
	}
	m, v, err := pack.VerifyFile(ctx, file, p.keys(), pack.VerifyOptions{Policy: p.policy})
	if err != nil {
		return PackInfo{}, err
	}
	info := manifestInfo(m)
	info.SignedBy, info.Developer = v.Key.Name, v.Key.Kind == trust.Developer
	return info, nil
}

func (p *packRoom) verifyBundle(ctx context.Context, file string) (PackInfo, error) {
	b, err := pack.OpenBundle(ctx, file, p.keys(), pack.BundleOptions{Policy: p.policy, Unsigned: true})
	if err != nil {
		return PackInfo{}, err
	}
	defer b.Close()
	if err := b.Verify(ctx, nil); err != nil {
		return PackInfo{}, err
	}
	m := b.Manifest
	info := PackInfo{
		Name: m.Name, Version: m.Version, OS: m.HostOS, Arch: m.HostArch, Built: m.Built, Files: len(m.Files), Kind: PackBundle,
		SignedBy: b.Key.Name, Developer: b.Signed && b.Key.Kind == trust.Developer,
	}
	for _, f := range m.Files {
		info.Bytes += f.Size
	}
	return info, nil
}

// describe describes a pack that was just installed.
func (p *packRoom) describe(in *pack.Installed) PackInfo {
	if _, ok := in.Manifest.AddOn(); ok {
		return p.info(in, pack.Entry{})
	}
	at, err := p.store.Pointer()
	if err != nil {
		at = pack.Pointer{}
	}
	v := in.Manifest.Version
	return p.info(in, pack.Entry{
		Current: v == at.Current && p.o.PackDir == "", Previous: v == at.Previous, Candidate: v == at.Candidate,
	})
}

func (p *packRoom) info(in *pack.Installed, e pack.Entry) PackInfo {
	info := manifestInfo(&in.Manifest)
	info.SignedBy, info.Developer, info.Dir = in.SignedBy, in.Developer, in.Dir
	info.Checksum = in.ManifestSHA256
	return place(info, e)
}

// place says where in its life a version is.
func place(info PackInfo, e pack.Entry) PackInfo {
	info.Installed, info.Current, info.Previous, info.Candidate, info.InUse = true, e.Current, e.Previous, e.Candidate, e.InUse
	info.Failed = e.Failed == pack.WhyBoot || e.Failed == pack.WhyUnhealthy
	return info
}

func manifestInfo(m *pack.Manifest) PackInfo {
	info := PackInfo{
		Name: m.Name, Version: m.Version, OS: m.HostOS, Arch: m.HostArch, GuestArch: m.GuestArch,
		Built: m.Built, Files: len(m.Files), Bytes: m.Bytes(), Kind: PackRuntime, Tools: m.Tools,
	}
	if _, ok := m.AddOn(); ok {
		info.Kind = PackAddOn
	} else {
		info.Flavour = m.FlavourOf()
	}
	return info
}
