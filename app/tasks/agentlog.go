package tasks

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

const (
	agentLogFile = "agent.jsonl"
	maxAgentLog  = 256 << 20 // bytes; what comes after is not kept
	maxAgentLine = 33 << 20
)

// agentLog keeps the agent's events as they came, a line each. It is there to be
// looked at, so it does not wait for the disk; what a power cut takes is in pi's own
// session and in the timeline.
type agentLog struct {
	mu    sync.Mutex
	f     *os.File
	lines int64
	size  int64
	err   error
}

func openAgentLog(path string) (*agentLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the agent's own record: %w", err)
	}
	l := &agentLog{f: f}
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

// add keeps a line and returns its number from 1, 0 for one that is not kept.
func (l *agentLog) add(line []byte) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || bytes.HasPrefix(line, partial) || l.size+int64(len(line)) >= maxAgentLog || bytes.IndexByte(line, '\n') >= 0 {
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

func (l *agentLog) close(log *slog.Logger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := errors.Join(l.err, l.f.Close()); err != nil {
		log.Warn("the agent's own record is not whole", "error", err)
	}
}

// agentLine reads the line of a number.
func agentLine(path string, n int64) (json.RawMessage, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, maxAgentLine)
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

// addKnown adds what a stored event is about to what the timeline has, and returns it.
func addKnown[T task.MessageData | task.ToolData](known interface{ Add(any) }, e task.Event) (d T) {
	raw, ok := e.Data.(json.RawMessage)
	if ok && json.Unmarshal(raw, &d) == nil {
		known.Add(d)
	}
	return d
}
