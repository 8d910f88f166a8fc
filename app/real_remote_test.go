//go:build vm && linux

package app

import (
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app/history"
	"piwork/app/remotes"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/remote/sshtest"
	"piwork/vmhost/wire"
)

// What a program does on another computer, with OpenSSH's server, is seen and undone here; and
// nothing stays there that was not asked for.
func TestRealRemote(t *testing.T) {
	s := sshtest.Start(t)
	o := realOptions(t)
	keepTrees(t, o.CacheDir)
	c := openReal(t, o)
	added, err := c.AddRemote(t.Context(), remotes.RemoteAddition{Name: "lab", Address: s.Address, Confirm: []string{s.Fingerprint}})
	if err != nil {
		t.Fatal(err)
	}
	status, err := c.TestRuntime(t.Context(), added.Kind())
	if err != nil || !status.Works {
		t.Fatalf("%+v %v", status, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	made, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindExec, MachineChoice: tasks.MachineChoice{Runtime: added.Kind()}, Accept: true, Detached: true,
		Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}, Argv: []string{"sh", "-c", "echo changed >old && echo new >new && test ! -e " + dir},
	})
	if err != nil {
		t.Fatal(err)
	}
	now := ended(t, c, made.ID)
	if now.State != task.StateDone || now.Runtime != added.Kind() || FilesOf(t, dir)["old"] != "changed\n" {
		t.Fatalf("%+v %v", now, now.Error)
	}
	if rep, err := c.Undo(t.Context(), now.ID, history.UndoRequest{}); err != nil || len(rep.Conflicts) > 0 {
		t.Errorf("%+v %v", rep, err)
	}
	if after := FilesOf(t, dir); len(after) != 1 || after["old"] != "before" {
		t.Errorf("undo left %v", after)
	}
	t.Run("a chore and an operation", func(t *testing.T) { choresThere(t, c, added.Kind(), s.Home) })
	if err := c.CleanRemote(t.Context(), "lab"); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(s.Home, ".cache/piwork")); err == nil {
		t.Error("piwork is still there")
	}
}

// choresThere does a chore and an operation on another computer, with the programs of the pack,
// which are sent there once.
func choresThere(t *testing.T, c *Controller, kind, home string) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "a.png"))
	if err == nil {
		err = errors.Join(png.Encode(f, image.NewGray(image.Rect(0, 0, 9, 9))), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	folders := []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}
	sends := 0
	for _, r := range []tasks.StartRequest{
		{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: folders},
		{Kind: task.KindTool, Folders: folders, Tool: &wire.ToolParams{Op: "image.info", In: []string{wire.FoldersDir + "/" + filepath.Base(dir) + "/a.png"}}},
	} {
		r.MachineChoice, r.Accept, r.Detached = tasks.MachineChoice{Runtime: kind}, true, true
		began := time.Now()
		made, err := c.StartTask(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		now := ended(t, c, made.ID)
		t.Logf("%s: %v", r.Kind, time.Since(began))
		if now.State != task.StateDone || now.Runtime != kind {
			t.Fatalf("%+v %v", now, now.Error)
		}
		all, err := c.Timeline(t.Context(), now.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if b, err := json.Marshal(e.Data); err == nil && e.Kind == task.EventStep && strings.Contains(string(b), `"send"`) {
				sends++
			}
		}
		if r.Kind == task.KindTool && len(now.Info) != 1 {
			t.Errorf("%+v", now.Info)
		}
		if r.Kind != task.KindChore {
			continue
		}
		if len(FilesOf(t, dir)) != 2 {
			t.Errorf("it made %v", FilesOf(t, dir))
		}
		if rep, err := c.Undo(t.Context(), now.ID, history.UndoRequest{}); err != nil || len(rep.Conflicts) > 0 || len(FilesOf(t, dir)) != 1 {
			t.Errorf("%+v %v", rep, err)
		}
	}
	if there, err := filepath.Glob(filepath.Join(home, ".cache/piwork/pack/*/usr/bin")); err != nil || len(there) != 1 || sends != 1 {
		t.Errorf("%q %v, sent %d times", there, err, sends)
	}
}
