// Package agentlog has what the AI program of a task says, line by line and as it came: a
// record ([Log]) for those who look at one line later, and a feed ([Lines]) for those who follow
// while it works. Neither is waited for by the program: a record ends at its bound, and who
// follows too slowly is left behind.
package agentlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"piwork/app/task"
)

// File is the name of the record in a task's directory.
const File = "agent.jsonl"

const (
	maxLog  = 256 << 20 // bytes; what comes after is not kept
	maxLine = 33 << 20
)

// Log keeps the agent's events as they came, a line each. It is there to be
// looked at, so it does not wait for the disk; what a power cut takes is in pi's own
// session and in the timeline.
type Log struct {
	mu    sync.Mutex
	f     *os.File
	lines int64
	size  int64
	err   error
}

// Open opens the record of a task, or makes it.
func Open(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the agent's own record: %w", err)
	}
	l := &Log{f: f}
	buf := make([]byte, 64<<10)
	last := byte('\n')
	for {
		n, err := f.Read(buf)
		l.lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if l.size += int64(n); n > 0 {
			last = buf[n-1]
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("read the agent's own record: %w", err), f.Close())
		}
	}
	if last != '\n' { // cut off by a crash
		if _, err := f.Write([]byte{'\n'}); err != nil {
			return nil, errors.Join(fmt.Errorf("mend the agent's own record: %w", err), f.Close())
		}
		l.lines++
		l.size++
	}
	return l, nil
}

// partial is how lines begin that say a part of what a later one says whole.
var partial = []byte(`{"type":"message_update"`)

// Add keeps a line and returns its number from 1, 0 for one that is not kept.
func (l *Log) Add(line []byte) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || bytes.HasPrefix(line, partial) || l.size+int64(len(line)) >= maxLog || bytes.IndexByte(line, '\n') >= 0 {
		return 0
	}
	n, err := l.f.Write(append(bytes.Clone(line), '\n'))
	l.size += int64(n)
	if l.err = err; err != nil {
		return 0
	}
	l.lines++
	return l.lines
}

// Close ends the record.
func (l *Log) Close(log *slog.Logger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := errors.Join(l.err, l.f.Close()); err != nil {
		log.Warn("the agent's own record is not whole", "error", err)
	}
}

// Line reads the line of a number.
func Line(path string, n int64) (json.RawMessage, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, maxLine)
	for i := int64(1); s.Scan(); i++ {
		if i == n {
			return asJSON(s.Bytes()), nil
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	return nil, os.ErrNotExist
}

// After calls fn with the lines behind a number, in their order; there is none behind task.OnlyNew.
// One that is being written is not among them.
func After(path string, after int64, fn func(int64, json.RawMessage) error) error {
	if after == task.OnlyNew {
		return nil
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) { // it has said nothing yet
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for n := int64(1); ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n > after {
			if err := fn(n, asJSON(bytes.TrimSuffix(line, []byte{'\n'}))); err != nil {
				return err
			}
		}
	}
}
