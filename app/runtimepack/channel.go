package runtimepack

import (
	"context"
	"errors"
	"path/filepath"

	"piwork/app/runtimepack/updater"
	"piwork/pack"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/update"
)

// ChannelName is the update channel that this program follows.
const ChannelName = "stable"

// connect follows the channel with these settings.
func (p *Store) connect(s updater.Settings) (updater.Channel, updater.Source, error) {
	root, err := trust.ChannelRoot(p.trustOptions())
	if errors.Is(err, trust.ErrNoChannel) {
		return nil, nil, updater.ErrOff
	}
	if err != nil {
		return nil, nil, err
	}
	client, err := p.client(s)
	if err != nil {
		return nil, nil, err
	}
	c, err := channel.Open(channel.Options{
		Root: root, Dir: filepath.Join(p.o.DataDir, channelDir), Name: ChannelName, Fetch: mirrored{client, p, s},
	})
	if err != nil {
		client.Close()
		return nil, nil, err
	}
	return &channelRoom{c, p}, &sourceRoom{p, client}, nil
}

// client makes what fetches.
func (p *Store) client(s updater.Settings) (*update.Client, error) {
	mirrors := p.mirrorsOf(s)
	if len(mirrors) == 0 {
		return nil, updater.ErrOff
	}
	o := update.Options{Mirrors: mirrors, Version: p.o.Version, Proxy: s.Proxy, Log: p.o.Log}
	if s.CAFile != "" {
		o.CAFiles = []string{s.CAFile}
	}
	return update.New(o)
}

// channelRoom is the updater.Channel of the real one.
type channelRoom struct {
	*channel.Client
	p *Store
}

func (*channelRoom) Name() string { return ChannelName }

// Refresh asks, and believes what the channel says about keys even where it has
// nothing for this computer.
func (r *channelRoom) Refresh(ctx context.Context) (*channel.Release, error) {
	rel, err := r.Client.Refresh(ctx)
	if err = errors.Join(err, r.p.reloadKeys()); err != nil {
		return nil, err
	}
	return rel, nil
}

// sourceRoom is the updater.Source of the real downloads.
type sourceRoom struct {
	*Store
	c *update.Client
}

func (s *sourceRoom) Close() { s.c.Close() }

func (s *sourceRoom) Offer(ctx context.Context, t updater.Target, store *pack.Store) (updater.Offer, error) {
	o := &offer{sourceRoom: s, target: t, store: store}
	var err error
	if o.head, err = s.c.Head(ctx, o.target, s.keys(), s.policy); err != nil {
		return nil, err
	}
	versions, err := store.List(s.keys(), s.policy)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if v.Err == nil {
			o.from = append(o.from, v.Pack)
		}
	}
	if o.plan, err = update.NewPlan(o.head, store, o.from...); err != nil {
		return nil, err
	}
	return o, nil
}

// offer is an archive of the channel.
type offer struct {
	*sourceRoom
	target channel.Target
	store  *pack.Store
	head   *pack.Head
	from   []*pack.Installed
	plan   update.Plan
}

func (o *offer) Cost() updater.Progress {
	return updater.Progress{Total: o.plan.Download, Reused: max(0, o.target.Length-o.plan.Download)}
}

func (o *offer) Fetch(ctx context.Context, told func(updater.Progress)) (_ *pack.Installed, err error) {
	report := func(p update.Progress) {
		p = p.Of(o.Cost().Total)
		told(updater.Progress{Done: p.Done, Total: p.Total, Reused: p.Reused, Rate: p.Rate, ETA: -1})
	}
	a, err := pack.Assemble(ctx, o.head, o.store, o.keys(), pack.AssembleOptions{Policy: o.policy, From: o.from, Wait: true})
	if err != nil {
		return nil, err
	}
	if err := o.c.Get(ctx, o.target, a, report); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a.Finish(ctx)
}

// fileRoom is the updater.Files of the real ones.
type fileRoom struct{ *Store }

// Beside looks for a bundle or a pack beside the program.
func (f fileRoom) Beside(ctx context.Context) (file, version string) {
	found, err := update.Beside(ctx, update.Places(), f.keys(), f.policy)
	if err != nil {
		f.o.Log.Info("what lies beside the program is not accepted", "error", err)
	}
	if found == nil {
		return "", ""
	}
	return found.File, found.Version
}

// Install installs a pack, an add-on or a bundle.
func (f fileRoom) Install(ctx context.Context, file string, told func(done, total int64)) ([]updater.Arrived, error) {
	if pack.IsBundle(file) {
		return f.installBundle(ctx, file, told)
	}
	o := pack.InstallOptions{Policy: f.policy, Progress: told, KeepCurrent: true, Wait: true}
	found, err := update.File(ctx, file, f.keys(), f.policy)
	if err != nil {
		return nil, err
	}
	what, store := updater.Runtime, f.store
	if found.Kind == update.KindAddOn {
		what = found.AddOn
		if store, err = f.addOnStore(what); err != nil {
			return nil, err
		}
	}
	in, err := pack.Install(ctx, file, store, f.keys(), o)
	if err != nil {
		return nil, err
	}
	return []updater.Arrived{{What: what, Pack: in}}, nil
}

// installBundle learns from the bundle's channel first: which keys are valid, and
// that what is known is not older than what comes.
func (f fileRoom) installBundle(ctx context.Context, file string, told func(done, total int64)) ([]updater.Arrived, error) {
	f.learn(ctx, file)
	b, err := pack.OpenBundle(ctx, file, f.keys(), pack.BundleOptions{Policy: f.policy, Unsigned: true})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	list, err := b.Install(ctx, pack.BundleInstallOptions{
		Runtime: f.store, AddOn: f.addOnStore,
		Install: pack.InstallOptions{Progress: told, KeepCurrent: true, Wait: true},
	})
	if err != nil {
		return nil, err
	}
	var got []updater.Arrived
	for _, in := range list {
		what := updater.Runtime
		if name, ok := in.Manifest.AddOn(); ok {
			what = name
		}
		got = append(got, updater.Arrived{What: what, Pack: in})
	}
	return got, nil
}

// learn imports the channel's metadata out of a bundle. A bundle may be older than what is
// known here; that is no reason to refuse packs whose keys are trusted.
func (p *Store) learn(ctx context.Context, file string) {
	if err := p.importChannel(ctx, file); err != nil {
		p.o.Log.Info("nothing was learnt from the bundle's channel", "error", err)
	}
}

func (p *Store) importChannel(ctx context.Context, file string) error {
	root, err := trust.ChannelRoot(p.trustOptions())
	if err != nil {
		return err
	}
	b, err := pack.OpenBundle(ctx, file, p.keys(), pack.BundleOptions{Policy: p.policy, Unsigned: true})
	if err != nil {
		return err
	}
	defer b.Close()
	c, err := channel.Open(channel.Options{Root: root, Dir: filepath.Join(p.o.DataDir, channelDir), Name: ChannelName})
	if err != nil {
		return err
	}
	_, err = c.Import(ctx, b) // it may have learnt of keys and know no offer
	return errors.Join(err, p.reloadKeys())
}
