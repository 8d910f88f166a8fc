package image

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/image/npm"
	"piwork/pack/spec"
)

// npmProgram is a package of the npm registry in an add-on.
type npmProgram struct {
	npm.Want
	at    string   // directory in the guest; "" is a package of which only the terms are in the pack
	files []string // that are taken, as they are: a program may have more behind its segments
	terms string   // the package that has its terms; "" is itself
}

// held is what the makers of a program compiled into it, in source elsewhere.
type held struct{ Name, Version, Licence, Source string }

// heldBy is held, and by which package.
type heldBy struct {
	held
	By    string // package of npm
	Terms string // and the one that has its terms
}

// fromRegistry is what a pack has from the npm registry.
type fromRegistry struct {
	packages []npm.Package
	holds    []heldBy
	store    *npm.Store
}

// termsOf is the package that has the terms of p.
func (r fromRegistry) termsOf(p npm.Package) npm.Package {
	for _, h := range r.holds {
		if h.By != p.Name || h.Terms == "" {
			continue
		}
		if i := slices.IndexFunc(r.packages, func(q npm.Package) bool { return q.Name == h.Terms }); i >= 0 {
			return r.packages[i]
		}
	}
	return p
}

// held are what the packages of an add-on hold: its first one does.
func (a addOn) held(l *npm.Lock) []heldBy {
	var all []heldBy
	for _, h := range a.holds {
		all = append(all, heldBy{h, l.Packages[0].Name, a.npm[0].terms})
	}
	return all
}

// wantNPM are the packages of an add-on.
func (a addOn) wantNPM() []npm.Want {
	var want []npm.Want
	for _, p := range a.npm {
		want = append(want, p.Want)
	}
	return want
}

// npmLockFile is where they are locked.
func (a addOn) npmLockFile(sourceDir string, p platform) string {
	return filepath.Join(sourceDir, "pack", "image", "lock", groupNPM+"-"+a.name+"-"+p.debian+".json")
}

// readNPMLock reads the lock file of an add-on's packages from npm.
func (a addOn) readNPMLock(sourceDir string, p platform) (*npm.Lock, error) {
	return readNPMLock(a.npmLockFile(sourceDir, p), relockCommand(groupNPM, p.debian), a.wantNPM())
}

// programs lays out what an add-on has from npm, as it stands in the guest's root; "" is nothing.
func (a addOn) programs(ctx context.Context, b *builder) (string, error) {
	if len(a.npm) == 0 {
		return "", nil
	}
	recipe, err := sourceHash("addonnpm.go", "internal/", "npm/")
	if err != nil {
		return "", err
	}
	l := b.addOnNPM[a.name]
	var files []any
	for _, p := range a.npm {
		files = append(files, []any{p.Name, p.at, p.files})
	}
	return b.compiled(ctx, "programs."+a.name, recipe, nil, []any{l, files}, func(ctx context.Context, dir string) error {
		r, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer r.Close()
		return layNPM(ctx, r, a.npm, l, b.npm)
	})
}

// layNPM fills the root of a part. A file that a package has not is an error: the program would be
// missing where a task looks for it.
func layNPM(ctx context.Context, r *os.Root, list []npmProgram, l *npm.Lock, s *npm.Store) error {
	for _, p := range list {
		q, err := l.Find(p.Name)
		if err != nil {
			return err
		}
		if err := s.Fetch(ctx, q); err != nil {
			return err
		}
		if len(p.files) == 0 {
			continue
		}
		at := strings.TrimPrefix(p.at, "/")
		if err := npm.Unpack(s.Path(q), r, at, func(name string) bool { return slices.Contains(p.files, name) }); err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
		for _, name := range p.files {
			if _, err := r.Stat(at + "/" + name); err != nil {
				return fmt.Errorf("%s %s has not what is taken of it: %w", q.Name, q.Version, err)
			}
		}
	}
	return nil
}

//go:embed terms
var termsFS embed.FS

// addHeld adds what is compiled into a program, with its terms: terms/<name>.
func (w *licenceWriter) addHeld(h heldBy) error {
	short, _, _ := strings.Cut(strings.ToLower(h.Name), " ")
	text, err := termsFS.ReadFile("terms/" + short)
	if err != nil {
		return fmt.Errorf("terms of %s: %w", h.Name, err)
	}
	file := "licenses/" + h.By + "/" + short
	w.texts[file] = text
	w.holds = append(w.holds, heldSource{h.Name, h.Version, h.Source, h.By, file})
	w.list = append(w.list, component{
		Licence: spec.Licence{Package: h.Name, Version: h.Version, Licence: h.Licence, File: file, Source: h.Source},
		PURL:    h.Source,
	})
	return nil
}
