package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/changes"
	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// changing is a controller over the real file server and journal whose tasks of
// kind exec do what work does, in the folder "things".
func changing(t *testing.T, mode task.Mode, work func(rt *choretest.Runtime) error) (w *world, c *Controller, dir, id string) {
	t.Helper()
	w = newWorld(t)
	dir = filepath.Join(t.TempDir(), "things")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "old.txt"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			return wire.ExecResult{}, work(rt)
		}
		return nil
	}
	c, err := open(t.Context(), w.options(), realShares(w))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	wait := w.listen(c)
	id = w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"x"}, Folders: []task.FolderRequest{{Path: dir, Mode: mode}}}).ID
	wait(id, task.StateDone)
	return w, c, dir, id
}

func twoFiles(rt *choretest.Runtime) error {
	return errors.Join(rt.Files.Write("/folders/things/one.txt", []byte("one\n")), rt.Files.Write("/folders/things/two.txt", []byte("two\n")))
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// Of a folder that is reviewed first nothing is changed before the person says
// so; what was applied can be taken back and brought back, what was thrown away is
// gone.
func TestReviewFirst(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w, c, dir, id := changing(t, task.ModeReview, twoFiles)
	if got := names(t, dir); !slices.Equal(got, []string{"old.txt"}) {
		t.Fatalf("the folder has %q", got)
	}
	w.set(func() { w.diskMB = 0 })
	if _, err := c.Apply(t.Context(), id, history.ApplyRequest{}); codeOf(err) != problem.CodeDiskFull || len(names(t, dir)) != 1 {
		t.Errorf("applied where there is no room: %v, the folder has %q", err, names(t, dir))
	}
	w.set(func() { w.diskMB = 100 << 10 })
	list, err := c.Changes(t.Context(), id)
	if err != nil || len(list) != 2 || !list[0].Staged || list[0].Path != "one.txt" || list[0].Folder != "f1" {
		t.Fatalf("%+v %v", list, err)
	}
	compared, err := c.CompareChange(t.Context(), id, list[0].ID)
	if err != nil || compared.Kind != changes.KindText || compared.Text.Added != 1 {
		t.Errorf("%+v %v", compared, err)
	}
	f, file, err := c.OpenChange(t.Context(), id, list[0].ID, changes.After)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(f); err != nil || string(data) != "one\n" || file.Name != "one.txt" || file.Size != 4 {
		t.Errorf("%q %+v %v", data, file, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Undo(t.Context(), id, history.UndoRequest{IDs: []string{list[0].ID}}); codeOf(err) != problem.CodeBadRequest {
		t.Errorf("what waits is taken back: %v", err)
	}
	if _, err := c.Apply(t.Context(), id, history.ApplyRequest{IDs: []string{"e1"}}); codeOf(err) != problem.CodeNotFound {
		t.Errorf("what does not wait is applied: %v", err)
	}
	rep, err := c.Apply(t.Context(), id, history.ApplyRequest{IDs: []string{list[0].ID}})
	if err != nil || len(rep.Applied) != 1 || len(rep.Conflicts) != 0 {
		t.Fatalf("%+v %v", rep, err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"old.txt", "one.txt"}) {
		t.Errorf("the folder has %q", got)
	}
	rep, err = c.Apply(t.Context(), id, history.ApplyRequest{Discard: true})
	if err != nil || len(rep.Discarded) != 1 {
		t.Errorf("%+v %v", rep, err)
	}
	list, err = c.Changes(t.Context(), id)
	if err != nil || len(list) != 1 || list[0].Staged || list[0].Path != "one.txt" {
		t.Errorf("%+v %v", list, err)
	}
	undone, err := c.Undo(t.Context(), id, history.UndoRequest{})
	if err != nil || len(undone.Undone) != 1 {
		t.Errorf("%+v %v", undone, err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"old.txt"}) {
		t.Errorf("the folder has %q", got)
	}
	again, err := c.Redo(t.Context(), id, history.RedoRequest{})
	if err != nil || len(again.Redone) != 1 || len(again.Conflicts) != 0 {
		t.Errorf("%+v %v", again, err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"old.txt", "one.txt"}) {
		t.Errorf("the folder has %q", got)
	}
	var kinds []task.EventKind
	events, err := c.Timeline(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events[len(events)-4:] {
		kinds = append(kinds, e.Kind)
	}
	if want := []task.EventKind{task.EventApply, task.EventApply, task.EventUndo, task.EventRedo}; !slices.Equal(kinds, want) {
		t.Errorf("the timeline ends with %v", kinds)
	}
}

// A conflict of a review is left alone, and answered for one or for all.
func TestReviewConflict(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	_, c, dir, id := changing(t, task.ModeReview, twoFiles)
	for _, name := range []string{"one.txt", "two.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rep, err := c.Apply(t.Context(), id, history.ApplyRequest{})
	if err != nil || len(rep.Applied) != 0 || len(rep.Conflicts) != 2 || !rep.Conflicts[0].Change.Staged {
		t.Fatalf("%+v %v", rep, err)
	}
	first := rep.Conflicts[0].Change.ID
	rep, err = c.Apply(t.Context(), id, history.ApplyRequest{OnConflict: journal.Keep, Resolve: map[string]journal.Resolution{first: journal.Restore}})
	if err != nil || len(rep.Applied) != 1 || len(rep.Discarded) != 1 || len(rep.Conflicts) != 0 {
		t.Errorf("%+v %v", rep, err)
	}
	got := map[string]string{}
	for _, name := range names(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(data)
	}
	if got["one.txt"] != "one\n" || got["two.txt"] != "mine" {
		t.Errorf("%q", got)
	}
}

// A conflict of undo is answered, and a wish that is none is refused.
func TestUndoAnswers(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	_, c, dir, id := changing(t, task.ModeReadWrite, twoFiles)
	if err := os.WriteFile(filepath.Join(dir, "two.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, r := range []history.UndoRequest{{OnConflict: "mine"}, {Resolve: map[string]journal.Resolution{"x": "?"}}} {
		if _, err := c.Undo(t.Context(), id, r); codeOf(err) != problem.CodeBadRequest {
			t.Errorf("%+v: %v", r, err)
		}
	}
	rep, err := c.Undo(t.Context(), id, history.UndoRequest{OnConflict: journal.Restore})
	if err != nil || len(rep.Undone) != 2 || len(rep.Conflicts) != 0 {
		t.Errorf("%+v %v", rep, err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"old.txt"}) {
		t.Errorf("the folder has %q", got)
	}
}

// What a person changed since cannot be looked at as the task left it, and what is
// not there is said.
func TestCompareGone(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	_, c, dir, id := changing(t, task.ModeReadWrite, twoFiles)
	list, err := c.Changes(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "one.txt"), []byte("mine, and longer"), 0o644); err != nil {
		t.Fatal(err)
	}
	compared, err := c.CompareChange(t.Context(), id, list[0].ID)
	if err != nil || compared.Kind != changes.KindOther || compared.After.Missing != "gone" {
		t.Errorf("%+v %v", compared, err)
	}
	for _, tt := range []struct {
		change string
		side   changes.Which
		code   string
	}{{list[0].ID, changes.After, problem.CodeChangedSince}, {list[0].ID, changes.Before, problem.CodeNotFound},
		{"e99", changes.After, problem.CodeNotFound}, {list[1].ID, "between", problem.CodeBadRequest}} {
		if _, _, err := c.OpenChange(t.Context(), id, tt.change, tt.side); codeOf(err) != tt.code {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	if _, err := c.CompareChange(t.Context(), id, "e99"); codeOf(err) != problem.CodeNotFound {
		t.Error(err)
	}
}

// Undo that was given up leaves the list, says so, and frees the space; what is
// kept long enough is given up by itself, also in the next run of the program.
func TestForgetUndo(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w, c, dir, id := changing(t, task.ModeReadWrite, twoFiles)
	space, err := c.UndoSpace(t.Context(), id)
	if err != nil || space.Bytes == 0 || space.Expires == nil || space.Expires.Before(w.now().Add(89*24*time.Hour)) {
		t.Fatalf("%+v %v", space, err)
	}
	if _, err := c.SetUndoKeeping(t.Context(), history.UndoSettings{Days: -1}); codeOf(err) != problem.CodeBadRequest {
		t.Error(err)
	}
	if k, err := c.SetUndoKeeping(t.Context(), history.UndoSettings{Days: 0}); err != nil || k.Settings.Days != 0 || k.Tasks != 1 || k.Bytes != space.Bytes {
		t.Errorf("%+v %v", k, err)
	}
	if space, err = c.UndoSpace(t.Context(), id); err != nil || space.Expires != nil {
		t.Errorf("%+v %v", space, err)
	}
	if _, err := c.SetUndoKeeping(t.Context(), history.UndoSettings{Days: 3, WriteMB: 2000}); err != nil {
		t.Fatal(err)
	}
	if log, err := c.AuditRecords(t.Context(), audit.Filter{Event: audit.EventDecision, Limit: 1}); err != nil || len(log.Records) != 1 || log.Records[0].Decision.Topic != "undo-data" || log.Records[0].Decision.Answer != "kept" || !strings.HasPrefix(log.Records[0].Decision.Mode, "3 d, ") || !strings.HasSuffix(log.Records[0].Decision.Mode, ", 2000 MB written") {
		t.Errorf("who chose that undo goes sooner, and that more is written, is in the log: %+v %v", log, err)
	}
	c.Expire(t.Context(), false)
	if space, err = c.UndoSpace(t.Context(), id); err != nil || space.Forgotten || space.Bytes == 0 {
		t.Errorf("given up too early: %+v %v", space, err)
	}
	w.ahead.Store(int64(73 * time.Hour))
	c.Expire(t.Context(), false)
	if space, err = c.UndoSpace(t.Context(), id); err != nil || !space.Forgotten || space.Bytes != 0 {
		t.Errorf("%+v %v", space, err)
	}
	check := func(c *Controller) {
		t.Helper()
		list, err := c.Changes(t.Context(), id)
		if err != nil || len(list) != 2 || list[0].Path != "one.txt" {
			t.Fatalf("%+v %v", list, err)
		}
		rep, err := c.Undo(t.Context(), id, history.UndoRequest{IDs: []string{list[0].ID}})
		if err != nil || len(rep.Undone) != 0 || len(rep.Conflicts) != 1 || rep.Conflicts[0].Reason != journal.ReasonNoImage {
			t.Errorf("%+v %v", rep, err)
		}
		if got := names(t, dir); len(got) != 3 {
			t.Errorf("the folder has %q", got)
		}
	}
	check(c)
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := open(t.Context(), w.options(), realShares(w))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close(context.Background())
	check(again)
	if _, err := again.ForgetUndo(t.Context(), id, false); err != nil {
		t.Errorf("again: %v", err)
	}
}

// A result that waits in front of its folder can be opened all the same.
func TestReviewedResult(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w := newWorld(t)
	dir := w.pictures("1.png", "2.png")
	c, err := open(t.Context(), w.options(), realShares(w))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true,
		Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReview}}}).ID
	done := wait(id, task.StateDone)
	if got := names(t, dir); len(got) != 2 || len(done.Results) != 1 {
		t.Fatalf("the folder has %q, the results are %+v", got, done.Results)
	}
	f, res, err := c.OpenResult(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(f); err != nil || int64(len(data)) != res.Size {
		t.Errorf("%d bytes of %d, %v", len(data), res.Size, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
