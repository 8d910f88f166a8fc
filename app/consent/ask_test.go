package consent

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/approval"
	"piwork/app/policy"
	"piwork/app/task"
	"piwork/vmhost"
)

// plainTask is a task that lives until ctx ends.
type plainTask struct {
	ctx   context.Context
	asked chan vmhost.Question
}

func (p plainTask) Context() context.Context { return p.ctx }
func (plainTask) Last() *task.Task           { return &task.Task{ID: "t", Kind: task.KindExec} }
func (p plainTask) Record(_ task.EventKind, data any) {
	if q, ok := data.(vmhost.Question); ok {
		p.asked <- q
	}
}
func (plainTask) Tell(task.EventKind, any) {}
func (plainTask) Later(func(*task.Task))   {}
func (plainTask) Do(func())                {}
func (plainTask) Rest(bool)                {}
func (plainTask) Machine() vmhost.Runtime  { return nil }
func (plainTask) Cancel(error)             {}
func (plainTask) MayHave(string) error     { return nil }

// An answer that comes after its task was interrupted decides no question of the task that
// goes on.
func TestLateAnswerDecidesNothingElse(t *testing.T) {
	dir := t.TempDir()
	c := New(Options{Now: time.Now, Written: policy.Open(policy.Options{Dir: dir, Managed: filepath.Join(dir, "none")})})
	p := plainTask{asked: make(chan vmhost.Question)}
	ids := map[string]bool{}
	for range 2 {
		var end context.CancelFunc
		p.ctx, end = context.WithCancel(t.Context())
		over := make(chan struct{})
		g := c.Gate(p, task.KindExec, false, approval.Who{})
		go func() {
			defer close(over)
			_, _ = g.Ask(t.Context(), vmhost.Question{Task: "t", Kind: vmhost.AskRule}, nil)
		}()
		q := <-p.asked
		for old := range ids {
			if _, err := c.inbox.Answer("t", old, approval.Answer{Answer: vmhost.AnswerAllow, Scope: "never"}); !errors.Is(err, approval.ErrNotOpen) {
				t.Errorf("an answer to %s decided %s: %v", old, q.ID, err)
			}
		}
		ids[q.ID] = true
		end()
		<-over
	}
}
