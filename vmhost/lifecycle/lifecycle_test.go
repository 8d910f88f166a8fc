package lifecycle

import (
	"context"
	"errors"
	"sync"
	"testing"

	"piwork/vmhost"
)

// heard is what OnStatus was told, and how often End was called.
type heard struct {
	mu     sync.Mutex
	states []vmhost.State
	ends   int
	polite bool // the last End had time
}

func (h *heard) life(open func(context.Context) error) *Life {
	return New(Config{
		OnStatus: func(s vmhost.Status) { h.mu.Lock(); defer h.mu.Unlock(); h.states = append(h.states, s.State) },
		Open:     open,
		End: func(ctx context.Context) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.ends, h.polite = h.ends+1, ctx.Err() == nil
			return nil
		},
	})
}

func ready(context.Context) error { return nil }

var errBroken = errors.New("broken")

// Whatever happens, everything is ended once, and in the way that it may be.
func TestLife(t *testing.T) {
	for name, tt := range map[string]struct {
		open   func(context.Context) error
		do     func(*testing.T, *Life)
		states []vmhost.State
		ends   int
		polite bool
	}{
		"it is closed before it begins": {ready, func(t *testing.T, l *Life) {
			if err := l.Connect(t.Context()); err == nil {
				t.Error("connected after its end")
			}
		}, []vmhost.State{vmhost.StateClosed}, 1, false},
		"it is closed": {ready, func(t *testing.T, l *Life) {
			if l.Admit() == nil {
				t.Error("admitted before it was ready")
			}
			for range 2 {
				if err := l.Connect(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if l.Admit() != nil || l.Context().Err() != nil {
				t.Error("not ready")
			}
		}, []vmhost.State{vmhost.StateReady, vmhost.StateClosed}, 1, true},
		"it does not open": {func(context.Context) error { return errBroken }, func(t *testing.T, l *Life) {
			if err := l.Connect(t.Context()); !errors.Is(err, errBroken) {
				t.Error(err)
			}
		}, []vmhost.State{vmhost.StateFailed}, 1, false},
		"it fails": {ready, func(t *testing.T, l *Life) {
			if err := l.Connect(t.Context()); err != nil {
				t.Error(err)
			}
			l.Fail(errBroken)
			l.Fail(errors.New("and then"))
			<-l.Ended()
			if err := l.Admit(); !errors.Is(err, errBroken) || !errors.Is(err, vmhost.ErrNotReady) {
				t.Error(err)
			}
		}, []vmhost.State{vmhost.StateReady, vmhost.StateFailed}, 1, false},
		"it is closed while it opens": {func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }, func(t *testing.T, l *Life) {
			go l.Close(t.Context())
			if err := l.Connect(t.Context()); !errors.Is(err, vmhost.ErrNotReady) {
				t.Error(err)
			}
		}, []vmhost.State{vmhost.StateClosed}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			var h heard
			l := h.life(tt.open)
			if name == "it is closed before it begins" {
				l.Close(t.Context())
			}
			tt.do(t, l)
			for range 2 {
				if err := l.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			if len(h.states) != len(tt.states) || h.ends != tt.ends || h.polite != tt.polite {
				t.Fatalf("%q, ended %d times, polite %v", h.states, h.ends, h.polite)
			}
			for i := range tt.states {
				if h.states[i] != tt.states[i] {
					t.Errorf("%q", h.states)
				}
			}
			if l.Context().Err() == nil {
				t.Error("its life goes on")
			}
		})
	}
}

// Whoever ends a runtime that fails just now: what waits in it gives up before End is called.
func TestContextEndsBeforeEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		open func(l *Life, told <-chan struct{}) error
		fail func(l *Life) // hears of the failure while it is told
	}{
		"Close": {func(*Life, <-chan struct{}) error { return nil }, func(l *Life) { go l.Close(context.Background()) }},
		"Connect": {func(l *Life, told <-chan struct{}) error {
			go l.Fail(errBroken)
			<-told
			return errors.New("and then")
		}, func(*Life) {}},
	} {
		t.Run(name, func(t *testing.T) {
			told, ending := make(chan struct{}), make(chan struct{})
			var l *Life
			l = New(Config{
				OnStatus: func(s vmhost.Status) {
					if s.State == vmhost.StateFailed {
						tt.fail(l)
						close(told)
						<-ending
					}
				},
				Open: func(context.Context) error { return tt.open(l, told) },
				End: func(ctx context.Context) error {
					defer close(ending)
					if cause := context.Cause(l.Context()); !errors.Is(cause, errBroken) || ctx.Err() == nil {
						t.Errorf("the runtime's context ended by %v, End's by %v", cause, ctx.Err())
					}
					return nil
				},
			})
			if err := l.Connect(t.Context()); (err != nil) != (name == "Connect") {
				t.Fatal(err)
			}
			l.Fail(errBroken)
			<-l.Ended()
			_ = l.Close(t.Context())
		})
	}
}
