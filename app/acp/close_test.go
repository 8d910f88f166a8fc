package acp_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/acp"
	"piwork/app/api/apitest"
	"piwork/app/task"
	"piwork/app/tasks"
)

// slow takes long to interrupt a task.
type slow struct {
	acp.Service
	release chan struct{}
	says    *atomic.Int32
}

func (s slow) Interrupt(ctx context.Context, id string) (task.Task, error) {
	<-s.release
	return s.Service.Interrupt(ctx, id)
}

func (s slow) Say(ctx context.Context, id string, r tasks.SayRequest) (task.Task, error) {
	s.says.Add(1)
	return s.Service.Say(ctx, id, r)
}

// A prompt that waits for the one before it doesn't begin in a session that is closed meanwhile. It
// begins where the editor withdraws the request to close.
func TestCloseWhilePromptWaits(t *testing.T) {
	for _, tt := range []struct {
		withdrawn bool
		waiting   sdk.StopReason
		says      int32
	}{{false, sdk.StopReasonCancelled, 0}, {true, sdk.StopReasonEndTurn, 1}} {
		synctest.Test(t, func(t *testing.T) {
			s := slow{release: make(chan struct{}), says: &atomic.Int32{}}
			e := open(t, wish{script: apitest.Script{Endless: true}, through: func(x acp.Service) acp.Service { s.Service = x; return s }})
			id := e.session()
			prompt := func(text string) chan sdk.StopReason {
				over := make(chan sdk.StopReason, 1)
				go func() { r, _ := e.prompt(id, sdk.TextBlock(text)); over <- r }()
				synctest.Wait()
				return over
			}
			working, waiting := prompt("one"), prompt("two")
			ctx, withdraw := context.WithCancel(t.Context())
			defer withdraw()
			closed := make(chan error, 1)
			go func() { _, err := e.CloseSession(ctx, sdk.CloseSessionRequest{SessionId: id}); closed <- err }()
			synctest.Wait()
			if tt.withdrawn {
				withdraw()
				synctest.Wait()
			}
			close(s.release)
			if got := <-working; got != sdk.StopReasonCancelled {
				t.Errorf("the prompt at work: %q", got)
			}
			if got := <-waiting; got != tt.waiting || s.says.Load() != tt.says {
				t.Errorf("withdrawn %v: the prompt that waited: %q, told %d times", tt.withdrawn, got, s.says.Load())
			}
			if err := <-closed; tt.withdrawn != (err != nil) {
				t.Errorf("withdrawn %v: %v", tt.withdrawn, err)
			}
			time.Sleep(time.Hour) // until no connection is kept for another request
		})
	}
}
