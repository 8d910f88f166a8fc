package app

import (
	"context"
	"errors"
	"testing"

	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/runtimes"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// beside is a place that keeps a task not apart.
type beside struct{ sandboxed }

func (b beside) Capabilities() vmhost.Capabilities {
	c := b.sandboxed.Capabilities()
	c.Name, c.Isolation, c.Domain = vmhost.KindHost, vmhost.IsolationNone, vmhost.DomainHost
	return c
}

// newHostWorld is a placeWorld in which this computer itself is a place, too. A place there is
// ready when ready is closed, and its programs run until the task ends.
func newHostWorld(t *testing.T, ready <-chan struct{}) *placeWorld {
	w := newPlaceWorld(t)
	host := w.placeSeams[0]
	host.name, host.make = vmhost.KindHost, func(ctx context.Context, c tasks.PlaceConfig) (vmhost.Runtime, error) {
		select {
		case <-ready:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		rt := machineIn(t.TempDir(), vm.Config{Env: c.Env, OnStatus: c.OnStatus})
		rt.Exec = func(ctx context.Context, _ wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
			<-ctx.Done()
			return wire.ExecResult{}, context.Cause(ctx)
		}
		return beside{sandboxed{rt}}, nil
	}
	kind := host.kind
	host.kind = func(b placeBase) runtimes.Kind {
		k := kind(b)
		k.Standing.Capabilities = beside{}.Capabilities()
		k.Look = func(context.Context, bool) error { return nil }
		return k
	}
	w.placeSeams = append(w.placeSeams, host)
	return w
}

// ofClient is a request of a client that may do everything.
func ofClient(t *testing.T) context.Context { return task.WithClient(t.Context(), "ci@12345678") }

// onlyPerson fails where a client was not told that only the person may do something.
func onlyPerson(t *testing.T, what string, err error) {
	t.Helper()
	if p := problem.From(err); p == nil || p.Code != problem.CodeTokenScope || p.Cause != "person" || p.Params["client"] != "ci" {
		t.Errorf("%s: %v", what, err)
	}
}

var preferHost = runtimes.Settings{Prefer: []string{vmhost.KindHost}, Weaker: map[string]runtimes.Allowance{vmhost.KindHost: runtimes.AllowAlways}}

// What a client starts, or starts again, is kept apart, also where a task of the person would work
// on this computer itself; and the person starts it again as such.
func TestATaskOfAClientIsKeptApart(t *testing.T) {
	ready := make(chan struct{})
	close(ready)
	w := newHostWorld(t, ready)
	c := w.open()
	first := w.run(c, tasks.StartRequest{}, consent.AnswerRequest{})
	if first.Runtime != vmhost.KindVM {
		t.Fatalf("%+v", first)
	}
	if _, err := c.SetRuntimes(t.Context(), preferHost); err != nil {
		t.Fatal(err)
	}
	wait := w.listen(c)
	persons, err := c.StartAgain(t.Context(), first.ID, tasks.AgainRequest{Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	if now := wait(persons.ID, task.StateRunning); now.Runtime != vmhost.KindHost {
		t.Errorf("the person's works in %s", now.Runtime)
	}
	started, err := c.StartTask(ofClient(t), execRequestOf("true"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.StartAgain(ofClient(t), first.ID, tasks.AgainRequest{Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	twice, err := c.StartAgain(t.Context(), again.ID, tasks.AgainRequest{Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	for what, id := range map[string]string{"started": started.ID, "started again": again.ID, "started again by the person": twice.ID} {
		if now := wait(id, task.StateDone); now.Runtime != vmhost.KindVM || now.Asked.Requires == nil || now.Asked.Requires.AtLeast != vmhost.IsolationNamespace {
			t.Errorf("%s: it works in %s, %+v", what, now.Runtime, now.Asked.Requires)
		}
	}
}

// A client does nothing in a task that works on this computer itself, also where it asked before
// the place was chosen.
func TestNoClientSteersWhatIsNotKeptApart(t *testing.T) {
	ready := make(chan struct{})
	w := newHostWorld(t, ready)
	c := w.open()
	if _, err := c.SetRuntimes(t.Context(), preferHost); err != nil {
		t.Fatal(err)
	}
	wait := w.listen(c)
	r := execRequestOf("true")
	r.Interactive = true
	id := w.start(c, r).ID
	created := make(chan error, 1)
	go func() {
		_, err := c.CreateSession(ofClient(t), id, sessions.Request{Argv: []string{"true"}})
		created <- err
	}()
	w.until("the session waits", func() bool { all, _ := c.Sessions(t.Context(), id); return len(all) == 1 })
	asks := func(when string) {
		t.Helper()
		conn, err := c.AttachTask(ofClient(t), id, false)
		if err == nil {
			_ = conn.Close()
		}
		onlyPerson(t, "attached "+when, err)
		_, err = c.AddFolder(ofClient(t), id, task.FolderRequest{Path: w.pictures("a.png"), Mode: task.ModeReadOnly})
		onlyPerson(t, "a folder "+when, err)
	}
	asks("before")
	close(ready)
	wait(id, task.StateRunning)
	onlyPerson(t, "a session", <-created)
	asks("at work")
	_, err := c.Act(ofClient(t), id, vmhost.Action{File: &wire.FileParams{Op: wire.FileStat, Path: "/work"}})
	onlyPerson(t, "an action", err)
	if _, err := c.PlaceOf(t.Context(), id); err != nil {
		t.Errorf("the person: %v", err)
	}
}

// Whether a task works on this computer itself is the person's to answer; whether in a place that
// keeps it apart, a client may.
func TestAClientAnswersAboutThePlace(t *testing.T) {
	for kind, may := range map[string]bool{vmhost.KindHost: false, vmhost.KindSandbox: true} {
		t.Run(kind, func(t *testing.T) {
			ready := make(chan struct{})
			close(ready)
			w := newHostWorld(t, ready)
			w.noMachine()
			s := runtimes.Settings{}
			if kind == vmhost.KindHost {
				w.broken = errors.New("no")
				s.Weaker = map[string]runtimes.Allowance{kind: runtimes.AllowAsk}
			}
			c := w.open()
			if _, err := c.SetRuntimes(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			id := w.start(c, execRequestOf("true")).ID
			var open []vmhost.Question
			w.until("the question", func() bool { open, _ = c.Questions(t.Context(), id); return len(open) == 1 })
			if open[0].Text.Params["runtime"] != kind {
				t.Fatalf("it asks %+v", open[0])
			}
			_, err := c.Answer(ofClient(t), id, open[0].ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow})
			if may && err != nil {
				t.Errorf("%s: %v", kind, err)
			} else if !may {
				onlyPerson(t, kind, err)
			}
		})
	}
}

// What a client tells an AI task of the person is for a task that is kept apart, also where the
// person has it go on.
func TestATaskThatAClientToldIsKeptApart(t *testing.T) {
	w, asked, answer := tuneWorld(t)
	c := openPi(t, w, nil)
	wait := w.listen(c)
	for name, live := range map[string]bool{"at work": true, "over": false} {
		id := w.start(c, tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Hello"}, Network: task.NetworkOff, Detached: true}).ID
		<-asked
		say := func() {
			if _, err := c.Say(ofClient(t), id, tasks.SayRequest{Text: "More", How: "followUp", Detached: true}); err != nil {
				t.Fatal(err)
			}
		}
		if live {
			say()
		}
		answer <- struct{}{}
		if !live {
			wait(id, task.StateDone)
			w.until("it is over", func() bool { return c.Live(id) == nil })
			say()
		}
		<-asked
		answer <- struct{}{}
		if now := wait(id, task.StateDone); now.Asked.Requires == nil || now.Asked.Requires.AtLeast != vmhost.IsolationNamespace {
			t.Errorf("%s: %+v", name, now.Asked.Requires)
		}
	}
}
