package upkeep

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"piwork/pack/spec"
)

// Of the runtime it is said where its texts lie, and where the list of sources.
func TestRuntimeLicences(t *testing.T) {
	write := func(file, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	write(filepath.Join(dir, "licenses", "qemu", "copyright"), "GPL")
	write(filepath.Join(dir, "licenses", "busybox", "copyright"), "GPL")
	write(filepath.Join(dir, "licenses", "SOURCES.json"), "{}")
	items, err := runtimeLicences(dir, []spec.Tool{{Name: "qemu", Version: "10.1"}})
	want := []Licence{
		{Name: "busybox", Of: "runtime", File: filepath.Join(dir, "licenses", "busybox", "copyright"), Source: filepath.Join(dir, "licenses", "SOURCES.json")},
		{Name: "qemu", Version: "10.1", Of: "runtime", File: filepath.Join(dir, "licenses", "qemu", "copyright"), Source: filepath.Join(dir, "licenses", "SOURCES.json")},
	}
	if err != nil || !slices.Equal(items, want) {
		t.Errorf("%+v %v", items, err)
	}
	if items, err := runtimeLicences(t.TempDir(), nil); err != nil || len(items) != 0 {
		t.Errorf("%+v %v", items, err)
	}
}
