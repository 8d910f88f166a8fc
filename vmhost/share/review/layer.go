package review

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
)

// Errors of a layer, beside those of the operating system.
var (
	// ErrFull refuses a change that would pass a limit of [Options]. To the guest
	// it is EDQUOT.
	ErrFull = errors.New("no room for more changes that wait for review")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("the review layer is closed")
	// ErrLocked is returned by Open while another process has the layer open.
	ErrLocked = errors.New("the review layer is in use by another process")
	// ErrMixed says that a person changed a large file while the task has only
	// changed parts of it: what the task made of it is not whole any more. Reading it
	// fails, and Apply reports it.
	ErrMixed = errors.New("the original was changed below what the task changed in it")
)

// syncDelay is how long the records of a task may wait for their fsync when the
// guest does not ask for it.
const syncDelay = 500 * time.Millisecond

// compactAt is the length of the log in bytes from which on it is rewritten when
// most of it is about things that came and went.
const compactAt = 32 << 20

// Options bound a Layer.
type Options struct {
	Folder     string // id of the folder in the task, as in journal.Change
	MaxBytes   int64  // of staged content and the log; 0 is no limit
	MaxRecords int    // nodes and names kept in memory; 0 is 2 million
	Log        *slog.Logger

	large int64 // bytes from which on only parts of an original are copied; 0 is partAt
}

// Layer is a folder with changes in front of it. Its methods may be called from
// several goroutines at once.
type Layer struct {
	*base
	*contents
	*tree
	changeList
	apply sync.Mutex // one Apply, Discard or Changes at a time
}

// base is the layer on disk: its log and its directories, and the original.
type base struct {
	dir   string
	opts  Options
	log   *slog.Logger
	lock  *flock.Flock
	root  *at.Root // the original
	moved error    // another folder is in the place of the original; nil is none
	own   *at.Root // dir
	objs  *at.Dir  // objects

	// mu guards the tables, and every field of a node that is not under its io.
	mu     sync.RWMutex
	t      *tables
	wal    *wal.Log
	closed bool
	least  int64 // length of the log after it was last rewritten

	used     atomic.Int64 // bytes that objects take on the disk
	volatile volatile

	hasAttrs sync.Once // noAttrs is known
	noAttrs  error     // why the folder keeps no extended attributes

	ticks *wal.Ticker // calls tick

	hook func(step string) // tests stop the program here
}

// contents are the contents of files: staged ones, and parts of them.
type contents struct{ *base }

// tree is the merged view: what is at a path, and what a name is to mean.
type tree struct {
	*base
	*contents
}

// changeList computes how the merged view differs from the original.
type changeList struct {
	*tree
	sums sums
}

// Open opens the layer in dir, making it when there is none, in front of the
// folder at path. Nothing is changed in the folder. It fails with ErrLocked
// while another process has it open.
func Open(dir, path string, o Options) (*Layer, error) { return open(dir, path, o, nil) }

func open(dir, path string, o Options, hook func(string)) (l *Layer, err error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.MaxRecords = cmp.Or(o.MaxRecords, 2_000_000)
	o.large = cmp.Or(o.large, partAt)
	b := &base{dir: dir, opts: o, log: o.Log, hook: hook}
	c := &contents{b}
	t := &tree{b, c}
	l = &Layer{base: b, contents: c, tree: t, changeList: changeList{tree: t}}
	if err := os.MkdirAll(filepath.Join(dir, "objects"), 0o700); err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	l.ticks = wal.NewTicker(syncDelay, l.tick)
	if l.lock, err = wal.Lock(dir, ErrLocked); err != nil {
		return nil, fmt.Errorf("review %s: %w", dir, err)
	}
	if err := t.load(path); err != nil {
		_ = l.release()
		return nil, fmt.Errorf("review %s: %w", dir, err)
	}
	return l, nil
}

func (l *tree) load(path string) (err error) {
	if l.root, err = at.OpenRealRoot(path); err != nil {
		return err
	}
	top, err := l.root.Dir(".")
	if err != nil {
		return err
	}
	top.CopyUp(".", func(at.ID) bool { return false })
	info, err := top.Info()
	if err != nil {
		return err
	}
	if l.own, err = at.OpenRoot(l.dir); err != nil {
		return err
	}
	if l.objs, err = l.own.Dir("objects"); err != nil {
		return err
	}
	l.t = newTables(info)
	if err := l.replay(); err != nil {
		return err
	}
	if l.t.folder.Other(info.ID) {
		l.moved = fail("open", path, share.ErrMoved) // it has other files by the same names
		return nil
	}
	for _, n := range l.t.nodes {
		l.t.dropUnnamed(n)
	}
	l.t.dropped = nil
	fresh := l.t.layer == ""
	if fresh || l.t.logDev != info.Dev {
		r := &record{Dev: &info.Dev}
		if fresh {
			var id [8]byte
			_, _ = rand.Read(id[:]) // never fails (crypto/rand)
			r.Layer, r.Folder = hex.EncodeToString(id[:]), &info.ID
		}
		if err := l.commit(r); err != nil {
			return err
		}
	}
	if err := l.sweep(); err != nil {
		return err
	}
	l.recover()
	if fresh {
		return errors.Join(l.wal.Sync(l.wal.Position()), wal.SyncDir(l.dir), wal.SyncDir(filepath.Dir(l.dir)))
	}
	return nil
}

func objName(n uint64) string { return strconv.FormatUint(n, 10) }

// commit writes a record down and takes it over; mu is held for writing.
func (l *base) commit(r *record) error {
	if l.closed {
		return ErrClosed
	}
	r.T = time.Now().UnixNano()
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("review: %w", err)
	}
	if _, err := l.wal.Append(body); err != nil {
		return fmt.Errorf("review: %w", err)
	}
	if len(r.Safe) > 0 {
		l.step("safe") // it comes by the clock
	} else {
		l.step("committed")
	}
	if err := l.t.apply(r); err != nil {
		return err
	}
	for _, n := range l.t.dropped {
		if n.opens == 0 {
			l.dropObject(n)
		}
	}
	l.t.dropped = nil
	l.ticks.Arm()
	return nil
}

// dropObject removes the object of a node that nobody needs any more; mu is held for
// writing.
func (l *base) dropObject(n *node) {
	if n.Obj == 0 {
		return
	}
	l.used.Add(-n.charged.Swap(0))
	l.remove(n.Obj)
}

// room says whether more nodes and names may be kept, mu is held, and reserve
// whether more content may.
func (l *base) room() error {
	if l.t.kept+l.t.entries >= l.opts.MaxRecords {
		return ErrFull
	}
	return l.reserve(0)
}

func (l *base) reserve(more int64) error {
	if l.opts.MaxBytes > 0 && l.used.Load()+l.wal.Length()+more > l.opts.MaxBytes {
		return ErrFull
	}
	return nil
}

// charge counts what the object of n takes on the disk now.
func (l *base) charge(n *node, f *os.File) {
	if info, err := at.Stat(f); err == nil {
		now := info.Blocks * 512
		l.used.Add(now - n.charged.Swap(now))
	}
}

func (l *base) step(name string) {
	if l.hook != nil {
		l.hook(name)
	}
}

func (l *contents) tick() {
	if size := l.wal.Length(); size > compactAt {
		l.mu.Lock()
		if !l.closed && size > 4*l.least {
			if err := l.compact(); err != nil {
				l.log.Error("review: cannot compact", "err", err)
			}
		}
		l.mu.Unlock()
	}
	if err := errors.Join(l.syncDirty(), l.syncLog()); err != nil {
		l.log.Error("review: cannot sync", "err", err)
	}
}

// Store returns the layer as what a share shows (share.Set.AddStore). The layer
// stays the caller's and must stay open for as long as the folder is shared.
func (l *Layer) Store() share.Store { return view{l} }

// Moved says why nothing can be applied, and nothing be shared: another folder has the path
// now. What waits can be listed, read and discarded.
func (l *Layer) Moved() error { return l.moved }

type view struct{ *Layer }

// Close does nothing: the layer outlives the share.
func (view) Close() {}

// Usage is what a layer holds.
type Usage struct {
	Content int64 // bytes of staged content on the disk
	Log     int64 // bytes of the log
	Records int   // nodes and names in memory
}

// Usage returns what the layer holds now.
func (l *Layer) Usage() Usage {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return Usage{Content: l.used.Load(), Log: l.wal.Length(), Records: l.t.kept + l.t.entries}
}

// Close makes everything durable and lets another process open the layer. No
// handle may be used any more. It is idempotent.
func (l *Layer) Close() error {
	l.apply.Lock()
	defer l.apply.Unlock()
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.mu.Unlock()
	err := l.syncDirty() // content of what is open still may be lost
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.ticks.Stop()
	return errors.Join(err, l.syncLog(), l.release())
}

func (l *base) release() error {
	var err error
	if l.wal != nil {
		err = l.wal.Close()
	}
	if l.objs != nil {
		l.objs.Close()
	}
	for _, r := range []*at.Root{l.own, l.root} {
		if r != nil {
			r.Close()
		}
	}
	return errors.Join(err, l.lock.Unlock())
}

func fail(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }
