package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"time"

	"piwork/app/api/answer"
	"piwork/app/task"
)

const (
	maxEvent     = 64 << 20               // of one event: a plan with very many files
	maxAttempts  = 5                      // to open a stream again without an event in between
	retryPause   = 200 * time.Millisecond // before the first of them, and twice as long before each other
	longStood    = 30 * time.Second       // without an event, and yet no failure
	cancelWithin = 5 * time.Second
)

// DecodeEvent reads an event and gives its data the type that its kind has; of
// a kind that is not known, data stays a json.RawMessage.
func DecodeEvent(line []byte) (task.Event, error) {
	var raw json.RawMessage
	e := task.Event{Data: &raw}
	if err := json.Unmarshal(line, &e); err != nil {
		return task.Event{}, fmt.Errorf("event: %w", err)
	}
	e.Data = raw
	t := answer.EventData(e.Kind)
	if t == nil {
		return e, nil
	}
	v := reflect.New(t)
	if err := json.Unmarshal(raw, v.Interface()); err != nil {
		return task.Event{}, fmt.Errorf("data of an event of kind %s: %w", e.Kind, err)
	}
	e.Data = v.Elem().Interface()
	return e, nil
}

// EventsOptions choose events.
type EventsOptions struct {
	task.EventFilter
	Hold     bool            // the task lives as long as this
	UntilEnd bool            // where the controller ends the stream, it is over (io.EOF), and not opened again
	Ready    chan<- struct{} // closed when the stream stands
}

// Events calls f with events until ctx ends, f returns an error, or the
// controller is gone ([*UnreachableError]). A stream that breaks is opened
// again from the last event that came; those without a number that came meanwhile are missing
// (the parts of output are counted). Where there is no room for it, or for one that holds
// a task, it waits as long as the controller says.
func (c *Client) Events(ctx context.Context, o EventsOptions, f func(task.Event) error) error {
	after, stood := o.After, false
	var ready sync.Once
	return follow(ctx, c, o.Hold, func(stands, heard func()) (over bool, _ error) {
		var stopped error
		err := stream(ctx, c, o, after, func() error {
			missed := stood && after == task.OnlyNew // it broke before there was a number to go on from
			stands()
			stood = true
			if o.Ready != nil {
				ready.Do(func() { close(o.Ready) })
			}
			if missed {
				stopped = f(task.Event{V: task.RecordVersion, Kind: task.EventReset, Data: struct{}{}})
			}
			return stopped
		}, func(e task.Event) error {
			heard()
			switch {
			case e.Kind == task.EventReset: // the numbers were another controller's, or are too old
				after = 0
			case e.Seq > 0:
				after = e.Seq
			}
			stopped = f(e)
			return stopped
		})
		switch {
		case stopped != nil:
			return true, stopped
		case o.UntilEnd && ctx.Err() == nil && errors.Is(err, io.EOF) && !IsUnreachable(err):
			return true, io.EOF
		}
		return false, err
	})
}

// follow has once follow a stream, and when it breaks again behind what came. once calls stands
// when there is an answer, and heard with each event; it says whether the stream is over, and how.
// A stream that is waited for, or stood, waits as long as the controller says. One that stood for
// long without an event is no failure.
func follow(ctx context.Context, c *Client, waits bool, once func(stands, heard func()) (over bool, err error)) error {
	for failures := 0; ; {
		var since time.Time // it stood
		over, err := once(func() { waits, since = true, time.Now() }, func() { failures = 0 })
		if !since.IsZero() && time.Since(since) > longStood {
			failures = 0
		}
		var busy *busyError
		isBusy := waits && errors.As(err, &busy)
		again := retryPause << failures
		switch {
		case over:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case isBusy && busy.room:
			again = busy.wait
		case problemCode(err) != "" && !isBusy:
			return err // it answered, and said no
		case failures == maxAttempts && (isBusy || IsUnreachable(err)):
			return err
		case failures == maxAttempts:
			return &UnreachableError{Err: cut(err)}
		default:
			failures++
			if isBusy {
				again = max(again, busy.wait)
			}
		}
		c.log.Debug("events: again", "error", err)
		if pause(ctx, again) != nil {
			return context.Cause(ctx)
		}
	}
}

// stream follows one response to its end, which is always an error.
func stream(ctx context.Context, c *Client, o EventsOptions, after int64, open func() error, f func(task.Event) error) error {
	header := http.Header{"Accept": {"text/event-stream"}}
	if after > 0 {
		header.Set("Last-Event-ID", strconv.FormatInt(after, 10))
	}
	res, err := c.do(ctx, request{route: "GET /v1/events", query: query("task", o.Task, "kind", o.Kinds, "wait", o.Wait, "hold", o.Hold), header: header})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := open(); err != nil {
		return err
	}
	return ReadStream(res.Body, func(_ string, _ int64, data []byte) error {
		e, err := DecodeEvent(data)
		if err != nil {
			return err
		}
		return f(e)
	})
}

// cut is why a stream is over that should not be: it has no good end.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// ReadStream calls f with the name of each server-sent event, the number that it has as id, 0 for
// none, and its data. It returns io.EOF where the server ended the stream, and another error where
// it broke. An event that was cut off is none.
func ReadStream(r io.Reader, f func(name string, id int64, data []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxEvent)
	var data []byte
	event, id := "", int64(0)
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			if len(data) > 0 {
				if err := f(event, id, data); err != nil {
					return err
				}
			}
			data, event, id = data[:0], "", 0
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			event = string(value)
			continue
		case "id":
			id, _ = strconv.ParseInt(string(value), 10, 64) // another id is no number
			continue
		case "data":
		default: // comments say that the line stands
			continue
		}
		if len(data) > 0 {
			data = append(data, '\n')
		}
		data = append(data, value...)
		if len(data) > maxEvent {
			return errors.New("an event is over the limit")
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.EOF
}

// Subscribe sends the events that f lets through, until cancel is called. The channel is
// closed when the controller is gone.
func (c *Client) Subscribe(f task.EventFilter) (<-chan task.Event, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	events := make(chan task.Event, 256)
	ready := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(events)
		defer close(done)
		err := c.Events(ctx, EventsOptions{EventFilter: f, Ready: ready}, func(e task.Event) error {
			select {
			case events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		c.log.Debug("events: over", "error", err)
	}()
	select { // an event that follows this call is in the stream
	case <-ready:
	case <-done:
	}
	return events, cancel
}

// holdTask keeps a task alive until ctx ends, and cancels it then unless it was detached; it
// ends by itself when the task is over.
func holdTask(ctx context.Context, c *Client, id string) {
	over := errors.New("the task is over")
	err := c.Events(ctx, EventsOptions{EventFilter: task.EventFilter{Task: id, Kinds: []task.EventKind{task.EventState, task.EventGone}}, Hold: true}, func(e task.Event) error {
		if e.Kind == task.EventGone {
			return over
		}
		if s, ok := e.Data.(task.StateData); ok && s.State.Final() {
			// What is remembered may be of before it went on.
			if t, err := c.Task(ctx, id); err != nil || t.State.Final() {
				return over
			}
		}
		return nil
	})
	if ctx.Err() == nil {
		c.log.Debug("task is no longer held", "task", id, "reason", err)
		return
	}
	c.detaching.Lock()
	c.detaching.Unlock() //nolint:staticcheck // what is being detached is, before the controller decides
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelWithin)
	defer cancel()
	if _, err := call[task.Task](end, c, "POST /v1/tasks/{id}/cancel", query("held", true), nil, id); err != nil {
		c.log.Debug("cancel a task whose caller is gone", "task", id, "error", err)
	}
}
