package app

import (
	"testing"

	"piwork/app/approval"
	"piwork/app/consent"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
)

// A command that is only about its own machine is not asked about; a rule of the
// person's about it holds all the same.
func TestOwnMachine(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	l := tasks.NewLive(c.Runner, task.Task{ID: "t"}, tasks.StartRequest{})
	q := vmhost.Question{ID: "q", Kind: vmhost.AskCommand, Text: vmhost.Text{Params: map[string]any{"effects": []string{"system"}}}}
	if d, err := l.Gate().AskAgent(t.Context(), q); err != nil || d.Answer != vmhost.AnswerAllow {
		t.Errorf("%+v %v", d, err)
	}
	if _, err := c.rules.Add(approval.Rule{Topic: consent.TopicCommand + "/system", Answer: vmhost.AnswerDeny}); err != nil {
		t.Fatal(err)
	}
	if d, err := l.Gate().AskAgent(t.Context(), q); err != nil || d.Answer != vmhost.AnswerDeny {
		t.Errorf("with a rule: %+v %v", d, err)
	}
}
