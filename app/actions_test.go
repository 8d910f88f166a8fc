package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/actions"
	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// What is written in a task from outside goes the way of its programs: through the share,
// whose journal takes it back, and it is in the audit log. It ends with the task.
func TestFileActions(t *testing.T) {
	var requests []string
	s := runProgramWith(t, func(rt *choretest.Runtime) {
		rt.File = func(_ context.Context, a vmhost.Action) (*wire.FileResult, error) {
			requests = append(requests, a.Request)
			info := &wire.FileInfo{Path: a.File.Path, Kind: wire.KindFile}
			if a.File.Op == wire.FileWrite {
				return &wire.FileResult{Info: info}, rt.Files.(*mounted).overwrite(a.File.Path, a.Data)
			}
			data, err := rt.Files.Read(a.File.Path)
			return &wire.FileResult{Info: info, Data: data}, err
		}
	})
	letters := s.folder("Letters", "a.txt", "old")
	s.add(letters, task.ModeReadWrite)
	at := actions.StatRequest{Path: "/folders/Letters/a.txt"}
	if _, err := s.c.WriteFile(t.Context(), s.id, actions.WriteRequest{StatRequest: at, Data: []byte("new")}); err != nil {
		t.Fatal(err)
	}
	other := task.WithDoor(task.WithRequestID(task.WithClient(t.Context(), "ci@1"), "other"), "mcp")
	if c, err := s.c.ReadFile(other, s.id, actions.ReadRequest{StatRequest: at}); err != nil || string(c.Data) != "new" {
		t.Errorf("%q %v", c.Data, err)
	}
	if _, err := s.c.Fetch(t.Context(), s.id, actions.FetchRequest{URL: "https://example.org"}); problem.From(err).Code != problem.CodeNetworkOff {
		t.Errorf("without a network: %v", err)
	}
	s.end()
	if _, err := s.c.ReadFile(t.Context(), s.id, actions.ReadRequest{StatRequest: at}); problem.From(err).Code != problem.CodeNotAtWork || problem.From(err).Cause != "over" {
		t.Errorf("after its end: %v", err)
	}
	if _, err := s.c.ReadFile(t.Context(), "other", actions.ReadRequest{StatRequest: at}); problem.From(err).Code != problem.CodeNotFound {
		t.Errorf("of no task: %v", err)
	}
	if r, err := s.c.Undo(t.Context(), s.id, history.UndoRequest{}); err != nil || len(r.Undone) != 1 {
		t.Errorf("%+v %v", r, err)
	}
	if b, err := os.ReadFile(filepath.Join(letters, "a.txt")); err != nil || string(b) != "old" {
		t.Errorf("%q %v", b, err)
	}
	if !slices.Equal(requests, []string{"", "other"}) {
		t.Errorf("the guest was told of the requests %q", requests)
	}
	var said []string
	for _, r := range s.audit(s.c) {
		if r.Event == audit.EventBegin {
			said = append(said, fmt.Sprint(r.Action, " ", r.Op, " ", r.In, r.Out, r.Client, r.Door, r.Request))
		}
	}
	file := s.c.audit.Digest("/folders/Letters/a.txt")
	if got, want := strings.Join(said, ", "), fmt.Sprintf("exec  [], file write []%s, file read [%s]ci@1mcpother", file, file); got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// A task that has a plan, and one that waits for its place, take no actions.
func TestActionsWhereThereAreNone(t *testing.T) {
	w := newWorld(t)
	inside, let := make(chan struct{}), make(chan struct{})
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.OnConnect = func(ctx context.Context) error {
			close(inside)
			select {
			case <-let:
				return nil
			case <-ctx.Done():
				return errors.New("it ends")
			}
		}
		return nil
	}
	c := w.open()
	wait := w.listen(c)
	exec := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
	<-inside
	why := func(id string) string {
		_, err := c.StatFile(t.Context(), id, actions.StatRequest{Path: "/work"})
		if p := problem.From(err); p != nil && p.Code == problem.CodeNotAtWork {
			return p.Cause
		}
		return "?"
	}
	if got := why(exec.ID); got != "early" {
		t.Errorf("before it is at work: %s", got)
	}
	close(let)
	wait(exec.ID, task.StateDone)
	if got := why(exec.ID); got != "over" {
		t.Errorf("after: %s", got)
	}
	w.onMachine = nil
	planned := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: w.pictures("a.png")}}})
	wait(planned.ID, task.StateWaiting)
	if got := why(planned.ID); got != "planned" {
		t.Errorf("with a plan: %s", got)
	}
}
