package api

import (
	"context"
	"encoding/json"
	"net/http"
	"piwork/app/tasks"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Names of the messages of GET /api/tasks/{id}/agent.
const (
	AgentEvent = "agent.event" // the data is one event of the agent, as it said it
	AgentOver  = "agent.over"  // no data: the task does not run any more
)

func (a *API) registerAgentEvents() {
	handle(a, huma.Operation{
		OperationID: "streamAgentEvents", Method: http.MethodGet, Path: "/api/tasks/{id}/agent", Tags: []string{"tasks"},
		Summary: "The agent's own events, untouched, as they come",
		Description: "Server-sent events from this moment on: agent.event with one line of the agent (pi --mode rpc) as data, unchanged, " +
			"also the parts of messages, which no record keeps; agent.over when the task does not run any more. Comments are heartbeats. " +
			"Nobody waits for the reader: a stream that ends without agent.over was too slow. What is kept is at /api/tasks/{id}/agent/{line}.",
		Responses: map[string]*huma.Response{"200": {
			Description: "Messages until the task is over",
			Content: map[string]*huma.MediaType{"text/event-stream": {
				Schema: &huma.Schema{Description: "What the agent said; its shape is the agent's"},
			}},
		}},
	}, func(ctx context.Context, in *TaskRef) (*huma.StreamResponse, error) {
		if _, err := a.opts.Service.Task(ctx, in.ID); err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			_, w := humago.Unwrap(hc)
			a.streamAgent(ctx, w, in.ID)
		}}, nil
	})
}

// streamAgent writes the agent's events until the task, the client or the service
// ends them.
func (a *API) streamAgent(ctx context.Context, w http.ResponseWriter, id string) {
	ctx, cancel := context.WithCancel(ctx)
	var mu sync.Mutex // of out
	out := newEventWriter(w)
	err := out.beat()
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
			err := out.beat()
			mu.Unlock()
			if err != nil {
				cancel()
				return
			}
		}
	})
	say := func(name string, line []byte) error {
		mu.Lock()
		defer mu.Unlock()
		return out.line(name, line)
	}
	if err == nil {
		err = a.opts.Service.AgentEvents(ctx, id, func(line json.RawMessage) error { return say(AgentEvent, line) })
	}
	if err == nil {
		err = say(AgentOver, []byte("{}"))
	}
	a.log.Debug("api: stream of an agent ended", "request", tasks.RequestID(ctx), "reason", err)
}
