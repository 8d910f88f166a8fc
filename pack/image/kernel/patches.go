package kernel

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/image/debian"
)

// patchesDir is where our patches of the source are in the recipe.
const patchesDir = "recipe/patches"

// SourceVersion is the version of [Source] in a lock, as Debian names it; "" when
// there is none, or no lock.
func SourceVersion(l *debian.Lock) string {
	if l != nil {
		for _, p := range l.Packages {
			if p.Name == Source {
				return p.Version
			}
		}
	}
	return ""
}

// Kinds of patches.
const (
	Correctness = "correctness" // without it folders go wrong: a build without it stops
	Performance = "performance" // without it the guest is slower: a build goes on without it
)

// Patch is one of our changes of the source. Its text says why it is there.
type Patch struct {
	Name string // of its file
	Kind string
	Text []byte
}

// Patches are our patches in the order in which they are applied: those that may be
// left out come last.
func Patches() ([]Patch, error) {
	texts, err := recipe()
	if err != nil {
		return nil, err
	}
	var all []Patch
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if path.Dir(name) != patchesDir {
			continue
		}
		p, err := parsePatch(path.Base(name), texts[name])
		if err != nil {
			return nil, fmt.Errorf("kernel: %w", err)
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(p, q Patch) int { return strings.Compare(p.Kind, q.Kind) })
	return all, nil
}

// parsePatch reads the header of a patch, lines before the change itself: "Kind: performance".
func parsePatch(name string, text []byte) (Patch, error) {
	p := Patch{Name: name, Text: text}
	header, _, _ := strings.Cut(string(text), "\n--- a/")
	for line := range strings.Lines(header) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if key == "Kind" {
			p.Kind = value
		}
	}
	if p.Kind != Correctness && p.Kind != Performance {
		return p, fmt.Errorf("patch %s: its kind is %q, neither %s nor %s", name, p.Kind, Correctness, Performance)
	}
	return p, nil
}

// patchList is what recipe/patch.sh reads.
func patchList(patches []Patch) []byte {
	var b strings.Builder
	for _, p := range patches {
		fmt.Fprintln(&b, p.Kind, p.Name)
	}
	return []byte(b.String())
}

// Patched says what became of our patches in a build. All are names of files.
type Patched struct {
	Applied  []string
	InSource []string // the source has the change without the patch
	LeftOut  []string // performance patches that do not apply
}

// ReadPatched reads it from the result of a build.
func ReadPatched(dir string) (Patched, error) {
	var p Patched
	text, err := os.ReadFile(filepath.Join(dir, patchFile))
	if err != nil {
		return p, fmt.Errorf("kernel: which patches are in it: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		what, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch what {
		case "applied":
			p.Applied = append(p.Applied, name)
		case "in-source":
			p.InSource = append(p.InSource, name)
		case "left-out":
			p.LeftOut = append(p.LeftOut, name)
		default:
			return p, fmt.Errorf("kernel: which patches are in it: %q", line)
		}
	}
	return p, nil
}

// Say names what is to be done about patches of a source, a line each.
func (p Patched) Say(log func(format string, a ...any)) {
	for _, name := range p.LeftOut {
		log("KERNEL WITHOUT %s: this performance patch does not apply to the source; adapt it", name)
	}
	for _, name := range p.InSource {
		log("kernel: the source has the change of %s now; remove the patch", name)
	}
}

// CheckPatches tells what becomes of our patches with the source in a lock, as
// Build will apply them. The error names every correctness patch that does not
// apply. It takes a minute.
func CheckPatches(ctx context.Context, o Options) (Patched, error) {
	out, err := o.run(ctx, "recipe/source.sh", filepath.Join(o.Scratch, LogFile))
	if err != nil {
		return Patched{}, fmt.Errorf("kernel: patches of %s %s: %w", Source, SourceVersion(o.Lock), err)
	}
	return ReadPatched(out)
}
