package api

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/api/answer"
	"piwork/app/task"
)

// streamLines answers with what source says, each as an event of a name and with a number as id,
// 0 for none, until source, the client or the service ends. over is the name of the last one, when source came to its
// end.
func streamLines(ctx context.Context, a *API, name, over string, source func(context.Context, func(int64, json.RawMessage) error) error) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humago.Unwrap(hc)
		ctx, cancel := context.WithCancel(ctx)
		var mu sync.Mutex // of out
		out := answer.NewEventWriter(w)
		err := out.Beat()
		var beats sync.WaitGroup
		defer beats.Wait()
		defer cancel()
		beats.Go(func() {
			tick := time.NewTicker(a.opts.Heartbeat)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				mu.Lock()
				err := out.Beat()
				mu.Unlock()
				if err != nil {
					cancel()
					return
				}
			}
		})
		say := func(name string, id int64, line []byte) error {
			mu.Lock()
			defer mu.Unlock()
			return out.Line(name, id, line)
		}
		if err == nil {
			err = source(ctx, func(id int64, line json.RawMessage) error { return say(name, id, line) })
		}
		if err == nil {
			err = say(over, 0, []byte("{}"))
		}
		a.log.Debug("api: a stream ended", "request", task.RequestID(ctx), "stream", name, "reason", err)
	}}
}
