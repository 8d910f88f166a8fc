//go:build unix

package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"piwork/app/api/apitest"
	"piwork/app/task"
	"piwork/app/tasks"
)

// A task that goes on is watched to its end, and its earlier round is not shown again, whatever
// the clock of the computer says on which it works.
func TestTaskGoesOnUnderAnotherClock(t *testing.T) {
	for name, clock := range map[string]time.Duration{"behind": -time.Hour, "ahead": time.Hour} {
		t.Run(name, func(t *testing.T) {
			f, _ := inBackground(t)
			f.Agent = apitest.Agent{Events: []task.Event{{Kind: task.EventMessage, Data: task.MessageData{ID: "m1", Role: "assistant", Text: "It is milk."}}}}
			f.clock = clock
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			before, err := f.StartTask(ctx, tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "x"}, Detached: true})
			for ; err == nil && !before.State.Final(); before, err = f.Task(ctx, before.ID) {
				time.Sleep(time.Millisecond)
			}
			if err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			code := run(ctx, []string{"task", "say", before.ID, "y"}, Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Open: f.held})
			if code != ExitDone || strings.Count(out.String(), "It is milk.") != 1 {
				t.Errorf("exit %d: %q, %q", code, &out, &errs)
			}
		})
	}
}

// An update is watched to its end on a computer whose clock is behind.
func TestUpdateUnderAnotherClock(t *testing.T) {
	f, _ := inBackground(t)
	f.Fake, f.clock = scenario([]string{"update"}), -time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"pack", "update"}, Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Open: f.held})
	if code != ExitDone || !strings.Contains(out.String(), "0.2.0") {
		t.Errorf("exit %d: %q, %q", code, &out, &errs)
	}
}
