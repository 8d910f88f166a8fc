package execution

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"piwork/vmhost/wire"
)

func TestAllowance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ahead = 4 * wire.MinWeight
		a := allow(ahead)
		var sent atomic.Int64
		output := a.of(func(_ context.Context, _ string, data []byte) error { sent.Add(int64(len(data))); return nil })
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			for {
				if err := output(ctx, wire.Stdout, make([]byte, 10)); err != nil {
					ended <- err
					return
				}
			}
		}()
		for _, step := range []struct{ give, pieces int64 }{
			{0, 4},                  // small pieces count as more than they are
			{wire.MinWeight, 1},     // as much as was taken
			{3 * wire.MinWeight, 3}, // in one go
			{wire.MinWeight / 2, 1}, // the last may be larger than what is left
			{wire.MinWeight / 2, 0}, // which is made up for
		} {
			before := sent.Load()
			if step.give > 0 {
				a.give(step.give)
			}
			synctest.Wait()
			if got := sent.Load() - before; got != 10*step.pieces {
				t.Errorf("after %d: %d bytes, want %d", step.give, got, 10*step.pieces)
			}
		}
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		for range 100 { // more than there ever was is no overflow
			a.give(wire.MaxOutput)
		}
		if a.left != wire.MaxOutput {
			t.Error(a.left)
		}
	})
	none := allow(0)
	none.give(1)
	if err := none.of(func(context.Context, string, []byte) error { return nil })(t.Context(), wire.Stdout, nil); err != nil {
		t.Error(err)
	}
}
