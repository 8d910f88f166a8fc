package review

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
	"piwork/vmhost/share/journal/steps"
)

// A directory is listed in two parts, and nothing of it is held in memory:
// first the names that the task decided about when the listing began, by their
// numbers; then those of the original that were not among them, by the offsets
// of its file system. Offsets of the second part are shifted out of the way of
// the first, around the end of what an offset can be: ext4 uses all of it. (One
// of 2^27 of its offsets is mistaken for the first part, where a listing that
// goes on from there begins again with the names of the original.)
const (
	offDot    = 1
	offDotDot = 2
	offNames  = 2       // + entry.seq
	offFirst  = 1 << 36 // the end of the first part
	offLower  = 1 << 40 // + the original's
)

func lowerOffset(off int64) int64 { return int64((uint64(off) - offLower) & math.MaxInt64) }

func upperOffset(off int64) int64 { return int64((uint64(off) + offLower) & math.MaxInt64) }

// directory is an open directory of the merged view.
type directory struct {
	handle
	store.None
	once sync.Once

	mu    sync.Mutex
	f     *os.File // of the original
	list  *at.Lister
	until uint64 // entries up to this number belong to the listing
}

func (h *directory) Close() error {
	h.once.Do(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.f != nil {
			h.f.Close()
		}
		h.l.leave(h.n)
	})
	return nil
}

// ReadDir returns names from an offset on. What was there when the listing began
// and still is comes exactly once.
func (h *directory) ReadDir(offset int64, size int) ([]at.Entry, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if offset == 0 {
		if err := h.begin(); err != nil {
			return nil, err
		}
	}
	var out []at.Entry
	if offset < offFirst {
		if out = h.first(offset, &size); len(out) > 0 {
			return out, nil
		}
		offset = offLower
	}
	for h.list != nil {
		part, err := h.list.Read(lowerOffset(offset), size)
		if err != nil || len(part) == 0 {
			return nil, err
		}
		if out = h.second(part); len(out) > 0 {
			return out, nil
		}
		offset = upperOffset(part[len(part)-1].Next)
	}
	return nil, nil
}

func (h *directory) begin() error {
	l, n := h.l, h.n
	l.mu.RLock()
	base := string(n.Base)
	h.until = l.t.last
	l.mu.RUnlock()
	if base == "" || h.f != nil {
		return nil
	}
	d, err := l.root.Dir(base)
	if steps.IsMissing(err) {
		return nil // a person took it away
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if h.f, _, err = d.File(); err == nil {
		h.list = at.NewLister(h.f)
	}
	return err
}

// first returns the names that the task decided about.
func (h *directory) first(offset int64, size *int) []at.Entry {
	l, n := h.l, h.n
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []at.Entry
	add := func(e at.Entry) bool {
		*size -= 24 + len(e.Name)
		out = append(out, e)
		return *size > 0
	}
	if offset < offDot && !add(at.Entry{Name: ".", Ino: l.id(n).Ino, Kind: at.Directory, Next: offDot}) {
		return out
	}
	if offset < offDotDot && !add(at.Entry{Name: "..", Kind: at.Directory, Next: offDotDot}) {
		return out
	}
	from := uint64(max(offset-offNames, 0)) + 1
	i, _ := slices.BinarySearchFunc(n.order, from, bySeq)
	for _, e := range n.order[i:] {
		if e.seq > h.until {
			break
		}
		if e.node == nil {
			continue
		}
		if _, err := l.info(e.node); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if !add(at.Entry{Name: e.name, Ino: l.id(e.node).Ino, Kind: e.node.Kind, Next: offNames + int64(e.seq)}) {
			break
		}
	}
	return out
}

// second returns which names of the original belong to the listing.
func (h *directory) second(part []at.Entry) []at.Entry {
	l, n := h.l, h.n
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := part[:0]
	for _, p := range part {
		if e := n.names[p.Name]; p.Name == "." || p.Name == ".." || strings.HasPrefix(p.Name, l.t.tempPrefix()) ||
			e != nil && (e.node == nil || e.seq <= h.until) {
			continue
		}
		p.Next = upperOffset(p.Next)
		out = append(out, p)
	}
	return out
}

// Stat returns what the directory is, also when it has no name any more.
func (h *directory) Stat() (at.Info, error) {
	l, n := h.l, h.n
	l.mu.RLock()
	defer l.mu.RUnlock()
	if n.kept || n.Base == "" {
		return l.info(n)
	}
	return l.root.Lstat(string(n.Base))
}

// Sync makes everything durable that was done before.
func (h *directory) Sync() error { return h.l.syncLog() }
