package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"piwork/app/aitask"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/vm"
)

// tuneWorld has two services, of which the first says which model it is asked for
// and answers when it may.
func tuneWorld(t *testing.T) (w *world, asked chan string, answer chan struct{}) {
	t.Helper()
	asked, answer = make(chan string, 8), make(chan struct{})
	server := gatewaytest.New(testKey)
	server.Reply(func(q gatewaytest.Question) gatewaytest.Turn {
		return gatewaytest.Turn{Raw: func(w http.ResponseWriter, r *http.Request) {
			asked <- q.Model
			select {
			case <-answer:
			case <-r.Context().Done():
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Well."}}]}`)
		}}
	})
	t.Cleanup(server.Close)
	w = aiWorld(t, "", server.URL)
	err := w.keys.Set(t.Context(), keys.Credential{
		Provider: "elsewhere", Kind: keys.KindKey, Key: keys.NewSecret(testKey), BaseURL: server.URL + "/v1", Protocol: "openai",
		Models: []string{"large"}, Private: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w, asked, answer
}

// tunings are the models and levels that a timeline says were chosen.
func tunings(t *testing.T, c *Controller, id string) (out []string) {
	t.Helper()
	events, err := c.Timeline(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		var n task.NoticeData
		if raw, ok := e.Data.(json.RawMessage); ok && e.Kind == task.EventNotice && json.Unmarshal(raw, &n) == nil && n.Code == "model" {
			out = append(out, fmt.Sprint(n.Params))
		}
	}
	return out
}

// The model of a task changes while it is at work, before it is and when it is
// over; what cannot be is refused, and changes nothing.
func TestTaskModel(t *testing.T) {
	w, asked, answer := tuneWorld(t)
	c := openPi(t, w, nil)
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Hello"}, Network: task.NetworkOff, Detached: true}).ID
	first := <-asked
	set := func(model, thinking string) task.AI {
		t.Helper()
		now, err := c.SetTaskModel(t.Context(), id, tasks.TaskModelRequest{Model: model, Thinking: thinking})
		if err != nil {
			t.Fatal(err)
		}
		return *now.AI
	}
	refused := func(id, model, thinking, code, cause string) {
		t.Helper()
		_, err := c.SetTaskModel(t.Context(), id, tasks.TaskModelRequest{Model: model, Thinking: thinking})
		wants(t, model+" "+thinking, err, code, cause)
	}
	refused(id, "", "", problem.CodeBadRequest, "")
	refused(id, "", "much", problem.CodeBadRequest, "")
	refused(id, "nobody/large", "", problem.CodeUnknownModel, "")
	refused(id, "elsewhere/large", "", problem.CodeTaskRunning, aitask.CauseProvider)
	refused(id, "scripted/"+noModel, "high", problem.CodeTaskRunning, aitask.CauseModel)
	refused("01945e2c-9a80-7b3c-8d1e-2f4a6b8c0d1e", "scripted/small", "", problem.CodeNotFound, "")
	if got := set("scripted/"+first, ""); got.Model != "scripted/"+first || got.Thinking != "" {
		t.Errorf("after what was refused: %+v", got)
	}
	events, cancel := c.Subscribe(task.EventFilter{})
	defer cancel()
	if got := set("scripted/small", "high"); got.Model != "scripted/small" || got.Thinking != "high" {
		t.Errorf("%+v", got)
	}
	for told := false; !told; { // when the record says it, who looks at it reads it again
		select {
		case e := <-events:
			told = e.Task == id && e.Kind == task.EventState
		case <-time.After(time.Minute):
			t.Fatal("nobody was told that the record changed")
		}
	}
	if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "And now?"}); err != nil {
		t.Fatal(err)
	}
	answer <- struct{}{}
	if got := <-asked; got != "small" {
		t.Errorf("it asked %q", got)
	}
	answer <- struct{}{}
	wait(id, task.StateDone)
	if got := set("elsewhere/large", ""); got.Model != "elsewhere/large" || got.Thinking != "high" {
		t.Errorf("%+v", got)
	}
	set("scripted/third", "low")
	if got := fmt.Sprint(tunings(t, c, id)); got != "[map[model:scripted/small] map[thinking:high] map[model:elsewhere/large] map[model:scripted/third thinking:low]]" {
		t.Errorf("the timeline has %s", got)
	}
	if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "Once more", Detached: true}); err != nil {
		t.Fatal(err)
	}
	if got := <-asked; got != "third" {
		t.Errorf("it went on with %q", got)
	}
	answer <- struct{}{}
	wait(id, task.StateDone)
	exec := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
	w.until("it is over", func() bool { return c.Live(exec.ID) == nil })
	refused(exec.ID, "scripted/small", "", problem.CodeNotResumable, "")
}

// A task that is not at work yet begins with what was chosen meanwhile.
func TestTaskModelBefore(t *testing.T) {
	w, asked, answer := tuneWorld(t)
	opening, goAhead := make(chan struct{}), make(chan struct{})
	c, err := open(t.Context(), w.options(), func(ctx context.Context, o Options) (seams, error) {
		s, err := withPi(w)(ctx, o)
		machine := s.machine
		s.machine = func(spec vm.Config) (vmhost.Runtime, error) {
			close(opening)
			<-goAhead
			return machine(spec)
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
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Hello"}, Network: task.NetworkOff, Detached: true}).ID
	<-opening
	now, err := c.SetTaskModel(t.Context(), id, tasks.TaskModelRequest{Model: "scripted/small", Thinking: "low"})
	close(goAhead)
	if err != nil || now.AI.Model != "scripted/small" || now.AI.Thinking != "low" {
		t.Fatalf("%+v %v", now.AI, err)
	}
	if got := <-asked; got != "small" {
		t.Errorf("it asked %q", got)
	}
	answer <- struct{}{}
	wait(id, task.StateDone)
	if got := fmt.Sprint(tunings(t, c, id)); got != "[map[model:scripted/small thinking:low]]" {
		t.Errorf("the timeline has %s", got)
	}
}

// A model that does not think as long as the person chose, or not at all, is told
// of, and once is enough.
func TestTaskThinksOtherwise(t *testing.T) {
	w, asked, answer := tuneWorld(t)
	c := openPi(t, w, nil)
	wait := w.listen(c)
	check := func(id string, want ...string) {
		t.Helper()
		if got := tunings(t, c, id); !slices.Equal(got, want) {
			t.Errorf("the timeline has %q, want %q", got, want)
		}
	}
	tune := func(id, model, thinking string) {
		t.Helper()
		if _, err := c.SetTaskModel(t.Context(), id, tasks.TaskModelRequest{Model: model, Thinking: thinking}); err != nil {
			t.Fatal(err)
		}
	}
	id := w.start(c, tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Hello", Model: "scripted/" + dullModel, Thinking: "high"}, Network: task.NetworkOff, Detached: true}).ID
	<-asked
	answer <- struct{}{}
	wait(id, task.StateDone)
	other := "map[thinking:off wanted:high]"
	check(id, other)
	if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "More", Detached: true}); err != nil {
		t.Fatal(err)
	}
	<-asked
	check(id, other)
	tune(id, "scripted/small", "")
	tune(id, "scripted/"+dullModel, "low")
	answer <- struct{}{}
	wait(id, task.StateDone)
	check(id, other, "map[model:scripted/small]", "map[thinking:high]", "map[model:scripted/dull]", "map[thinking:off]", "map[thinking:off wanted:low]")
	now, err := c.Task(t.Context(), id)
	if err != nil || now.AI.Thinking != "low" {
		t.Errorf("what was chosen became %+v, %v", now.AI, err)
	}
}
