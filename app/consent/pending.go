package consent

import (
	"context"
	"sync"
	"time"
)

// pauseAfter is how long a machine runs on while a person thinks.
const pauseAfter = 3 * time.Second

// pauser is a runtime whose machine can stand still while a person thinks, with
// everything that is under way.
type pauser interface {
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
}

// pending are the questions of a task that wait at the same time.
type pending struct {
	mu   sync.Mutex
	n    int
	over func()
}

// thinking begins the time in which a person thinks, or goes on with it while
// another question waits. The returned function ends it; after the last one the
// machine runs.
func (g *Gate) thinking() (over func()) {
	t := &g.pending
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n++; t.n == 1 {
		t.over = g.think()
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.n--; t.n == 0 {
			t.over()
		}
	}
}

// think has the task wait, and its machine stand still when that takes long.
func (g *Gate) think() (over func()) {
	g.task.Rest(true)
	stop := make(chan struct{})
	stood := make(chan struct{})
	go func() {
		defer close(stood)
		t := time.NewTimer(g.c.Patience)
		defer t.Stop()
		select {
		case <-t.C:
		case <-stop:
			return
		}
		if g.pause() {
			g.still.Store(true)
			<-stop
			g.resume()
			g.still.Store(false)
		}
	}()
	return func() {
		close(stop)
		<-stood
		g.task.Rest(false)
	}
}

// pause has the machine stand still, where it can.
func (g *Gate) pause() bool {
	m, ok := g.task.Machine().(pauser)
	if !ok {
		return false
	}
	ctx, cancel := g.c.graceful()
	defer cancel()
	if err := m.Pause(ctx); err != nil {
		g.log().Warn("a machine does not stand still while a person thinks", "error", err)
		return false
	}
	return true
}

func (g *Gate) resume() {
	ctx, cancel := g.c.graceful()
	defer cancel()
	if err := g.task.Machine().(pauser).Resume(ctx); err != nil {
		g.log().Error("a machine that stood still does not go on", "error", err)
	}
}
