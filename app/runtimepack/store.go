package runtimepack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"

	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/vmhost/qemu"
)

// Names in the data directory.
const (
	PacksDir   = "runtime"
	AddOnsDir  = "addons"
	channelDir = "channel" // what is known of the update channel
	updateFile = "update.json"
)

// StoreOptions say where packs are, and whom this program trusts.
type StoreOptions struct {
	DataDir, ConfigDir, CacheDir string
	PackDir                      string // an unpacked pack of a developer; "" is the installed one
	Version                      string // of piwork, semver
	Developer                    bool   // the developer key ring is trusted too
	Built                        fs.FS  // what was compiled in, in place of what this program has; for tests
	Log                          *slog.Logger
}

// Store is the [Source] of the real packs: those of the stores, or the one
// unpacked directory that a developer named.
type Store struct {
	o      StoreOptions
	store  *pack.Store
	policy spec.Policy

	changed func() // told when the trusted keys may be others

	mu   sync.Mutex
	ring *trust.KeyRing
	said *channel.KeyList // by the update channel
	open *pack.Installed  // of a developer's directory: opening it hashes everything
}

// OpenStore opens what is installed, and takes in a developer's directory where there
// is one.
func OpenStore(ctx context.Context, o StoreOptions) (*Store, error) {
	store, err := pack.OpenStore(filepath.Join(o.DataDir, PacksDir))
	if err != nil {
		return nil, err
	}
	p := &Store{o: o, store: store, changed: func() {}}
	p.policy = spec.Policy{AppVersion: o.Version, Withdrawn: p.withdrawn}
	if err := p.reloadKeys(); err != nil {
		return nil, err
	}
	if err := store.Sweep(ctx); err != nil && !errors.Is(err, spec.ErrBusy) {
		o.Log.Warn("what an interrupted installation left could not be cleared", "error", err)
	}
	p.sweepDownloads(func(string) bool { return false })
	return p, nil
}

// trustOptions say whom this program trusts.
func (p *Store) trustOptions() trust.Options {
	return trust.Options{
		ConfigDir: p.o.ConfigDir, Developer: p.o.Developer,
		ChannelDir: filepath.Join(p.o.DataDir, channelDir), Built: p.o.Built,
	}
}

// reloadKeys reads the trusted keys and the withdrawn versions: the update channel
// adds and revokes some.
func (p *Store) reloadKeys() error {
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
func (p *Store) withdrawn(version string) (reason string, yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.Withdraws(version)
}

func (p *Store) keys() *trust.KeyRing {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ring
}

// addOnStore opens the store of an add-on whose name is a plain one.
func (p *Store) addOnStore(name string) (*pack.Store, error) {
	return pack.OpenStore(filepath.Join(p.o.DataDir, AddOnsDir, name))
}

// Current is what is in use: the pack, and the add-ons that usable says go with it.
func (p *Store) Current(ctx context.Context, usable func(*pack.Installed) ([]updater.AddOn, error)) (Current, error) {
	in, err := p.Installed(ctx)
	if err != nil {
		return Current{}, err
	}
	image, err := ImageOf(in)
	if err != nil {
		return Current{}, err
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
	return Current{Info: p.info(in, pack.Entry{Current: true}), Image: image, Verify: set.verify, VerifyRestore: set.verifyRestore, Lease: set.lease}, nil
}

// packSet is what one machine runs on: a runtime and the add-ons that fit it.
type packSet struct {
	room   *Store
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
			errs = append(errs, &spec.AddOnError{Name: a.Name, Err: err})
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

// Installed is the pack in use, verified when it was opened.
func (p *Store) Installed(ctx context.Context) (*pack.Installed, error) {
	if p.o.PackDir == "" {
		in, err := p.store.Current(p.keys(), p.policy)
		if errors.Is(err, spec.ErrNotInstalled) {
			return nil, ErrNoPack
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

// List lists every version that is installed.
func (p *Store) List(ctx context.Context) ([]Info, error) {
	var out []Info
	if dir := p.o.PackDir; dir != "" {
		in, err := p.Installed(ctx)
		if err != nil {
			out = append(out, Info{Dir: dir, Installed: true, Current: true, Kind: KindRuntime, Problem: problem.Installed(err)})
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
func (p *Store) entry(e pack.Entry) Info {
	info := Info{Version: e.Version, Dir: e.Dir, Kind: KindRuntime}
	if e.Err == nil {
		info = p.info(e.Pack, e)
	} else {
		info.Problem = problem.Installed(e.Err)
		info = place(info, e)
	}
	_, info.Withdrawn = p.withdrawn(e.Version)
	return info
}

// VerifyFile says of an archive or a bundle whether its signatures and digests hold.
func (p *Store) VerifyFile(ctx context.Context, file string) (Info, error) {
	if pack.IsBundle(file) {
		return p.verifyBundle(ctx, file)
	}
	h, err := pack.VerifyFile(ctx, file, p.keys(), pack.VerifyOptions{Policy: p.policy})
	if err != nil {
		return Info{}, err
	}
	return headInfo(h), nil
}

// headInfo is what a head says that its archive is.
func headInfo(h *pack.Head) Info {
	info := manifestInfo(h.Manifest)
	info.SignedBy, info.Developer = h.Key.Name, h.Key.Kind == trust.Developer
	return info
}

func (p *Store) verifyBundle(ctx context.Context, file string) (Info, error) {
	p.learn(ctx, file) // on a computer that was never online it brings the keys of its packs
	b, err := pack.OpenBundle(ctx, file, p.keys(), pack.BundleOptions{Policy: p.policy, Unsigned: true})
	if err != nil {
		return Info{}, err
	}
	defer b.Close()
	if err := b.Verify(ctx, nil); err != nil {
		return Info{}, err
	}
	m := b.Manifest
	info := Info{
		Name: m.Name, Version: m.Version, OS: m.HostOS, Arch: m.HostArch, Built: m.Built, Files: len(m.Files), Kind: KindBundle,
		SignedBy: b.Key.Name, Developer: b.Signed && b.Key.Kind == trust.Developer,
	}
	for _, f := range m.Files {
		info.Bytes += f.Size
	}
	return info, nil
}

// Describe describes a pack that was just installed.
func (p *Store) Describe(in *pack.Installed) Info {
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

func (p *Store) info(in *pack.Installed, e pack.Entry) Info {
	info := manifestInfo(&in.Manifest)
	info.SignedBy, info.Developer, info.Dir = in.SignedBy, in.Developer, in.Dir
	info.Checksum = in.ManifestSHA256
	return place(info, e)
}

// place says where in its life a version is.
func place(info Info, e pack.Entry) Info {
	info.Installed, info.Current, info.Previous, info.Candidate, info.InUse = true, e.Current, e.Previous, e.Candidate, e.InUse
	info.Failed = e.Failed == pack.WhyBoot || e.Failed == pack.WhyUnhealthy
	return info
}

func manifestInfo(m *spec.Manifest) Info {
	info := Info{
		Name: m.Name, Version: m.Version, OS: m.HostOS, Arch: m.HostArch, GuestArch: m.GuestArch,
		Built: m.Built, Files: len(m.Files), Bytes: m.Bytes(), Kind: KindRuntime, Tools: m.Tools,
	}
	if _, ok := m.AddOn(); ok {
		info.Kind = KindAddOn
	} else {
		info.Flavour = m.FlavourOf()
	}
	return info
}

// Updater makes what looks after the versions; the rest of o is filled in.
func (p *Store) Updater(ctx context.Context, o updater.Options) (Updater, error) {
	p.mu.Lock()
	p.changed = o.OnChange
	p.mu.Unlock()
	o.Runtime, o.AddOnsDir, o.StateFile = p.store, filepath.Join(p.o.DataDir, AddOnsDir), filepath.Join(p.o.DataDir, updateFile)
	o.Keys, o.Policy, o.Connect, o.Files, o.Network = p.keys, p.policy, p.connect, fileRoom{p}, updater.LookAtNetwork
	return updater.New(ctx, o)
}
