package tasks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"piwork/app/problem"
	"piwork/app/registry"
)

// Bounds of what waits for one who follows the agent's lines. A line is never too
// long for nobody but itself.
const (
	maxFollowedLines = 4096
	maxFollowedBytes = 32 << 20
)

// errBehind ends one who does not keep up. What was missed is in the agent's own
// record, but for the parts of messages, of which the whole is there.
var errBehind = errors.New("the agent's lines came faster than they were read")

// agentLines gives the agent's lines to those who follow them, as they come and
// unchanged. Nobody is waited for: the agent goes on, and who is too slow is left
// behind. The zero value is ready.
type agentLines struct {
	mu        sync.Mutex
	followers map[*lineFollower]struct{}
	over      bool
}

// lineFollower is guarded by agentLines.mu.
type lineFollower struct {
	waiting [][]byte
	bytes   int
	behind  bool
	news    chan struct{} // holds one
}

// add gives a line to all followers. It does not keep line.
func (a *agentLines) add(line []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.followers) == 0 {
		return
	}
	whole := asJSON(line)
	for f := range a.followers {
		if len(f.waiting) > 0 && f.bytes+len(whole) > maxFollowedBytes || len(f.waiting) >= maxFollowedLines {
			f.behind = true
			delete(a.followers, f)
		} else {
			f.waiting = append(f.waiting, whole)
			f.bytes += len(whole)
		}
		f.tell()
	}
}

func (f *lineFollower) tell() {
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// end ends all followers, after what waits for them.
func (a *agentLines) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	for f := range a.followers {
		f.tell()
	}
}

// follow calls fn with every line from now on, until there is none any more (nil),
// ctx ends, fn returns an error, or it is too slow (errBehind).
func (a *agentLines) follow(ctx context.Context, fn func(json.RawMessage) error) error {
	f := &lineFollower{news: make(chan struct{}, 1)}
	a.mu.Lock()
	if a.followers == nil {
		a.followers = map[*lineFollower]struct{}{}
	}
	a.followers[f] = struct{}{}
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.followers, f)
	}()
	for {
		a.mu.Lock()
		lines, behind, over := f.waiting, f.behind, a.over
		f.waiting, f.bytes = nil, 0
		a.mu.Unlock()
		for _, line := range lines {
			if err := fn(line); err != nil {
				return err
			}
		}
		switch {
		case len(lines) > 0:
			continue
		case behind:
			return errBehind
		case over:
			return nil
		}
		select {
		case <-f.news:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// asJSON is a line that is JSON as it came, and another as a text. A carriage return,
// which may stand between members, would be the end of a line to others.
func asJSON(line []byte) []byte {
	if !json.Valid(line) { // not pi's, or cut off
		b, err := json.Marshal(string(bytes.ToValidUTF8(line, []byte("\uFFFD"))))
		if err != nil {
			return []byte("null")
		}
		return b
	}
	if bytes.ContainsAny(line, "\r\n") {
		var b bytes.Buffer
		if json.Compact(&b, line) == nil {
			return b.Bytes()
		}
	}
	return bytes.Clone(line)
}

// AgentEvents calls fn with every event of the agent from now on, as it said it,
// with the parts of messages (which no record keeps), until the task does not run
// any more (nil; also when it does not now), ctx ends or fn returns an error. Who
// is too slow gets an error: the agent does not wait.
func (c *conversations) AgentEvents(ctx context.Context, id string, fn func(json.RawMessage) error) error {
	l := c.r.Live(id)
	if l == nil {
		if _, err := c.o.Store.Get(id); err != nil {
			return registry.Problem(id, err)
		}
		return nil
	}
	err := l.ai.lines.follow(ctx, fn)
	if errors.Is(err, errBehind) {
		return problem.From(err)
	}
	return err
}
