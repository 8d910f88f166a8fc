package image

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/image/npm"
	"piwork/pack/spec"
)

// contents are what a pack is put together from: the runtime's, or an add-on's.
type contents struct {
	name             string // of the pack
	hostOS, hostArch string
	version          string            // "" is that of the options
	files            map[string]string // path in the pack → file
	parts            []string          // directories of the cache that the files are from
	layer            spec.Layer        // but its version
	tools            []spec.Tool
	sets             []string // of packages that are in the pack
	extra            []string // and of those that it was made with
	shipped          []shippedSet
	modules          []goModule
	npm              []npm.Package
	holds            []heldBy // what is compiled into them
}

// partOf names a part of a pack in the cache. Those of each add-on have a name of
// their own, because of each name only some are kept.
func partOf(part, of string) string {
	if name, ok := strings.CutPrefix(of, spec.AddOnPrefix); ok {
		return part + "." + name
	}
	return part
}

// licenceSources are the files of this package that decide what the part of the
// licences is.
var licenceSources = []string{"contents.go", "licences.go", "offers.go", "own.go", "recipe.go", "tools.go", "toolsfile.go", "addonnpm.go", "terms/", "debian/", "licence/", "npm/"}

// shipped says which packages of which sets are in parts, by the set.
func (b *builder) shipped(parts map[string]string) ([]shippedSet, error) {
	var all []shippedSet
	for _, s := range b.sets {
		dir, ok := parts[s.name]
		if !ok {
			continue
		}
		used, err := readUsed(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, shippedSet{lock: b.locks[s.name], used: used})
	}
	return all, nil
}

// licences makes the part with terms, source offers and the list of tools.
func (b *builder) licences(ctx context.Context, c contents) (string, error) {
	recipe, err := sourceHash(licenceSources...)
	if err != nil {
		return "", err
	}
	inputs := []any{c.modules, c.npm, c.holds, c.tools, b.offeredBy()}
	for _, s := range c.shipped {
		inputs = append(inputs, s.used, s.recipe, s.build)
	}
	for _, p := range c.parts {
		inputs = append(inputs, path.Base(p))
	}
	sets := c.sets
	if c.layer.Name != spec.BaseLayer { // terms of an add-on may be those of a package of the base
		sets = append([]string{setGuest}, sets...)
	}
	return b.compiled(ctx, b.flavoured(partOf("licences", c.name)), recipe, sets, inputs, func(ctx context.Context, dir string) error {
		if err := makeLicences(ctx, dir, b.offeredBy(), c.shipped, c.modules, fromRegistry{c.npm, c.holds, b.npm}, b.store); err != nil {
			return err
		}
		list, err := listTools(c, b.locks)
		if err != nil {
			return err
		}
		return writeJSON(filepath.Join(dir, toolsPath), list)
	})
}

// offeredBy is who offers the sources, for people.
func (b *builder) offeredBy() string {
	return cmp.Or(b.OfferedBy, os.Getenv(EnvOfferedBy), "whoever gave you this pack: it was built by a developer and is not published")
}

// readComponents reads what the part of the licences lists.
func readComponents(dir string) ([]component, error) {
	data, err := os.ReadFile(filepath.Join(dir, licencesFile))
	if err != nil {
		return nil, err
	}
	var all []component
	return all, json.Unmarshal(data, &all)
}

// header is the manifest without files.
func (b *builder) header(c contents, components []component, version string) spec.Manifest {
	m := spec.Manifest{
		Name: c.name, Version: version, HostOS: c.hostOS, HostArch: c.hostArch, GuestArch: b.guest.qemu,
		RequiresApp: ">=" + Version, Built: b.timeOf(slices.Concat(c.sets, c.extra)...), Tools: c.tools,
	}
	if c.layer.Name == spec.BaseLayer {
		m.Flavour = manifestFlavour(b.Flavour)
	}
	c.layer.Version = strings.ToLower(m.Version)
	m.Layers = []spec.Layer{c.layer}
	for _, p := range components {
		m.Licences = append(m.Licences, p.Licence)
	}
	return m
}
