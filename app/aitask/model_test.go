package aitask

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/agent"
	"piwork/app/agent/program"
	"piwork/app/gateway"
	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/app/task"
)

// tuned is a session of which only the model is changed.
type tuned struct {
	program.Session
	model, thinking func(context.Context) error
	idle            chan struct{} // closed when its run ends
}

func (s tuned) SetModel(ctx context.Context, _ string) error    { return s.model(ctx) }
func (s tuned) SetThinking(ctx context.Context, _ string) error { return s.thinking(ctx) }

func (s tuned) Wait(ctx context.Context) (agent.Outcome, error) {
	select {
	case <-s.idle:
		return agent.Outcome{}, nil
	case <-ctx.Done():
		return agent.Outcome{}, ctx.Err()
	}
}

// answering is a provider.
type answering struct{}

func (answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

// atWork is a conversation whose AI program works, and what its questions for a model are answered.
func atWork(t *testing.T, s program.Session, ai task.AI) (c *Conversation, b *bareTask, asks func(model string) int) {
	t.Helper()
	c, b = bare(t, task.Task{AI: &ai})
	store := &keys.Memory{}
	if err := store.Set(t.Context(), keys.Credential{
		Provider: "own", Kind: keys.KindKey, Key: keys.NewSecret("sk-0123456789abcdefghijklmnop"), BaseURL: "http://127.0.0.1:1/v1", Protocol: "openai", Models: []string{"old"},
	}); err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(gateway.Config{Keys: &keys.Source{Store: store}, Transport: answering{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	c.agent.gate, c.agent.laid = g.Session(gateway.SessionOptions{Models: []string{ai.Model}}), true
	c.agent.open(s)
	return c, b, func(model string) int {
		answer := httptest.NewRecorder()
		c.agent.gate.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/own/v1/chat/completions", strings.NewReader(`{"model":"`+model+`"}`)))
		return answer.Code
	}
}

// A change of the model that nobody waits for fails nothing: the AI program makes it or not.
func TestModelThatIsNotTaken(t *testing.T) {
	fine := func(context.Context) error { return nil }
	refuses := func(context.Context) error { return &agent.CommandError{Command: "set", Text: "no"} }
	hangs := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, row := range map[string]struct {
		session tuned
		status  int    // of a question for the new model
		says    bool   // the AI program says later that it changed over
		now     string // the model in the record
	}{
		"it refuses the model":          {tuned{model: refuses}, http.StatusForbidden, false, "own/old"},
		"the caller leaves":             {tuned{model: hangs}, http.StatusOK, false, "own/old"},
		"the caller leaves, it changes": {tuned{model: hangs}, http.StatusOK, true, "own/new"},
		"it refuses the level":          {tuned{model: fine, thinking: refuses}, http.StatusOK, false, "own/new"},
		"the caller leaves the level":   {tuned{model: fine, thinking: hangs}, http.StatusOK, false, "own/new"},
	} {
		t.Run(name, func(t *testing.T) {
			c, b, asks := atWork(t, row.session, task.AI{Model: "own/old", Thinking: "low"})
			ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer leave()
			_, wait, err := c.Tune(ctx, ModelChoice{Model: "own/new", Thinking: "high"})
			if err == nil || wait != nil {
				t.Errorf("it waits: %v, %v", wait != nil, err)
			}
			if p, is := errors.AsType[*problem.Problem](err); is != (row.status == http.StatusForbidden) || is && p.Cause != CauseModel {
				t.Errorf("the error is %v", err)
			}
			if row.says {
				c.emit(agent.Notice(agent.NoticeModel, "", map[string]any{"model": "own/other"})) // nobody asked for it
				c.emit(agent.Notice(agent.NoticeModel, "", map[string]any{"model": "own/new"}))
			}
			if ai := b.Last().AI; ai.Model != row.now || ai.Thinking != "low" {
				t.Errorf("the record has %+v", ai)
			}
			if got := asks("new"); got != row.status {
				t.Errorf("the new model: %d", got)
			}
			if got := asks("old"); got != http.StatusOK {
				t.Errorf("the old model: %d", got)
			}
		})
	}
}

// An AI program that changes over with its next turn asks the old model until its run has ended; pi
// asks the new one at once.
func TestOldModelUntilTheRunEnds(t *testing.T) {
	for by, during := range map[string]int{program.OpenCode: http.StatusOK, program.Pi: http.StatusForbidden} {
		for _, late := range []bool{false, true} { // the caller has left when it changes over
			synctest.Test(t, func(t *testing.T) { oldModelUntilTheRunEnds(t, by, during, late) })
		}
	}
}

func oldModelUntilTheRunEnds(t *testing.T, by string, during int, late bool) {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), time.Second)
	defer leave()
	s := tuned{model: func(context.Context) error { return nil }, idle: make(chan struct{})}
	if late {
		s.model = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	}
	c, _, asks := atWork(t, s, task.AI{Model: "own/old", Program: by})
	if _, _, err := c.Tune(ctx, ModelChoice{Model: "own/new"}); (err != nil) != late {
		t.Fatal(err)
	}
	if late {
		c.emit(agent.Notice(agent.NoticeModel, "", map[string]any{"model": "own/new"}))
	}
	time.Sleep(time.Hour)
	if old, now := asks("old"), asks("new"); old != during || now != http.StatusOK {
		t.Errorf("%s, late %v: after an hour the old model %d, the new one %d", by, late, old, now)
	}
	close(s.idle)
	synctest.Wait()
	if old, now := asks("old"), asks("new"); old != http.StatusForbidden || now != http.StatusOK {
		t.Errorf("%s, late %v: after its run the old model %d, the new one %d", by, late, old, now)
	}
}

// Who turns back to the model of the record while the AI program may still change to another has
// it told so, and pays for the other no longer.
func TestModelOfTheRecordAgain(t *testing.T) {
	for _, refused := range []bool{false, true} { // a third model between
		synctest.Test(t, func(t *testing.T) {
			answer, told := context.Canceled, 0
			s := tuned{model: func(context.Context) error { told++; return answer }}
			c, b, asks := atWork(t, s, task.AI{Model: "own/old", Program: program.Pi})
			if _, _, err := c.Tune(t.Context(), ModelChoice{Model: "own/new"}); err == nil {
				t.Error("nobody waits for it, and it is done")
			}
			if refused {
				answer = &agent.CommandError{Command: "set", Text: "no"}
				if _, _, err := c.Tune(t.Context(), ModelChoice{Model: "own/third"}); err == nil {
					t.Error("it is refused, and it is done")
				}
			}
			before := told
			answer = nil
			for range 2 {
				if _, _, err := c.Tune(t.Context(), ModelChoice{Model: "own/old"}); err != nil {
					t.Error(err)
				}
			}
			if told != before+1 {
				t.Errorf("it was told %d times of the model that it is to keep", told-before)
			}
			c.emit(agent.Notice(agent.NoticeModel, "", map[string]any{"model": "own/new"})) // before it heard of that
			if ai := b.Last().AI; ai.Model != "own/old" {
				t.Errorf("the record has %+v", ai)
			}
			time.Sleep(time.Hour)
			if old, other := asks("old"), asks("new"); old != http.StatusOK || other != http.StatusForbidden {
				t.Errorf("the model of the record %d, the other %d", old, other)
			}
		})
	}
}
