package machines

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"piwork/app/capacity"
)

// Whoever asks, and gives up, in whatever order: no place is lost and none is given
// twice.
func TestQueueUnderPressure(t *testing.T) {
	host := capacity.Host{MemoryMB: 8000, FreeMB: -1, CPUs: 2}
	p := newQueue(func(context.Context) (capacity.Host, error) { return host, nil },
		func() capacity.Choice { return capacity.Choice{Machines: 3} }, slog.New(slog.DiscardHandler))
	inside := make(chan struct{}, 3)
	done := make(chan error)
	for i := range 200 {
		go func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%3 == 0 {
				cancel()
			}
			mine := p.Request(fmt.Sprintf("%03d", i%50), capacity.Size{MemoryMB: 1024, CPUs: 1})
			var err error
			if i%7 != 0 { // some end before they wait for it
				err = mine.Wait(ctx, func(capacity.Verdict) {})
				if err == nil {
					select {
					case inside <- struct{}{}:
						<-inside
					default:
						err = errors.New("too many are inside")
					}
				} else if errors.Is(err, context.Canceled) {
					err = nil
				}
			}
			mine.Release()
			mine.Release()
			done <- err
		}()
	}
	for range 200 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if held, waiting := p.Counts(); held != 0 || waiting != 0 || p.timer != nil {
		t.Errorf("%d held, %d wait", held, waiting)
	}
}
