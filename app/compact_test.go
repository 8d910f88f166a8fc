package app

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"piwork/app/aitask"
	"piwork/app/capacity"
	"piwork/app/chore/choretest"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
)

// saidAndNoted are the codes of notices and the messages of the person in a timeline, with
// those of codes that are asked for.
func saidAndNoted(t *testing.T, c *Controller, id string, codes ...string) (out []string) {
	t.Helper()
	events, err := c.Timeline(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		raw, _ := e.Data.(json.RawMessage)
		var n task.NoticeData
		var m task.MessageData
		switch {
		case e.Kind == task.EventNotice && json.Unmarshal(raw, &n) == nil && slices.Contains(codes, n.Code):
			out = append(out, n.Code)
		case e.Kind == task.EventMessage && json.Unmarshal(raw, &m) == nil && m.Role == "user":
			out = append(out, m.Text)
		}
	}
	return out
}

// A task that is over has its messages summarised, and is what it was; what it is
// told meanwhile it goes on with.
func TestCompactTask(t *testing.T) {
	w, asked, answer := tuneWorld(t)
	c := openPi(t, w, nil)
	wait := w.listen(c)
	request := tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Hello"}, Network: task.NetworkOff, Detached: true}
	compact := func(id string) {
		t.Helper()
		if now, err := c.CompactTask(t.Context(), id, true); err != nil || now.State != task.StateQueued {
			t.Fatalf("%s %v", now.State, err)
		}
	}
	check := func(id string, want ...string) {
		t.Helper()
		if got := saidAndNoted(t, c, id, "compacting", "compacted", "short", "not-compact", "resumed", "lost-work"); !slices.Equal(got, want) {
			t.Errorf("the timeline has %q, want %q", got, want)
		}
	}
	id := w.start(c, request).ID
	<-asked
	_, err := c.CompactTask(t.Context(), id, true)
	wants(t, "at work", err, problem.CodeTaskRunning, "")
	answer <- struct{}{}
	wait(id, task.StateDone)

	compact(id)
	<-asked
	answer <- struct{}{}
	wait(id, task.StateDone)
	compact(id) // there is nothing left
	wait(id, task.StateDone)
	check(id, "Hello", "compacting", "compacted", "compacting", "short")

	if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "More", Detached: true}); err != nil {
		t.Fatal(err)
	}
	<-asked
	answer <- struct{}{}
	wait(id, task.StateDone)
	compact(id)
	<-asked
	if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "In between"}); err != nil {
		t.Fatal(err)
	}
	answer <- struct{}{}
	<-asked
	answer <- struct{}{}
	wait(id, task.StateDone)
	check(id, "Hello", "compacting", "compacted", "compacting", "short", "resumed", "resumed", "More", "compacting", "compacted", "In between")

	// One that was stopped stays so, and what waits in it waits.
	other := w.start(c, request).ID
	<-asked
	if _, err := c.Say(t.Context(), other, tasks.SayRequest{Text: "never mind"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CancelTask(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	wait(other, task.StateCancelled)
	w.until("it is over", func() bool { return c.Live(other) == nil })
	compact(other)
	<-asked
	answer <- struct{}{}
	w.until("it is over again", func() bool { return c.Live(other) == nil })
	now, err := c.Task(t.Context(), other)
	if err != nil || now.State != task.StateCancelled || now.Error == nil || now.Error.Code != problem.CodeCancelled || len(now.AI.Pending) == 0 || now.AI.Pending[len(now.AI.Pending)-1].Text != "never mind" {
		t.Errorf("%+v %+v %v", now, now.AI, err)
	}
	check(other, "Hello", "compacting", "compacted")

	// Stopped in the middle, it is what it was too.
	compact(id)
	<-asked
	if _, err := c.CancelTask(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	w.until("it is over", func() bool { return c.Live(id) == nil })
	if now, err := c.Task(t.Context(), id); err != nil || now.State != task.StateDone || now.Error != nil {
		t.Errorf("%s %v %v", now.State, now.Error, err)
	}

	exec := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
	w.until("it is over", func() bool { return c.Live(exec.ID) == nil })
	_, err = c.CompactTask(t.Context(), exec.ID, true)
	wants(t, "of a program", err, problem.CodeNotResumable, "")
}

// A summary that is given up before its machine is there leaves the task as it was, on the disk
// too: it can be told something afterwards.
func TestCompactGivenUpEarly(t *testing.T) {
	for name, hold := range map[string]struct {
		before func(w *world, c *Controller) (undo func())
		until  func(w *world, c *Controller, id string)
	}{
		"no room yet": {
			func(w *world, c *Controller) func() {
				host, err := w.lookAtHost(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return c.Fleet.Queue.Request("another", capacity.Size{MemoryMB: capacity.Budget(host, capacity.Choice{}) - 256, CPUs: 1}).Release
			},
			func(w *world, c *Controller, id string) { w.waitsFor(c, id, "turn") },
		},
		"it starts": {
			func(w *world, _ *Controller) func() {
				w.onMachine = func(rt *choretest.Runtime) error {
					rt.OnConnect = func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
					return nil
				}
				return func() { w.onMachine = nil }
			},
			func(w *world, c *Controller, id string) {
				w.until("it starts", func() bool { now, err := c.store.Get(id); return err == nil && now.State == task.StatePreparing })
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, asked, answer := tuneWorld(t)
			c := openPi(t, w, nil)
			wait := w.listen(c)
			id := w.start(c, tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Hello"}, Network: task.NetworkOff, Detached: true}).ID
			<-asked
			answer <- struct{}{}
			wait(id, task.StateDone)
			w.until("it is over", func() bool { return c.Live(id) == nil })

			undo := hold.before(w, c)
			if _, err := c.CompactTask(t.Context(), id, true); err != nil {
				t.Fatal(err)
			}
			hold.until(w, c, id)
			if _, err := c.CancelTask(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			w.until("it is over again", func() bool { return c.Live(id) == nil })
			undo()
			if now, err := c.store.Get(id); err != nil || now.State != task.StateDone || now.Error != nil {
				t.Errorf("the disk says %s %v %v", now.State, now.Error, err)
			}
			if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "More", Detached: true}); err != nil {
				t.Fatal(err)
			}
			<-asked
			answer <- struct{}{}
			wait(id, task.StateDone)
		})
	}
}

// The program is killed in the middle of a summary: while the model writes it, and
// around the moments that it is noted. The next run says that it was interrupted; the
// conversation is whole, can be summarised again, and goes on.
func TestKilledWhileCompacting(t *testing.T) {
	tier.Unraced(t)
	if base := os.Getenv(envKillBase); base != "" {
		beKilledCompacting(t, base)
		return
	}
	const written = "the model writes"
	for _, at := range []string{"after notice compacting", written, "before notice compacted", "after notice compacted"} {
		t.Run(at, func(t *testing.T) {
			base := t.TempDir()
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			var questions atomic.Int32
			server := gatewaytest.New(testKey)
			t.Cleanup(server.Close)
			server.Reply(func(gatewaytest.Question) gatewaytest.Turn {
				if questions.Add(1) == 2 && at == written {
					kill()
					return gatewaytest.Turn{Stall: true}
				}
				return gatewaytest.Turn{Parts: []string{"Well."}}
			})
			cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKilledWhileCompacting$", "-test.v")
			cmd.Env = append(os.Environ(), envKillBase+"="+base, envKillModel+"="+server.URL, envKillAt+"="+at)
			if out, err := cmd.CombinedOutput(); err == nil || bytes.Contains(out, []byte("--- FAIL")) || bytes.Contains(out, []byte("panic:")) {
				t.Fatalf("%v\n%s", err, out)
			}

			w := aiWorld(t, base, server.URL)
			c := openPi(t, w, nil)
			wait := w.listen(c)
			all, err := c.Tasks(t.Context())
			if err != nil || len(all) != 1 || all[0].State != task.StateFailed || all[0].Error == nil || all[0].Error.Code != problem.CodeInterrupted {
				t.Fatalf("%+v, %v", all, err)
			}
			id := all[0].ID
			session, err := os.ReadFile(filepath.Join(c.store.Dir(id), aitask.StateDir, "pi", "sessions", id+".jsonl"))
			if err != nil || bytes.Count(session, []byte("Hello")) != 1 || bytes.Count(session, []byte(`"Well."`)) == 0 {
				t.Errorf("pi's session: %s, %v", session, err)
			}
			summarised := bytes.Contains(session, []byte(`"compaction"`))
			if summarised != strings.HasSuffix(at, "compacted") {
				t.Errorf("summarised is %v", summarised)
			}
			if _, err := c.CompactTask(t.Context(), id, true); err != nil {
				t.Fatal(err)
			}
			w.until("it is over", func() bool { return c.Live(id) == nil })
			now, err := c.Task(t.Context(), id)
			if err != nil || now.State != task.StateFailed || now.Error == nil || now.Error.Code != problem.CodeInterrupted {
				t.Errorf("after a summary it is %+v, %v", now, err)
			}
			if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "More", Detached: true}); err != nil {
				t.Fatal(err)
			}
			if done := wait(id, task.StateDone); done.Error != nil || len(done.AI.Pending) != 0 {
				t.Errorf("%+v, %+v", done, done.AI)
			}
			want := []string{"Hello", "compacting", "compacting", "compacted", "More"}
			switch {
			case at == "after notice compacted":
				want = []string{"Hello", "compacting", "compacted", "compacting", "short", "More"}
			case summarised: // before that was noted
				want = []string{"Hello", "compacting", "compacting", "short", "More"}
			}
			if got := saidAndNoted(t, c, id, "compacting", "compacted", "short", "not-compact"); !slices.Equal(got, want) {
				t.Errorf("the timeline has %q, want %q", got, want)
			}
		})
	}
}

// beKilledCompacting has the messages of a task summarised, and is gone at a point.
func beKilledCompacting(t *testing.T, base string) {
	w := aiWorld(t, base, os.Getenv(envKillModel))
	at := os.Getenv(envKillAt)
	c := openPi(t, w, func(kind task.EventKind, data any, after bool) {
		if killPoint(kind, data, after) == at {
			killSelf(t)
		}
	})
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Hello"}, Network: task.NetworkOff, Detached: true}).ID
	wait(id, task.StateDone)
	if _, err := c.CompactTask(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	wait(id, task.StateDone)
}
