package app

import (
	"context"
	"net/url"

	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/pack/update"
)

// maxURLs bounds the addresses in the settings.
const maxURLs = 16

// Update says how the runtime stands against its channel.
func (c *Controller) Update(context.Context) (updater.State, error) {
	return c.updateState(c.keeper.State()), nil
}

// CheckUpdate looks at the channel now. What it finds, also that it could not be
// reached, is in the state.
func (c *Controller) CheckUpdate(ctx context.Context) (updater.State, error) {
	return c.answer(c.keeper.Check(ctx))
}

// StartUpdate starts an update, or goes on with a paused one; see Service.
func (c *Controller) StartUpdate(_ context.Context, r updater.Request) (updater.State, error) {
	return c.answer(c.keeper.Start(r))
}

// PauseUpdate stops a download.
func (c *Controller) PauseUpdate(ctx context.Context) (updater.State, error) {
	return c.answer(c.keeper.Pause(ctx))
}

// RollbackPack makes the previous version current again.
func (c *Controller) RollbackPack(ctx context.Context) (PackInfo, error) {
	in, err := c.keeper.Rollback(ctx)
	if err != nil {
		return PackInfo{}, problem.From(err)
	}
	return c.s.packs.describe(in), nil
}

// RemovePack deletes a version.
func (c *Controller) RemovePack(ctx context.Context, version string) error {
	if err := c.keeper.Remove(ctx, version); err != nil {
		return problem.From(err)
	}
	return nil
}

// RepairPack brings the version in use back to what was signed.
func (c *Controller) RepairPack(ctx context.Context, file string) (PackInfo, error) {
	if file != "" {
		if err := packFile(file); err != nil {
			return PackInfo{}, err
		}
	}
	in, err := c.keeper.Repair(ctx, file)
	c.packChanged()
	if err != nil {
		return PackInfo{}, problem.From(err)
	}
	return c.s.packs.describe(in), nil
}

// AddOns lists what is installed and what the channel is known to offer.
func (c *Controller) AddOns(context.Context) ([]AddOnInfo, error) {
	list, err := c.keeper.AddOns()
	if err != nil {
		return nil, problem.From(err)
	}
	out := make([]AddOnInfo, 0, len(list))
	for _, a := range list {
		info := AddOnInfo{Name: a.Name, Version: a.Version, Usable: a.Fits != nil, Download: a.Download}
		in := a.Fits
		if in == nil {
			in = a.Other
		}
		if in != nil {
			info.Bytes = in.Manifest.Bytes()
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
func (c *Controller) InstallAddOn(ctx context.Context, name string) (updater.State, error) {
	return c.StartUpdate(ctx, updater.Request{AddOns: []string{name}})
}

// RemoveAddOn deletes an add-on.
func (c *Controller) RemoveAddOn(ctx context.Context, name string) error {
	if err := c.keeper.RemoveAddOn(ctx, name); err != nil {
		return problem.From(err)
	}
	return nil
}

// BundlePack writes an offline bundle. Everybody hears of the progress; progress
// may be nil.
func (c *Controller) BundlePack(ctx context.Context, r BundleRequest, progress func(done, total int64)) (BundleInfo, error) {
	info, err := c.s.packs.bundle(ctx, c.updateSettings(), r, c.tellPack(progress))
	if err != nil {
		return BundleInfo{}, problem.From(err)
	}
	return info, nil
}

// SetUpdates saves the choices, unless one of them cannot be used.
func (c *Controller) SetUpdates(_ context.Context, s updater.Settings) (updater.State, error) {
	if err := checkUpdates(s); err != nil {
		return updater.State{}, problem.From(err)
	}
	if err := c.config.Update(func(all *choices) error { all.Updates = s; return nil }); err != nil {
		return updater.State{}, problem.From(err)
	}
	return c.updateState(c.keeper.SettingsChanged()), nil
}

// checkUpdates refuses settings that cannot work, and those with a password: the
// file of the settings holds no secret. A proxy's password comes from the
// environment or the system.
func checkUpdates(s updater.Settings) error {
	if len(s.URLs) > maxURLs {
		return problem.New(problem.CodeUpdateSettings).With("urls", len(s.URLs)).With("max", maxURLs)
	}
	for _, address := range append([]string{s.Proxy}, s.URLs...) {
		u, err := url.Parse(address)
		if err != nil {
			continue // update.New says it better
		}
		if _, secret := u.User.Password(); secret {
			p := problem.New(problem.CodeUpdateSettings).With("address", u.Redacted())
			p.Cause = "password"
			return p
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
func (c *Controller) answer(s updater.State, err error) (updater.State, error) {
	if err != nil {
		return c.updateState(s), problem.From(err)
	}
	return c.updateState(s), nil
}

// updateState is a state with what the person chose, which the updater may not follow.
func (c *Controller) updateState(s updater.State) updater.State {
	s.Settings = c.config.Get().Updates
	s.Settings.URLs = nonNil(s.Settings.URLs)
	return s
}
