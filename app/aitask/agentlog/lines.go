package agentlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
)

// Bounds of what waits for one who follows the agent's lines. A line fits, however long, where
// nothing else waits.
const (
	maxFollowedLines = 4096
	maxFollowedBytes = 32 << 20
)

// ErrBehind ends one who does not keep up. What was missed is in the agent's own
// record, but for the parts of messages, of which the whole is there.
var ErrBehind = errors.New("the agent's lines came faster than they were read")

// Lines gives the agent's lines to those who follow them, as they come and
// unchanged. Nobody is waited for: the agent goes on, and who is too slow is left
// behind. The zero value is ready.
type Lines struct {
	mu        sync.Mutex
	followers map[*follower]struct{}
	last      int64 // number of the last line that is kept
	over      bool
}

// numbered is a line with its number in the record, 0 for one that is not kept.
type numbered struct {
	n    int64
	line []byte
}

// follower is guarded by Lines.mu.
type follower struct {
	waiting []numbered
	bytes   int
	behind  bool
	news    chan struct{} // holds one
}

// Add gives a line, which has number n in the record (see [Log.Add]), to all followers. It does
// not keep line.
func (a *Lines) Add(n int64, line []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = max(a.last, n)
	if len(a.followers) == 0 {
		return
	}
	whole := asJSON(line)
	for f := range a.followers {
		if len(f.waiting) > 0 && f.bytes+len(whole) > maxFollowedBytes || len(f.waiting) >= maxFollowedLines {
			f.behind = true
			delete(a.followers, f)
		} else {
			f.waiting = append(f.waiting, numbered{n, whole})
			f.bytes += len(whole)
		}
		f.tell()
	}
}

func (f *follower) tell() {
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// End ends all followers, after what waits for them.
func (a *Lines) End() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	for f := range a.followers {
		f.tell()
	}
}

// Follow calls fn with the lines of the record at path behind the number after, and then with
// every line from now on, until there is none any more (nil), ctx ends, fn returns an error, or it
// is too slow (ErrBehind). A line that is not kept comes with the number of the one before it that
// is, 0 where none is known: behind that, one who comes back misses none that is kept.
func (a *Lines) Follow(ctx context.Context, path string, after int64, fn func(int64, json.RawMessage) error) error {
	f := &follower{news: make(chan struct{}, 1)}
	a.mu.Lock()
	if a.followers == nil {
		a.followers = map[*follower]struct{}{}
	}
	a.followers[f] = struct{}{}
	at := a.last
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.followers, f)
	}()
	if err := After(path, after, func(n int64, line json.RawMessage) error { at = max(at, n); return fn(n, line) }); err != nil {
		return err
	}
	for {
		a.mu.Lock()
		lines, behind, over := f.waiting, f.behind, a.over
		f.waiting, f.bytes = nil, 0
		a.mu.Unlock()
		for _, l := range lines {
			if l.n > 0 && l.n <= at { // it came while the record was read
				continue
			}
			at = max(at, l.n)
			if err := fn(at, l.line); err != nil {
				return err
			}
		}
		switch {
		case len(lines) > 0:
			continue
		case behind:
			return ErrBehind
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

// Followed reports whether somebody follows.
func (a *Lines) Followed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.followers) > 0
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
