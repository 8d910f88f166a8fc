package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
)

// A message that waits is taken back, and those before and after it are heard. What
// was heard, what a task began with and what nobody said are not.
func TestTakeBack(t *testing.T) {
	asked, held := make(chan struct{}, 8), make(chan struct{})
	server := gatewaytest.New(testKey, gatewaytest.Turn{Raw: func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-held:
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Well."}}]}`)
	}})
	t.Cleanup(server.Close)
	w := aiWorld(t, "", server.URL)
	c := openPi(t, w, nil)
	wait := w.listen(c)
	request := tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Hello"}, Network: task.NetworkOff, Detached: true}
	id := w.start(c, request).ID
	<-asked
	other := w.start(c, request).ID
	<-asked
	say := func(id, text, how string) string {
		t.Helper()
		now, err := c.Say(t.Context(), id, tasks.SayRequest{Text: text, How: how})
		if err != nil {
			t.Fatal(err)
		}
		return now.AI.Pending[len(now.AI.Pending)-1].ID
	}
	waits := func(now task.Task) (out []string) {
		for _, p := range now.AI.Pending {
			out = append(out, p.Text)
		}
		return out
	}
	say(id, "one", "steer")
	two := say(id, "two", "steer")
	say(id, "three", "followUp")
	four := say(id, "two", "followUp") // the same words, meant otherwise
	say(id, "five", "steer")
	for _, message := range []string{two, four} {
		if _, err := c.TakeBack(t.Context(), id, message); err != nil {
			t.Fatal(err)
		}
		_, err := c.TakeBack(t.Context(), id, message)
		wants(t, "twice", err, problem.CodeMessageHeard, "")
	}
	now, err := c.Task(t.Context(), id)
	if err != nil || fmt.Sprint(waits(now)) != "[one three five]" {
		t.Errorf("%q wait, %v", waits(now), err)
	}
	never := say(other, "never mind", "steer")
	if _, err := c.CancelTask(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	w.until("it is over", func() bool { return c.Live(other) == nil })
	close(held)
	wait(id, task.StateDone)
	var heard []string
	events, err := c.Timeline(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		var m task.MessageData
		if raw, ok := e.Data.(json.RawMessage); ok && e.Kind == task.EventMessage && json.Unmarshal(raw, &m) == nil && m.Role == "user" {
			heard = append(heard, m.Text)
		}
	}
	if slices.Sort(heard); fmt.Sprint(heard) != "[Hello five one three]" {
		t.Errorf("it heard %q", heard)
	}
	_, err = c.TakeBack(t.Context(), id, two)
	wants(t, "of a task that is over", err, problem.CodeMessageHeard, "")
	_, err = c.TakeBack(t.Context(), "01945e2c-9a80-7b3c-8d1e-2f4a6b8c0d1e", two)
	wants(t, "of nobody", err, problem.CodeNotFound, "")
	exec := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
	w.until("it is over", func() bool { return c.Live(exec.ID) == nil })
	_, err = c.TakeBack(t.Context(), exec.ID, two)
	wants(t, "of a program", err, problem.CodeNotResumable, "")

	// What a task that was stopped did not get to, it does not get when it goes on.
	if now, err = c.TakeBack(t.Context(), other, never); err != nil || len(now.AI.Pending) != 0 {
		t.Errorf("%+v, %v", now.AI, err)
	}
}
