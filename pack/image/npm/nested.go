package npm

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// Nested is a package that another one brings along, in its node_modules.
type Nested struct {
	Name, Version string
	Licence       string // as its package.json names it; "" is not at all
	Terms         []byte // the files with its terms; nil is none
	About         []byte // its package.json
}

// PURL is the address of the package; see [Package.PURL].
func (n Nested) PURL() string { return Package{Name: n.Name, Version: n.Version}.PURL() }

// ReadNested returns the packages that a package file brings along (bundleDependencies,
// npm's package.json(5)), each version once, in the order of their names.
func ReadNested(file string) ([]Nested, error) {
	found := map[string]*Nested{} // by their directories
	at := func(dir string) *Nested {
		if found[dir] == nil {
			found[dir] = &Nested{}
		}
		return found[dir]
	}
	err := each(file, func(name string, h *tar.Header, r io.Reader) error {
		dir, base := path.Split(name)
		if !nestedDir(dir) {
			return nil
		}
		terms := strings.HasPrefix(strings.ToUpper(base), "LICEN") && path.Ext(base) != ".js"
		at(dir) // what is here belongs to a package, or is an error
		if base != "package.json" && !terms {
			return nil
		}
		if h.Size > maxRead {
			return fmt.Errorf("%s has %d bytes", name, h.Size)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if terms {
			n := at(dir)
			n.Terms = append(n.Terms, data...)
			return nil
		}
		var about struct {
			Name, Version string
			License       any
		}
		if err := json.Unmarshal(data, &about); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		n := at(dir)
		n.Name, n.Version, n.Licence, n.About = about.Name, about.Version, licenceOf(about.License), data
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []Nested
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		switch n := found[dir]; {
		case !validName().MatchString(n.Name) || !validVersion().MatchString(n.Version):
			return nil, fmt.Errorf("%s is %q %q", dir, n.Name, n.Version)
		case n.Licence != "" && !validLicence().MatchString(n.Licence):
			return nil, fmt.Errorf("%s: licence %q", n.Name, n.Licence)
		default:
			all = append(all, *n)
		}
	}
	slices.SortStableFunc(all, func(a, b Nested) int { return strings.Compare(a.PURL(), b.PURL()) })
	return slices.CompactFunc(all, func(a, b Nested) bool { return a.PURL() == b.PURL() }), nil
}

// nestedDir reports whether a directory is that of a package in some node_modules.
func nestedDir(dir string) bool {
	parts := strings.Split(strings.TrimSuffix(dir, "/"), "/")
	i := len(parts) - 1
	if i > 0 && strings.HasPrefix(parts[i-1], "@") {
		i--
	}
	return i > 0 && parts[i-1] == "node_modules"
}

// licenceOf is the licence that a package.json names, an SPDX expression or, in old ones, an
// object with its type.
func licenceOf(field any) string {
	switch f := field.(type) {
	case string:
		return f
	case map[string]any:
		name, _ := f["type"].(string)
		return name
	}
	return ""
}
