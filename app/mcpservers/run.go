package mcpservers

import (
	"context"
	"fmt"
	"net/http"
	"sync"
)

// run is a server that the task has started, or is to start.
type run struct {
	life  context.Context // ends with the task, or when the server is removed
	end   context.CancelFunc
	reach string // scope.run, with which it is started

	mu     sync.Mutex // held while it is started
	now    *session   // nil before, and after it broke
	tools  map[string]string
	starts int
}

// stop ends a server that was removed.
func (u *Use) stop(id string) {
	u.mu.Lock()
	r := u.runs[id]
	u.mu.Unlock()
	if r != nil {
		r.stop()
	}
}

// stop ends the server for good, also one that is being started, and returns when it is gone.
func (r *run) stop() {
	r.end()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != nil {
		r.now.end()
		r.now = nil
	}
}

// run is a server of the task. One that does not run yet starts with that reach.
func (u *Use) run(v Server, reach string) (*run, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.runs == nil {
		return nil, &refusal{http.StatusServiceUnavailable, callUnasked}
	}
	r := u.runs[v.ID]
	if r == nil {
		r = &run{reach: reach}
		r.life, r.end = context.WithCancel(u.life)
		u.runs[v.ID] = r
	}
	return r, nil
}

// started is the conversation with a server of the task, which is started where it does not
// run.
func (u *Use) started(ctx context.Context, r *run, v Server) (*session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != nil && r.now.broken.Load() == nil {
		return r.now, nil
	}
	if r.now != nil {
		r.now.end()
		r.now = nil
	}
	if r.starts >= maxStarts {
		return nil, &refusal{http.StatusBadGateway, fmt.Sprintf("The MCP server %q ended %d times in this task and is not started again.", v.Name, maxStarts)}
	}
	r.starts++
	if err := r.life.Err(); err != nil {
		return nil, err
	}
	c, err := u.s.open(ctx, r.life, v, Program{Task: u.task, Agent: u.agent, By: u.gate.Beforehand(), Slow: u.slow})
	if err != nil {
		return nil, failedOf(v, err)
	}
	listing, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	all, err := c.tools(listing)
	if err != nil {
		c.end()
		return nil, err
	}
	r.now, r.tools = c, map[string]string{}
	for _, s := range all {
		if _, twice := r.tools[s.name]; !twice {
			r.tools[s.name] = hashOf(s)
		}
	}
	return c, nil
}

// hash is that of a tool as the server has it that runs.
func (r *run) hash(tool string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tools[tool]
}

// drop ends a server that broke.
func (r *run) drop(c *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == c {
		r.now = nil
	}
	c.end()
}
