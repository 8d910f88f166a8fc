package wal

import (
	"sync"
	"sync/atomic"
	"time"
)

// Ticker calls a function some time after it was armed: once for all that arm it
// meanwhile. It is how the records that nobody waits for become durable.
type Ticker struct {
	after time.Duration
	call  func()

	armed atomic.Bool
	mu    sync.Mutex // guards timer
	timer *time.Timer
	calls sync.WaitGroup
}

// NewTicker returns a Ticker that is not armed.
func NewTicker(after time.Duration, call func()) *Ticker { return &Ticker{after: after, call: call} }

// Arm makes sure that the function is called soon.
func (l *Ticker) Arm() {
	if l.armed.Load() || !l.armed.CompareAndSwap(false, true) {
		return
	}
	l.calls.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = time.AfterFunc(l.after, func() {
		defer l.calls.Done()
		l.armed.Store(false)
		l.call()
	})
}

// Stop returns when the function runs no more; nobody arms it from then on.
func (l *Ticker) Stop() {
	l.mu.Lock()
	if l.timer != nil && l.timer.Stop() {
		l.calls.Done()
	}
	l.mu.Unlock()
	l.calls.Wait()
}
