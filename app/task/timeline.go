package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"piwork/app/durable"
)

// timeline is the open end of a timeline.jsonl.
type timeline struct {
	lines *durable.Lines
	seq   int64 // of the last event
}

// Append adds an event to the timeline of a task and returns it with its
// version, its place (Seq, from 1) and its time.
func (s *Store) Append(id string, kind EventKind, data any) (Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tl, err := s.openTimeline(id)
	if err != nil {
		return Event{}, err
	}
	e := Event{V: RecordVersion, Seq: tl.seq + 1, Time: s.now().UTC(), Task: id, Kind: kind, Data: data}
	line, err := json.Marshal(e)
	if err != nil {
		return Event{}, fmt.Errorf("event of task %s: %w", id, err)
	}
	if err := tl.lines.Append(line); err != nil {
		return Event{}, fmt.Errorf("append to the timeline of task %s: %w", id, err)
	}
	tl.seq++
	return e, nil
}

// openTimeline opens the timeline where it is not open yet: a line that a crash
// cut off goes, and counting goes on after the last whole one.
func (s *Store) openTimeline(id string) (*timeline, error) {
	if tl := s.timelines[id]; tl != nil {
		return tl, nil
	}
	dir := s.Dir(id)
	if _, err := os.Lstat(dir); dir == "" || errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("task %s: %w", id, ErrNotFound)
	}
	path := filepath.Join(dir, timelineFile)
	lines, _, err := durable.OpenLines(path)
	if err != nil {
		return nil, fmt.Errorf("open the timeline of task %s: %w", id, err)
	}
	tl := &timeline{lines: lines}
	if err := readTimeline(path, func(e Event) { tl.seq = max(tl.seq, e.Seq) }); err != nil {
		_ = lines.Close()
		return nil, fmt.Errorf("read the timeline of task %s: %w", id, err)
	}
	s.timelines[id] = tl
	return tl, nil
}

// Release closes the files that Append holds open for a task; the next Append
// opens them again.
func (s *Store) Release(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if tl := s.timelines[id]; tl != nil {
		_ = tl.lines.Close() // every line is synced already
		delete(s.timelines, id)
	}
}

// Timeline returns the events of a task with Seq > after, oldest first. Data is
// the JSON as it was written (json.RawMessage). A line that cannot be read is
// left out and hides no other.
func (s *Store) Timeline(id string, after int64) ([]Event, error) {
	if _, err := s.Get(id); err != nil {
		if _, is := errors.AsType[*DamagedError](err); !is { // without its record a timeline still tells what happened
			return nil, err
		}
	}
	events := []Event{}
	err := readTimeline(filepath.Join(s.Dir(id), timelineFile), func(e Event) {
		if e.Seq > after {
			events = append(events, e)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read the timeline of task %s: %w", id, err)
	}
	return events, nil
}

func readTimeline(path string, fn func(Event)) error {
	return durable.ReadLines(path, func(_ int64, line []byte) error {
		var raw json.RawMessage
		e := Event{Data: &raw}
		if json.Unmarshal(line, &e) != nil || e.Seq < 1 {
			return nil
		}
		e.Data = raw
		fn(e)
		return nil
	})
}
