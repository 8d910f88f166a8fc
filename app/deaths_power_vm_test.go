//go:build vm && linux

package app_test

import (
	"context"
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
	outer, err := os.MkdirTemp("", "pw-disk") // short: a socket is in it
	if err != nil {
		t.Fatal(err)
	}
	image, base := filepath.Join(outer, "image"), filepath.Join(outer, "d")
	do := func(argv ...string) {
		t.Helper()
		if out, err := exec.CommandContext(context.Background(), argv[0], argv[1:]...).CombinedOutput(); err != nil { //nolint:gosec // of this test
			t.Fatalf("%v: %v\n%s", argv, err, out)
		}
	}
	root := func(argv ...string) { // to mount, as scripts/setup becomes root
		t.Helper()
		if os.Getuid() != 0 {
			argv = append([]string{"sudo", "-n"}, argv...)
		}
		do(argv...)
	}
	mount := func() { t.Helper(); root("mount", "-o", "loop,commit=300", image, base) }
	do("truncate", "-s", "1G", image)
	do("mkfs.ext4", "-q", "-F", "-E", fmt.Sprintf("root_owner=%d:%d", os.Getuid(), os.Getgid()), image)
	do("mkdir", base)
	mount()
	t.Cleanup(func() {
		if err := os.RemoveAll(outer); err != nil { // nothing is left below a mount that is gone
			t.Error(err)
		}
	})
	t.Cleanup(func() { root("umount", base) })
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
		root("umount", base)
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
