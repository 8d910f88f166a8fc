// Package recorder writes down what was there before a folder changes, and then changes
// it: a [Recorder] is an open journal, a [Folder] one shared folder of it. What the log
// says is in package ledger.
//
//   - A [Changer] makes changes of a folder, each recorded first. Undo and redo use it,
//     too, with tasks stopped ([Recorder.Stop]).
//   - Content that a change destroys is kept in the log, in images/ or in refs/ and is
//     durable before the change.
//   - [Recorder.List] looks at what the task left, decides what a crash left open, and
//     returns the list of changes.
//
// # Where content is kept
//
// A deleted file moves into refs/ whole, where its file system allows it and its content is on this
// computer: one that is only with a cloud service is copied, which downloads it. Content that is
// kept otherwise is in the log up to 64 KiB. A larger file gets an image that shares its blocks
// (FICLONE), else a copy up to 1 MiB, else parts: the blocks around what is about to change, each
// kept before it changes (package partial). What was before is the parts over the present file, as
// long as nobody but the task changes that; then it is ErrNoImage. Content in images/ is
// durable before a record names it, and its length is checked before it is used.
//
// A program that goes through a directory has the next small files kept ahead with one sync
// (keep_ahead.go). After a power cut what was kept ahead is in doubt like what was being changed,
// and the disk decides (decide.go).
//
// What a person saves in a file that the task has open is the new "before" of what the task does to it
// next, and else the person's, on ext4, Btrfs, XFS, F2FS, tmpfs and APFS (writing.go); not if they save
// it within 20 ms of what the task writes, or before the task sets the file's time. On other file
// systems what they save before the task closes the file passes for the task's.
//
// The promises and the order of locks are in the comment of package journal.
package recorder

import (
	"cmp"
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

	Kept *atomic.Int64 // grows, when a journal is closed, by what it has more than when it was opened; may be nil
}

// Recorder is the open record of one task's changes. Its methods may be called from
// several goroutines at once. One process at a time has a Journal open.
type Recorder struct {
	dir  string
	opts Options
	Log  *slog.Logger
	lock *flock.Flock
	Stores
	logFile
	limits
	stale bool      // nobody has looked yet at what the program before this one left open
	death time.Time // of the newest record when the journal was opened

	Mu     sync.Mutex // guards what is not guarded by itself; appends happen under it
	Tables *ledger.Ledger
	live   map[string]*Folder
	Task   *Recorder // of a journal of undos: whose they are
	Closed bool

	alone   chan struct{}  // has room for one undo, redo or list: see Alone
	sealed  sync.WaitGroup // folders between Seal and their Close
	Round   atomic.Uint64  // counts undos: what was prepared before one must be prepared again
	active  atomic.Bool    // something was changed since the last tick
	Undoing atomic.Bool    // an undo is at work
	Ticks   *wal.Ticker    // calls tick
	left    leaving

	// Files of more bytes than partsFrom are kept part by part, in blocks of
	// partSize. Tests use small ones.
	PartsFrom, PartSize int64

	Hook func(step string) // tests stop the program here
}

// Stores are the journal's own directory and those in it.
type Stores struct {
	Store *at.Root
	Refs  *at.Dir
	Image *at.Dir
	used  int64 // bytes in them
	begun int64 // bytes of all when the journal was opened
}

// logFile is the log.
type logFile struct {
	File    *wal.Log
	compact int64 // its length after it was last rewritten, or could not be
	marked  int64 // where the last mark stands in it
	Held    bool  // an undo at work has not written down everything
}

// limits are those of the Options, and the questions for more.
type limits struct {
	room   budget          // of bytes in the directory
	memory budget          // of bytes in memory
	asking sync.Mutex      // one question at a time
	life   context.Context // ends with Close
	end    context.CancelFunc
}

// Open opens the journal in dir. hook hears of every step, for tests.
func Open(dir string, o Options, hook func(step string)) (*Recorder, error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.MaxMemory = cmp.Or(o.MaxMemory, 1<<30)
	for _, d := range []string{dir, filepath.Join(dir, "images"), filepath.Join(dir, "refs")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
	}
	j := &Recorder{dir: dir, opts: o, Log: o.Log, Tables: ledger.New(), live: map[string]*Folder{}, alone: make(chan struct{}, 1), Hook: hook, PartsFrom: 1 << 20, PartSize: 64 << 10, limits: limits{room: budget{limit: o.MaxBytes, ask: o.OnFull}, memory: budget{limit: o.MaxMemory, ask: o.OnMemory}}}
	j.life, j.end = context.WithCancel(context.Background())
	j.Ticks = wal.NewTicker(SyncDelay, j.tick)
	j.left = leaving{files: map[*File]bool{}, ticks: wal.NewTicker(leftAlone, j.signLeft)}
	var err error
	if j.lock, err = wal.Lock(dir, ErrLocked); err != nil {
		return nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	j.Mu.Lock()
	if err = j.load(); err == nil {
		j.begun = j.used + j.File.Length()
	}
	j.Mu.Unlock()
	if err != nil {
		_ = j.shut()
		return nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	return j, nil
}

// Put appends records and takes them over into the tables; j.Mu is held. It returns the position to sync up to.
func (j *Recorder) Put(recs ...ledger.Record) (int64, error) {
	if j.Closed {
		return 0, ErrClosed
	}
	if len(recs) == 0 {
		return 0, nil
	}
	begin, marked := j.File.Length(), j.marked
	if begin > marked+ledger.MarkEvery {
		recs = slices.Concat([]ledger.Record{ledger.MarkRecord{Secret: j.Tables.Secret}}, recs)
		marked = begin
	}
	now := time.Now().Truncate(time.Millisecond)
	pos, err := ledger.AppendTo(j.File, now, recs...)
	if err != nil {
		return 0, err
	}
	j.marked = marked
	for _, r := range recs {
		if err := j.Tables.Apply(r, now); err != nil {
			return pos, err
		}
	}
	j.Ticks.Arm()
	return pos, nil
}

// PutAll is put for any number of records; j.Mu is held.
func (j *Recorder) PutAll(recs []ledger.Record) error {
	for part := range slices.Chunk(recs, 1000) {
		if _, err := j.Put(part...); err != nil {
			return err
		}
	}
	return nil
}

// PutNow is put that returns when the records are durable.
func (j *Recorder) PutNow(recs ...ledger.Record) error {
	j.Mu.Lock()
	pos, err := j.Put(recs...)
	j.Mu.Unlock()
	if err != nil {
		return err
	}
	return j.Sync(pos)
}

// Sync waits until pos is durable. Position 0 is.
func (j *Recorder) Sync(pos int64) error {
	if pos == 0 {
		return nil
	}
	if err := j.File.Sync(pos); err != nil {
		return err
	}
	j.Step("synced")
	return nil
}

// Step tells tests how far the program is.
func (j *Recorder) Step(name string) {
	if j.Hook != nil {
		j.Hook(name)
	}
}

// Busy notes that the task is changing something. While it does, the log gets
// a record twice a second, so that after a crash the time of death is known.
func (j *Recorder) Busy() {
	if !j.active.Load() {
		j.active.Store(true)
		j.Ticks.Arm()
	}
}

func (j *Recorder) tick() {
	j.Mu.Lock()
	if j.Closed {
		j.Mu.Unlock()
		return
	}
	if j.active.Swap(false) {
		if _, err := ledger.AppendTo(j.File, time.Now(), ledger.AliveRecord{}); err != nil {
			j.Log.Error("journal: cannot write", "err", err)
		}
		j.Tables.LastT = time.Now()
	}
	if j.Undoing.Load() {
		now := time.Now()
		if _, err := ledger.AppendTo(j.File, time.UnixMilli(0), ledger.UndoingRecord{When: &now}); err != nil {
			j.Log.Error("journal: cannot write", "err", err)
		}
		j.Tables.UndoLast = now
	}
	if j.long() && !j.Held {
		j.shorten()
	}
	j.Mu.Unlock()
	if err := j.File.Sync(j.File.Position()); err != nil {
		j.Log.Error("journal: cannot sync", "err", err)
	}
	j.Step("ticked")
	if j.Undoing.Load() {
		j.Ticks.Arm()
	}
}

// Alone begins an undo, a redo or a list: one at a time. The context that it returns ends with ctx,
// and with Close. done ends it.
func (j *Recorder) Alone(ctx context.Context) (_ context.Context, done func(), err error) {
	select {
	case j.alone <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	case <-j.life.Done():
		return nil, nil, ErrClosed
	}
	if j.life.Err() != nil {
		<-j.alone
		return nil, nil, ErrClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(j.life, func() { cancel(ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
		<-j.alone
	}, nil
}

// Close makes everything durable and lets another process open the journal.
// Folders must not be used any more; what waits for an answer of
// Options.OnFull is refused, and an undo, a redo or a list at work stops between two files. It waits
// for these, and for calls of tasks in folders that are sealed, which may take for ever.
func (j *Recorder) Close() error {
	j.end()
	j.sealed.Wait()
	j.alone <- struct{}{}
	defer func() { <-j.alone }()
	j.Mu.Lock()
	if j.Closed {
		j.Mu.Unlock()
		return nil
	}
	if more := j.used + j.File.Length() - j.begun; more > 0 && j.opts.Kept != nil {
		j.opts.Kept.Add(more)
	}
	_, err := ledger.AppendTo(j.File, time.Now(), ledger.ClosedRecord{})
	j.Closed = true
	j.Mu.Unlock()
	j.Ticks.Stop()
	j.left.ticks.Stop()
	err = errors.Join(err, j.File.Sync(j.File.Position()))
	return errors.Join(err, j.shut())
}

func (j *Recorder) shut() error {
	j.end()
	var err error
	if j.File != nil {
		err = j.File.Close()
	}
	for _, d := range []*at.Dir{j.Refs, j.Image} {
		if d != nil {
			d.Close()
		}
	}
	if j.Store != nil {
		j.Store.Close()
	}
	return errors.Join(err, j.lock.Unlock())
}

// IsMissing reports whether err says that nothing is there.
func IsMissing(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
