package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
	"piwork/vmhost/share/journal/internal/ledger"
)

// SyncDelay is how long the records of what a task makes new may wait for
// their fsync; those of what it destroys never wait.
const SyncDelay = 500 * time.Millisecond

// ErrLocked is returned by Open when another process has the journal open.
var ErrLocked = errors.New("the journal is in use by another process")

// ErrClosed is returned after Close.
var ErrClosed = errors.New("the journal is closed")

// ErrFull refuses a change because writing it down would pass a limit of
// [Options]. To the guest it is EDQUOT.
var ErrFull = errors.New("the journal is full: this change could not be taken back")

// Options bound a Journal. The zero value is valid.
type Options struct {
	MaxBytes  int64  // of images and of the log; 0 is no limit
	MaxMemory int64  // bytes of memory for what is known of files and names, about; 0 is 1 GiB
	OnFull    OnFull // asked before MaxBytes refuses a change; nil refuses at once
	OnMemory  OnFull // asked before MaxMemory does
	Above     uint32 // of a new journal: numbers in ids are higher, because a former one gave out those up to it
	Log       *slog.Logger
}

// Journal is the record of one task's changes. Its methods may be called from
// several goroutines at once. One process at a time has a Journal open.
type Journal struct {
	dir  string
	opts Options
	log  *slog.Logger
	lock *flock.Flock

	store *at.Root // the journal's own directory
	refs  *at.Dir
	image *at.Dir
	trash *at.Dir

	mu      sync.Mutex // guards tables, used and live; appends happen under it
	tables  *ledger.Ledger
	file    *wal.Log
	used    int64 // bytes in images/
	live    map[string]*Folder
	closed  bool
	room    budget    // of bytes in the directory
	memory  budget    // of bytes in memory
	compact int64     // length of the log after it was last rewritten
	marked  int64     // where the last mark stands in the log
	death   time.Time // of the newest record when the journal was opened
	died    bool      // while something was being changed
	stale   bool      // nobody has looked at that yet
	held    bool      // an undo at work has not written down everything

	undoMu sync.Mutex      // one undo, one list at a time
	asking sync.Mutex      // one question at a time
	life   context.Context // ends with Close
	end    context.CancelFunc

	round   atomic.Uint64 // counts undos: what was prepared before one must be prepared again
	active  atomic.Bool   // something was changed since the last tick
	undoing atomic.Bool   // an undo is at work
	ticks   *wal.Ticker   // calls tick

	// Files of more bytes than partsFrom are kept part by part, in blocks of
	// partSize. Tests use small ones.
	partsFrom, partSize int64

	hook  func(step string) // tests stop the program here
	tries int               // steps that undos tried, for tests; guarded by undoMu
}

// Open opens the journal in dir, making it when there is none, and recovers
// what a crash left: a damaged end of the log is cut off, references without a
// record are found again, and an undo that was interrupted is finished.
// It fails with ErrLocked while another process has it open.
func Open(dir string, o Options) (*Journal, error) {
	return open(dir, o, nil)
}

func open(dir string, o Options, hook func(string)) (*Journal, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = 1 << 30
	}
	for _, d := range []string{dir, filepath.Join(dir, "images"), filepath.Join(dir, "refs"), filepath.Join(dir, "undone")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
	}
	j := &Journal{dir: dir, opts: o, log: o.Log, tables: ledger.New(), live: map[string]*Folder{}, hook: hook, partsFrom: 1 << 20, partSize: 64 << 10, room: budget{limit: o.MaxBytes, ask: o.OnFull}, memory: budget{limit: o.MaxMemory, ask: o.OnMemory}}
	j.life, j.end = context.WithCancel(context.Background())
	j.ticks = wal.NewTicker(SyncDelay, j.tick)
	var err error
	if j.lock, err = wal.Lock(dir, ErrLocked); err != nil {
		return nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	j.mu.Lock()
	err = j.load()
	j.mu.Unlock()
	if err != nil {
		_ = j.shut()
		return nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	j.resume()
	return j, nil
}

// put appends records and takes them over into the tables; j.mu is held. It returns the position to sync up to.
func (j *Journal) put(recs ...ledger.Record) (int64, error) {
	if j.closed {
		return 0, ErrClosed
	}
	if len(recs) == 0 {
		return 0, nil
	}
	if at := j.file.Length(); at > j.marked+ledger.MarkEvery {
		recs = slices.Concat([]ledger.Record{ledger.MarkRecord{Secret: j.tables.Secret}}, recs)
		j.marked = at
	}
	now := time.Now().Truncate(time.Millisecond)
	pos, err := ledger.AppendTo(j.file, now, recs...)
	if err != nil {
		return 0, err
	}
	for _, r := range recs {
		if err := j.tables.Take(r, now); err != nil {
			return pos, err
		}
	}
	j.ticks.Arm()
	return pos, nil
}

// putAll is put for any number of records; j.mu is held.
func (j *Journal) putAll(recs []ledger.Record) error {
	for part := range slices.Chunk(recs, 1000) {
		if _, err := j.put(part...); err != nil {
			return err
		}
	}
	return nil
}

// putNow is put that returns when the records are durable.
func (j *Journal) putNow(recs ...ledger.Record) error {
	j.mu.Lock()
	pos, err := j.put(recs...)
	j.mu.Unlock()
	if err != nil {
		return err
	}
	return j.sync(pos)
}

// sync waits until pos is durable. Position 0 is.
func (j *Journal) sync(pos int64) error {
	if pos == 0 {
		return nil
	}
	if err := j.file.Sync(pos); err != nil {
		return err
	}
	j.step("synced")
	return nil
}

func (j *Journal) step(name string) {
	if j.hook != nil {
		j.hook(name)
	}
}

// busy notes that the task is changing something. While it does, the log gets
// a record twice a second, so that after a crash the time of death is known.
func (j *Journal) busy() {
	if !j.active.Load() {
		j.active.Store(true)
		j.ticks.Arm()
	}
}

func (j *Journal) tick() {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return
	}
	if j.active.Swap(false) {
		if _, err := ledger.AppendTo(j.file, time.Now(), ledger.AliveRecord{}); err != nil {
			j.log.Error("journal: cannot write", "err", err)
		}
		j.tables.LastT = time.Now()
	}
	if j.undoing.Load() {
		now := time.Now()
		if _, err := ledger.AppendTo(j.file, time.UnixMilli(0), ledger.UndoingRecord{When: &now}); err != nil {
			j.log.Error("journal: cannot write", "err", err)
		}
		j.tables.UndoLast = now
	}
	if j.file.Length() > compactAt && j.file.Length() > 4*j.compact && !j.held {
		if err := j.rewrite(); err != nil {
			j.log.Error("journal: cannot compact", "err", err)
		}
	}
	j.mu.Unlock()
	if err := j.file.Sync(j.file.Position()); err != nil {
		j.log.Error("journal: cannot sync", "err", err)
	}
	j.step("ticked")
	if j.undoing.Load() {
		j.ticks.Arm()
	}
}

// Close makes everything durable and lets another process open the journal.
// Folders must not be used any more; what waits for an answer of
// Options.OnFull is refused.
func (j *Journal) Close() error {
	j.end()
	j.undoMu.Lock()
	defer j.undoMu.Unlock()
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	err := error(nil)
	if !j.tables.Doubted() { // else the next one to open it must look as well
		_, err = ledger.AppendTo(j.file, time.Now(), ledger.ClosedRecord{})
	}
	j.closed = true
	j.mu.Unlock()
	j.ticks.Stop()
	err = errors.Join(err, j.file.Sync(j.file.Position()))
	return errors.Join(err, j.shut())
}

func (j *Journal) shut() error {
	j.end()
	var err error
	if j.file != nil {
		err = j.file.Close()
	}
	for _, d := range []*at.Dir{j.refs, j.image, j.trash} {
		if d != nil {
			d.Close()
		}
	}
	if j.store != nil {
		j.store.Close()
	}
	return errors.Join(err, j.lock.Unlock())
}

func isMissing(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
