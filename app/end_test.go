package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

// A task can be ended in every state, by everybody who may.
func TestEndingTasks(t *testing.T) {
	stages := map[string]func(*world){
		"proving": func(w *world) {
			w.onProve = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		},
		"connecting": func(w *world) {
			w.onMachine = func(rt *choretest.Runtime) error {
				rt.OnConnect = func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
				return nil
			}
		},
		"working": func(w *world) {
			w.onMachine = func(rt *choretest.Runtime) error {
				rt.Before = func(ctx context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
					if p.Op != "image.convert" {
						return nil, nil
					}
					<-ctx.Done()
					return nil, context.Cause(ctx)
				}
				return nil
			}
		},
		"waiting": func(*world) {},
	}
	states := map[string]task.State{"proving": task.StatePreparing, "connecting": task.StateRunning, "working": task.StateRunning, "waiting": task.StateWaiting}
	ends := map[string]string{"person": "person", "caller": "caller-gone", "closing": "closing"}
	for stage, prepare := range stages {
		for by, cause := range ends {
			t.Run(stage+" by "+by, func(t *testing.T) {
				w := newWorld(t)
				prepare(w)
				dir := w.pictures("1.png")
				c := w.open()
				wait := w.listen(c)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				began, err := c.StartTask(ctx, tasks.StartRequest{
					Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: stage == "working", Folders: []task.FolderRequest{{Path: dir}},
				})
				if err != nil {
					t.Fatal(err)
				}
				wait(began.ID, states[stage])
				if stage == "working" || stage == "connecting" {
					for n := map[string]int{"working": 2, "connecting": 1}[stage]; len(w.all()) < n; {
						time.Sleep(time.Millisecond)
					}
				}
				switch by {
				case "person":
					if got, err := c.CancelTask(t.Context(), began.ID); err != nil || got.State != task.StateCancelled {
						t.Errorf("%+v, %v", got, err)
					}
				case "caller":
					leave()
					wait(began.ID, task.StateCancelled)
				case "closing":
					if err := c.Close(t.Context()); err != nil {
						t.Error(err)
					}
				}
				got, err := c.store.Get(began.ID)
				if err != nil || got.State != task.StateCancelled || got.Error.Code != problem.CodeCancelled || got.Error.Cause != cause || got.Ended == nil {
					t.Errorf("%+v, %v", got, err)
				}
				for _, m := range w.all() {
					if m.Closed() != 1 {
						t.Errorf("a machine was closed %d times", m.Closed())
					}
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
					t.Errorf("left: %v, %v", left, err)
				}
				if by == "person" { // ending what is over changes nothing
					if again, err := c.CancelTask(t.Context(), began.ID); err != nil || !again.Ended.Equal(*got.Ended) {
						t.Errorf("%+v, %v", again, err)
					}
				}
			})
		}
	}
}

func TestDetachedTaskOutlivesItsCaller(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	ctx, leave := context.WithCancel(t.Context())
	began, err := c.StartTask(ctx, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Detached: true, Folders: []task.FolderRequest{{Path: w.pictures("1.png")}}})
	if err != nil {
		t.Fatal(err)
	}
	wait(began.ID, task.StateWaiting)
	leave()
	if _, err := c.AcceptPlan(t.Context(), began.ID); err != nil {
		t.Fatal(err)
	}
	wait(began.ID, task.StateDone)
}

// A task whose end cannot be written is over all the same, as long as the
// program runs.
func TestEndThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(_ context.Context, p wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
			file := filepath.Join(c.store.Dir(p.ID), "task.json")
			return wire.ExecResult{}, errors.Join(os.Remove(file), os.Mkdir(file, 0o700))
		}
		return nil
	}
	id := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"x"}}).ID
	for c.Live(id) != nil {
		time.Sleep(time.Millisecond)
	}
	got := wait(id, task.StateFailed)
	if got.Title != "x" || got.Ended == nil {
		t.Errorf("%+v", got)
	}
	if list, err := c.Tasks(t.Context()); err != nil || len(list) != 1 || list[0].Title != "x" {
		t.Errorf("%+v, %v", list, err)
	}
}

// Who sees that a task is over can use it at once, also while the program is not done with
// its end: `piwork run X && piwork undo X` is no race.
func TestOverIsUsable(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			return wire.ExecResult{}, os.WriteFile(filepath.Join(dir, "made"), nil, 0o600)
		}
		return nil
	}
	told, goOn := make(chan struct{}), make(chan struct{})
	c, err := open(t.Context(), w.options(), func(ctx context.Context, o Options) (seams, error) {
		s, err := w.seams(ctx, o)
		s.onNote = func(_ task.EventKind, data any, after bool) {
			if d, ok := data.(task.StateData); ok && d.State.Final() && after {
				close(told)
				<-goOn
			}
		}
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	id := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"x"}, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}}).ID
	<-told
	if got, err := c.Task(t.Context(), id); err != nil || got.State != task.StateDone || c.Live(id) == nil {
		t.Errorf("%+v, %v: its end is not seen", got, err)
	}
	impatient, leave := context.WithCancel(t.Context())
	leave()
	for name, err := range map[string]error{
		"changes": second(c.Changes(impatient, id)),
		"undo":    second(c.Undo(impatient, id, history.UndoRequest{})),
		"forget":  second(c.ForgetUndo(impatient, id, false)),
		"delete":  c.DeleteTask(impatient, id, false),
	} {
		if codeOf(err) != problem.CodeCancelled {
			t.Errorf("%s does not wait: %v", name, err)
		}
	}
	undone := make(chan error)
	go func() {
		list, err := c.Changes(t.Context(), id)
		rep, uerr := c.Undo(t.Context(), id, history.UndoRequest{})
		if len(list) != 1 || len(rep.Undone) != 1 {
			t.Errorf("changes %+v, undone %+v", list, rep)
		}
		undone <- errors.Join(err, uerr)
	}()
	close(goOn)
	if err := <-undone; err != nil {
		t.Error(err)
	}
}

func TestDeleteTask(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).ID
	wait(id, task.StateDone)
	vm := filepath.Join(c.o.DataDir, machineDir, id)
	if err := os.MkdirAll(vm, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteTask(t.Context(), id, false); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{vm, c.store.Dir(id)} {
		if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left", dir)
		}
	}
	for name, err := range map[string]error{
		"task":     second(c.Task(t.Context(), id)),
		"delete":   c.DeleteTask(t.Context(), id, false),
		"cancel":   second(c.CancelTask(t.Context(), id)),
		"accept":   second(c.AcceptPlan(t.Context(), id)),
		"plan":     second(c.Plan(t.Context(), id)),
		"changes":  second(c.Changes(t.Context(), id)),
		"undo":     second(c.Undo(t.Context(), id, history.UndoRequest{})),
		"timeline": second(c.Timeline(t.Context(), id, 0)),
		"escape":   second(c.Task(t.Context(), "../../etc")),
	} {
		if codeOf(err) != problem.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	removed := slices.DeleteFunc(w.audit(c), func(r audit.Record) bool { return r.Task != id || r.Answer != "removed" })
	if len(removed) != 1 {
		t.Errorf("removed, by the audit log: %+v", removed)
	}
}

func second[T any](_ T, err error) error { return err }
