//go:build vm && linux

package app_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"piwork/app"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/scripts/lib/tier"
)

// The power, for everything that piwork keeps: data, settings and folders are on a file system
// in an image. What the image has when the controller is dead is what a disk would have; what
// only the page cache has is lost. The kernel would write it back by itself after seconds, and
// commit=300 (ext4(5)) keeps it from doing that within a round.
func TestPowerOfADisk(t *testing.T) {
	tier.Rest(t, "the crash tests of vmhost/share")
	if os.Getuid() != 0 {
		t.Skip("mounting an image needs root")
	}
	outer, err := os.MkdirTemp("", "pw-disk") // short: a socket is in it
	if err != nil {
		t.Fatal(err)
	}
	image, base := filepath.Join(outer, "image"), filepath.Join(outer, "d")
	do := func(argv ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).CombinedOutput(); err != nil { //nolint:gosec // of this test
			t.Fatalf("%v: %v\n%s", argv, err, out)
		}
	}
	mount := func() { t.Helper(); do("mount", "-o", "loop,commit=300", image, base) }
	do("truncate", "-s", "1G", image)
	do("mkfs.ext4", "-q", "-F", image)
	do("mkdir", base)
	mount()
	t.Cleanup(func() {
		_ = exec.Command("umount", base).Run()
		_ = os.RemoveAll(outer)
	})
	o := app.WarmOptions(t)
	do("cp", "-a", o.ConfigDir, base)
	o.DataDir, o.ConfigDir = filepath.Join(base, "data"), filepath.Join(base, "config")
	c := newComputer(t, "", o)
	c.program, c.disk = os.Getenv(envBin), base
	unknown := 0
	for range deathsEach {
		w := c.realWork()
		c.kill(w.controller)
		c.nothingLeft()
		do("cp", "--sparse=always", image, image+".cut")
		do("umount", base)
		do("mv", image+".cut", image)
		mount()
		w.cl, _ = c.controller()
		for _, k := range c.known {
			if was, err := w.cl.Task(c.Context(), k); err != nil || was.State != task.StateFailed || was.Error == nil || was.Error.Code != problem.CodeInterrupted {
				c.Errorf("%s was interrupted, and is %+v, %v", k, was, err)
			}
		}
		rep, err := w.cl.Undo(c.Context(), w.id, history.UndoRequest{})
		for _, conflict := range rep.Conflicts { // the disk may have the name of a new file without what was in it
			if conflict.Change.Path != "new" {
				err = errors.Join(err, fmt.Errorf("%+v", conflict))
			}
		}
		if err != nil {
			c.Errorf("undo: %v", err)
		}
		now := app.FilesOf(c.T, w.dir)
		if now["old"] != "before" || now["gone"] != "before" {
			c.Errorf("undo left %q", now)
		}
		if unknown += len(now) - 2; c.Failed() {
			return
		}
	}
	// What a power cut may cost is the listing of the newest files, and what is in them
	// (vmhost/share/journal).
	t.Logf("of %d files that were new, undo left %d", deathsEach, unknown)
}
