package app

import (
	"context"
	"testing"

	"piwork/app/actions"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// narrow is a sandbox that refuses actions which need another place, as every real one does.
type narrow struct{ sandboxed }

func (n narrow) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if err := a.Meets(n.Capabilities()); err != nil {
		return vmhost.Observation{}, err
	}
	return n.sandboxed.Execute(ctx, a)
}

// Files change only in the kinds in which a person allows that: a task at work in another one
// gets no folder that it may change, and no action changes a file there. What an action
// requires of its place is looked at, too, and so is what a task requires.
func TestFilesChangeOnlyWhereAllowed(t *testing.T) {
	w := newPlaceWorld(t)
	end, wrote := make(chan struct{}), 0
	w.placeSeams[0].make = func(_ context.Context, c tasks.PlaceConfig) (vmhost.Runtime, error) {
		rt := machineIn(t.TempDir(), vm.Config{Env: c.Env, OnStatus: c.OnStatus})
		rt.Exec = func(ctx context.Context, _ wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
			select {
			case <-end:
				return wire.ExecResult{}, nil
			case <-ctx.Done():
				return wire.ExecResult{}, context.Cause(ctx)
			}
		}
		rt.File = func(_ context.Context, a vmhost.Action) (*wire.FileResult, error) {
			wrote++
			return &wire.FileResult{Info: &wire.FileInfo{Path: a.File.Path, Kind: wire.KindFile}}, nil
		}
		return narrow{sandboxed{rt}}, nil
	}
	c := w.open()
	if _, err := c.SetRuntimes(t.Context(), runtimes.Settings{Files: []string{vmhost.KindVM}}); err != nil {
		t.Fatal(err)
	}
	here := tasks.MachineChoice{Runtime: vmhost.KindSandbox}
	wait := w.listen(c)
	at := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, MachineChoice: here})
	w.until("the place", func() bool {
		l := c.Live(at.ID)
		return l != nil && l.Machine() != nil && l.Machine().Status().State == vmhost.StateReady
	})
	refused := func(what string, err error, cause string) {
		t.Helper()
		p := problem.From(err)
		if p == nil || p.Code != problem.CodeRuntimeUnfit || p.Cause != cause || p.Params["kinds"] != vmhost.KindVM {
			t.Errorf("%s: %+v", what, err)
		}
	}
	wait(at.ID, task.StateRunning)
	_, err := c.AddFolder(t.Context(), at.ID, task.FolderRequest{Path: w.pictures("a.png"), Mode: task.ModeReadWrite})
	refused("a folder that may change", err, problem.CauseFileRule)
	if now, err := c.AddFolder(t.Context(), at.ID, task.FolderRequest{Path: w.pictures("a.png"), Mode: task.ModeReadOnly}); err != nil || len(now.Folders) != 1 {
		t.Errorf("a folder that is read: %+v %v", now.Folders, err)
	}
	write := func(path string, needs ...string) error {
		r := actions.WriteRequest{StatRequest: actions.StatRequest{Path: path}}
		if len(needs) > 0 {
			r.RequiresRuntime = &vmhost.Requirement{Kinds: needs}
		}
		var err error
		w.until("it to be at work", func() bool {
			_, err = c.WriteFile(t.Context(), at.ID, r)
			return codeOf(err) != problem.CodeNotAtWork
		})
		return err
	}
	err = write("/folders/x/a")
	refused("a file of the person", err, problem.CauseFileRule)
	if problem.From(err).Params["task"] != at.ID {
		t.Errorf("it names no task: %+v", err)
	}
	refused("an action for a machine", write("/work/a", vmhost.KindVM), problem.CauseRequired)
	if wrote > 0 {
		t.Error("it was done")
	}
	if err := write("/work/a", vmhost.KindSandbox); err != nil || wrote != 1 {
		t.Errorf("what is the task's own: %v, %d", err, wrote)
	}
	close(end)
	wait(at.ID, task.StateDone)

	only := here
	only.Requires = &vmhost.Requirement{Kinds: []string{vmhost.KindVM}}
	got := w.run(c, tasks.StartRequest{MachineChoice: only}, consent.AnswerRequest{})
	if got.State != task.StateFailed {
		t.Fatalf("%+v", got)
	}
	refused("a task for a machine", got.Error, problem.CauseRequired)
	only.Runtime = ""
	got = w.run(c, tasks.StartRequest{MachineChoice: only}, consent.AnswerRequest{})
	again, err := c.SameRequest(got)
	if got.State != task.StateDone || got.Runtime != vmhost.KindVM || err != nil || again.Requires == nil || again.Requires.Kinds[0] != vmhost.KindVM {
		t.Errorf("%+v %v, again %+v %v", got, got.Error, again.Requires, err)
	}
}
