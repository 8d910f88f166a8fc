package execution

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// defaultSpareBeat is the interval at which the progress of a starting Node is checked.
const defaultSpareBeat = 5 * time.Second

// env are the variables that its Node is started with, sorted.
func (k *Kit) env(words []string) []string {
	if k == nil {
		return words
	}
	return flatten(environment(append(slices.Clone(words), k.Env...)))
}

// followed returns a context that ends when the starting process pid has used no processor
// time for spareStall. Processor time counts, not elapsed time, because a slow computer may
// take long. Each check that finds progress calls Getting.
func (s *Spares) followed(ctx context.Context, pid int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		beat := time.NewTicker(cmp.Or(s.beat, defaultSpareBeat))
		defer beat.Stop()
		var last time.Duration
		for since := time.Now(); ; {
			select {
			case <-beat.C:
			case <-ctx.Done():
				return
			}
			if used, err := cpuOf(pid); err == nil && used > last {
				last, since = used, time.Now()
				if s.Getting != nil {
					s.Getting(used)
				}
			}
			if time.Since(since) > spareStall {
				cancel(errors.New("it does not say that it is ready"))
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
