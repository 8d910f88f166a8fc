//go:build vm

package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/agent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
)

// A provider that asks to wait, is overloaded, breaks an answer off and takes its
// time between words costs a task time, and nothing else: it gets to its end with
// each thing done once, and what is said is shown as it comes.
func TestRealAIRough(t *testing.T) {
	tier.Rest(t, "TestRealAI")
	for _, protocol := range roughProtocols {
		t.Run(protocol, func(t *testing.T) {
			dir := t.TempDir()
			write := gatewaytest.Tool{Name: "write", Input: map[string]any{"path": "/folders/" + filepath.Base(dir) + "/summary.md", "content": "Milk.\n"}}
			slow := make(chan struct{}, 1)
			slow <- struct{}{} // the first word; the others when that was shown
			script := &turns{list: []gatewaytest.Turn{
				{Status: 429, Message: "slow down", RetryAfter: "1"},
				{Status: 529, Message: "overloaded"},
				{Parts: []string{"I ", "write ", "it."}, Step: slow, Tools: []gatewaytest.Tool{write}},
				{Parts: []string{"I was ", "say"}, Cut: true},
				{Parts: []string{"All ", "done."}},
			}}
			server := gatewaytest.New(canary)
			t.Cleanup(server.Close)
			server.Reply(script.reply)
			c := openAI(t, warmOptions(t).WithDefaults(), scripted{server, protocol})
			events, stop := c.Subscribe(task.EventFilter{})
			defer stop()
			started, err := c.StartTask(t.Context(), tasks.StartRequest{
				Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Summarise my notes"}, Network: task.NetworkOff, Detached: true,
				Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}},
			})
			if err != nil {
				t.Fatal(err)
			}
			notices, wrote, shown := map[string]int{}, 0, false
			limit := time.After(5 * time.Minute)
			for over := false; !over; {
				var e task.Event
				select {
				case e = <-events:
				case <-limit:
					t.Fatalf("asked %d times\n%s", len(script.questions()), timelineText(t, c, started.ID))
				}
				switch d := e.Data.(type) {
				case task.DeltaData:
					if !shown {
						shown = true
						close(slow)
					}
				case task.NoticeData:
					notices[d.Code]++
				case task.ToolData:
					if d.State == "done" {
						wrote++
					}
				case vmhost.Question:
					t.Errorf("it asks %+v", d)
				case task.StateData:
					over = d.State.Final()
				}
			}
			got := ended(t, c, started.ID)
			if got.State != task.StateDone || got.Error != nil || !shown || wrote != 1 || notices["provider-waits"] != 1 || notices[agent.NoticeRetry] != 3 {
				t.Errorf("%s, %+v, shown %v, wrote %d times, notices %v\n%s", got.State, got.Error, shown, wrote, notices, timelineText(t, c, started.ID))
			}
			if n := len(script.questions()); n != 5 {
				t.Errorf("the model was asked %d times", n)
			}
			if said := messages(t, c, started.ID); said[len(said)-1] != "assistant: All done." || count(said, "user: Summarise my notes") != 1 {
				t.Errorf("%q", said)
			}
			if data, err := os.ReadFile(filepath.Join(dir, "summary.md")); err != nil || string(data) != "Milk.\n" {
				t.Errorf("%q %v", data, err)
			}
			for _, q := range server.Questions() {
				if q.Key() != canary {
					t.Errorf("a question came with the key %q", q.Key())
				}
			}
		})
	}
}
