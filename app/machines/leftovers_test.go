package machines

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Of a task that exists the logs of its machine stay; a place that wrote none leaves no
// directory.
func TestSweepMachines(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"with/console.log", "with/disk.img", "without/work/deep/x.log", "gone/console.log", "program.log"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	exists := func(id string) bool { return id != "gone" }
	nobody := func(context.Context, string) (bool, error) { return false, nil }
	if err := SweepMachines(t.Context(), dir, exists, nobody); err != nil {
		t.Fatal(err)
	}
	for name, stays := range map[string]bool{"with/console.log": true, "with/disk.img": false, "without": false, "gone": false, "program.log": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}
