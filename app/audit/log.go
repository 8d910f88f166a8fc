package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"piwork/app/durable"
)

// LogName is the file in the directory that Open gets.
const LogName = "audit.jsonl"

func headFile(log string) string { return strings.TrimSuffix(log, ".jsonl") + ".head.json" }

// Log is the open log. One process at a time may have it open (the controller
// holds a lock); its methods may be called from several goroutines at once.
type Log struct {
	file string
	now  func() time.Time

	mu    sync.Mutex
	lines *durable.Lines
	at    state
}

// Unfinished is an execution whose end was never recorded.
type Unfinished struct {
	Exec, Task string
}

// Open opens or creates the log in dir. The report says whether its chain
// holds: the log goes on behind its last line even where it does not, and stays
// bad there. unfinished are the executions that an earlier run of the program
// left open; the caller records their end.
func Open(dir string) (log *Log, rep Report, unfinished []Unfinished, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, rep, nil, fmt.Errorf("make the directory of the audit log: %w", err)
	}
	file := filepath.Join(dir, LogName)
	lines, torn, err := durable.OpenLines(file)
	if err != nil {
		return nil, rep, nil, fmt.Errorf("open the audit log: %w", err)
	}
	defer func() {
		if err != nil {
			_ = lines.Close()
		}
	}()
	var open []Unfinished
	rep, err = Verify(file, func(r Record) {
		switch r.Event {
		case EventBegin:
			open = append(open, Unfinished{Exec: r.Exec, Task: r.Task})
		case EventEnd:
			for i := range open {
				if open[i].Exec == r.Exec {
					open = append(open[:i], open[i+1:]...)
					break
				}
			}
		}
	})
	if err != nil {
		return nil, rep, nil, err
	}
	l := &Log{file: file, now: time.Now, lines: lines, at: genesis()}
	// The chain goes on from the last line, good or bad.
	err = durable.ReadLines(file, func(n int64, line []byte) error {
		l.at = state{n: n, prev: hash(line)}
		return nil
	})
	if err != nil {
		return nil, rep, nil, fmt.Errorf("read the audit log: %w", err)
	}
	if h, err := readHead(headFile(file)); err == nil && h.N > l.at.n {
		l.at.n = h.N // lines are gone: a gap in the numbers goes on showing it
	}
	if len(torn) > 0 {
		if err := l.Append(Record{Event: EventRecovered, Dropped: len(torn)}); err != nil {
			return nil, rep, nil, err
		}
	}
	return l, rep, open, nil
}

// Append adds a record. After nil it is on the disk; after an error the log is
// as before.
func (l *Log) Append(r Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.V, r.N, r.Time, r.Prev = RecordVersion, l.at.n+1, l.now().UTC(), l.at.prev
	line, err := seal(r)
	if err != nil {
		return fmt.Errorf("audit record: %w", err)
	}
	if err := l.lines.Append(line); err != nil {
		return fmt.Errorf("append to the audit log: %w", err)
	}
	l.at = state{n: r.N, prev: hash(line)}
	if err := writeHead(headFile(l.file), l.at); err != nil {
		return fmt.Errorf("write the head of the audit log: %w", err)
	}
	return nil
}

// Verify follows the chain of the log as it is on the disk.
func (l *Log) Verify() (Report, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Verify(l.file, nil)
}

// Close closes the file.
func (l *Log) Close() error { return l.lines.Close() }
