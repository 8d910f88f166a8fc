package upkeep

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"piwork/app/licences"
	"piwork/app/problem"
	"piwork/pack/spec"
)

// Of the runtime, for Licence.Of.
const licenceOfRuntime = "runtime"

// Places of licences in an unpacked runtime; the builder of packs (pack.Build) knows the same names.
const (
	packLicences = "licenses"
	packSources  = "SOURCES.json"
)

// Licences lists what the program, the runtime in use and its add-ons are made of.
// Without a runtime it is the program alone.
func (u *Upkeep) Licences(ctx context.Context) (Licences, error) {
	parts, err := licences.Program()
	if err != nil {
		return Licences{}, problem.From(err)
	}
	out := Licences{Items: make([]Licence, 0, len(parts))}
	for _, p := range parts {
		out.Items = append(out.Items, Licence{Name: p.Name, Version: p.Version, Licence: p.Licence, Of: p.Of, Text: p.Text})
	}
	packs, err := u.o.Packs.Packs(ctx)
	if err != nil {
		u.o.Log.Warn("the licences of the runtime are not listed", "error", err)
	}
	for _, p := range packs {
		if p.Current && p.Problem == nil && p.Dir != "" {
			items, err := runtimeLicences(p.Dir, p.Tools)
			if err != nil {
				return Licences{}, problem.From(err)
			}
			out.Items = append(out.Items, items...)
		}
	}
	addOns, err := u.o.Packs.AddOns(ctx)
	if err != nil {
		u.o.Log.Warn("the licences of add-ons are not listed", "error", err)
	}
	for _, a := range addOns {
		if a.Usable {
			items, err := runtimeLicences(a.Dir, a.Tools)
			if err != nil {
				return Licences{}, problem.From(err)
			}
			out.Items = append(out.Items, items...)
		}
	}
	return out, nil
}

// runtimeLicences are the files of licences in a runtime or an add-on, one for each of its
// parts. Tools that the manifest names have their versions.
func runtimeLicences(dir string, tools []spec.Tool) ([]Licence, error) {
	root := filepath.Join(dir, packLicences)
	source := filepath.Join(root, packSources)
	if _, err := os.Stat(source); err != nil {
		source = ""
	}
	versions := map[string]string{}
	for _, t := range tools {
		versions[t.Name] = t.Version
	}
	var out []Licence
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == "." {
			return nil // a runtime without any says nothing
		}
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || name == packSources {
			return nil
		}
		part := path.Dir(name)
		if part == "." {
			part = name
		}
		out = append(out, Licence{Name: part, Version: versions[part], Of: licenceOfRuntime, File: filepath.Join(root, filepath.FromSlash(name)), Source: source})
		return nil
	})
	slices.SortStableFunc(out, func(a, b Licence) int { return cmp.Compare(a.Name, b.Name) })
	return out, err
}
