package recorder

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Many is from how many things on it pays to deal with several at a time.
const Many = 8

// Workers is how many things to deal with at a time where that takes more computing than waiting.
func Workers() int { return runtime.GOMAXPROCS(0) }

// Each calls do for each of a list, when there are [Many] for so many at a time, neighbours one after
// the other. It returns when all are done, or with the first error or that of ctx: then not all are.
func Each[T any](ctx context.Context, list []T, workers int, do func(ctx context.Context, x T) error) error {
	var next atomic.Int64
	work := func(ctx context.Context) error {
		for {
			n := next.Add(1) - 1
			if n >= int64(len(list)) {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := do(ctx, list[n]); err != nil {
				return err
			}
		}
	}
	if len(list) < Many {
		return work(ctx)
	}
	group, together := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error { return work(together) })
	}
	return group.Wait()
}
