package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"piwork/pack/image/debian"
	"piwork/pack/image/npm"
)

// offer is written into SOURCES.json above the list.
const offer = "Everything in this runtime pack that is under a licence which asks for it is offered in source: " +
	"the source packages below, in these versions, as published in the Debian archive and kept for good in Debian's archive of snapshots. " +
	"Nothing was changed in them but what is said there: patches, configurations and the scripts that control compilation are files of this pack (changes, build). " +
	"Whoever gives the pack to others makes this offer to them (offeredBy), keeps it for three years, and sends the sources on request for no more than the cost of sending."

// codecNote says what the licences of sources do not: patents.
const codecNote = "These packages read or write formats that patents are claimed on in some countries (HEVC and HEIC, H.264, AAC and others). " +
	"The licences above are of the programs and grant no licence for such patents; whoever distributes the pack finds out whether one is needed."

// codecPackages are the source packages with such formats, wherever they are
// shipped.
var codecPackages = []string{"libde265", "libheif", "x265", "x264", "ffmpeg", "fdk-aac", "openh264", "svt-av1", "dav1d", "aom"}

// source is one source package in SOURCES.json.
type source struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Archive   string   `json:"archive"`
	Directory string   `json:"directory"`        // in the archive
	Packages  []string `json:"packages"`         // name, version and architecture of what was made from it
	Recipe    string   `json:"recipe,omitempty"` // of what piwork builds itself: patches and scripts, in piwork's own source
	// Changes are the patches of what was changed here, files of this pack.
	Changes []string `json:"changes,omitempty"`
	// Build are the configurations and scripts that it was built by, files of this
	// pack.
	Build []string `json:"build,omitempty"`
	// BuiltInto are the programs that contain it, compiled in (Built-Using of Debian).
	BuiltInto []string `json:"builtInto,omitempty"`
}

// sourceOffer is SOURCES.json.
type sourceOffer struct {
	Offer     string      `json:"offer"`
	OfferedBy string      `json:"offeredBy"`
	Codecs    *codecs     `json:"codecs,omitempty"`
	Sources   []source    `json:"sources"`
	Go        []goModule  `json:"go"` // modules in the guest's own programs, by module path
	NPM       []npmSource `json:"npm,omitempty"`
	Holds     *holds      `json:"holds,omitempty"`
}

// holdsNote is about what the makers of programs compiled into them.
const holdsNote = "These are compiled into programs of this pack by their makers. Nothing was changed in them here. " +
	"Their sources are the repositories that their package URLs name, in these versions, and are part of the offer."

// holds are those programs.
type holds struct {
	Note     string       `json:"note"`
	Programs []heldSource `json:"programs"`
}

type heldSource struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Source  string `json:"source"` // https://github.com/package-url/purl-spec
	In      string `json:"in"`     // package of npm
	Terms   string `json:"terms"`  // file of this pack
}

// codecs says which source packages codecNote is about.
type codecs struct {
	Note     string   `json:"note"`
	Packages []string `json:"packages"`
}

// npmSource is a package of the npm registry, which is its own source.
type npmSource struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Integrity string `json:"integrity"`
	// Bundles are the packages that its authors compiled into it, as "name version":
	// those that it depends on itself.
	Bundles []string `json:"bundles,omitempty"`
}

// bundled are the packages that are compiled into one of npm: those that it depends
// on and that do not come as packages of their own.
func (w *licenceWriter) bundled(p npm.Package, s *npm.Store) ([]string, error) {
	data, err := npm.ReadFile(s.Path(p), "package.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what is in %s: %w", p.Name, err)
	}
	var about struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(data, &about); err != nil {
		return nil, fmt.Errorf("what is in %s: %w", p.Name, err)
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(about.Dependencies)) {
		if !slices.Contains(w.own, name) {
			all = append(all, name+" "+about.Dependencies[name])
		}
	}
	return all, nil
}

// addRecipe puts how a source was changed and built into the pack.
func (w *licenceWriter) addRecipe(src *source, set shippedSet) {
	src.Changes, src.Build = slices.Sorted(maps.Keys(set.changes)), slices.Sorted(maps.Keys(set.build))
	maps.Copy(w.texts, set.changes)
	maps.Copy(w.texts, set.build)
}

// usedIn are the fields of Debian's packages that name sources which are compiled
// in, as statically linked programs and those in Rust and Go have them.
var usedIn = []string{"built-using", "static-built-using", "x-cargo-built-using"}

var usedSource = regexp.MustCompile(`^([a-z0-9][a-z0-9.+-]+) \(= ([0-9A-Za-z.+:~-]+)\)$`)

// addBuiltUsing adds the sources that are compiled into a package.
func (w *licenceWriter) addBuiltUsing(ctx context.Context, deb string, p debian.Package) error {
	control, err := debian.Control(ctx, deb)
	if err != nil {
		return err
	}
	fields, err := debian.Paragraphs(strings.NewReader(control))
	if err != nil || len(fields) == 0 {
		return errors.Join(fmt.Errorf("control data of %s: %d paragraphs", p.Name, len(fields)), err)
	}
	for _, field := range usedIn {
		for _, item := range strings.Split(fields[0][field], ",") {
			item = strings.Join(strings.Fields(item), " ")
			if item == "" {
				continue
			}
			m := usedSource.FindStringSubmatch(item)
			if m == nil {
				return fmt.Errorf("package %s is built using %q, which is no source package", p.Name, item)
			}
			w.addCompiledIn(m[1], m[2], p)
		}
	}
	return nil
}

// addCompiledIn adds a source that is compiled into a package. Where it lies in the
// archive follows from its name.
func (w *licenceWriter) addCompiledIn(name, version string, p debian.Package) {
	src := w.sources[name+" "+version]
	if src == nil {
		prefix := name[:1]
		if strings.HasPrefix(name, "lib") && len(name) > 3 {
			prefix = name[:4]
		}
		src = &source{Name: name, Version: version, Archive: p.Archive, Directory: "pool/main/" + prefix + "/" + name, Packages: []string{}}
		w.sources[name+" "+version] = src
	}
	if into := p.Name + " " + p.Version; !slices.Contains(src.BuiltInto, into) {
		src.BuiltInto = append(src.BuiltInto, into)
	}
}

func (w *licenceWriter) addSource(p debian.Package) *source {
	key := p.Source + " " + p.SourceVersion
	src := w.sources[key]
	if src == nil {
		src = &source{Name: p.Source, Version: p.SourceVersion, Archive: p.Archive, Directory: path.Dir(p.Path)}
		w.sources[key] = src
	}
	name := p.Name + " " + p.Version + " " + p.Architecture
	if !slices.Contains(src.Packages, name) {
		src.Packages = append(src.Packages, name)
	}
	return src
}
