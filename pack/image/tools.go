package image

import (
	"fmt"
	"maps"
	"slices"

	"piwork/pack/image/debian"
	"piwork/pack/image/npm"
	"piwork/pack/spec"
	"piwork/pack/tools"
)

// toolList says which programs the guest has, in which versions, and which
// operations of the catalogue each takes part in.
func toolList(l *debian.Lock, catalogue []tools.Description) ([]spec.Tool, error) {
	operations := map[string][]string{}
	for _, o := range catalogue {
		if len(o.Programs) == 0 {
			operations[operateTool] = append(operations[operateTool], o.Name)
		}
		for _, p := range o.Programs {
			if _, ok := guestTools[p]; !ok {
				if inAddOn(p) {
					continue
				}
				return nil, fmt.Errorf("operation %s needs %s, which the recipe has not", o.Name, p)
			}
			operations[p] = append(operations[p], o.Name)
		}
	}
	list := []spec.Tool{{Name: operateTool, Version: Version, Operations: operations[operateTool]}}
	for _, name := range slices.Sorted(maps.Keys(guestTools)) {
		i := slices.IndexFunc(l.Packages, func(p debian.Package) bool { return p.Name == guestTools[name] })
		if i < 0 {
			return nil, fmt.Errorf("tool %s: its package %s is not in the lock", name, guestTools[name])
		}
		list = append(list, spec.Tool{Name: name, Version: l.Packages[i].Version, Operations: operations[name]})
	}
	return list, nil
}

// inAddOn reports whether an add-on has a program.
func inAddOn(program string) bool {
	return slices.ContainsFunc(addOns, func(a addOn) bool { _, ok := a.tools[program]; return ok })
}

// addOnTools is toolList for an add-on; registry is nil where it has nothing from npm.
func addOnTools(a addOn, l *debian.Lock, registry *npm.Lock, catalogue []tools.Description) ([]spec.Tool, error) {
	versions := map[string]string{}
	for _, p := range l.Packages {
		versions[p.Name] = p.Version
	}
	if registry != nil {
		for _, p := range registry.Packages {
			versions[p.Name] = p.Version
		}
	}
	var list []spec.Tool
	for _, name := range slices.Sorted(maps.Keys(a.tools)) {
		version, ok := versions[a.tools[name]]
		if !ok {
			return nil, fmt.Errorf("tool %s: its package %s is not in the lock", name, a.tools[name])
		}
		t := spec.Tool{Name: name, Version: version}
		for _, o := range catalogue {
			if slices.Contains(o.Programs, name) {
				t.Operations = append(t.Operations, o.Name)
			}
		}
		list = append(list, t)
	}
	return list, nil
}
