//go:build unix

package cli

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app"
	"piwork/app/background"
	"piwork/app/task"
	"piwork/app/tasks"
)

// lateTask is a controller in front of which the person stops waiting while a task begins.
type lateTask struct {
	*fake
	interrupt context.CancelFunc
	stopped   []string
}

func (s *lateTask) CancelTask(ctx context.Context, id string) (task.Task, error) {
	s.stopped = append(s.stopped, id)
	return s.fake.CancelTask(ctx, id)
}

func (s *lateTask) StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error) {
	s.interrupt()
	time.Sleep(100 * time.Millisecond) // whoever still waits does so longer than this
	return s.fake.StartTask(context.WithoutCancel(ctx), r)
}

// Who interrupts the making of a session leaves no workroom open.
func TestSessionInterruptedBeforeItBegan(t *testing.T) {
	f, _ := inBackground(t)
	f.Endless = true
	ctx, interrupt := context.WithCancel(t.Context())
	late := &lateTask{fake: f, interrupt: interrupt}
	open := func(context.Context, app.Options) (background.Controller, error) { return late, nil }
	var errs bytes.Buffer
	if code := run(ctx, []string{"session", "create"}, Options{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs, Open: open}); code != ExitCancelled {
		t.Errorf("exit %d, %s", code, &errs)
	}
	all, err := f.Tasks(t.Context())
	if err != nil || len(all) != 1 || !slices.Equal(late.stopped, []string{all[0].ID}) {
		t.Errorf("stopped %q of %+v, %v", late.stopped, all, err)
	}
}
