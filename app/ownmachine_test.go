package app

import (
	"testing"

	"piwork/app/approval"
	"piwork/app/task"
	"piwork/vmhost"
)

// A command that is only about its own machine is not asked about; a rule of the
// person's about it holds all the same. What waits is listed with the riskiest first.
func TestOwnMachine(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	l := newLiveTask(c, task.Task{ID: "t"}, StartRequest{})
	q := vmhost.Question{ID: "q", Kind: vmhost.AskCommand, Text: vmhost.Text{Params: map[string]any{"effects": []string{"system"}}}}
	if d, err := l.askAgent(t.Context(), q); err != nil || d.Answer != vmhost.AnswerAllow {
		t.Errorf("%+v %v", d, err)
	}
	if _, err := c.rules.Add(approval.Rule{Topic: topicCommand + "/system", Answer: vmhost.AnswerDeny}); err != nil {
		t.Fatal(err)
	}
	if d, err := l.askAgent(t.Context(), q); err != nil || d.Answer != vmhost.AnswerDeny {
		t.Errorf("with a rule: %+v %v", d, err)
	}

	shown := make(chan struct{})
	for _, q := range []vmhost.Question{
		{ID: "change", Task: "t", Kind: vmhost.AskOverwrite}, {ID: "delete", Task: "t", Kind: vmhost.AskDelete}, {ID: "leave", Task: "t", Kind: vmhost.AskNetwork},
	} {
		go func() {
			_, _ = c.desk.Ask(t.Context(), q, nil, approval.Asker{Show: func(vmhost.Question) { shown <- struct{}{} }})
		}()
		<-shown
	}
	open, err := c.Questions(t.Context(), "")
	if err != nil || len(open) != 3 || open[0].ID != "delete" || open[1].ID != "leave" || open[2].ID != "change" {
		t.Errorf("%+v %v", open, err)
	}
}
