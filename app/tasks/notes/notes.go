// Package notes writes down, in order and beside the work of a task, what happens in it: each
// write waits for the disk, and the work should not.
package notes

import (
	"context"
	"sync"
)

// backlog are the notes that may wait before [Notes.Room] does.
const backlog = 256

// Notes are those of one task. The zero value is ready.
type Notes struct {
	mu      sync.Mutex
	queue   []func()
	running bool
	room    chan struct{} // closed when the queue is short enough again; nil when nobody waits
}

// Room waits while much is left to write: whoever notes what a machine says takes no more from it
// than the disk does. It fails when ctx ends before there is room.
func (n *Notes) Room(ctx context.Context) error {
	n.mu.Lock()
	if len(n.queue) < backlog {
		n.mu.Unlock()
		return nil
	}
	if n.room == nil {
		n.room = make(chan struct{})
	}
	room := n.room
	n.mu.Unlock()
	select {
	case <-room:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Add writes something after everything else.
func (n *Notes) Add(write func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queue = append(n.queue, write)
	if !n.running {
		n.running = true
		go n.run() // ends when nothing is left to write; whoever needs that waits
	}
}

func (n *Notes) run() {
	for {
		n.mu.Lock()
		if len(n.queue) == 0 {
			n.running = false
			n.mu.Unlock()
			return
		}
		write := n.queue[0]
		n.queue = n.queue[1:]
		if n.room != nil && len(n.queue) < backlog {
			close(n.room)
			n.room = nil
		}
		n.mu.Unlock()
		write()
	}
}

// Wait returns when everything that was added before is written: what is added meanwhile, perhaps
// faster than the disk, is not waited for.
func (n *Notes) Wait() {
	n.mu.Lock()
	if !n.running {
		n.mu.Unlock()
		return
	}
	written := make(chan struct{})
	n.queue = append(n.queue, func() { close(written) })
	n.mu.Unlock()
	<-written
}
