package share

import (
	"context"
	"errors"
)

// Waiter is the error of a call that a person has to be asked about first.
// Nothing was changed by it. Whoever gets it gives up what it holds, waits, and
// with nil makes the whole call again (see [Settle]); what it finds then is what
// counts. Wait is called once at most.
type Waiter interface {
	error
	Wait(ctx context.Context) error
}

// Settle makes a call again for as long as it has to wait for a person. Nothing
// that other calls of the guest need may be held.
func Settle(ctx context.Context, call func() error) error {
	for {
		err := call()
		var w Waiter
		if !errors.As(err, &w) {
			return err
		}
		if err := w.Wait(ctx); err != nil {
			return err
		}
	}
}

// waiting is a Waiter that ends when its folder is not shared any more.
type waiting struct {
	Waiter
	tree *Tree
}

func (w *waiting) Wait(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(w.tree.life, func() { cancel(ErrGone) })
	defer stop()
	return w.Waiter.Wait(ctx)
}

// wait makes errors of the guard, and of a store, into those of the tree.
func (t *Tree) wait(err error) error {
	if w, is := errors.AsType[Waiter](err); is {
		return &waiting{w, t}
	}
	return err
}
