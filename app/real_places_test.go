//go:build vm && linux

package app

import (
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// realPlace is a kind of place in which tasks of every sort are tried, and what differs from
// kind to kind.
type realPlace struct {
	kind string
	open bool   // programs see the files of this computer
	lost string // directory of trees of the pack in which programs run, of which one loses a tool
}

// startIn starts a task in a place of the kind.
func (p realPlace) start(t *testing.T, c *Controller, r tasks.StartRequest) task.Task {
	t.Helper()
	r.MachineChoice, r.Detached = tasks.MachineChoice{Runtime: p.kind}, true
	made, err := c.StartTask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// run has a task done there, with a yes to its plan.
func (p realPlace) run(t *testing.T, c *Controller, r tasks.StartRequest) task.Task {
	t.Helper()
	r.Accept = true
	now := ended(t, c, p.start(t, c, r).ID)
	if now.State == task.StateDone && now.Runtime != p.kind {
		t.Errorf("it worked in %q", now.Runtime)
	}
	return now
}

// realFolder is a folder with a picture and a text.
func realFolder(t *testing.T, mode task.Mode) (string, []task.FolderRequest) {
	t.Helper()
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

// inPlace has tasks of every sort done in a place of a kind over the real pack.
func inPlace(t *testing.T, c *Controller, p realPlace) {
	t.Helper()
	t.Run("a program", func(t *testing.T) {
		dir, folders := realFolder(t, task.ModeReadWrite)
		before := FilesOf(t, dir)
		script := "echo changed > old && echo new > new && mkdir d && mv a.png d/ && test $(ls ${PIWORK_FOLDERS:-/folders} | wc -l) = 1"
		loosened := "no-isolation"
		if !p.open {
			script += " && test ! -e " + dir
			loosened = "weaker-runtime"
		}
		now := p.run(t, c, tasks.StartRequest{Kind: task.KindExec, Folders: folders, Argv: []string{"sh", "-c", script}})
		if now.State != task.StateDone || now.Outcome.Accel != "" || !slices.Contains(now.Loosened, loosened) {
			t.Fatalf("%+v %v", now, now.Error)
		}
		if got := FilesOf(t, dir); got["old"] != "changed\n" || got["new"] != "new\n" {
			t.Errorf("%q", got)
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
		dir, folders := realFolder(t, task.ModeReadOnly)
		now := p.run(t, c, tasks.StartRequest{Kind: task.KindExec, Folders: folders, Argv: []string{"sh", "-c", "! echo changed > old"}})
		if now.State != task.StateDone || FilesOf(t, dir)["old"] != "before" {
			t.Errorf("%+v %v", now, now.Error)
		}
		folders[0].Mode = task.ModeReview
		now = p.run(t, c, tasks.StartRequest{Kind: task.KindExec, Folders: folders, Argv: []string{"sh", "-c", "echo changed > old && cat old"}})
		if now.State != task.StateDone || FilesOf(t, dir)["old"] != "before" {
			t.Errorf("%+v %v", now, now.Error)
		}
		if _, err := c.Apply(t.Context(), now.ID, history.ApplyRequest{}); err != nil || FilesOf(t, dir)["old"] != "changed\n" {
			t.Errorf("%v, %q", err, FilesOf(t, dir)["old"])
		}
	})
	t.Run("a chore and an operation", func(t *testing.T) {
		dir, folders := realFolder(t, task.ModeReadWrite)
		now := p.run(t, c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: folders})
		if now.State != task.StateDone || len(FilesOf(t, dir)) != 3 {
			t.Fatalf("%+v %v", now, now.Error)
		}
		if rep, err := c.Undo(t.Context(), now.ID, history.UndoRequest{}); err != nil || len(rep.Conflicts) > 0 || len(FilesOf(t, dir)) != 2 {
			t.Errorf("%+v %v", rep, err)
		}
		now = p.run(t, c, tasks.StartRequest{Kind: task.KindTool, Folders: folders, Tool: &wire.ToolParams{
			Op: "image.info", In: []string{wire.FoldersDir + "/" + filepath.Base(dir) + "/a.png"},
		}})
		if now.State != task.StateDone || len(now.Info) != 1 {
			t.Errorf("%+v %v", now, now.Error)
		}
	})
	t.Run("a cancel", func(t *testing.T) {
		dir, folders := realFolder(t, task.ModeReadWrite)
		made := p.start(t, c, tasks.StartRequest{Kind: task.KindExec, Folders: folders, Argv: []string{"sh", "-c", "echo > begun; sleep 3600 & sleep 3600"}})
		appears(t, filepath.Join(dir, "begun"))
		if _, err := c.CancelTask(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}
		if now := ended(t, c, made.ID); now.State != task.StateCancelled {
			t.Errorf("%+v", now)
		}
		if rep, err := c.Undo(t.Context(), made.ID, history.UndoRequest{}); err != nil || len(rep.Conflicts) > 0 || len(FilesOf(t, dir)) != 2 {
			t.Errorf("%+v %v", rep, err)
		}
	})
	t.Run("a session", func(t *testing.T) { inSession(t, c, p.kind) })
	if p.kind == vmhost.KindSandbox {
		t.Run("an assistant", func(t *testing.T) { asAssistant(t, c, p.kind) })
	}
	t.Run("the network", func(t *testing.T) {
		now := p.run(t, c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Network: task.NetworkOn})
		if online := p.kind != vmhost.KindHost; online && now.State != task.StateDone || !online && (now.Error == nil || now.Error.Code != problem.CodeRuntimeUnfit) {
			t.Errorf("%+v %v", now, now.Error)
		}
	})
	if p.lost != "" {
		t.Run("a tool that was deleted comes back", func(t *testing.T) { p.losesTool(t, c) })
	}
	if left, err := os.ReadDir(filepath.Join(c.o.DataDir, machineDir)); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.Count(e.Name(), "-") == 4 }) {
		t.Errorf("of the tasks is left: %v %v", left, err)
	}
}

// inSession has a shell without a terminal do commands in a place of a kind, one after another.
func inSession(t *testing.T, c *Controller, kind string) {
	t.Helper()
	made, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}, MachineChoice: tasks.MachineChoice{Runtime: kind}, Detached: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.CreateSession(t.Context(), made.ID, sessions.Request{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		command, stdout, stderr string
		code                    int
	}{
		{"cd /; x='a b'; f() { echo \"<$x>\"; }", "", "", 0},
		{"pwd; f; echo named >/dev/stderr; false", "/\n<a b>\n", "named\n", 1},
		{"exit 3", "", "", 3},
	} {
		got, err := c.RunInSession(t.Context(), s.ID, sessions.RunRequest{Command: tt.command})
		if err != nil || got.ExitCode != tt.code || string(got.Stdout) != tt.stdout || string(got.Stderr) != tt.stderr {
			t.Fatalf("%s: %+v %v", tt.command, got, err)
		}
	}
	if _, err := c.CloseSession(t.Context(), s.ID); err != nil {
		t.Error(err)
	}
	if now := ended(t, c, made.ID); now.State != task.StateDone {
		t.Errorf("%+v %v", now, now.Error)
	}
}

// losesTool deletes a tool of the pack where programs find it. Those of other packs, which stay
// for other tests, get theirs back.
func (p realPlace) losesTool(t *testing.T, c *Controller) {
	tool := filepath.Join(p.lost, "*", "usr/bin/qpdf")
	lost, err := filepath.Glob(tool)
	if err != nil || len(lost) == 0 {
		t.Fatal(lost, err)
	}
	for i, name := range lost {
		aside := filepath.Join(filepath.Dir(p.lost), "lost-"+strconv.Itoa(i))
		if err := os.Rename(name, aside); err != nil {
			t.Fatal(err)
		}
		defer func() {
			give := os.Remove
			if _, err := os.Lstat(name); err != nil {
				give = func(aside string) error { return os.Rename(aside, name) }
			}
			if err := give(aside); err != nil {
				t.Error(err)
			}
		}()
	}
	if now := p.run(t, c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"qpdf", "--version"}}); now.State != task.StateDone {
		t.Errorf("%+v %v", now, now.Error)
	}
	if again, err := filepath.Glob(tool); err != nil || len(again) == 0 {
		t.Errorf("%v %v", again, err)
	}
}

// appears waits until a file is there.
func appears(t *testing.T, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for {
		_, err := os.Lstat(name)
		switch {
		case err == nil:
			return
		case ctx.Err() != nil:
			t.Fatalf("it is not there: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// running are the programs below a directory that run.
func running(t *testing.T, dir string) (out []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if program, err := os.Readlink(name); err == nil && strings.HasPrefix(program, dir+"/") {
			out = append(out, name+" "+program)
		}
	}
	return out
}
