package tasks

import (
	"context"
	"errors"
	"testing"

	"piwork/app/task"
)

// TestDetachedTaskOutlivesItsCaller: whoever heard of a task may detach it before it has
// begun to end with its caller.
func TestDetachedTaskOutlivesItsCaller(t *testing.T) {
	for name, tt := range map[string]struct {
		request         bool
		before, after   bool
		endsWithACaller bool
	}{
		"nobody detached it":       {endsWithACaller: true},
		"its request":              {request: true},
		"somebody, before it ran":  {before: true},
		"somebody, while it runs":  {after: true},
		"somebody, and once again": {before: true, after: true},
	} {
		t.Run(name, func(t *testing.T) {
			l := bareLive(t, task.Task{}, StartRequest{Kind: task.KindExec, Detached: tt.request})
			over, err := l.c.o.Registry.Begin(l.id, l, func() error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			defer over()
			defer l.c.o.Registry.End(l.id, nil)
			detach := func(is bool) {
				if !is {
					return
				}
				if got, err := l.c.DetachTask(t.Context(), l.id); err != nil || got.ID != l.id {
					t.Fatalf("%+v %v", got, err)
				}
			}
			caller, gone := context.WithCancel(t.Context())
			detach(tt.before)
			hook(caller, l)
			detach(tt.after)
			if !tt.endsWithACaller && l.unhook != nil && l.unhook() {
				t.Error("it still ends with its caller")
			}
			gone()
			if tt.endsWithACaller {
				<-l.ctx.Done()
				if !errors.Is(context.Cause(l.ctx), errCaller) {
					t.Errorf("it ends because of %v", context.Cause(l.ctx))
				}
				return
			}
			if l.ctx.Err() != nil {
				t.Errorf("it ended because of %v", context.Cause(l.ctx))
			}
		})
	}
}
