package updater

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/lazyregexp"
)

// plainName is what names of add-ons look like: they become part of a path.
var plainName = lazyregexp.New(`^[a-z][a-z0-9-]{0,31}$`)

// fits reports whether an add-on was made over the base image of a runtime.
func fits(addOn, runtime *pack.Installed) bool {
	return addOn.Manifest.FitsOver(&runtime.Manifest)
}

// AddOns lists what is installed and what the channel is known to offer, by
// name. It asks no network.
func (k *Updater) AddOns() ([]AddOn, error) {
	list, err := k.addOns()
	if err != nil {
		return nil, err
	}
	c, err := k.connect()
	if err != nil { // what is installed is there all the same
		if !errors.Is(err, ErrOff) {
			k.o.Log.Warn("it is not known which add-ons the channel has", "error", err)
		}
		return list, nil
	}
	defer c.source.Close()
	rel, err := c.channel.Last()
	if err != nil {
		return list, nil
	}
	for name, t := range rel.AddOns {
		i := slices.IndexFunc(list, func(a AddOn) bool { return a.Name == name })
		if i < 0 {
			list = append(list, AddOn{Name: name, Version: rel.Version})
			i = len(list) - 1
		}
		list[i].Download = t.Length
	}
	slices.SortFunc(list, func(a, b AddOn) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Usable returns the add-ons that fit a runtime, by name.
func (v *versions) Usable(runtime *pack.Installed) ([]AddOn, error) {
	list, err := v.installed(runtime)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(a AddOn) bool { return a.Fits == nil }), nil
}

// addOns lists what is installed, against the runtime in use.
func (v *versions) addOns() ([]AddOn, error) {
	base, err := v.current()
	if err != nil {
		base = nil // a damaged runtime has no add-ons, and they are listed all the same
	}
	return v.installed(base)
}

func (v *versions) installed(base *pack.Installed) ([]AddOn, error) {
	names, err := v.addOnNames()
	if err != nil {
		return nil, err
	}
	var list []AddOn
	for _, name := range names {
		store, err := v.addOnStore(name)
		if err != nil {
			return nil, err
		}
		entries, err := store.List(v.o.Keys(), v.o.Policy)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			continue
		}
		list = append(list, choose(name, entries, base))
	}
	return list, nil
}

// choose finds the newest version that fits.
func choose(name string, entries []pack.Entry, base *pack.Installed) AddOn {
	a := AddOn{Name: name, Version: entries[0].Version}
	for _, e := range entries {
		switch {
		case e.Err != nil && a.Problem == nil:
			a.Problem = unsoundAddOn(name, e.Err)
		case e.Err != nil:
		case base != nil && fits(e.Pack, base):
			return AddOn{Name: name, Version: e.Version, Fits: e.Pack}
		case a.Other == nil:
			a.Other = e.Pack
		}
	}
	if a.Other != nil && a.Problem == nil {
		a.Problem = problem.New(problem.CodeAddOnMismatch).With("name", name).With("version", a.Other.Manifest.Version)
	}
	return a
}

// unsoundAddOn says for people why an installed add-on cannot be used. It stops
// none but the tasks that need it.
func unsoundAddOn(name string, err error) *problem.Problem {
	return problem.Installed(err).With("name", name).Weigh(problem.Failed)
}

// addOnNames returns the names of the stores there are.
func (v *versions) addOnNames() ([]string, error) {
	entries, err := os.ReadDir(v.o.AddOnsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for add-ons: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && plainName().MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// RemoveAddOn deletes an add-on, unless a task runs with it.
func (k *Updater) RemoveAddOn(ctx context.Context, name string) error {
	names, err := k.addOnNames()
	if err != nil {
		return err
	}
	if !slices.Contains(names, name) {
		return problem.New(problem.CodeAddOnUnknown).With("name", name)
	}
	ctx, give, err := k.take(ctx)
	if err != nil {
		return err
	}
	defer give()
	store, err := k.addOnStore(name)
	if err != nil {
		return err
	}
	if err := store.Clear(ctx); err != nil {
		return inUse(err)
	}
	k.remember(func(m *memory) { // a paused update is not to bring it back
		if m.Wish != nil {
			m.Wish.AddOns = slices.DeleteFunc(m.Wish.AddOns, func(n string) bool { return n == name })
		}
	})
	// What is left is an empty store; whoever opened it in between keeps it.
	if err := os.RemoveAll(filepath.Join(k.o.AddOnsDir, name)); err != nil {
		return fmt.Errorf("remove the store of add-on %s: %w", name, err)
	}
	k.o.OnChange()
	return nil
}

// collectAddOns keeps the versions that fit a runtime that is kept.
func (v *versions) collectAddOns(ctx context.Context) ([]string, error) {
	names, err := v.addOnNames()
	if err != nil || len(names) == 0 {
		return nil, err
	}
	entries, err := v.o.Runtime.List(v.o.Keys(), v.o.Policy)
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, name := range names {
		store, err := v.addOnStore(name)
		if err != nil {
			return gone, err
		}
		list, err := store.List(v.o.Keys(), v.o.Policy)
		if err != nil {
			return gone, err
		}
		kept := false
		for _, a := range list {
			needed := a.Err == nil && slices.ContainsFunc(entries, func(e pack.Entry) bool { return e.Err == nil && fits(a.Pack, e.Pack) })
			// The newest one stays in any case, so that an update knows what to bring.
			if needed || !kept {
				kept = kept || a.Err == nil
				continue
			}
			err := store.Discard(ctx, a.Version)
			if err != nil && !errors.Is(err, pack.ErrInUse) {
				return gone, err
			}
			if err == nil {
				gone = append(gone, name+" "+a.Version)
			}
		}
	}
	return gone, nil
}

// inUse says for people that a task runs on something.
func inUse(err error) error {
	if !errors.Is(err, pack.ErrInUse) {
		return err
	}
	p := problem.New(problem.CodePackInUse).Because(err).By("task")
	p.Fix = problem.Fixes(problem.FixCancelTask)
	return p
}
