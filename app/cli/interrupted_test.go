package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/background"
	"piwork/app/cli/command"
	"piwork/app/client"
	"piwork/app/task"
	"piwork/app/tasks"
)

// slow is a controller in front of which the person stops waiting: while a task begins, which it
// does when it was cancelled in vain, or while it is let go on.
type slow struct {
	*apitest.Fake
	interrupt context.CancelFunc
	begins    chan struct{} // nil: at once
	once      sync.Once     // of closing it

	mu      sync.Mutex
	resumed bool // a task that is over, until it is cancelled
	stopped []string
}

func (s *slow) wait() {
	if s.begins != nil {
		s.interrupt()
		<-s.begins
	}
}

func (s *slow) StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error) {
	s.wait()
	return s.Fake.StartTask(ctx, r)
}

func (s *slow) StartAgain(ctx context.Context, id string, r tasks.AgainRequest) (task.Task, error) {
	s.wait()
	return s.Fake.StartAgain(ctx, id, r)
}

// ResumeTask has a task run until it is cancelled once more.
func (s *slow) ResumeTask(ctx context.Context, id string) (task.Task, error) {
	s.wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resumed = true
	return s.Task(ctx, id)
}

func (s *slow) DetachTask(ctx context.Context, id string) (task.Task, error) {
	t, err := s.Fake.DetachTask(ctx, id)
	s.interrupt()
	<-ctx.Done()
	return t, err
}

func (s *slow) CancelTask(ctx context.Context, id string) (task.Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, _ := s.Task(ctx, id)
	t, err := s.Fake.CancelTask(ctx, id)
	if s.resumed {
		s.resumed = false
		t.Ended = new(t.Ended.Add(time.Second))
		s.stopped = append(s.stopped, id)
	} else if before.State != t.State {
		s.stopped = append(s.stopped, id)
	}
	if s.begins != nil {
		s.once.Do(func() { close(s.begins) })
	}
	return t, err
}

// Who interrupts a command that has not heard yet that its task begins, or begins again, ends the
// task, too: on another computer it would go on.
func TestInterruptedBeforeItBegan(t *testing.T) {
	program := tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}
	joined := program
	joined.Attached = true
	for name, tt := range map[string]struct {
		atOnce bool // it begins
		do     func(ctx context.Context, s *session, before task.Task) error
		again  bool // the task that was there before
	}{
		"start": {do: func(ctx context.Context, s *session, _ task.Task) error { return startTask(ctx, s, program) }},
		"again": {do: func(ctx context.Context, s *session, before task.Task) error {
			return taskAgain(ctx, s, before, tasks.AgainRequest{})
		}},
		"exec":      {do: func(ctx context.Context, s *session, _ task.Task) error { return startAttached(ctx, s, joined) }},
		"let go on": {atOnce: true, do: func(ctx context.Context, s *session, _ task.Task) error { return startAttached(ctx, s, joined) }},
		"resume":    {again: true, do: taskResume},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			service := &slow{Fake: apitest.New(apitest.Script{Endless: true}), interrupt: interrupt}
			before, err := service.Fake.StartTask(t.Context(), tasks.StartRequest{ID: "01950000-0000-7000-8000-000000000000", Kind: task.KindExec, Detached: true})
			if err == nil {
				before, err = service.Fake.CancelTask(t.Context(), before.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !tt.atOnce {
				service.begins = make(chan struct{})
			}
			e := newEnv(Options{Stdout: io.Discard, Stderr: io.Discard, IsTerminal: func(any) bool { return false }})
			e.On = "lab"
			c := client.New(client.InProcess(api.New(api.Options{Service: service}).Handler()), slog.New(slog.DiscardHandler))
			err = tt.do(ctx, &session{Env: e, Session: &background.Session{Client: c}}, before)
			if ended, is := errors.AsType[*command.Ended](err); !is || ended.Code != ExitCancelled {
				t.Error(err)
			}
			all, _ := service.Tasks(t.Context())
			service.mu.Lock()
			defer service.mu.Unlock()
			if all[0].State != task.StateCancelled || (all[0].ID == before.ID) != tt.again || !slices.Equal(service.stopped, []string{all[0].ID}) {
				t.Errorf("%+v, stopped %q", all, service.stopped)
			}
		})
	}
}
