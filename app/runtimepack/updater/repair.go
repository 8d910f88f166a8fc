package updater

import (
	"context"
	"errors"
	"fmt"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/spec"
)

// Rollback makes the previous version current again, unless that was withdrawn. It
// is checked before, as before every start; whether it boots is found out by the next look at this
// computer.
func (k *Updater) Rollback(ctx context.Context) (*pack.Installed, error) {
	ctx, give, err := k.take(ctx)
	if err != nil {
		return nil, err
	}
	defer give()
	p, err := k.o.Runtime.Pointer()
	if err != nil {
		return nil, err
	}
	if p.Previous == "" {
		return nil, problem.New(problem.CodeNoPrevious)
	}
	if err := k.o.Policy.Withdrawal(p.Previous); err != nil {
		return nil, fmt.Errorf("roll back: %w", err)
	}
	in, err := k.o.Runtime.Open(p.Previous, k.o.Keys(), k.o.Policy)
	if err == nil {
		err = in.Verify(ctx, pack.LevelQuick)
	}
	if err != nil {
		return nil, noWayBack(ctx, p.Previous, err)
	}
	if err := k.o.MayUse(ctx, p.Current, p.Previous); err != nil {
		return nil, err
	}
	if _, err := k.runtime.Rollback(ctx); err != nil {
		return nil, noWayBack(ctx, p.Previous, err)
	}
	k.remember(func(m *memory) { m.Wish, m.Problem = nil, nil }) // an update that was under way is not what is wanted
	k.rest(nil)
	k.o.OnChange()
	return in, nil
}

// noWayBack says for people why the previous version cannot be gone back to. The one in use is
// not concerned, and nothing repairs the other.
func noWayBack(ctx context.Context, version string, err error) error {
	gone := problem.New(problem.CodeNoPrevious).With("version", version).Because(err)
	switch p := problem.Installed(err); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, spec.ErrNotInstalled):
		return gone.By("gone")
	case p.Code == problem.CodePackCorrupt:
		return gone.By("damaged")
	case p.Code == problem.CodeNotChecked:
		return fmt.Errorf("roll back: %w", err)
	default:
		return p.Weigh(problem.Failed)
	}
}

// Remove deletes a version that is neither current nor run on.
func (k *Updater) Remove(ctx context.Context, version string) error {
	ctx, give, err := k.take(ctx)
	if err != nil {
		return err
	}
	defer give()
	err = k.runtime.Remove(ctx, version)
	if errors.Is(err, spec.ErrNotInstalled) {
		return problem.New(problem.CodeNotFound).With("version", version).Because(err)
	}
	return inUse(err)
}

// Install brings what is in a file into the stores: a pack, an add-on, or a
// bundle with all of them. A runtime is tried and used, and not given up for a
// newer one by itself that was in use before; the answer is what is in use of what
// the file holds, the runtime first.
func (k *Updater) Install(ctx context.Context, file string, told func(done, total int64)) ([]Arrived, error) {
	ctx, give, err := k.take(ctx)
	if err != nil {
		return nil, err
	}
	defer give()
	before, err := k.o.Runtime.Pointer()
	if err != nil {
		return nil, err
	}
	return k.install(ctx, file, told, func(ctx context.Context, version string) error {
		err := k.runtime.Choose(ctx, version)
		if err == nil && pack.Newer(before.Current, version) {
			k.remember(func(m *memory) { m.Wish = nil }) // an update that was under way is not what is wanted
		}
		return err
	})
}

func (k *Updater) install(ctx context.Context, file string, told func(done, total int64), promote func(context.Context, string) error) ([]Arrived, error) {
	if told == nil {
		told = func(int64, int64) {}
	}
	got, err := k.o.Files.Install(ctx, file, told)
	if err != nil {
		return nil, inUse(err)
	}
	return got, k.arrived(ctx, got, promote)
}

// arrived uses what was brought into the stores because somebody asked for it.
func (k *Updater) arrived(ctx context.Context, got []Arrived, promote func(context.Context, string) error) error {
	var base *pack.Installed
	var err error
	for _, a := range got {
		if a.What != Runtime {
			continue
		}
		base = a.Pack
		if err = k.o.MayUse(ctx, k.State().Current, base.Manifest.Version); err != nil {
			return err
		}
		if err = k.runtime.Propose(ctx, base.Manifest.Version); err != nil {
			return err
		}
		err = k.try(ctx, base, promote)
		k.rest(nil)
		if err != nil {
			return err
		}
	}
	if base == nil {
		if base, err = k.current(); err != nil {
			base = nil
		}
	}
	for _, a := range got {
		if a.What != Runtime && (base == nil || !fits(a.Pack, base)) {
			err = problem.New(problem.CodeAddOnMismatch).With("name", a.What).With("version", a.Pack.Manifest.Version)
		}
	}
	k.collect(ctx)
	k.o.OnChange()
	return err
}

// Repair brings the runtime in use and the add-ons back to what was signed: from a
// file, or with "" from a bundle beside the program or the channel. What of it is
// sound on the disk is not fetched again. Where only another version is to be had,
// that one is brought: a newer one of the channel, or an older one beside the
// program when the channel has nothing. An error after which the runtime is in
// order is about an add-on.
func (k *Updater) Repair(ctx context.Context, file string) (*pack.Installed, error) {
	ctx, give, err := k.take(ctx)
	if err != nil {
		return nil, err
	}
	defer give()
	if file != "" {
		return k.repairFrom(ctx, file)
	}
	p, err := k.o.Runtime.Pointer()
	if err != nil {
		return nil, err
	}
	beside, version := k.o.Files.Beside(ctx)
	if beside != "" && !pack.Newer(p.Current, version) {
		in, err := k.repairFrom(ctx, beside)
		if in == nil || err == nil || ctx.Err() != nil {
			return in, err
		}
		beside = "" // an add-on is not in it
	}
	err = k.repairFromChannel(ctx)
	if errors.Is(err, errPaused) {
		return nil, problem.New(problem.CodeCancelled)
	}
	in, unsound := k.repaired(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case in != nil: // what is not sound any more says more than that it was not to be had
		if err != nil {
			k.o.Log.Info("not all could be repaired from the channel", "error", err)
		}
		return in, unsound
	case err == nil:
		return nil, unsound
	case beside != "":
		k.o.Log.Info("the runtime is replaced by an older one", "version", version, "error", err)
		return k.repairFrom(ctx, beside)
	}
	return nil, off(err)
}

// repairFrom installs a file. An older runtime than was in use is used until there
// is a better one: nobody chose it.
func (k *Updater) repairFrom(ctx context.Context, file string) (*pack.Installed, error) {
	if _, err := k.install(ctx, file, nil, k.runtime.Promote); err != nil {
		return nil, err
	}
	return k.repaired(ctx)
}

// repaired checks every file of what is in use now. It returns the runtime when
// that is sound; an error besides is about an add-on.
func (k *Updater) repaired(ctx context.Context) (*pack.Installed, error) {
	in, err := k.current()
	if err == nil && in == nil {
		return nil, problem.New(problem.CodePackMissing)
	}
	if err == nil {
		err = in.Verify(ctx, pack.LevelFull)
	}
	switch {
	case err == nil:
		return in, k.soundAddOns(ctx, in)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, problem.Installed(err)
}

// soundAddOns checks every file of the add-ons that tasks have with a runtime, and
// that none cannot even be opened.
func (k *Updater) soundAddOns(ctx context.Context, base *pack.Installed) error {
	list, err := k.installed(base)
	if err != nil {
		return err
	}
	for _, a := range list {
		if a.Fits == nil {
			if p := a.Problem; p != nil && p.Code != problem.CodeAddOnMismatch {
				return p
			}
			continue
		}
		err := a.Fits.Verify(ctx, pack.LevelFull)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		default:
			return unsoundAddOn(a.Name, err)
		}
	}
	return nil
}

// repairFromChannel brings what the channel has in place of what is in use. An
// add-on that is not to be had does not keep the runtime from it.
func (k *Updater) repairFromChannel(ctx context.Context) error {
	fetching, cancel := context.WithCancelCause(ctx)
	j := &job{cancel: cancel, done: make(chan struct{})}
	k.mu.Lock()
	k.repair = j
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		k.repair = nil
		k.mu.Unlock()
		cancel(nil)
		k.rest(nil)
		close(j.done)
	}()
	got, err := k.fetchSound(fetching)
	k.mu.Lock()
	j.hard = true // what is left takes moments
	if j.paused {
		got, err = nil, errPaused
	}
	k.mu.Unlock()
	if len(got) == 0 {
		return err
	}
	return errors.Join(err, k.arrived(ctx, got, k.runtime.Promote))
}

// fetchSound brings what the channel has in place of the runtime in use and of the
// add-ons that are installed. With an error it returns what arrived all the same:
// the runtime at least, or nothing.
func (k *Updater) fetchSound(ctx context.Context) ([]Arrived, error) {
	p, err := k.o.Runtime.Pointer()
	if err != nil {
		return nil, err
	}
	c, err := k.connect()
	if err != nil {
		return nil, err
	}
	defer c.source.Close()
	rel, err := k.refresh(ctx, c.channel)
	if err != nil {
		return nil, err
	}
	if pack.Newer(p.Current, rel.Version) {
		return nil, problem.New(problem.CodeNotFound).With("version", p.Current).With("offered", rel.Version)
	}
	if err := k.suits(rel); err != nil {
		return nil, err
	}
	k.enter(PhaseDownloading)
	base, err := k.fetchSoundPart(ctx, c.source, part{what: Runtime, target: rel.Archive, store: k.runtime}, rel.Version)
	if err != nil {
		return nil, err
	}
	got := []Arrived{base}
	for _, p := range k.installedParts(rel) {
		one, failed := k.fetchSoundPart(ctx, c.source, p, rel.Version)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		got = append(got, one)
	}
	return got, err
}

// installedParts are the add-ons that are installed, as a release has them.
func (k *Updater) installedParts(rel *Release) []part {
	list, err := k.addOns()
	if err != nil {
		k.o.Log.Warn("the add-ons could not be looked at", "error", err)
	}
	var parts []part
	for _, a := range list {
		t, offered := rel.AddOns[a.Name]
		store, err := k.addOnStore(a.Name)
		if !offered || err != nil {
			k.o.Log.Warn("an installed add-on cannot be repaired", "name", a.Name, "offered", offered, "error", err)
			continue
		}
		parts = append(parts, part{what: a.Name, target: t, store: store})
	}
	return parts
}

// fetchSoundPart brings a part into its store, unless it is there and sound.
func (k *Updater) fetchSoundPart(ctx context.Context, source Source, p part, version string) (Arrived, error) {
	var err error
	if p.offer, err = source.Offer(ctx, p.target, p.store); err != nil {
		return Arrived{}, fmt.Errorf("look at %s: %w", p.target.Name, err)
	}
	if p.got, err = k.here(ctx, &p, version); err != nil {
		return Arrived{}, err
	}
	parts := []part{p}
	if err := k.fetch(ctx, parts); err != nil {
		return Arrived{}, inUse(err)
	}
	return Arrived{What: p.what, Pack: parts[0].got}, nil
}
