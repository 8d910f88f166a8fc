package runtimepack

import (
	"os"
	"path/filepath"
	"testing"
)

// A bundle that an AppImage makes has the AppImage, not the program in it, which does not run
// without the rest.
func TestBundleHasTheWholeAppImage(t *testing.T) {
	inner, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(t.TempDir(), "piwork.AppImage")
	t.Setenv("APPIMAGE", image)
	t.Setenv("APPDIR", filepath.Dir(inner))
	if got, err := program(""); err != nil || got != image {
		t.Errorf("%q, %v", got, err)
	}
}
