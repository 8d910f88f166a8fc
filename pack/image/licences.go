package image

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"piwork/pack/image/debian"
	"piwork/pack/image/licence"
	"piwork/pack/image/npm"
	"piwork/pack/spec"
)

const (
	commonLicences = "usr/share/common-licenses" // texts that copyright files refer to
	licencesFile   = "licences.json"             // in the part: what goes into the manifest
	seeFile        = "see file"
)

// shippedSet is a set of which files are in the pack.
type shippedSet struct {
	lock *debian.Lock
	used []string // names of packages
	// terms is a directory with the terms of what was built from the lock's
	// sources, by name; "" is nothing.
	terms string
	// recipe is where in piwork's source stands how they were built and changed.
	recipe string
	// changes are our patches of what was built, by path in the pack.
	changes map[string][]byte
	// build is what else it was built by, configurations and scripts, by path in the
	// pack.
	build map[string][]byte
}

// component is one package in a pack, with what the SBOM says beyond the
// manifest.
type component struct {
	spec.Licence
	PURL     string `json:"purl"`               // https://github.com/package-url/purl-spec
	Checksum string `json:"checksum,omitempty"` // "sha256:" or "sha512:" and hex, of the package file
}

func debianPURL(p debian.Package) string {
	return "pkg:deb/debian/" + strings.ReplaceAll(p.Name, "+", "%2B") + "@" + purlVersion(p.Version) + "?arch=" + p.Architecture + "&distro=" + suite
}

// purlVersion escapes a version of Debian.
func purlVersion(v string) string {
	return strings.NewReplacer("+", "%2B", ":", "%3A", "~", "~").Replace(v)
}

// makeLicences writes licenses/: the texts, and where sources are. Packages of
// one name and different versions in two sets share a text when it is the same.
//
// offeredBy is who makes the offer of sources, for people.
func makeLicences(ctx context.Context, dir, offeredBy string, sets []shippedSet, modules []goModule, registry fromRegistry, s *debian.Store) error {
	w := licenceWriter{dir: dir, offeredBy: offeredBy, sources: map[string]*source{}, texts: map[string][]byte{}}
	for _, set := range sets {
		if err := w.addSet(ctx, set, s); err != nil {
			return err
		}
	}
	for _, m := range modules {
		text, terms, err := m.licenceOf()
		if err != nil {
			return err
		}
		name := "licenses/go/" + strings.ToLower(m.Path) + "/LICENSE"
		w.texts[name] = text
		w.list = append(w.list, component{
			Licence: spec.Licence{
				Package: m.Path, Version: m.Version, Licence: cmp.Or(terms, seeFile), File: name,
				Source: "go:" + m.Path + "@" + m.Version,
			},
			PURL: "pkg:golang/" + m.Path + "@" + m.Version,
		})
	}
	for _, p := range registry.packages {
		w.own = append(w.own, p.Name)
	}
	for _, p := range registry.packages {
		if err := w.addNPM(p, registry); err != nil {
			return err
		}
	}
	for _, h := range registry.holds {
		if err := w.addHeld(h); err != nil {
			return err
		}
	}
	return w.write(modules)
}

// addNPM adds a package of the npm registry. Some have no file with their terms
// but only name them.
func (w *licenceWriter) addNPM(p npm.Package, registry fromRegistry) error {
	s, in := registry.store, registry.termsOf(p)
	var text []byte
	for _, name := range []string{"LICENSE", "LICENSE.md", "LICENSE.txt"} {
		t, err := npm.ReadFile(s.Path(in), name)
		if err == nil {
			text = t
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("terms of %s: %w", p.Name, err)
		}
	}
	if text == nil {
		about, err := npm.ReadFile(s.Path(p), "package.json")
		if err != nil {
			return fmt.Errorf("terms of %s: %w", p.Name, err)
		}
		text = noTerms(p.Name, p.Version, p.Licence, about)
	}
	sum, err := p.SHA512()
	if err != nil {
		return err
	}
	bundles, err := w.bundled(p, s)
	if err != nil {
		return err
	}
	nested, err := npm.ReadNested(s.Path(p))
	if err != nil {
		return fmt.Errorf("what is in %s: %w", p.Name, err)
	}
	for _, n := range nested {
		// It depends on them: they are there, and not compiled in.
		bundles = slices.DeleteFunc(bundles, func(b string) bool { return strings.HasPrefix(b, n.Name+" ") })
	}
	for _, n := range nested {
		bundles = append(bundles, n.Name+" "+n.Version)
		w.addNested(n)
	}
	for _, h := range registry.holds {
		if h.By == p.Name {
			bundles = append(bundles, h.Name+" "+h.Version)
		}
	}
	w.npm = append(w.npm, npmSource{p.Name, p.Version, p.Integrity, bundles})
	file := "licenses/npm/" + strings.TrimPrefix(p.Name, "@") + "/LICENSE"
	w.texts[file] = text
	w.list = append(w.list, component{
		Licence: spec.Licence{Package: p.Name, Version: p.Version, Licence: p.Licence, File: file, Source: "npm:" + p.Name + "@" + p.Version},
		PURL:    p.PURL(), Checksum: "sha512:" + sum,
	})
	return nil
}

// noTerms stands where a package of npm has no file with its terms.
func noTerms(name, version, licence string, about []byte) []byte {
	return fmt.Appendf(nil, "%s %s has no file with its terms; it names the licence %s in its package.json:\n\n%s", name, version, licence, about)
}

// addNested adds a package that another one of npm brings along.
func (w *licenceWriter) addNested(n npm.Nested) {
	text := n.Terms
	if text == nil {
		text = noTerms(n.Name, n.Version, n.Licence, n.About)
	}
	source := "npm:" + n.Name + "@" + n.Version
	file := "licenses/npm/" + strings.TrimPrefix(n.Name, "@") + "/" + n.Version + "/LICENSE"
	w.texts[file] = text
	w.list = append(w.list, component{
		Licence: spec.Licence{Package: n.Name, Version: n.Version, Licence: cmp.Or(n.Licence, seeFile), File: file, Source: source},
		PURL:    n.PURL(),
	})
}

type licenceWriter struct {
	dir       string
	offeredBy string
	texts     map[string][]byte // path in the pack → text
	list      []component
	sources   map[string]*source
	npm       []npmSource
	holds     []heldSource
	own       []string // names of the packages of npm that are in the pack
}

func (w *licenceWriter) addSet(ctx context.Context, set shippedSet, s *debian.Store) error {
	docs := documentation{ctx: ctx, store: s, lock: set.lock, read: map[string]map[string]docFile{}}
	for _, name := range set.used {
		p, ok := docs.find(name)
		if !ok {
			return fmt.Errorf("package %s is not in the lock %s", name, set.lock.Set)
		}
		text, err := docs.copyright(name, 0)
		if err != nil {
			return err
		}
		file := "licenses/" + p.Name + "/copyright"
		if old, ok := w.texts[file]; ok && !bytes.Equal(old, text) {
			file += "." + set.lock.Set
		}
		w.texts[file] = text
		deb := s.Path(p)
		p = unsigned(p)
		entry := component{
			Licence: spec.Licence{
				Package: p.Name, Version: p.Version, Licence: cmp.Or(licence.FromCopyright(string(text)), seeFile), File: file,
				Source: "debian:" + p.Source + " " + p.SourceVersion,
			},
			PURL: debianPURL(p), Checksum: "sha256:" + p.SHA256,
		}
		if !slices.Contains(w.list, entry) {
			w.list = append(w.list, entry)
		}
		src := w.addSource(p)
		if err := w.addBuiltUsing(ctx, deb, p); err != nil {
			return err
		}
		if len(set.lock.Sources) == 0 && set.recipe != "" { // what was built came as a package, as the kernel's source does
			src.Recipe = set.recipe
			w.addRecipe(src, set)
		}
	}
	for _, src := range set.lock.Sources {
		if err := w.addBuilt(set, src); err != nil {
			return err
		}
	}
	if p, ok := docs.find("base-files"); ok {
		return w.addCommon(ctx, s.Path(p))
	}
	return nil
}

// signedSource is the name of Debian's source packages that have no source but
// signatures for what was built from another: "linux-signed-amd64" for "linux".
var signedSource = regexp.MustCompile(`^(.+)-signed-[a-z0-9]+$`)

// unsigned is a package that says of which source it was built, where its source
// package only has the signatures. Debian gives both the same version of the binary.
func unsigned(p debian.Package) debian.Package {
	if m := signedSource.FindStringSubmatch(p.Source); m != nil {
		p.Path = path.Join(path.Dir(path.Dir(p.Path)), m[1], path.Base(p.Path))
		p.Source, p.SourceVersion = m[1], p.Version
	}
	return p
}

// addBuilt adds what was built from a source package.
func (w *licenceWriter) addBuilt(set shippedSet, src debian.Source) error {
	text, err := os.ReadFile(filepath.Join(set.terms, src.Name))
	if err != nil {
		return fmt.Errorf("terms of the source %s: %w", src.Name, err)
	}
	file := "licenses/" + src.Name + "/copyright"
	w.texts[file] = text
	entry := component{
		Licence: spec.Licence{
			Package: src.Name, Version: src.Version, Licence: cmp.Or(licence.FromCopyright(string(text)), seeFile), File: file,
			Source: "debian:" + src.Name + " " + src.Version,
		},
		PURL: "pkg:deb/debian/" + src.Name + "@" + purlVersion(src.Version) + "?arch=source&distro=" + suite,
	}
	for _, f := range src.Files {
		if path.Ext(f.Name) == ".dsc" {
			entry.Checksum = "sha256:" + f.SHA256
		}
	}
	w.list = append(w.list, entry)
	built := &source{
		Name: src.Name, Version: src.Version, Archive: src.Archive, Directory: src.Directory, Packages: []string{}, Recipe: set.recipe,
	}
	changes := maps.Clone(set.changes) // those of this source: others of the set are built as they are
	maps.DeleteFunc(changes, func(file string, _ []byte) bool { return !strings.HasPrefix(file, "licenses/"+src.Name+"/") })
	set.changes = changes
	w.addRecipe(built, set)
	w.sources[src.Name+" "+src.Version] = built
	return nil
}

// addCommon adds the licences that Debian keeps once for all. Names that are
// links ("GPL" is the newest GPL) become copies.
func (w *licenceWriter) addCommon(ctx context.Context, deb string) error {
	links := map[string]string{}
	err := debian.Contents(ctx, deb, func(h *tar.Header, r io.Reader) error {
		if path.Dir(h.Name) != commonLicences {
			return nil
		}
		name := "licenses/common-licenses/" + path.Base(h.Name)
		switch h.Typeflag {
		case tar.TypeReg:
			text, err := io.ReadAll(r)
			w.texts[name] = text
			return err
		case tar.TypeSymlink:
			links[name] = "licenses/common-licenses/" + path.Base(h.Linkname)
		}
		return nil
	})
	for name, target := range links {
		if text, ok := w.texts[target]; ok {
			w.texts[name] = text
		}
	}
	return err
}

// write writes the files of the part.
func (w *licenceWriter) write(modules []goModule) error {
	for name, text := range w.texts {
		file := filepath.Join(w.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := writeNew(file, bytes.NewReader(text), 0o644); err != nil {
			return err
		}
	}
	o := sourceOffer{Offer: offer, OfferedBy: w.offeredBy, Go: modules, NPM: w.npm}
	if len(w.holds) > 0 {
		o.Holds = &holds{holdsNote, w.holds}
	}
	for _, key := range slices.Sorted(maps.Keys(w.sources)) {
		src := w.sources[key]
		slices.Sort(src.Packages)
		slices.Sort(src.BuiltInto)
		o.Sources = append(o.Sources, *src)
		if slices.Contains(codecPackages, src.Name) {
			if o.Codecs == nil {
				o.Codecs = &codecs{Note: codecNote}
			}
			o.Codecs.Packages = append(o.Codecs.Packages, src.Name)
		}
	}
	if err := writeJSON(filepath.Join(w.dir, filepath.FromSlash(sourcesPath)), o); err != nil {
		return err
	}
	slices.SortFunc(w.list, func(a, b component) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Version, b.Version), strings.Compare(a.File, b.File))
	})
	return writeJSON(filepath.Join(w.dir, licencesFile), w.list)
}

// documentation reads usr/share/doc of packages, each package once.
type documentation struct {
	ctx   context.Context
	store *debian.Store
	lock  *debian.Lock
	read  map[string]map[string]docFile
}

// docFile is a text, or a link to another name.
type docFile struct {
	text []byte
	link string
}

func (d *documentation) find(name string) (debian.Package, bool) {
	i, ok := slices.BinarySearchFunc(d.lock.Packages, name, func(p debian.Package, n string) int { return strings.Compare(p.Name, n) })
	if !ok {
		return debian.Package{}, false
	}
	return d.lock.Packages[i], true
}

// copyright is the copyright file of a package. Packages of one source may
// have theirs, or the whole directory, as a link to that of another.
func (d *documentation) copyright(name string, hops int) ([]byte, error) {
	if hops > 8 {
		return nil, fmt.Errorf("copyright of %s: links without end", name)
	}
	p, ok := d.find(name)
	if !ok {
		return nil, fmt.Errorf("copyright of %s: the package is not in the lock", name)
	}
	files, err := d.files(p)
	if err != nil {
		return nil, err
	}
	dir := "usr/share/doc/" + name
	if f, ok := files[dir]; ok {
		return d.copyright(path.Base(f.link), hops+1)
	}
	f, ok := files[dir+"/copyright"]
	switch {
	case !ok:
		return nil, fmt.Errorf("package %s has no copyright file", name)
	case f.link != "":
		return d.copyright(path.Base(path.Dir(path.Join(dir, f.link))), hops+1)
	}
	return f.text, nil
}

func (d *documentation) files(p debian.Package) (map[string]docFile, error) {
	if files, ok := d.read[p.Name]; ok {
		return files, nil
	}
	files := map[string]docFile{}
	dir := "usr/share/doc/" + p.Name
	err := debian.Contents(d.ctx, d.store.Path(p), func(h *tar.Header, r io.Reader) error {
		if h.Name != dir && h.Name != dir+"/copyright" {
			return nil
		}
		switch h.Typeflag {
		case tar.TypeSymlink:
			files[h.Name] = docFile{link: h.Linkname}
		case tar.TypeReg:
			text, err := io.ReadAll(r)
			files[h.Name] = docFile{text: text}
			return err
		}
		return nil
	})
	d.read[p.Name] = files
	return files, err
}

// writeJSON writes a new file for people to read too.
func writeJSON(file string, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return writeNew(file, &b, 0o644)
}
