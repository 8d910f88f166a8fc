//go:build vm && linux

package app

import (
	"encoding/json"
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
)

// What tasks do on another computer, with OpenSSH's server and the real pack, is what they do
// in a machine: programs, operations and chores, guards, undo, review, a cancel. A connection
// that is lost comes again; and nothing stays there that was not asked for.
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
	p, there := realPlace{kind: added.Kind()}, filepath.Join(s.Home, ".cache/piwork")
	inPlace(t, c, p)
	if packs, err := filepath.Glob(filepath.Join(there, "pack/*/usr/bin")); err != nil || len(packs) != 1 || sends(t, c) != 1 {
		t.Errorf("the programs are %q %v, sent %d times", packs, err, sends(t, c))
	}
	t.Run("a lost connection", func(t *testing.T) { p.losesConnection(t, c, s) })
	if left, err := os.ReadDir(filepath.Join(there, "run")); err != nil || len(left) > 0 {
		t.Errorf("places are left there: %v %v", left, err)
	}
	for began := time.Now(); ; <-time.After(50 * time.Millisecond) {
		left := running(t, s.Home)
		if len(left) == 0 {
			break
		}
		if time.Since(began) > time.Minute {
			t.Errorf("there runs %q", left)
			break
		}
	}
	if err := c.CleanRemote(t.Context(), "lab"); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(there); err == nil {
		t.Error("piwork is still there")
	}
}

// losesConnection cuts the connection while a program changes files, and while it says much.
func (p realPlace) losesConnection(t *testing.T, c *Controller, s *sshtest.Server) {
	dir, folders := realFolder(t, task.ModeReadWrite)
	made := p.start(t, c, tasks.StartRequest{Kind: task.KindExec, Folders: folders, Argv: []string{
		"sh", "-c", "echo > begun; while [ ! -e on ]; do sleep 0.1; done; i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done | tee old; echo > said; while [ ! -e end ]; do sleep 0.1; done; rm begun on said end",
	}})
	for _, turn := range [][2]string{{"begun", "on"}, {"said", "end"}} {
		appears(t, filepath.Join(dir, turn[0]))
		s.Cut()
		if err := os.WriteFile(filepath.Join(dir, turn[1]), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now := ended(t, c, made.ID)
	after := FilesOf(t, dir)
	if lines := strings.Split(after["old"], "\n"); now.State != task.StateDone || len(after) != 2 || len(lines) != 2001 || lines[1999] != "line 1999" {
		t.Fatalf("%+v %v, %d files, %d lines", now, now.Error, len(after), len(lines))
	}
	if rep, err := c.Undo(t.Context(), now.ID, history.UndoRequest{}); err != nil || len(rep.Conflicts) > 0 || FilesOf(t, dir)["old"] != "before" {
		t.Errorf("%+v %v", rep, err)
	}
}

// sends is how many tasks said that programs were on their way.
func sends(t *testing.T, c *Controller) (n int) {
	t.Helper()
	list, err := c.Tasks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		all, err := c.Timeline(t.Context(), one.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if b, err := json.Marshal(e.Data); err == nil && e.Kind == task.EventStep && strings.Contains(string(b), `"send"`) {
				n++
			}
		}
	}
	return n
}
