package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"piwork/app/access"
)

// HoldGrace is how long a task that is not detached lives without a stream
// that holds it: a client needs it to open one, or to come back. One whose process
// is gone does neither.
const HoldGrace = 10 * time.Second

// lookEvery is how often it is asked, during a grace, whether the process of the client is
// still there; more often in a short one.
const lookEvery = time.Second

// holds ties the lives of tasks to streams. A task that is not detached is cancelled when nobody
// came within its grace, or the last holder left and did not come back within it, or within about
// a second of the end of its process. Time that a holder was told to wait (429) does not count. A
// detach ends all that, also one that comes before whoever started the task is answered.
type holds struct {
	grace time.Duration
	every time.Duration
	gone  func(pid int) bool // whether a process is not there any more

	mu       sync.Mutex
	byTask   map[string]*hold
	early    map[string][]*func(*hold) // streams that came before their task: each counts itself
	begins   int                       // requests under way that may add a task
	last     int                       // number of the one that began last
	detached map[string]int            // which one that was when a task was detached; empty while none is under way
}

type hold struct {
	cancel  context.CancelFunc
	streams int
	client  string      // whose task it is; "" of the person
	pid     int         // of the client that came last, 0 where that is not known
	until   time.Time   // while streams is 0: the end of the grace
	timer   *time.Timer // likewise, until the next look
}

func newHolds(grace time.Duration) *holds {
	return &holds{grace: grace, every: min(grace/10, lookEvery), gone: gone, byTask: map[string]*hold{}, early: map[string][]*func(*hold){}, detached: map[string]int{}}
}

// begin is called before a task starts that may be added, and done after. Whoever heard of
// the task's first event can detach it before add: that is remembered meanwhile.
func (h *holds) begin() (number int, done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begins++
	h.last++
	return h.last, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.begins--; h.begins == 0 {
			clear(h.detached)
		}
	}
}

// add begins to watch a task of a client that a process asked for, between begin, which gave a
// number, and done; cancel ends it. A watch of the same task from an earlier round is over.
func (h *holds) add(id, client string, number, pid int, cancel context.CancelFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old := h.byTask[id]; old != nil {
		delete(h.byTask, id)
		old.timer.Stop()
		defer old.cancel()
	}
	if h.detached[id] >= number { // and not in an earlier round
		return // nothing ends it: its context is never cancelled
	}
	e := &hold{cancel: cancel, client: client, pid: pid, until: time.Now().Add(h.grace)}
	e.timer = time.AfterFunc(h.every, func() { h.look(id, e) })
	for _, count := range h.early[id] {
		(*count)(e)
	}
	delete(h.early, id)
	h.byTask[id] = e
}

// look ends a task whose grace is over, or whose client is gone. Another process that has
// the client's number by now costs the rest of the grace.
func (h *holds) look(id string, e *hold) {
	h.mu.Lock()
	if h.byTask[id] != e || e.streams > 0 {
		h.mu.Unlock()
		return
	}
	if left := time.Until(e.until); left > 0 && (e.pid == 0 || !h.gone(e.pid)) {
		e.timer.Reset(min(left, h.every))
		h.mu.Unlock()
		return
	}
	delete(h.byTask, id)
	h.mu.Unlock()
	e.cancel()
}

// take counts one stream of a process, also one that comes before its task; release must be
// called when it ends. A task that is not watched (detached, over) needs no holding.
func (h *holds) take(id string, pid int) (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var e *hold
	count := func(of *hold) { e = of; e.timer.Stop(); e.streams++ }
	if there := h.byTask[id]; there != nil {
		count(there)
	} else {
		h.early[id] = append(h.early[id], &count)
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if e == nil {
			if h.early[id] = slices.DeleteFunc(h.early[id], func(c *func(*hold)) bool { return c == &count }); len(h.early[id]) == 0 {
				delete(h.early, id)
			}
		} else if e.streams--; e.streams == 0 && h.byTask[id] == e {
			h.rest(e, pid, h.grace)
		}
	}
}

// rest has a task live without a stream for a while, in which a process may come. h.mu is held.
func (h *holds) rest(e *hold, pid int, d time.Duration) {
	e.pid, e.until = pid, time.Now().Add(d)
	e.timer.Reset(h.every)
}

// wouldHold is the task that a stream would hold, "" for another request.
func wouldHold(r *http.Request) string {
	if q := r.URL.Query(); r.URL.Path == eventsPath && q.Get("hold") == "true" {
		return q.Get("task")
	}
	return ""
}

// refused says that a client has to wait before it opens the stream with which it holds a
// task that it may hold: its grace begins then. Whoever floods has nothing read from the disk.
func (h *holds) refused(id string, c *access.Client, pid int, wait time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e := h.byTask[id]; e != nil && e.streams == 0 && c.Owns(e.client) {
		h.rest(e, pid, wait+h.grace)
	}
}

// holds reports whether a task is watched.
func (h *holds) holds(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.byTask[id] != nil
}

// held are the tasks that are watched.
func (h *holds) held() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.byTask))
}

// drop ends the watch of a task, and frees its context.
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

// detach ends the watch of a task that goes on, and one that is about to begin.
func (h *holds) detach(id string) {
	h.mu.Lock()
	if h.begins > 0 {
		h.detached[id] = h.last
	}
	h.mu.Unlock()
	h.drop(id)
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
