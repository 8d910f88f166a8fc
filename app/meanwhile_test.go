package app

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"piwork/app/access"
	"piwork/app/consent"
	"piwork/app/history"
	"piwork/app/mcpservers"
	"piwork/app/problem"
	"piwork/app/services"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/upkeep"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// within fails when something hangs that should not.
func within(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s hangs", what)
	}
}

// A slow disk that a new task is written to delays nobody else.
func TestStartDelaysNobody(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	over := record(t, c, nil)
	busy, slow := make(chan struct{}), make(chan struct{})
	free := sync.OnceFunc(func() { close(slow) })
	defer free()
	go func() {
		_, _ = c.store.Update(over.ID, func(*task.Task) error {
			close(busy)
			<-slow
			return nil
		})
	}()
	<-busy
	started := make(chan task.Task)
	go func() { started <- w.start(c, execRequestOf("true")) }()
	within(t, "everything else", func() {
		w.until("the start", func() bool { return len(c.registry.All()) == 1 })
		if _, err := c.StorageMove(t.Context()); err != nil {
			t.Error(err)
		}
		if l := c.Live(over.ID); l != nil {
			t.Error("a task that is over lives")
		}
	})
	free()
	wait((<-started).ID, task.StateDone)
}

// A task whose record cannot be written was never there.
func TestStartThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	tasks := filepath.Join(c.o.DataDir, tasksDir)
	if err := os.RemoveAll(tasks); err != nil {
		t.Fatal(err)
	}
	put(t, tasks, "a file is in the way")
	if _, err := c.StartTask(t.Context(), execRequestOf("true")); err == nil {
		t.Error("it was started")
	}
	if held, waiting := c.Queue.Counts(); len(c.registry.All()) != 0 || held+waiting != 0 {
		t.Errorf("%d live, %d and %d places", len(c.registry.All()), held, waiting)
	}
}

// slowUndo is a journal whose undo takes its time.
type slowUndo struct {
	history.Journal
	began, end chan struct{}
}

func (s slowUndo) Undo(ctx context.Context, _ history.UndoRequest) (journal.Report, error) {
	close(s.began)
	select {
	case <-s.end:
		return journal.Report{Undone: []journal.Change{{ID: "1"}}}, nil
	case <-ctx.Done():
		return journal.Report{}, context.Cause(ctx)
	}
}

func (slowUndo) Close() error { return nil }

// Closing waits for an undo, so that what it did is written down; when it must not
// wait any longer the undo is interrupted.
func TestCloseWaitsForUndo(t *testing.T) {
	for _, patient := range []bool{true, false} {
		w := newWorld(t)
		c := w.open()
		over := record(t, c, nil)
		if err := os.MkdirAll(c.store.JournalDir(over.ID), 0o700); err != nil {
			t.Fatal(err)
		}
		slow := slowUndo{began: make(chan struct{}), end: make(chan struct{})}
		c.s.journal = func(string, []task.Folder, history.Room) (history.Journal, error) { return slow, nil }
		undone := make(chan error, 1)
		go func() {
			_, err := c.Undo(context.Background(), over.ID, history.UndoRequest{})
			undone <- err
		}()
		<-slow.began
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		closed := make(chan error, 1)
		go func() { closed <- c.Close(ctx) }()
		<-c.registry.Base().Done()
		select {
		case <-closed:
			close(slow.end)
			t.Fatal("closed while an undo is at work")
		case <-time.After(50 * time.Millisecond): // there is nothing to wait for instead
		}
		if patient {
			close(slow.end)
		} else {
			cancel()
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if err := <-undone; (err == nil) != patient {
			t.Errorf("patient %v: %v", patient, err)
		}
		if events, err := c.store.Timeline(over.ID, 0); err != nil || (len(events) == 1) != patient {
			t.Errorf("patient %v: the timeline has %+v, %v", patient, events, err)
		}
	}
}

// While a plan is accepted its task ends. Either the yes came before, with all that
// goes with it, or it came too late, and then nothing says that there was one.
func TestAcceptAgainstTheEnd(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	wait := w.listen(c)
	for range 10 {
		id := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Detached: true, Folders: []task.FolderRequest{{Path: dir}}}).ID
		wait(id, task.StateWaiting)
		l := c.Live(id)
		slow, busy := make(chan struct{}), make(chan struct{})
		go func() { // the disk is slow
			_, _ = c.store.Update(id, func(*task.Task) error { close(busy); <-slow; return nil })
		}()
		<-busy
		cancelled := make(chan error, 1)
		go func() {
			_, err := c.CancelTask(t.Context(), id)
			cancelled <- err
		}()
		w.until("its end", func() bool { return l.Context().Err() != nil })
		accepted := make(chan error, 1)
		go func() {
			_, err := c.AcceptPlan(t.Context(), id)
			accepted <- err
		}()
		time.Sleep(time.Millisecond)
		close(slow)
		err := <-accepted
		if err != nil && codeOf(err) != problem.CodeTaskNotWaiting {
			t.Errorf("accepting: %v", err)
		}
		if err := <-cancelled; err != nil {
			t.Error(err)
		}
		got := wait(id, task.StateCancelled)
		if yes, _, _ := c.AcceptedBefore(id); yes != (err == nil) {
			t.Errorf("accepted %v (%v), %+v", yes, err, got)
		}
		kinds := w.kinds(c, id)
		if kinds[len(kinds)-1] != "state:"+string(task.StateCancelled) {
			t.Errorf("%q", kinds)
		}
	}
}

// While data moves nothing is written to the place that it leaves, and while
// something is written it does not begin to move. A token ends at once; who revoked it is recorded
// when the data has moved.
func TestNothingIsWrittenWhileDataMoves(t *testing.T) {
	w, o := movable(t)
	c := w.openWith(o)
	over := record(t, c, nil)
	rule, err := c.AddNetworkRule(t.Context(), consent.NetworkRuleRequest{Host: "example.org", Answer: vmhost.AnswerAllow})
	if err != nil {
		t.Fatal(err)
	}
	token, err := c.CreateToken(t.Context(), access.TokenRequest{Name: "daily", Scopes: []access.Scope{access.Read}})
	if err != nil {
		t.Fatal(err)
	}
	server, err := c.AddMCPServer(t.Context(), mcpservers.Addition{Name: "old", Command: "node"})
	if err != nil {
		t.Fatal(err)
	}
	records := len(w.audit(c))
	for _, p := range []string{"moving", "moved"} {
		thaw, err := c.registry.Freeze(problem.New(problem.CodeMoving).With("because", p))
		if err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{
			"rename":        second(c.RenameTask(t.Context(), over.ID, tasks.RenameRequest{Title: "Mine"})),
			"a rule":        second(c.AddNetworkRule(t.Context(), consent.NetworkRuleRequest{Host: "example.com", Answer: vmhost.AnswerDeny})),
			"a rule less":   c.RemoveRule(t.Context(), rule.ID),
			"undo":          second(c.Undo(t.Context(), over.ID, history.UndoRequest{})),
			"redo":          second(c.Redo(t.Context(), over.ID, history.RedoRequest{})),
			"apply":         second(c.Apply(t.Context(), over.ID, history.ApplyRequest{})),
			"audit days":    second(c.SetAuditKeeping(t.Context(), upkeep.AuditSettings{Days: 1})),
			"a token":       second(c.CreateToken(t.Context(), access.TokenRequest{Name: "nightly", Scopes: []access.Scope{access.Read}})),
			"a service":     second(c.PutService(t.Context(), "hub", services.Definition{Hosts: []services.Host{{Host: "api.example.org", Rules: []string{"allow GET /**"}}}})),
			"a server":      second(c.AddMCPServer(t.Context(), mcpservers.Addition{Name: "files", Command: "node"})),
			"a server less": c.RemoveMCPServer(t.Context(), server.Name),
			"its reach":     second(c.SetMCPServerReach(t.Context(), server.Name, mcpservers.Reach{Hosts: []string{"example.org"}})),
			"clean storage": second(c.CleanStorage(t.Context(), upkeep.CleanRequest{What: []upkeep.StorageKind{upkeep.StorageLogs}})),
		} {
			if codeOf(err) != problem.CodeMoving {
				t.Errorf("%s, %s: %v", p, what, err)
			}
		}
		if err := c.RevokeToken(t.Context(), token.ID); (err == nil) != (p == "moving") { // the second time there is none
			t.Errorf("%s, a token less: %v", p, err)
		}
		thaw(nil)
	}
	if n := len(w.audit(c)); n != records {
		t.Errorf("%d records of decisions that were refused", n-records)
	}
	if got, err := c.Task(t.Context(), over.ID); err != nil || got.Title == "Mine" {
		t.Errorf("%+v, %v", got, err)
	}
	_, done, err := c.registry.Use(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.MoveStorage(t.Context(), upkeep.MoveRequest{Dir: t.TempDir()}); codeOf(err) != problem.CodeMoveRefused {
		t.Errorf("moving meanwhile: %v", err)
	}
	done()
	if got, err := c.RenameTask(t.Context(), over.ID, tasks.RenameRequest{Title: "Mine"}); err != nil || got.Title != "Mine" {
		t.Errorf("%+v, %v", got, err)
	}
}
