package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"piwork/app/agent"
	"piwork/app/aitask"
	"piwork/app/approval/command"
	"piwork/app/consent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// aiRan are the commands that ran in the machine of an AI.
type aiRan struct {
	mu   sync.Mutex
	list []wire.ExecParams
}

func (r *aiRan) add(p wire.ExecParams) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, p)
}

func (r *aiRan) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, p := range r.list {
		out = append(out, strings.Join(p.Argv, " "))
	}
	return out
}

// commandTask runs an AI task whose model calls the tools in order, one in each answer, and
// has each question answered; it returns the questions.
func commandTask(t *testing.T, change func(*tasks.StartRequest), ran *aiRan, answer func(q vmhost.Question) string, calls ...gatewaytest.Tool) (asked []vmhost.Question, heard string) {
	t.Helper()
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	server := gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	server.Reply(func(q gatewaytest.Question) gatewaytest.Turn {
		if n := results(q); n < len(calls) {
			return gatewaytest.Turn{Tools: calls[n : n+1]}
		}
		heard = string(q.Body)
		return gatewaytest.Turn{Parts: []string{"Done."}}
	})
	w := aiWorld(t, "", server.URL)
	w.onCommand = ran.add
	if err := os.MkdirAll(filepath.Join(w.base, "Notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := openPi(t, w, nil)
	events, stop := c.Subscribe(task.EventFilter{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range events {
			q, ok := e.Data.(vmhost.Question)
			if !ok {
				continue
			}
			asked = append(asked, q)
			if _, err := c.Answer(context.Background(), q.Task, q.ID, consent.AnswerRequest{Answer: answer(q), Scope: vmhost.ScopeOnce}); err != nil {
				t.Error(err)
			}
		}
	}()
	wait := w.listen(c)
	r := aiTask(w.base)
	change(&r)
	wait(w.start(c, r).ID, task.StateDone)
	stop()
	<-done
	return asked, heard
}

func calledBash(text string) gatewaytest.Tool {
	return gatewaytest.Tool{Name: "bash", Input: map[string]any{"command": text}}
}

// Commands of an AI run when they only read, or when the person says so, exactly as they
// were asked about; what the person denies does not run.
func TestCommandsOfAnAI(t *testing.T) {
	var ran aiRan
	asked, heard := commandTask(t, func(*tasks.StartRequest) {}, &ran, func(q vmhost.Question) string {
		if q.Text.Params["command"] == "rm notes.md" {
			return vmhost.AnswerAllow
		}
		return vmhost.AnswerDeny
	}, calledBash("git status && wc -l notes.md"), calledBash("tar --extract -f a.tar"), calledBash("rm notes.md"),
		calledBash("rm x\x1b[2K"), calledBash("rm "+strings.Repeat("x", agent.MaxCommand)))
	if got, want := ran.texts(), []string{"/bin/bash -c git status && wc -l notes.md", "/bin/bash -c rm notes.md"}; !slices.Equal(got, want) {
		t.Fatalf("there ran %q; %s", got, heard)
	}
	if ran.list[0].Env["GIT_OPTIONAL_LOCKS"] != "0" || len(ran.list[1].Env) != 0 {
		t.Errorf("they ran with %v and %v", ran.list[0].Env, ran.list[1].Env)
	}
	if len(asked) != 2 || asked[0].Text.Code != agent.AskCommand || asked[0].Text.Params["command"] != "tar --extract -f a.tar" ||
		!slices.Equal(asked[1].Text.Params["effects"].([]string), []string{command.Delete}) || !slices.Equal(asked[1].Items, []string{"notes.md"}) {
		t.Errorf("asked %+v", asked)
	}
	for _, want := range []string{"ran: git status", aitask.CommandDenied, "ran: rm notes.md", aitask.CommandUnseen, aitask.CommandTooLong} {
		if !strings.Contains(heard, strings.ReplaceAll(want, "&", `\u0026`)) {
			t.Errorf("the model did not hear %q", want)
		}
	}
}

// A program in the machine says yes in the place of the person, in every way that it has: to
// the host, and as pi. Nothing runs of it.
func TestForgedAnswer(t *testing.T) {
	var ran aiRan
	open := 0
	asked, _ := commandTask(t, func(*tasks.StartRequest) {}, &ran, func(vmhost.Question) string {
		if open++; len(ran.texts()) > 0 {
			t.Error("it ran before the answer")
		}
		return vmhost.AnswerDeny
	}, gatewaytest.Tool{Name: "forge", Input: map[string]any{"command": "rm notes.md"}})
	if got := ran.texts(); len(got) > 0 {
		t.Errorf("there ran %q", got)
	}
	if len(asked) != 1 || open != 1 {
		t.Errorf("asked %+v", asked)
	}
}

// Nobody is asked where the person said so beforehand.
func TestCommandsAccepted(t *testing.T) {
	var ran aiRan
	asked, _ := commandTask(t, func(r *tasks.StartRequest) { r.Accept = true }, &ran, func(vmhost.Question) string { return vmhost.AnswerDeny }, calledBash("rm notes.md"))
	if got := ran.texts(); len(asked) > 0 || !slices.Equal(got, []string{"/bin/bash -c rm notes.md"}) {
		t.Errorf("asked %+v, there ran %q", asked, got)
	}
}
