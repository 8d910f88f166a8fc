package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
)

// command is a line for pi.
type command map[string]any

// do sends a command and waits for its answer. The answer to a command that ctx
// left is passed over.
func (s *Session) do(ctx context.Context, name string, members command) (json.RawMessage, error) {
	if members == nil {
		members = command{}
	}
	c := &call{command: name, answer: make(chan answer, 1)}
	s.mu.Lock()
	if !s.started || s.pending == nil {
		s.mu.Unlock()
		return nil, ErrEnded
	}
	s.nextID++
	id := "c" + strconv.FormatInt(s.nextID, 10)
	s.pending[id] = c
	s.mu.Unlock()
	defer s.forget(id)
	members["id"], members["type"] = id, name
	if err := s.send(ctx, members); err != nil {
		return nil, err
	}
	return s.await(ctx, c, time.Now())
}

func (s *Session) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
}

// await waits for an answer. It gives up only when pi says nothing at all for
// too long while it could: not while it summarises or the machine stands still.
func (s *Session) await(ctx context.Context, c *call, since time.Time) (json.RawMessage, error) {
	p := Patience{limit: s.o.Stall, at: since}
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	tick := time.NewTicker(p.Beat())
	defer tick.Stop()
	for {
		select {
		case a := <-c.answer:
			return a.data, a.err
		case <-ctx.Done():
			return nil, ctx.Err()
		case now := <-tick.C:
			s.mu.Lock()
			heard := s.compacting || s.o.Paused() || !s.last.Equal(last)
			last = s.last
			s.mu.Unlock()
			if p.Over(now, heard) {
				return nil, fmt.Errorf("%w (%s)", ErrStalled, c.command)
			}
		}
	}
}

// send puts a line into the queue to pi.
func (s *Session) send(ctx context.Context, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write a command for the AI program: %w", err)
	}
	if len(line) >= maxLine {
		return fmt.Errorf("%w: a message of %d bytes", ErrTooLong, len(line))
	}
	select {
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	default:
	}
	select {
	case s.out <- append(line, '\n'):
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write writes what is sent, in order. A Write that hangs ends with the
// transport.
func (s *Session) write(w io.Writer) {
	for {
		select {
		case line := <-s.out:
			if _, err := w.Write(line); err != nil {
				s.end(fmt.Errorf("%w: write to it: %w", ErrEnded, err))
				return
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// answered delivers the answer to a command.
func (s *Session) answered(e object) {
	id := e.str("id")
	s.mu.Lock()
	c := s.pending[id]
	if c != nil {
		delete(s.pending, id)
	}
	s.mu.Unlock()
	if c == nil {
		if id == "" {
			s.o.Log.Warn("the AI program could not read a command", "error", line(e.str("error"), maxNotice))
		}
		return
	}
	if !e.flag("success") {
		c.answer <- answer{err: &CommandError{Command: c.command, Text: line(e.str("error"), maxNotice)}}
		return
	}
	// The run is under way from here on, so that Wait waits for it.
	if c.command == "prompt" && e.obj("data").str("disposition") == "started" {
		s.run(true, Outcome{})
	}
	c.answer <- answer{data: e["data"]}
}

// tooLong handles a line of which only the beginning was kept. When it answers a
// command, that fails: pi writes the id first.
func (s *Session) tooLong(beginning []byte) {
	s.emitting.Lock()
	s.emit(s.line.unreadable())
	s.emitting.Unlock()
	var id string
	d := json.NewDecoder(bytes.NewReader(beginning))
	for range 2 * 4 { // a few members
		t, err := d.Token()
		if err != nil {
			break
		}
		if t == "id" {
			t, err = d.Token()
			if err == nil {
				id, _ = t.(string)
			}
			break
		}
	}
	s.mu.Lock()
	c := s.pending[id]
	delete(s.pending, id)
	s.mu.Unlock()
	if c != nil {
		c.answer <- answer{err: fmt.Errorf("%w: the answer to %s", ErrTooLong, c.command)}
	}
}
