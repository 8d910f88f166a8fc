package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hugelgupf/p9/p9"

	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/drive/drivetest"
	"piwork/vmhost/wire"
)

// A drive goes silent in the middle of what a task does there. The task ends in time, by itself,
// by a cancel and by the end of the program; other folders go on; and once the drive answers,
// all that the task changed can be undone.
func TestSilentDriveEndsTheTask(t *testing.T) {
	memdir.OnDisk(t)
	drivetest.Hasten(t)
	drive.Hasten(80)                // a drive that is only slow, on a busy computer, is not silent yet
	const within = 40 * time.Second // the drive answers again after a minute, and usually is silent only after two
	name := func(dir string) string { return wire.FoldersDir + "/" + filepath.Base(dir) + "/" }
	for call, do := range map[string]func(m *mounted, dir string) error{
		drivetest.Lookup: func(m *mounted, dir string) error { return m.Write(dir+"new", []byte("x")) },
		drivetest.Read:   func(m *mounted, dir string) error { _, err := m.Read(dir + "1.png"); return err },
		drivetest.Fsync:  written, // what is written waits in the kernel until then
	} {
		for _, end := range []string{"by itself", "cancel", "close"} {
			t.Run(call+", "+end, func(t *testing.T) {
				w := newWorld(t)
				behind, other := w.pictures("1.png", "2.png"), w.pictures("1.png")
				before := shot(t, behind)
				d := drivetest.Mount(t, behind)
				var silent <-chan struct{}
				hung := make(chan struct{})
				w.onMachine = func(rt *choretest.Runtime) error {
					rt.Exec = func(ctx context.Context, p wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
						m, is := rt.Files.(*mounted)
						if !is || p.Argv[0] == "easy" {
							return wire.ExecResult{}, m.overwrite(name(other)+"easy", []byte("x"))
						}
						if err := m.overwrite(name(d.Dir)+"2.png", []byte("changed")); err != nil {
							return wire.ExecResult{}, err
						}
						silent = d.SilentAt(call)
						done := make(chan error, 1)
						go func() { done <- do(m, name(d.Dir)) }()
						select {
						case <-silent:
							close(hung)
						case err := <-done:
							return wire.ExecResult{}, errors.Join(errors.New("it makes no such call"), err)
						}
						<-ctx.Done()
						return wire.ExecResult{}, context.Cause(ctx)
					}
					return nil
				}
				openReal := func() *Controller {
					c, err := open(t.Context(), w.options(), realShares(w))
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = c.Close(context.Background()) })
					return c
				}
				c := openReal()
				wait := w.listen(c)
				id := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"hard"}, Accept: true,
					Folders: []task.FolderRequest{{Path: d.Dir, Mode: task.ModeReadWrite}}}).ID
				select {
				case <-hung:
				case <-time.After(within):
					now, _ := c.Task(t.Context(), id)
					t.Fatalf("%s %+v", now.State, now.Error)
				}
				began := time.Now()
				switch end {
				case "by itself":
					got := wait(id, task.StateFailed)
					if got.Error.Code != problem.CodeFolderSilent || got.Error.Cause != "again" || got.Error.Params["path"] != d.Dir || got.Error.Fix[0].Code != problem.FixStartAgain {
						t.Errorf("%+v", got.Error)
					}
				case "cancel":
					if got, err := c.CancelTask(t.Context(), id); err != nil || got.State != task.StateCancelled {
						t.Errorf("%+v, %v", got, err)
					}
				case "close":
					if err := c.Close(t.Context()); err != nil {
						t.Error(err)
					}
				}
				if took := time.Since(began); took > within {
					t.Errorf("it took %v", took)
				}
				if end == "close" {
					c = openReal()
					wait = w.listen(c)
				}
				easy := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"easy"}, Accept: true,
					Folders: []task.FolderRequest{{Path: other, Mode: task.ModeReadWrite}}}).ID
				wait(easy, task.StateDone)
				if _, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"hard"},
					Folders: []task.FolderRequest{{Path: d.Dir}}}); codeOf(err) != problem.CodeFolderSilent {
					t.Errorf("another task there: %v", err)
				}
				if _, err := c.Undo(t.Context(), id, history.UndoRequest{}); codeOf(err) != problem.CodeFolderSilent {
					t.Errorf("undo meanwhile: %v", err)
				}
				d.Answer()
				rep, err := c.Undo(t.Context(), id, history.UndoRequest{})
				for until := time.Now().Add(within); codeOf(err) == problem.CodeFolderSilent && time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
					rep, err = c.Undo(t.Context(), id, history.UndoRequest{})
				}
				if err != nil || len(rep.Conflicts) > 0 {
					t.Errorf("%+v, %v", rep, err)
				}
				if after := shot(t, behind); after != before {
					t.Errorf("undone:\n%s\nwas\n%s", after, before)
				}
			})
		}
	}
}

// written writes a file and makes that durable.
func written(m *mounted, dir string) error {
	f, err := m.walk(dir + "1.png")
	if err == nil {
		_, _, err = f.Open(p9.ReadWrite)
	}
	if err == nil {
		_, err = f.WriteAt([]byte("x"), 0)
	}
	if err == nil {
		err = f.FSync()
	}
	return err
}

// shot is what is in a folder.
func shot(t *testing.T, dir string) (out string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out += e.Name() + " " + string(data) + "\n"
	}
	return out
}
