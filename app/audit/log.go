package audit

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
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

// Options are what Open needs besides a directory.
type Options struct {
	Key  *Key
	Days func() int // how long records are kept; 0 is for ever. nil is that, too
	Now  func() time.Time
	Log  *slog.Logger
}

// Log is the open log. One process at a time may have it open (the controller
// holds a lock); its methods may be called from several goroutines at once.
type Log struct {
	*Key
	file string
	o    Options

	mu      sync.Mutex
	lines   *durable.Lines
	at      state
	from    point     // the first line
	size    int64     // bytes
	behind  bool      // the head is, since it could not be written
	expired time.Time // when old records were looked for
}

// Open opens or creates the log in dir. The report says whether its chain
// holds: the log goes on behind its last line even where it does not, and stays
// bad there. unfinished are the ends, without a reason, of the executions that an earlier run of
// the program left open; the caller records them.
func Open(dir string, o Options) (log *Log, rep Report, unfinished []Record, err error) {
	if err := makeLog(dir, o.Key); err != nil {
		return nil, rep, nil, fmt.Errorf("make the audit log: %w", err)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	l := &Log{Key: o.Key, file: filepath.Join(dir, LogName), o: o}
	lines, torn, err := durable.OpenLines(l.file)
	if err != nil {
		return nil, rep, nil, fmt.Errorf("open the audit log: %w", err)
	}
	l.lines = lines
	defer func() {
		if err != nil {
			_ = l.lines.Close()
		}
	}()
	h, err := readHead(headFile(l.file))
	if err != nil {
		return nil, rep, nil, fmt.Errorf("read the head of the audit log: %w", err)
	}
	key := o.Key.Public()
	if o.Key.fresh != "" && h.Sig == nil {
		key = nil // a log of an earlier program
	}
	var open openExecutions
	found, err := os.Open(l.file)
	if err != nil {
		return nil, rep, nil, fmt.Errorf("read the audit log: %w", err)
	}
	defer found.Close()
	chain := follow(h, open.see)
	if rep, err = chain.read(found, key, 1); err != nil {
		return nil, rep, nil, err
	}
	if err = l.goOn(chain, found); err != nil {
		return nil, rep, nil, err
	}
	if err = l.settle(chain); err != nil {
		return nil, rep, nil, err
	}
	if len(torn) > 0 {
		if err = l.Append(Record{Event: EventRecovered, Dropped: len(torn)}); err != nil {
			return nil, rep, nil, err
		}
	}
	return l, rep, open.left, nil
}

// makeLog makes a log in which nothing stands, with its head, at once: a directory without one
// is of an earlier program, or somebody removed it.
func makeLog(dir string, k *Key) error {
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new.*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	if err := writeHead(headFile(filepath.Join(made, LogName)), newHead(k, point{}, genesis())); err != nil {
		return err
	}
	if err := os.Rename(made, dir); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(dir))
}

// goOn has the chain go on from the last line that was found, good or bad.
func (l *Log) goOn(chain *follower, found *os.File) error {
	info, err := found.Stat()
	if err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	l.size, l.at, l.from = info.Size(), chain.at, chain.head.From
	l.at.n = max(l.at.n, chain.head.N) // lines are gone: a gap in the numbers goes on showing it
	return nil
}

// settle signs the log with a new key, and writes down what was wrong with it.
func (l *Log) settle(found *follower) error {
	rep, h := found.rep, found.head
	if l.fresh != "" && rep.OK {
		if err := l.writeHead(); err != nil {
			return err
		}
	}
	if err := l.Key.settle(); err != nil {
		return err
	}
	switch {
	case found.fresh:
		return l.Append(Record{Event: EventBroken, Reason: rep.Reason})
	case h.Sig != nil && l.at.n == h.N+1: // a crash left it, or somebody wrote it
		return l.Append(Record{Event: EventRecovered, Reason: fmt.Sprintf("record %d stood behind the head", l.at.n)})
	}
	return nil
}

// openExecutions are those that began and did not end.
type openExecutions struct{ left []Record }

func (o *openExecutions) see(r Record) {
	switch r.Event {
	case EventBegin:
		o.left = append(o.left, Record{Event: EventEnd, Exec: r.Exec, Task: r.Task, Request: r.Request, Client: r.Client, Door: r.Door})
	case EventEnd:
		for i := range o.left {
			if o.left[i].Exec == r.Exec {
				o.left = append(o.left[:i], o.left[i+1:]...)
				return
			}
		}
	}
}

// Append adds a record. After nil it is on the disk. After an error its line may be there: the
// next Append goes on behind it.
func (l *Log) Append(r Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.behind { // one line at most stands behind the head
		if err := l.writeHead(); err != nil {
			return err
		}
	}
	if err := l.append(r); err != nil {
		return err
	}
	if err := l.expire(); err != nil { // the record is there all the same
		l.o.Log.Warn("old records of the audit log could not be removed", "error", err)
	}
	return nil
}

func (l *Log) append(r Record) error {
	r.V, r.N, r.Time, r.Prev = RecordVersion, l.at.n+1, l.o.Now().UTC(), l.at.prev
	line, err := seal(r)
	if err == nil && len(line) > maxRecord { // what somebody else can make long
		r.In, r.Hosts, r.EnvNames, r.Topic, r.Reason = nil, nil, nil, short(r.Topic), short(r.Reason)
		line, err = seal(r)
	}
	if err == nil && len(line) > maxRecord {
		err = fmt.Errorf("%d bytes, at most %d", len(line), maxRecord)
	}
	if err != nil {
		return fmt.Errorf("audit record: %w", err)
	}
	if err := l.lines.Append(line); err != nil {
		return fmt.Errorf("append to the audit log: %w", err)
	}
	l.at = state{n: r.N, prev: hash(line)}
	l.size += int64(len(line)) + 1
	return l.writeHead()
}

const (
	maxRecord = 64 << 10 // bytes of a line
	maxShort  = 256      // bytes of a text in one that would be longer
)

func short(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxShort)], "") }

func (l *Log) writeHead() error {
	err := writeHead(headFile(l.file), newHead(l.Key, l.from, l.at))
	if l.behind = err != nil; err != nil {
		return fmt.Errorf("write the head of the audit log: %w", err)
	}
	return nil
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.behind {
		err = l.writeHead()
	}
	return errors.Join(err, l.lines.Close())
}
