package review

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"

	"piwork/vmhost/share/internal/at"
)

// A power cut must not make a person's file empty by way of a layer, so an object has
// what it is to keep of an original, durable, before a record names it: when content
// is copied (stage), when granules are taken over (recordRanges), when a file takes the place
// of another (Rename). Where nothing was to be kept (O_TRUNC, a new file) the object
// is durable half a second later, as on any disk, and until then Safe says nothing.
//
// Safe is the length up to which an object is durable. One that is shorter when the
// layer is opened, or empty in the place of something and never known to be durable,
// has lost its content: it is not read, and not applied.

// ErrDamaged says that the content of a staged file was lost, as far as is known in a
// power cut. The original is as it was.
var ErrDamaged = errors.New("the staged content of the file was lost")

// syncAtOnce is from how many objects on the whole file system is synced instead.
const syncAtOnce = 8

// volatile is what a power cut would take.
type volatile struct {
	mu    sync.Mutex
	dirty []*node  // whose objects were written
	gone  []string // objects that no record needs, once the log is durable
}

// markDirty notes that the object of n was written into.
func (l *contents) markDirty(n *node) {
	if l.queueDirty(n) {
		l.ticks.Arm()
	}
}

// queueDirty puts n among what syncDirty makes durable, and reports whether it is new there.
func (l *contents) queueDirty(n *node) bool {
	if n.dirty.Swap(true) {
		return false
	}
	l.volatile.mu.Lock()
	defer l.volatile.mu.Unlock()
	l.volatile.dirty = append(l.volatile.dirty, n)
	return true
}

// syncDirty makes objects durable that were written, and then writes that down.
func (l *contents) syncDirty() error {
	l.volatile.mu.Lock()
	list := l.volatile.dirty
	l.volatile.dirty = nil
	l.volatile.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	for _, n := range list {
		n.dirty.Store(false) // what is written from now on is for the next time
	}
	sync := at.Sync
	if len(list) >= syncAtOnce && l.own.SyncAll() == nil {
		sync = func(*os.File) error { return nil }
	}
	err := l.objs.Sync()
	for part := range slices.Chunk(list, 1000) {
		if err == nil {
			err = l.syncObjects(part, sync)
		}
	}
	if err != nil {
		for _, n := range list {
			l.queueDirty(n) // with the next change, or when the layer is closed
		}
	}
	return err
}

// syncObjects syncs objects and notes how long they are. What is cut off meanwhile is left
// for the next time.
func (l *contents) syncObjects(list []*node, sync func(*os.File) error) error {
	sizes := map[*node]safeRec{}
	cuts := map[*node]int64{}
	for _, n := range list {
		cuts[n] = n.cuts.Load()
		obj, size, err := l.syncObject(n, sync)
		if errors.Is(err, fs.ErrNotExist) {
			continue // not needed any more
		}
		if err != nil {
			return err
		}
		sizes[n] = safeRec{Obj: obj, Size: size}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &record{}
	for _, n := range list {
		s, ok := sizes[n]
		if !ok || !n.kept || n.Obj != s.Obj || n.Safe != nil && *n.Safe == s.Size || n.cuts.Load() != cuts[n] {
			continue
		}
		s.N = n.N
		r.Safe = append(r.Safe, s)
	}
	if len(r.Safe) == 0 || l.closed {
		return nil
	}
	return l.commit(r)
}

func (l *contents) syncObject(n *node, sync func(*os.File) error) (obj uint64, size int64, err error) {
	n.io.RLock()
	defer n.io.RUnlock()
	f, obj := n.upper, n.src.obj
	if obj == 0 || n.damaged {
		return 0, 0, fs.ErrNotExist
	}
	if f == nil {
		if f, _, err = l.objs.Open(objName(obj), os.O_RDONLY); err != nil {
			return 0, 0, err
		}
		defer f.Close()
	}
	if err := sync(f); err != nil {
		return 0, 0, err
	}
	info, err := at.Stat(f)
	return obj, info.Size, err
}

// syncNode makes the object of one node durable, before a record gives it the place of
// something.
func (l *contents) syncNode(n *node) error {
	if !n.dirty.Load() {
		return nil
	}
	return errors.Join(l.objs.Sync(), l.syncObjects([]*node{n}, at.Sync))
}

// syncLog makes the log durable, and then removes what it does not need any more.
func (l *base) syncLog() error {
	l.volatile.mu.Lock()
	gone := l.volatile.gone
	l.volatile.gone = nil
	l.volatile.mu.Unlock()
	err := l.wal.Sync(l.wal.Position())
	for _, name := range gone {
		if err != nil {
			break // they go when the layer is opened again
		}
		if rerr := l.objs.Remove(name); rerr != nil {
			l.log.Warn("review: an object stays", "object", name, "err", rerr)
		}
	}
	return err
}

// remove has an object removed with the next sync of the log: a power cut must not
// take it and leave the record that names it.
func (l *base) remove(obj uint64) {
	l.volatile.mu.Lock()
	defer l.volatile.mu.Unlock()
	l.volatile.gone = append(l.volatile.gone, objName(obj))
}

// shrink says that the object of n is about to become shorter, and how long it is then;
// n.io is held for writing.
func (l *contents) shrink(n *node, size int64) error {
	n.cuts.Add(1)
	l.mu.RLock()
	safe := n.Safe
	l.mu.RUnlock()
	if safe == nil || *safe <= size {
		return nil
	}
	return l.amend(n, func(r *nodeRec) error { r.Safe = &size; return nil })
}

// isShort reports whether an object of this size is not what a record says it is.
func (n *node) isShort(size int64) bool {
	if n.Safe != nil {
		return size < *n.Safe
	}
	return size == 0 && (n.Orig != nil && n.Orig.Size > 0 || slices.ContainsFunc(n.links, func(e *entry) bool {
		return e.orig != nil && e.orig.Kind == at.File && e.orig.Size > 0
	}))
}

// inspect notes the damage of a node when the layer is opened.
func (l *base) inspect(n *node, size int64) {
	if n.damaged = n.isShort(size); n.damaged {
		l.log.Error("review: staged content was lost", "object", n.Obj, "original", string(n.Base), "bytes", size)
	}
}
