//go:build linux

package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/upkeep"
	"piwork/vmhost/sandbox/tree"
)

// The unpacked runtime is shown, and goes when somebody wants the room: not while a task is at work,
// nor when it was used just now. What nobody used for long goes by itself.
func TestUnpackedRuntime(t *testing.T) {
	const old, recent = "00000000000000aa", "00000000000000bb"
	w := newWorld(t)
	w.endless()
	o := w.options()
	kinds := map[upkeep.StorageKind]string{upkeep.StorageTrees: upkeep.TreesDir, upkeep.StorageEnvironments: upkeep.EnvironmentsDir}
	unpacked := func(digest string, used time.Duration) {
		t.Helper()
		for _, name := range kinds {
			dir := filepath.Join(o.CacheDir, name)
			put(t, filepath.Join(dir, digest, "usr", "x"), "4444")
			put(t, filepath.Join(dir, "agent-"+digest), "1")
			if err := errors.Join(os.Chmod(filepath.Join(dir, digest, "usr"), 0o500), tree.Used(t.Context(), dir, digest, time.Now().Add(-used))); err != nil {
				t.Fatal(err)
			}
		}
	}
	unpacked(old, upkeep.UnusedTree+time.Hour)
	c := w.open()
	gone := func() bool {
		for _, name := range kinds {
			if left, err := filepath.Glob(filepath.Join(o.CacheDir, name, "*"+old)); err != nil || len(left) > 0 {
				return false
			}
		}
		return true
	}
	w.until("what nobody used is gone", gone)
	unpacked(old, 2*time.Hour)
	unpacked(recent, time.Minute)
	look := func(frees int64) {
		t.Helper()
		s, err := c.Storage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for _, i := range s.Items {
			if kinds[i.What] != "" {
				if shown++; i.Bytes != 10 || i.Frees != frees {
					t.Errorf("%+v", i)
				}
			}
		}
		if shown != len(kinds) {
			t.Errorf("%d are shown", shown)
		}
	}
	clean := upkeep.CleanRequest{What: []upkeep.StorageKind{upkeep.StorageTrees, upkeep.StorageEnvironments}}
	live := w.start(c, execRequestOf("sleep"))
	look(0)
	if got, err := c.CleanStorage(t.Context(), clean); err != nil || got.Freed != 0 {
		t.Errorf("while a task is at work: %+v %v", got, err)
	}
	if _, err := c.CancelTask(t.Context(), live.ID); err != nil {
		t.Fatal(err)
	}
	w.until("it is over", func() bool { return c.Live(live.ID) == nil })
	look(5)
	if got, err := c.CleanStorage(t.Context(), clean); err != nil || got.Freed != 10 || !gone() {
		t.Errorf("%+v %v", got, err)
	}
}
