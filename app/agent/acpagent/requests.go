package acpagent

import (
	"context"
	"encoding/json"
	"sync"
)

// request is one of the program that was let through.
type request struct {
	size  int  // bytes
	reads bool // a file
}

// requests are those whose answers the program does not have yet: the connection keeps each one,
// and its answer, until the answer is written.
type requests struct {
	mu            sync.Mutex
	changed       sync.Cond            // of mu
	open          map[string][]request // by id; a program may use one twice
	n, held, read int
	waits         bool // one that reads
}

// add notes a request, and returns false where there are too many. It waits where only those that
// read are too many.
func (o *requests) add(ctx context.Context, id json.RawMessage, r request) bool {
	defer context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.changed.Broadcast()
	})()
	o.mu.Lock()
	defer o.mu.Unlock()
	for r.reads && o.read >= maxReading && ctx.Err() == nil {
		o.waits = true
		o.changed.Wait()
	}
	o.waits = false
	if ctx.Err() != nil || o.n >= maxRequests || o.n > 0 && o.held+r.size > maxHeld {
		return false
	}
	if o.open == nil {
		o.open = map[string][]request{}
	}
	key := spelled(id)
	o.open[key] = append(o.open[key], r)
	o.count(r, 1)
	return true
}

// wait reports whether a request waits for the answers to others.
func (o *requests) wait() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waits
}

// answered notes that the program has an answer.
func (o *requests) answered(id json.RawMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := spelled(id)
	those := o.open[key]
	if len(those) == 0 {
		return
	}
	if o.open[key] = those[1:]; len(those) == 1 {
		delete(o.open, key)
	}
	o.count(those[0], -1)
	o.changed.Broadcast()
}

// count adds a request, or takes it away. mu is held.
func (o *requests) count(r request, by int) {
	o.n += by
	o.held += by * r.size
	if r.reads {
		o.read += by
	}
}

// spelled is an id as the connection writes it.
func spelled(id json.RawMessage) string {
	b, err := json.Marshal(id)
	if err != nil {
		return string(id) // it was read as JSON
	}
	return string(b)
}
