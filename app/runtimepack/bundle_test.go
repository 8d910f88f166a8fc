package runtimepack

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
)

// What can't work is refused before anything is gathered, and the field is named.
func TestBundleIsRefusedBeforeItIsGathered(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		r     BundleRequest
		field string
	}{
		"no whole path":              {BundleRequest{Out: "b.tar"}, "out"},
		"a folder that is not there": {BundleRequest{Out: filepath.Join(dir, "no", "b.tar")}, "out"},
		"a name that means more":     {BundleRequest{Out: filepath.Join(dir, "authorized_keys")}, "out"},
		"in a file":                  {BundleRequest{Out: filepath.Join(file, "b.tar")}, "out"},
		"a program that is a folder": {BundleRequest{Out: dir, App: dir}, "app"},
		"a program that isn't there": {BundleRequest{Out: dir, App: filepath.Join(dir, "no")}, "app"},
	} {
		_, err := (&Store{}).Bundle(t.Context(), updater.Settings{}, c.r, nil)
		if p := problem.From(err); err == nil || p.Code != problem.CodeBadRequest || p.Params["field"] != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}
