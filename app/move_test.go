package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/lock"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/relocate"
	"piwork/app/samples"
	"piwork/app/task"
	"piwork/app/upkeep"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share/journal"
)

// movable is a world whose directories nobody says.
func movable(t *testing.T) (*world, Options) {
	w := newWorld(t)
	w.diskMB = 10_000
	o := w.options()
	o.fixedBy = ""
	return w, o
}

// moveTo moves, and waits for the end.
func moveTo(t *testing.T, c *Controller, dir string) upkeep.StorageMove {
	t.Helper()
	s, err := c.MoveStorage(t.Context(), upkeep.MoveRequest{Dir: dir})
	if err != nil || s.Phase != upkeep.MoveCopying {
		t.Fatalf("%+v, %v", s, err)
	}
	for deadline := time.Now().Add(time.Minute); s.Phase == upkeep.MoveCopying; time.Sleep(time.Millisecond) {
		if s, err = c.StorageMove(t.Context()); err != nil || time.Now().After(deadline) {
			t.Fatalf("%+v, %v", s, err)
		}
	}
	return s
}

func TestMoveStorage(t *testing.T) {
	memdir.OnDisk(t) // data does not move to memory
	w, o := movable(t)
	c := w.openWith(o)
	over := record(t, c, nil)
	j, err := journal.Open(c.store.JournalDir(over.ID), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(c.store.Dir(over.ID), "results", "r.pdf"), "result")
	put(t, filepath.Join(o.DataDir, machineDir, over.ID, "console.log"), "log")
	put(t, filepath.Join(o.DataDir, machineDir, over.ID, "overlay.qcow2"), "left")
	put(t, filepath.Join(o.CacheDir, machines.TemplatesDir, "x"), "made again")
	put(t, filepath.Join(o.CacheDir, samples.Dir, "Samples", "a.png"), "a person's")
	to := t.TempDir()

	plan, err := c.MoveStorage(t.Context(), upkeep.MoveRequest{Dir: to, DryRun: true})
	if err != nil || plan.Phase != upkeep.MovePlanned || plan.Bytes == 0 || plan.NeedBytes <= plan.Bytes || plan.FreeBytes != 10_000<<20 || plan.From != o.DataDir {
		t.Fatalf("%+v, %v", plan, err)
	}
	if names, err := os.ReadDir(to); err != nil || len(names) > 0 {
		t.Fatalf("a plan made %v, %v", names, err)
	}
	if s := moveTo(t, c, to); s.Phase != upkeep.MoveDone || s.Done != s.Bytes || s.To != plan.To {
		t.Fatalf("%+v", s)
	}
	<-c.Moved()

	// The old one is of no more use, and says so; who comes anew finds it.
	if _, err := c.StartTask(t.Context(), execRequestOf("true")); codeOf(err) != problem.CodeMoving {
		t.Errorf("a task: %v", err)
	}
	if err := c.DeleteTask(t.Context(), over.ID, false); codeOf(err) != problem.CodeMoving {
		t.Errorf("deleting: %v", err)
	}
	if _, err := c.MoveStorage(t.Context(), upkeep.MoveRequest{Dir: t.TempDir()}); codeOf(err) != problem.CodeMoving {
		t.Errorf("moving again: %v", err)
	}
	next := Options{ConfigDir: o.ConfigDir, Version: "1.2.3"}
	for _, env := range []string{EnvDataDir, EnvCacheDir, EnvConfigDir} {
		t.Setenv(env, "")
	}
	next = next.WithDefaults()
	if next.DataDir != filepath.Join(plan.To, "data") || next.CacheDir != filepath.Join(plan.To, "cache") || next.fixedBy != "" {
		t.Fatalf("%+v", next)
	}
	var locked *lock.HeldError
	if _, err := open(t.Context(), next, w.seams); !errors.As(err, &locked) || locked.Socket != c.Socket() {
		t.Errorf("beside it: %v", err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	d := w.openWith(next)
	if _, err := d.Task(t.Context(), over.ID); err != nil {
		t.Error(err)
	}
	for rel, want := range map[string]string{"tasks/" + over.ID + "/results/r.pdf": "result", "vm/" + over.ID + "/console.log": "log"} {
		if data, err := os.ReadFile(filepath.Join(next.DataDir, rel)); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", rel, data, err)
		}
	}
	w.until("the old place goes", func() bool {
		_, data := os.Lstat(o.DataDir)
		_, templates := os.Lstat(filepath.Join(o.CacheDir, machines.TemplatesDir))
		return errors.Is(data, fs.ErrNotExist) && errors.Is(templates, fs.ErrNotExist)
	})
	for _, gone := range []string{o.DataDir, filepath.Join(o.CacheDir, machines.TemplatesDir), filepath.Join(next.CacheDir, machines.TemplatesDir), filepath.Join(next.DataDir, "vm", over.ID, "overlay.qcow2")} {
		if _, err := os.Lstat(gone); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", gone, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(o.CacheDir, samples.Dir, "Samples", "a.png")); err != nil {
		t.Errorf("pictures that a task worked on: %v", err)
	}
	if p, err := d.store.Get(over.ID); err != nil || p.ID != over.ID {
		t.Errorf("%+v, %v", p, err)
	}
	if list, err := journal.Open(d.store.JournalDir(over.ID), journal.Options{}); err != nil {
		t.Errorf("its journal: %v", err)
	} else if err := list.Close(); err != nil {
		t.Error(err)
	}
	// Unplugged, it does not begin anew.
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(plan.To, plan.To+"-unplugged"); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.Context(), Options{ConfigDir: o.ConfigDir}.WithDefaults(), w.seams); codeOf(problem.From(err)) != problem.CodePlaceGone {
		t.Errorf("unplugged: %v", err)
	}
}

func TestMoveStorageIsRefused(t *testing.T) {
	memdir.OnDisk(t) // data does not move to memory
	w, o := movable(t)
	c := w.openWith(o)
	shared := t.TempDir()
	record(t, c, func(got *task.Task) { got.Folders = []task.Folder{{ID: "f1", Path: shared, Name: "f"}} })
	refused := func(name, dir, code, cause string) {
		t.Helper()
		for _, dry := range []bool{true, false} {
			s, err := c.MoveStorage(t.Context(), upkeep.MoveRequest{Dir: dir, DryRun: dry})
			if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != code || p.Cause != cause {
				t.Errorf("%s: %+v, %+v", name, s, err)
			}
		}
	}
	refused("in its data", filepath.Join(o.DataDir, tasksDir), problem.CodeMoveRefused, string(relocate.RefusedInside))
	refused("in a folder of a task", shared, problem.CodeMoveRefused, string(relocate.RefusedShared))
	refused("a part of a path", "x", problem.CodeMoveRefused, string(relocate.RefusedRelative))
	to := t.TempDir()
	w.set(func() { w.diskMB = 100 })
	refused("too little room", to, problem.CodeDiskFull, "")
	w.set(func() { w.diskMB = 10_000 })
	release, err := c.registry.Hold(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	refused("while a task is in use", to, problem.CodeMoveRefused, "busy")
	release()
	fixed := o
	fixed.fixedBy = EnvDataDir
	again := func(o Options) {
		t.Helper()
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		c = w.openWith(o)
	}
	again(fixed)
	refused("fixed", to, problem.CodeMoveRefused, "fixed")
	again(o)
	if s, err := c.StorageMove(t.Context()); err != nil || s.Phase != upkeep.MoveNone {
		t.Errorf("%+v, %v", s, err)
	}
	if names, err := os.ReadDir(to); err != nil || len(names) > 0 {
		t.Errorf("%v, %v", names, err)
	}
}

// A move that fails or is cancelled leaves a controller that works on.
func TestMoveStorageEndsEarly(t *testing.T) {
	memdir.OnDisk(t) // data does not move to memory
	w, o := movable(t)
	c := w.openWith(o)
	over := record(t, c, nil)
	held, err := journal.Open(c.store.JournalDir(over.ID), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if s := moveTo(t, c, to); s.Phase != upkeep.MoveFailed || s.Problem == nil || s.Problem.Code != problem.CodeFolderSilent {
		t.Errorf("%+v", s)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if _, done, err := c.registry.Use(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	} else {
		done()
	}
	if names, err := os.ReadDir(to); err != nil || len(names) > 0 {
		t.Errorf("it left %v, %v", names, err)
	}
	if s, err := c.MoveStorage(t.Context(), upkeep.MoveRequest{Dir: to}); err != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	s, err := c.CancelMove(t.Context())
	if err != nil || s.Phase != upkeep.MoveCancelled && s.Phase != upkeep.MoveDone { // who is quicker
		t.Errorf("%+v, %v", s, err)
	}
	if names, err := os.ReadDir(to); err != nil || (len(names) > 0) != (s.Phase == upkeep.MoveDone) {
		t.Errorf("it left %v, %v", names, err)
	}
}
