package image

import (
	"bytes"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"piwork/pack/image/debian"
	"piwork/pack/image/kernel"
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
		changes := map[string][]byte{"licenses/linux/changes/b.patch": []byte("b"), "licenses/linux/changes/a.patch": []byte("a")}
		_ = w.addSet(t.Context(), shippedSet{lock: l, used: []string{"aa"}, recipe: kernelRecipe, changes: changes}, s)
		got := w.sources["src 1"]
		if got == nil || got.Recipe != tt.want || len(got.Packages) != 1 {
			t.Fatalf("%+v, want the recipe %q", got, tt.want)
		}
		// What was changed is in the pack, and the list says where.
		if tt.want == "" {
			if len(got.Changes) != 0 || len(w.texts["licenses/linux/changes/a.patch"]) != 0 {
				t.Errorf("changes %q of what is no source", got.Changes)
			}
			continue
		}
		if !slices.Equal(got.Changes, slices.Sorted(maps.Keys(changes))) {
			t.Errorf("changes %q", got.Changes)
		}
		for name, text := range changes {
			if !bytes.Equal(w.texts[name], text) {
				t.Errorf("%s: %q", name, w.texts[name])
			}
		}
	}
}

// Every patch that is in a kernel goes into its pack, under its own name; one that
// was left out does not.
func TestKernelChanges(t *testing.T) {
	dir := filepath.Join("../..", filepath.FromSlash(kernelRecipe), "patches")
	list, err := os.ReadDir(dir)
	if err != nil || len(list) < 2 {
		t.Fatalf("%d files in %s, %v", len(list), dir, err)
	}
	part, record := t.TempDir(), "left-out "+list[0].Name()+"\n"
	for _, e := range list[1:] {
		record += "applied " + e.Name() + "\n"
	}
	writeFiles(t, part, map[string]string{"patches": record})
	changes, err := kernelChanges(part)
	if err != nil || len(changes) != len(list)-1 {
		t.Fatalf("%d changes of %d patches, %v", len(changes), len(list), err)
	}
	for name, text := range changes {
		want, err := os.ReadFile(filepath.Join(dir, path.Base(name)))
		if err != nil || !bytes.Equal(text, want) || path.Base(name) == list[0].Name() {
			t.Errorf("%s is not the file of the recipe, or was left out: %v", name, err)
		}
	}
	if _, err := kernelChanges(t.TempDir()); err == nil {
		t.Error("a kernel that does not say which patches are in it")
	}
}

// Another source of the kernel has our patches tried on it, nothing else has.
func TestFollowsKernel(t *testing.T) {
	lock := func(version string) *debian.Lock {
		return &debian.Lock{Packages: []debian.Package{{Name: "gcc", Version: "1"}, {Name: kernel.Source, Version: version}}}
	}
	of := set{name: kernelSet(rooms)}
	for _, tt := range []struct {
		name     string
		set      set
		old, now *debian.Lock
		want     bool
	}{
		{"the same", of, lock("6.12.1-1"), lock("6.12.1-1"), false},
		{"another", of, lock("6.12.1-1"), lock("6.12.2-1"), true},
		{"none before", of, nil, lock("6.12.1-1"), true},
		{"the guest's packages", set{name: setGuest}, lock("6.12.1-1"), lock("6.12.2-1"), false},
	} {
		if got := tt.set.followsKernel(tt.old, tt.now); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	// The kernels of all guests are locked in one version.
	for _, p := range platforms {
		l, err := debian.ReadLock(kernelQuestion(p).file("../.."))
		if err != nil {
			t.Fatal(err)
		}
		first, err := debian.ReadLock(kernelQuestion(rooms).file("../.."))
		if err != nil || kernel.SourceVersion(l) != kernel.SourceVersion(first) || kernel.SourceVersion(l) == "" {
			t.Errorf("%s: %q, %q, %v", p.goarch, kernel.SourceVersion(l), kernel.SourceVersion(first), err)
		}
	}
}
