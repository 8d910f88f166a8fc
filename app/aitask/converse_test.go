package aitask

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"piwork/app/agent"
	"piwork/app/agent/program"
	"piwork/app/task"
)

// listening is a session that needs a moment to take a message, and works on it for a moment.
type listening struct {
	program.Session
	taking chan struct{} // it takes a message

	mu   sync.Mutex
	idle chan struct{} // closed while no run is under way
	done []string      // the messages that it has worked on
}

func (s *listening) Start(context.Context, agent.Transport) (agent.Resumed, error) {
	return agent.Resumed{}, nil
}

func (s *listening) Steer(_ context.Context, text string, _ ...agent.Image) error {
	s.taking <- struct{}{}
	time.Sleep(50 * time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	idle := make(chan struct{})
	s.idle = idle
	time.AfterFunc(50*time.Millisecond, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.done = append(s.done, text)
		close(idle)
	})
	return nil
}

func (s *listening) FollowUp(ctx context.Context, text string, images ...agent.Image) error {
	return s.Steer(ctx, text, images...)
}

func (s *listening) Wait(ctx context.Context) (agent.Outcome, error) {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	select {
	case <-idle:
		return agent.Outcome{}, nil
	default:
	}
	select {
	case <-idle:
		return agent.Outcome{}, nil
	case <-ctx.Done():
		return agent.Outcome{}, ctx.Err()
	}
}

// written is a task to which something is said when its first run has ended.
type written struct {
	*bareTask
	then func()
}

func (w written) Written() error {
	w.then()
	return nil
}

// A message that is said when the run ends, and that the session is just taking, has a run of its own.
func TestMessageAtTheEndOfARun(t *testing.T) {
	c, b := bare(t, task.Task{AI: &task.AI{Pending: []task.Pending{{ID: "p1", Text: "one", How: "prompt"}}}})
	s := &listening{taking: make(chan struct{}, 2)}
	said := make(chan error, 1)
	var once sync.Once
	c.o.Task = written{b, func() {
		if c.Session() == nil { // it has not begun
			return
		}
		once.Do(func() {
			<-s.taking // the first
			go func() {
				_, wait, err := c.Hear(task.Pending{ID: "p2", Text: "two", How: "followUp"})
				if wait != nil {
					t.Error("the message waits for the end of the task")
				}
				said <- err
			}()
			<-s.taking
		})
	}}
	if err := c.converse(t.Context(), s, agent.Transport{}, nil); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	done := slices.Clone(s.done)
	s.mu.Unlock()
	if len(done) != 2 {
		t.Errorf("it ends when the agent has worked on %q", done)
	}
	if err := <-said; err != nil {
		t.Error(err)
	}
}
