package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share/drive/drivetest"
	"piwork/vmhost/wire"
)

// An undo that was cut off waits for a drive that does not answer, and neither the start nor the
// end of the program waits for it. It is finished when the drive is there again.
func TestSilentDriveHoldsUpNoStart(t *testing.T) {
	memdir.OnDisk(t)
	drivetest.Hasten(t)
	const within = 15 * time.Second
	w := newWorld(t)
	behind := w.pictures("1.png")
	before := shot(t, behind)
	d := drivetest.Mount(t, behind)
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			return wire.ExecResult{}, rt.Files.Write(wire.FoldersDir+"/"+filepath.Base(d.Dir)+"/new", []byte("x"))
		}
		return nil
	}
	start := func() *Controller {
		began := time.Now()
		c, err := open(t.Context(), w.options(), realShares(w))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close(context.Background()) })
		if took := time.Since(began); took > within {
			t.Errorf("the start took %v", took)
		}
		return c
	}
	end := func(c *Controller) {
		began := time.Now()
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > within {
			t.Errorf("the end took %v", took)
		}
	}
	c := start()
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"x"}, Folders: []task.FolderRequest{{Path: d.Dir, Mode: task.ModeReadWrite}}}).ID
	wait(id, task.StateDone)
	end(c)
	interrupt(t, c.store.JournalDir(id))

	silent := d.SilentAt(drivetest.Lookup)
	go func() { _, _ = os.Lstat(filepath.Join(d.Dir, "1.png")) }()
	<-silent
	c = start()
	began := time.Now()
	if _, err := c.Undo(t.Context(), id, history.UndoRequest{}); codeOf(err) != problem.CodeFolderSilent {
		t.Errorf("undo meanwhile: %v", err)
	}
	if took := time.Since(began); took > within {
		t.Errorf("an undo meanwhile took %v", took)
	}
	end(c)
	d.Answer()
	start() // it may find the journal still held by what was left behind, and looks again later
	for until := time.Now().Add(2 * within); shot(t, behind) != before && time.Now().Before(until); {
		time.Sleep(10 * time.Millisecond)
	}
	if after := shot(t, behind); after != before {
		t.Errorf("at the end:\n%s\nbefore:\n%s", after, before)
	}
}
