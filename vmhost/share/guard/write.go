package guard

import (
	"math"
	"sync"
	"sync/atomic"
	"syscall"

	"piwork/vmhost"
)

// TopicWrite is how much a task writes, whatever into: it would fill the disk on which the
// person works, too.
const TopicWrite = "write"

// DefaultWrites is how many bytes a task may write before a person is asked, unless they chose.
const DefaultWrites = 4 << 30

// NameBytes is what a new name counts, of a file, a directory, a link or an attribute: the block that
// most disks give it.
const NameBytes = 4096

// lookStep is how many bytes a task writes until it is looked at whether its folders' disk is
// nearly full (vmhost.SpaceReserve).
const lookStep = 64 << 20

// Space is what a guard knows of the disk of folders.
type Space struct {
	// Free is how many bytes can be written below a folder (its id), at least; an error is
	// that it is not known. It is asked from the calls of a guest.
	Free func(folder string) (int64, error)
	// Full hears once that the task was stopped for want of space, with what was free. It
	// must not wait.
	Full func(free int64)
}

// amount is how many bytes of a topic there were so far. Its counters change outside of
// Guard.mu.
type amount struct {
	topic, code string // code of the question
	limit       int64  // from which on a person is asked; 0 is no bound
	bytes       atomic.Int64
	allowed     atomic.Int64 // bytes that need no look at what was decided
}

// writing is what a task wrote so far.
type writing struct {
	amount
	full atomic.Bool

	mu    sync.RWMutex
	disks map[string]*folderDisk // by the folder; of those that say what is free
}

// folderDisk is what is known of the disk of a folder: each may be another one.
type folderDisk struct {
	first  int64        // free bytes when the folder came
	unseen atomic.Int64 // written since it was looked at
}

// Write allows n more bytes of content, names or attributes for a file, or says why not: ErrDenied, a *Wait, or
// ENOSPC when the disk has to keep what is free. Call Unwritten for what was not written then.
func (g *Guard) Write(folder, path string, n int64) error {
	if n <= 0 {
		return nil
	}
	if err := g.space(folder, n); err != nil {
		return err
	}
	return g.count(&g.writing.amount, folder, path, n)
}

// Unwritten takes back what was counted and not written.
func (g *Guard) Unwritten(n int64) {
	if n > 0 && g.writing.limit > 0 {
		g.writing.bytes.Add(-n)
	}
}

// count allows n more bytes of a topic.
func (g *Guard) count(a *amount, folder, path string, n int64) error {
	for a.limit > 0 {
		before := a.bytes.Load()
		if n > a.allowed.Load()-before {
			return g.countMore(a, folder, path, n)
		}
		if a.bytes.CompareAndSwap(before, before+n) {
			break
		}
	}
	return nil
}

// countMore is count beyond what needs no decision.
func (g *Guard) countMore(a *amount, folder, path string, n int64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	allow, decided := g.decision(a.topic, folder)
	switch {
	case decided && !allow, !decided && (g.closed || g.o.Ask == nil):
		return ErrDenied
	case !decided && a.allowed.Load() < Sum(a.bytes.Load(), n): // the answer may have come meanwhile
		i := Intent{Folder: folder, Path: path, Effect: Change, Size: n}
		return g.join(a.topic, nil, i, i.ident())
	}
	for {
		before := a.bytes.Load()
		if a.bytes.CompareAndSwap(before, Sum(before, n)) {
			return nil
		}
	}
}

// amountOf is what is counted of a topic in bytes, nil where that is not.
func (g *Guard) amountOf(topic string) *amount {
	for _, a := range []*amount{&g.writing.amount, &g.fetching.amount} {
		if a.topic == topic {
			return a
		}
	}
	return nil
}

// bound brings what may be done without a look up to date. mu is held.
func (g *Guard) bound() {
	for _, a := range []*amount{&g.writing.amount, &g.fetching.amount} {
		a.allowed.Store(Sum(a.limit, int64(g.topic(a.topic).extra)))
	}
}

// next is how many bytes a yes for once covers, when n of them are wanted at once.
func (g *Guard) next(a *amount, n int64) int {
	extra := int64(g.topic(a.topic).extra)
	over := Sum(a.bytes.Load(), n) - a.allowed.Load()
	return int(max(a.limit, Sum(extra, extra), over))
}

// Sum is of two numbers of bytes, as far as there are any.
func Sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// starts remembers what is free below a folder that came.
func (w *writing) starts(folder string, s Space) {
	if s.Free == nil {
		return
	}
	free, err := s.Free(folder)
	if err != nil {
		return // a file system that does not say it
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.disks == nil {
		w.disks = map[string]*folderDisk{}
	}
	w.disks[folder] = &folderDisk{first: free}
}

// space looks whether the folder's disk keeps room for n bytes more.
func (g *Guard) space(folder string, n int64) error {
	w, s := &g.writing, g.o.Space
	if s.Free == nil {
		return nil
	}
	if w.full.Load() {
		return syscall.ENOSPC
	}
	w.mu.RLock()
	d := w.disks[folder]
	w.mu.RUnlock()
	if d == nil || n < lookStep && d.unseen.Add(n) < lookStep {
		return nil
	}
	d.unseen.Store(0)
	free, err := s.Free(folder)
	if err != nil || free-n >= vmhost.SpaceReserve || free-n+vmhost.SpaceStep > d.first {
		return nil
	}
	if free < vmhost.SpaceReserve && w.full.CompareAndSwap(false, true) && s.Full != nil {
		s.Full(free)
	}
	return syscall.ENOSPC // what is too large by itself fails alone
}
