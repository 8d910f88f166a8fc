package kernel

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

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

// Patches are the texts of our patches of the source, by name of file. Each says
// why it is there.
func Patches() (map[string][]byte, error) {
	all, err := recipe()
	texts := map[string][]byte{}
	for name, text := range all {
		if path.Dir(name) == patchesDir {
			texts[path.Base(name)] = text
		}
	}
	return texts, err
}

// CheckPatches tells whether our patches apply to the source in a lock, as Build
// will apply them. The error names every one that does not. It takes a minute.
func CheckPatches(ctx context.Context, o Options) error {
	if _, err := o.run(ctx, "recipe/source.sh", filepath.Join(o.Scratch, LogFile)); err != nil {
		return fmt.Errorf("kernel: patches of %s %s: %w", Source, SourceVersion(o.Lock), err)
	}
	return nil
}
