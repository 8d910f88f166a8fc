//go:build vm && linux

package app

import (
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/sandbox/tree"
	"piwork/vmhost/wire"
)

// What tasks do in a real sandbox over the real pack is what they do in a machine: programs,
// operations and chores, guards, undo, review, a cancel, and nothing is left.
func TestRealSandbox(t *testing.T) {
	o := realOptions(t)
	keepTrees(t, o.CacheDir)
	c := openReal(t, o)
	status, err := c.TestRuntime(t.Context(), vmhost.KindSandbox)
	if err == nil && status.Problem != nil && slices.Contains([]string{string(vmhost.ReasonSandboxMissing), string(vmhost.ReasonSandboxDenied)}, status.Problem.Cause) {
		t.Skipf("this computer has no sandbox: %v", status.Problem)
	}
	if err != nil || !status.Works {
		t.Fatalf("%+v %v", status, err)
	}
	inPlace(t, c, vmhost.KindSandbox)
	// The tree of the pack is in the command line of whatever runs in a sandbox.
	if left := commandLines(t, filepath.Join(c.o.CacheDir, treesDir)); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
}

// inPlace has tasks of every sort done in a place of a kind over the real pack.
func inPlace(t *testing.T, c *Controller, kind string) {
	t.Helper()
	here := tasks.MachineChoice{Runtime: kind}
	run := func(r tasks.StartRequest) task.Task {
		t.Helper()
		r.MachineChoice, r.Accept, r.Detached = here, true, true
		made, err := c.StartTask(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		now := ended(t, c, made.ID)
		if now.State == task.StateDone && now.Runtime != kind {
			t.Errorf("it worked in %q", now.Runtime)
		}
		return now
	}
	folder := func(mode task.Mode) (string, []task.FolderRequest) {
		dir := t.TempDir()
		f, err := os.Create(filepath.Join(dir, "a.png"))
		if err == nil {
			err = errors.Join(png.Encode(f, image.NewGray(image.Rect(0, 0, 9, 9))), f.Close(), os.WriteFile(filepath.Join(dir, "old"), []byte("before"), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir, []task.FolderRequest{{Path: dir, Mode: mode}}
	}

	t.Run("a program", func(t *testing.T) {
		dir, folders := folder(task.ModeReadWrite)
		before := FilesOf(t, dir)
		now := run(tasks.StartRequest{Kind: task.KindExec, Folders: folders, Argv: []string{
			"sh", "-c", "echo changed > old && echo new > new && mkdir d && mv a.png d/ && test ! -e " + dir + " && test $(ls /folders | wc -l) = 1",
		}})
		if now.State != task.StateDone || now.Outcome.Accel != "" || !slices.Contains(now.Loosened, "weaker-runtime") {
			t.Fatalf("%+v %v", now, now.Error)
		}
		if changes, err := c.Changes(t.Context(), now.ID); err != nil || len(changes) < 3 {
			t.Errorf("%+v %v", changes, err)
		}
		if rep, err := c.Undo(t.Context(), now.ID, history.UndoRequest{}); err != nil || len(rep.Conflicts) > 0 {
			t.Errorf("%+v %v", rep, err)
		}
		if after := FilesOf(t, dir); len(after) != len(before) || after["old"] != "before" || after["a.png"] != before["a.png"] {
			t.Errorf("undo left %d files, old %q", len(after), after["old"])
		}
	})
	t.Run("read-only and review", func(t *testing.T) {
		dir, folders := folder(task.ModeReadOnly)
		now := run(tasks.StartRequest{Kind: task.KindExec, Folders: folders, Argv: []string{"sh", "-c", "! echo changed > old"}})
		if now.State != task.StateDone || FilesOf(t, dir)["old"] != "before" {
			t.Errorf("%+v %v", now, now.Error)
		}
		folders[0].Mode = task.ModeReview
		now = run(tasks.StartRequest{Kind: task.KindExec, Folders: folders, Argv: []string{"sh", "-c", "echo changed > old && cat old"}})
		if now.State != task.StateDone || FilesOf(t, dir)["old"] != "before" {
			t.Errorf("%+v %v", now, now.Error)
		}
		if _, err := c.Apply(t.Context(), now.ID, history.ApplyRequest{}); err != nil || FilesOf(t, dir)["old"] != "changed\n" {
			t.Errorf("%v, %q", err, FilesOf(t, dir)["old"])
		}
	})
	t.Run("a chore and an operation", func(t *testing.T) {
		dir, folders := folder(task.ModeReadWrite)
		now := run(tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: folders})
		if now.State != task.StateDone || len(FilesOf(t, dir)) != 3 {
			t.Fatalf("%+v %v", now, now.Error)
		}
		now = run(tasks.StartRequest{Kind: task.KindTool, Folders: folders, Tool: &wire.ToolParams{
			Op: "image.info", In: []string{wire.FoldersDir + "/" + filepath.Base(dir) + "/a.png"},
		}})
		if now.State != task.StateDone || len(now.Info) != 1 {
			t.Errorf("%+v %v", now, now.Error)
		}
	})
	t.Run("a cancel", func(t *testing.T) {
		made, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, MachineChoice: here, Detached: true, Argv: []string{"sh", "-c", "sleep 3600 & sleep 3600"}})
		if err != nil {
			t.Fatal(err)
		}
		meanwhile(t, c, made.ID, func(now task.Task) bool { return now.State == task.StateRunning })
		if _, err := c.CancelTask(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}
		if now := ended(t, c, made.ID); now.State != task.StateCancelled {
			t.Errorf("%+v", now)
		}
	})
	t.Run("the network", func(t *testing.T) {
		now := run(tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Network: task.NetworkOn})
		if now.Error == nil || now.Error.Code != problem.CodeRuntimeUnfit {
			t.Errorf("%+v %v", now, now.Error)
		}
	})
	t.Run("a runtime that lost a file", func(t *testing.T) {
		lost, err := filepath.Glob(filepath.Join(c.o.CacheDir, treesDir, "*", "usr/bin/env"))
		if err != nil || len(lost) == 0 {
			t.Fatal(lost, err)
		}
		for _, name := range lost {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		if now := run(tasks.StartRequest{Kind: task.KindExec, Argv: []string{"env"}}); now.State != task.StateDone {
			t.Errorf("%+v %v", now, now.Error)
		}
	})
}

// keepTrees has unpacked packs stay between runs of the tests: their names say of what they are.
func keepTrees(t *testing.T, cache string) {
	t.Helper()
	keep := os.Getenv("PIWORK_TEST_KEEP")
	if keep == "" {
		return
	}
	err := errors.Join(os.MkdirAll(filepath.Join(keep, treesDir), 0o700), os.MkdirAll(cache, 0o700), os.Symlink(filepath.Join(keep, treesDir), filepath.Join(cache, treesDir)))
	if err == nil {
		err = tree.Prune(t.Context(), filepath.Join(keep, treesDir), "", time.Now().Add(-24*time.Hour))
	}
	if err != nil {
		t.Fatal(err)
	}
}
