package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/wire"
)

func TestHasDevice(t *testing.T) {
	dir := t.TempDir()
	kind := deviceKind{dir: dir, tag: "tag"}
	if (deviceKind{dir: filepath.Join(dir, "not"), tag: "tag"}).has("folders") || kind.has("folders") {
		t.Error("a device where there is none")
	}
	for name, tag := range map[string]string{"0": "other\n", "1": "folders\n", "2": "folders2\x00"} {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, name), 0o755), os.WriteFile(filepath.Join(dir, name, "tag"), []byte(tag), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "3"), 0o755); err != nil { // it is about to get one
		t.Fatal(err)
	}
	for tag, want := range map[string]bool{"folders": true, "folders2": true, "other": true, "folder": false, "": false} {
		if kind.has(tag) != want {
			t.Errorf("%q: %v", tag, !want)
		}
	}
	if err := kind.await(t.Context(), "folders", time.Hour); err != nil {
		t.Error(err)
	}
}

// A device that does not come is an error in time, and leaves what was there.
func TestDeviceThatDoesNotCome(t *testing.T) {
	if err := (deviceKind{dir: t.TempDir(), tag: "tag"}).await(t.Context(), "folders", 20*time.Millisecond); err == nil {
		t.Error("a device that is not there")
	}
	s := &Shares{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for kind := range deviceKinds {
		err := s.Mount(ctx, wire.MountParams{Kind: kind, Path: wire.FoldersDir, Export: "piwork-test"})
		if err == nil || s.path != "" {
			t.Errorf("mounted: %v", err)
		}
	}
	if err := s.Unmount(t.Context(), wire.FoldersDir); err == nil {
		t.Error("unmounted what was not mounted")
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
