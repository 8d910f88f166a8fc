package app

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

// thinkers are the questions of a task that wait at the same time.
type thinkers struct {
	mu   sync.Mutex
	n    int
	over func()
}

// thinking begins the time in which a person thinks, or goes on with it while
// another question waits. The returned function ends it; after the last one the
// machine runs.
func (l *liveTask) thinking() (over func()) {
	t := &l.thinkers
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n++; t.n == 1 {
		t.over = l.think()
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
func (l *liveTask) think() (over func()) {
	l.rest(true)
	stop := make(chan struct{})
	stood := make(chan struct{})
	go func() {
		defer close(stood)
		t := time.NewTimer(l.c.patience)
		defer t.Stop()
		select {
		case <-t.C:
		case <-stop:
			return
		}
		if l.pause() {
			l.still.Store(true)
			<-stop
			l.resume()
			l.still.Store(false)
		}
	}()
	return func() {
		close(stop)
		<-stood
		l.rest(false)
	}
}

// pause has the machine stand still, where it can.
func (l *liveTask) pause() bool {
	rt := l.machineNow.Load()
	if rt == nil {
		return false
	}
	m, ok := (*rt).(pauser)
	if !ok {
		return false
	}
	ctx, cancel := l.c.graceful()
	defer cancel()
	if err := m.Pause(ctx); err != nil {
		l.c.log.Warn("a machine does not stand still while a person thinks", "task", l.id, "error", err)
		return false
	}
	return true
}

func (l *liveTask) resume() {
	ctx, cancel := l.c.graceful()
	defer cancel()
	if err := (*l.machineNow.Load()).(pauser).Resume(ctx); err != nil {
		l.c.log.Error("a machine that stood still does not go on", "task", l.id, "error", err)
	}
}
