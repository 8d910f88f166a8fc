package app

import (
	"path/filepath"
	"piwork/app/runtimepack"
	"slices"
	"testing"

	"piwork/app/licences"
	"piwork/pack"
)

// The parts of the program come with their texts, those of the runtime with where
// the text lies.
func TestLicences(t *testing.T) {
	w := newWorld(t)
	got, err := w.open().Licences(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(got.Items, func(l Licence) bool { return l.Name == "github.com/spf13/cobra" })
	if at < 0 || got.Items[at].Of != licences.OfProgram || got.Items[at].Text == "" {
		t.Errorf("%d items, cobra at %d", len(got.Items), at)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "licenses", "qemu", "copyright"), "GPL")
	put(t, filepath.Join(dir, "licenses", "busybox", "copyright"), "GPL")
	put(t, filepath.Join(dir, "licenses", "SOURCES.json"), "{}")
	items, err := runtimeLicences(runtimepack.Info{Dir: dir, Tools: []pack.Tool{{Name: "qemu", Version: "10.1"}}})
	want := []Licence{
		{Name: "busybox", Of: "runtime", File: filepath.Join(dir, "licenses", "busybox", "copyright"), Source: filepath.Join(dir, "licenses", "SOURCES.json")},
		{Name: "qemu", Version: "10.1", Of: "runtime", File: filepath.Join(dir, "licenses", "qemu", "copyright"), Source: filepath.Join(dir, "licenses", "SOURCES.json")},
	}
	if err != nil || !slices.Equal(items, want) {
		t.Errorf("%+v %v", items, err)
	}
	if items, err := runtimeLicences(runtimepack.Info{Dir: t.TempDir()}); err != nil || len(items) != 0 {
		t.Errorf("%+v %v", items, err)
	}
}
