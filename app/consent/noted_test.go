package consent

import (
	"fmt"
	"testing"

	"piwork/app/approval"
	"piwork/app/policy"
	"piwork/app/task"
)

// notedTask counts what is recorded of it.
type notedTask struct {
	Task
	records int
}

func (t *notedTask) Last() *task.Task           { return &task.Task{ID: "1", Kind: task.KindExec} }
func (t *notedTask) Do(func())                  {}
func (t *notedTask) Record(task.EventKind, any) { t.records++ }

// A machine that tries one refused name after the other fills neither the timeline nor the memory
// of this computer.
func TestRefusalsAreBounded(t *testing.T) {
	noted := &notedTask{}
	g := New(Options{}).Gate(noted, task.KindExec, false, approval.Who{})
	for i := range 5 * maxNoted {
		r := policy.Request{Action: policy.Connect}
		r.Host = fmt.Sprintf("h%d.example", i)
		g.noteDenied(policy.Decision{Effect: policy.Deny, Rule: "no"}, r)
	}
	if noted.records != maxNoted || len(g.noted) != maxNoted || len(g.tried) > maxNoted {
		t.Errorf("%d records, %d refusals and %d tries in memory", noted.records, len(g.noted), len(g.tried))
	}
}
