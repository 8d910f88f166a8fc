package execution

import (
	"context"
	"sync"

	"piwork/vmhost/wire"
)

// allowance is how much output of one execution may go to the host yet (wire.ExecParams.Ahead):
// a program whose output nobody takes waits alone, and holds up nothing that others say. A nil
// one is without end.
type allowance struct {
	mu   sync.Mutex
	left int64         // below zero by less than a piece
	more chan struct{} // closed when left grows
}

// allow returns an allowance of so much, nil for 0.
func allow(ahead int64) *allowance {
	if ahead == 0 {
		return nil
	}
	return &allowance{left: ahead, more: make(chan struct{})}
}

// of bounds what goes to output.
func (a *allowance) of(output OutputFunc) OutputFunc {
	if a == nil {
		return output
	}
	return func(ctx context.Context, stream string, data []byte) error {
		if err := a.take(ctx, wire.OutputWeight(len(data))); err != nil {
			return err
		}
		return output(ctx, stream, data)
	}
}

// take waits until something is left, and takes n of it.
func (a *allowance) take(ctx context.Context, n int64) error {
	for {
		a.mu.Lock()
		if a.left > 0 {
			a.left -= n
			a.mu.Unlock()
			return nil
		}
		more := a.more
		a.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// give adds n.
func (a *allowance) give(n int64) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = min(a.left+n, wire.MaxOutput)
	close(a.more)
	a.more = make(chan struct{})
}
