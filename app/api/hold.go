package api

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// HoldGrace is how long a task that is not detached lives without a stream
// that holds it: a client needs it to open one, or to come back.
const HoldGrace = 10 * time.Second

// holds ties the lives of tasks to streams.
type holds struct {
	grace time.Duration

	mu     sync.Mutex
	byTask map[string]*hold
}

type hold struct {
	cancel  context.CancelFunc
	streams int
	timer   *time.Timer // runs while streams is 0
}

func newHolds(grace time.Duration) *holds {
	return &holds{grace: grace, byTask: map[string]*hold{}}
}

// add begins to watch a task; cancel ends it.
func (h *holds) add(id string, cancel context.CancelFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := &hold{cancel: cancel}
	e.timer = time.AfterFunc(h.grace, func() { h.expire(id, e) })
	h.byTask[id] = e
}

func (h *holds) expire(id string, e *hold) {
	h.mu.Lock()
	over := h.byTask[id] == e && e.streams == 0
	if over {
		delete(h.byTask, id)
	}
	h.mu.Unlock()
	if over {
		e.cancel()
	}
}

// take counts one stream; release must be called when it ends. A task that is
// not watched (detached, over, of another client) needs no holding.
func (h *holds) take(id string) (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.byTask[id]
	if e == nil {
		return func() {}
	}
	e.timer.Stop()
	e.streams++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		e.streams--
		if e.streams == 0 && h.byTask[id] == e {
			e.timer.Reset(h.grace)
		}
	}
}

// held are the tasks that are watched.
func (h *holds) held() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.byTask))
}

// drop ends the watch of a task that is over and frees its context.
func (h *holds) drop(id string) {
	h.mu.Lock()
	e := h.byTask[id]
	delete(h.byTask, id)
	h.mu.Unlock()
	if e != nil {
		e.timer.Stop()
		e.cancel()
	}
}

func (h *holds) closeAll() {
	h.mu.Lock()
	all := h.byTask
	h.byTask = map[string]*hold{}
	h.mu.Unlock()
	for _, e := range all {
		e.timer.Stop()
		e.cancel()
	}
}
