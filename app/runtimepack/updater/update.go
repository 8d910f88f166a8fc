package updater

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/Masterminds/semver/v3"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/spec"
)

// Request asks for an update.
type Request struct {
	AddOns  []string `json:"addOns,omitempty"`  // to install besides those that are installed
	Version string   `json:"version,omitempty"` // "" is the newest
}

// Check looks at the channel now, unless something more important is going on.
// What it finds is in the state; the error is that of ctx, or why nothing is changed.
func (k *Updater) Check(ctx context.Context) (State, error) {
	k.mu.Lock()
	if k.closed {
		k.mu.Unlock()
		return k.State(), problem.New(problem.CodeShuttingDown)
	}
	if held := k.held; held != nil {
		k.mu.Unlock()
		return k.State(), held
	}
	if k.job != nil {
		k.mu.Unlock()
		return k.State(), nil
	}
	ctx, cancel, unbind := k.bind(ctx)
	k.mu.Unlock()
	defer unbind()
	give, err := k.takeTurn(ctx)
	if err != nil {
		return k.State(), err
	}
	defer give()
	k.looks(cancel)
	defer k.looks(nil)
	c, err := k.connect()
	if err == nil {
		_, err = k.refresh(ctx, c.channel)
		c.source.Close()
	}
	switch {
	case err == nil:
		k.rest(nil)
	case ctx.Err() != nil:
		k.rest(nil)
		if cause := context.Cause(ctx); !errors.Is(cause, errYield) {
			return k.State(), cause
		}
	default:
		k.fails(err)
	}
	return k.State(), nil
}

// looks notes how a look is ended, at once where somebody waits for it already.
func (k *activity) looks(cancel context.CancelCauseFunc) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.look = cancel
	if cancel != nil && (k.visitors > 0 || k.job != nil) {
		cancel(errYield)
	}
}

// Start brings what the channel offers, tries it and uses it, in the background.
// What runs already does it, too.
func (k *Updater) Start(r Request) (State, error) {
	for _, name := range r.AddOns {
		if !plainName().MatchString(name) {
			return k.State(), problem.New(problem.CodeAddOnUnknown).With("name", name)
		}
	}
	c, err := k.connect()
	if err != nil {
		return k.State(), off(err)
	}
	c.source.Close()
	if _, err := k.launch(wish{AddOns: r.AddOns, Version: r.Version, Asked: true}); err != nil {
		return k.State(), err
	}
	return k.State(), nil
}

// Pause stops a download and keeps what arrived. By itself it does not go on
// before the next daily look; that of a repair goes on with the next repair.
func (k *Updater) Pause(ctx context.Context) (State, error) {
	k.mu.Lock()
	update := k.job != nil && !k.job.hard
	var stopped []*job
	for _, j := range []*job{k.job, k.repair} {
		if j != nil && !j.hard {
			j.paused = true // also when it is between two attempts
			j.cancel(errPaused)
			stopped = append(stopped, j)
		}
	}
	k.mu.Unlock()
	if update {
		k.remember(func(m *memory) { m.NotBefore = k.wall().Add(daily) })
	}
	for _, j := range stopped {
		select {
		case <-j.done:
		case <-ctx.Done():
			return k.State(), context.Cause(ctx)
		}
	}
	return k.State(), nil
}

// line is a channel and what brings things from it.
type line struct {
	channel Channel
	source  Source
}

func (k *Updater) connect() (line, error) {
	channel, source, err := k.o.Connect(k.o.Settings())
	if err != nil {
		return line{}, err
	}
	if name := channel.Name(); k.State().Channel != name {
		k.set(func(s *State) { s.Channel = name })
	}
	return line{channel, source}, nil
}

// refresh asks the channel and notes what it says.
func (k *Updater) refresh(ctx context.Context, c Channel) (*Release, error) {
	k.enter(PhaseChecking)
	rel, err := c.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	p, err := k.o.Runtime.Pointer()
	if err != nil {
		return nil, err
	}
	phase := PhaseUpToDate
	if pack.Newer(rel.Version, p.Current) {
		phase = PhaseAvailable
	}
	now := k.wall().UTC()
	k.set(func(s *State) {
		s.Version, s.Notes, s.Checked, s.Problem = rel.Version, rel.Notes, now, nil
		if k.job == nil { // else this is no end: add-ons may be to come
			s.Phase = phase
		}
	})
	k.remember(func(m *memory) {
		m.Phase, m.Version, m.Notes, m.Checked, m.Problem = phase, rel.Version, rel.Notes, now, nil
	})
	return rel, nil
}

// part is one archive of an update.
type part struct {
	what   string
	target Target
	store  *pack.Store
	offer  Offer
	got    *pack.Installed
}

// update is one update, from the question to the pointer.
func (k *Updater) update(ctx context.Context, w wish) error {
	if w.Local {
		return k.leftover(ctx, "", w)
	}
	// What is here already needs no channel.
	local := func(err error) error { return cmp.Or(k.leftover(ctx, "", w), err) }
	c, err := k.connect()
	if err != nil {
		return local(err)
	}
	defer c.source.Close()
	rel, err := k.refresh(ctx, c.channel)
	if err != nil {
		return local(err)
	}
	undecided := k.leftover(ctx, rel.Version, w)
	switch {
	case undecided == nil:
	case ctx.Err() != nil, errors.Is(undecided, errLater), problem.From(undecided).Code == problem.CodeUpdateNotBooting:
		return undecided
	default: // it is no reason to do without what the channel has
		k.o.Log.Warn("nothing was found out about the version that waits for its first boot", "error", undecided)
		k.soften()
	}
	if w.Version != "" && w.Version != rel.Version {
		return problem.New(problem.CodeNotFound).With("version", w.Version).With("offered", rel.Version)
	}
	if err := k.suits(rel); err != nil {
		return err
	}
	parts, err := k.parts(rel, w)
	if err != nil || len(parts) == 0 {
		return cmp.Or(err, undecided)
	}
	k.enter(PhaseDownloading)
	for i := range parts {
		p := &parts[i]
		k.set(func(s *State) { s.What = p.what })
		if err := k.refused(p, w); err != nil { // without fetching anything
			return err
		}
		if p.offer, err = c.source.Offer(ctx, p.target, p.store); err != nil {
			return fmt.Errorf("look at %s: %w", p.target.Name, err)
		}
		if p.got, err = k.here(ctx, p, rel.Version); err != nil {
			return err
		}
	}
	if err := k.fetch(ctx, parts); err != nil {
		return err
	}
	return k.use(ctx, parts, w)
}

// leftover tries a candidate that a person installed when the program ended, and
// that the channel has nothing newer than, or the same. One whose add-ons did not
// come waits for them.
func (k *Updater) leftover(ctx context.Context, offered string, w wish) error {
	p, err := k.o.Runtime.Pointer()
	if err != nil || p.Candidate == "" || p.Candidate == offered || pack.Newer(offered, p.Candidate) && offered != "" {
		return err
	}
	in, err := k.o.Runtime.Open(p.Candidate, k.o.Keys(), k.o.Policy)
	if err != nil || k.o.Policy.Withdrawal(p.Candidate) != nil {
		return nil // damaged or withdrawn: it is replaced or removed some day, and used never
	}
	if complete, err := k.complete(in); err != nil || !complete {
		return err
	}
	return k.use(ctx, []part{{what: Runtime, store: k.runtime, got: in}}, w)
}

// complete reports whether all add-ons that fit the runtime in use are here for
// another one, too.
func (v *versions) complete(in *pack.Installed) (bool, error) {
	now, err := v.addOns()
	if err != nil {
		return false, err
	}
	then, err := v.Usable(in)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(now, func(a AddOn) bool {
		return a.Fits != nil && !slices.ContainsFunc(then, func(b AddOn) bool { return a.Name == b.Name })
	}), nil
}

// here returns the version that an offer would bring when it is in the store
// already, and sound.
func (v *versions) here(ctx context.Context, p *part, version string) (*pack.Installed, error) {
	in, err := p.store.Open(version, v.o.Keys(), v.o.Policy)
	if err != nil || in.ManifestSHA256 != p.target.Manifest {
		return nil, nil
	}
	if err := in.Verify(ctx, pack.LevelFull); err != nil {
		return nil, ctx.Err()
	}
	return in, nil
}

// suits refuses a release that was withdrawn or that this program is too old for.
func (k *Updater) suits(rel *Release) error {
	if err := k.o.Policy.Withdrawal(rel.Version); err != nil {
		return err
	}
	if rel.RequiresApp == "" || k.o.Policy.AppVersion == "" {
		return nil
	}
	c, err := semver.NewConstraint(rel.RequiresApp)
	if err != nil {
		return fmt.Errorf("release %s: range %q: %w", rel.Version, rel.RequiresApp, err)
	}
	v, err := semver.NewVersion(k.o.Policy.AppVersion)
	if err != nil {
		return fmt.Errorf("version of piwork: %w", err)
	}
	// As in pack.Policy: a pre-release of 1.2.0 has what 1.2.0 has.
	if c.Check(semver.New(v.Major(), v.Minor(), v.Patch(), "", "")) {
		return nil
	}
	return problem.New(problem.CodePackTooNew).With("needs", rel.RequiresApp).With("have", k.o.Policy.AppVersion).Weigh(problem.Failed).By(string(spec.KindWrongAppVersion))
}

// parts lists what is to be brought: the runtime unless it is here, and the
// add-ons that are installed or asked for and have nothing that fits.
func (k *Updater) parts(rel *Release, w wish) ([]part, error) {
	p, err := k.o.Runtime.Pointer()
	if err != nil {
		return nil, err
	}
	var parts []part
	update := pack.Newer(rel.Version, p.Current)
	if update {
		parts = append(parts, part{what: Runtime, target: rel.Archive, store: k.runtime})
	}
	installed, err := k.addOns()
	if err != nil {
		return nil, err
	}
	want := map[string]bool{}
	for _, a := range installed {
		want[a.Name] = update || a.Fits == nil
	}
	for _, name := range w.AddOns {
		if _, there := want[name]; !there {
			want[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		t, offered := rel.AddOns[name]
		switch {
		case !want[name]:
			continue
		case !offered && slices.Contains(w.AddOns, name):
			return nil, problem.New(problem.CodeAddOnUnknown).With("name", name)
		case !offered: // given up by the publisher: it must not hold the runtime back
			k.o.Log.Warn("an installed add-on is offered no more", "name", name, "version", rel.Version)
			continue
		}
		if !update && p.Current != rel.Version {
			// Add-ons are made for the runtime of their release.
			return nil, problem.New(problem.CodeAddOnMismatch).With("name", name).With("version", rel.Version).With("current", p.Current)
		}
		store, err := k.addOnStore(name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{what: name, target: t, store: store})
	}
	return parts, nil
}

// refused stops what failed here before, by its manifest, unless a person asks for
// it. Who asks for an add-on does not ask for that.
func (k *Updater) refused(p *part, w wish) error {
	if p.what != Runtime || w.Asked && (len(w.AddOns) == 0 || w.Version != "") {
		return nil
	}
	why, err := p.store.Refused(p.target.Manifest)
	if err != nil || why == "" {
		return err
	}
	return problem.New(problem.CodeVersionFailed).With("version", k.State().Version).By(string(why))
}

// fetch brings the parts that are not here into their stores, and counts them
// together.
func (k *Updater) fetch(ctx context.Context, parts []part) error {
	var whole Progress
	for _, p := range parts {
		if p.got != nil {
			continue
		}
		cost := p.offer.Cost()
		whole.Total += cost.Total
		whole.Reused += cost.Reused
	}
	whole.ETA = unknownETA
	k.set(func(s *State) { s.Progress = whole })
	var done int64
	for i := range parts {
		p := &parts[i]
		if p.got != nil {
			continue
		}
		cost := p.offer.Cost().Total
		k.set(func(s *State) { s.What = p.what })
		got, err := p.offer.Fetch(ctx, func(now Progress) {
			left := whole.Total - done - now.Done
			k.set(func(s *State) {
				s.Progress = Progress{Done: done + now.Done, Total: whole.Total, Reused: whole.Reused, Rate: now.Rate, ETA: unknownETA}
				if now.Rate > 0 {
					s.ETA = left / now.Rate
				}
				if left <= 0 && s.Phase == PhaseDownloading {
					s.Phase, s.ETA = PhaseInstalling, unknownETA
				}
			})
		})
		if err != nil {
			return fmt.Errorf("get %s: %w", p.target.Name, err)
		}
		p.got = got
		done += cost
	}
	return nil
}
