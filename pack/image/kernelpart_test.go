package image

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/image/debian"
)

// Each guest's kernel has a set of its own, whose lock is in the repository.
func TestKernelSets(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range platforms {
		q := kernelQuestion(p)
		l, err := debian.ReadLock(q.file("../.."))
		if err != nil {
			t.Errorf("%s: %v", p.goarch, err)
			continue
		}
		if !q.answeredBy(l) || l.Set != q.name || seen[q.name] {
			t.Errorf("%s: the lock of the set %s does not answer %q", p.goarch, l.Set, q.want)
		}
		seen[q.name] = true
	}
}

// Who gets the kernel is told where its source is and how it was built: there
// the package is the source. What is linked into something else has no recipe.
func TestKernelSourceOffer(t *testing.T) {
	if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(kernelRecipe), "build.sh")); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		sources []debian.Source
		want    string
	}{
		{nil, kernelRecipe}, {[]debian.Source{{Name: "other"}}, ""},
	} {
		s, err := debian.OpenStore(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		l := debs(t, s, "kernel", map[string]map[string]string{"aa": {"usr/share/doc/aa/copyright": "terms"}})
		l.Sources = tt.sources
		w := licenceWriter{sources: map[string]*source{}, texts: map[string][]byte{}}
		// The terms of what was built from l.Sources are not looked for here.
		_ = w.addSet(t.Context(), shippedSet{lock: l, used: []string{"aa"}, recipe: kernelRecipe}, s)
		if got := w.sources["src 1"]; got == nil || got.Recipe != tt.want || len(got.Packages) != 1 {
			t.Errorf("%+v, want the recipe %q", got, tt.want)
		}
	}
}
