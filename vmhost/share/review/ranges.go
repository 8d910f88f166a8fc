package review

import (
	"errors"
	"io"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
)

// Of a large original only what changes is copied, in granules, when its file
// system cannot share blocks. The rest is read from the original for as long as
// nobody else changes it (ErrMixed).
const (
	granule  = 64 << 10
	partAt   = 32 << 20 // bytes from which on an original is large
	maxPart  = 1 << 40  // bytes up to which granules are counted
	maxAhead = 512      // granules that are taken over ahead of a program
)

// readPart reads a node of which only parts are in its object; n.io is held.
func (l *contents) readPart(n *node, p []byte, off int64) (done int, err error) {
	info, err := at.Stat(n.upper)
	if err != nil {
		return 0, err
	}
	short := off+int64(len(p)) > info.Size
	if short {
		p = p[:max(info.Size-off, 0)]
	}
	checked := false
	for len(p) > 0 {
		i := off / granule
		end := min((i+1)*granule, off+int64(len(p)))
		src := n.upper
		if off < n.src.low && !n.have.Has(i) {
			if src, end = n.lower, min(end, n.src.low); !checked {
				if err := n.whole(); err != nil {
					return done, err
				}
				checked = true
			}
		}
		c, err := src.ReadAt(p[:end-off], off)
		done, off, p = done+c, off+int64(c), p[c:]
		if err != nil && c < int(end-off+int64(c)) {
			return done, err
		}
	}
	if short {
		err = io.EOF
	}
	return done, err
}

// whole returns ErrMixed when the original below an object is not as it was; n.io is
// held.
func (n *node) whole() error {
	if n.src.busy {
		return nil // Apply was writing the parts of the object into it
	}
	info, err := at.Stat(n.lower)
	if err != nil {
		return err
	}
	if info.ID != n.src.orig.ID || !n.src.orig.untouched(stampOf(info, "")) {
		return ErrMixed
	}
	return nil
}

// fill copies what a change of a range leaves of the granules at its ends;
// n.io is held for writing.
func (l *contents) fill(n *node, off, size int64) error {
	first, last := off/granule, (off+size-1)/granule
	if err := l.fetch(n, first, off > first*granule || off+size < (first+1)*granule); err != nil {
		return err
	}
	return l.fetch(n, last, off+size < (last+1)*granule)
}

// fetch copies a granule of the original into the object.
func (l *contents) fetch(n *node, i int64, needed bool) error {
	start := i * granule
	if !needed || start >= n.src.low || n.have.Has(i) {
		return nil
	}
	if err := n.whole(); err != nil {
		return err
	}
	buf := make([]byte, min(granule, n.src.low-start))
	c, err := n.lower.ReadAt(buf, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if _, err := n.upper.WriteAt(buf[:c], start); err != nil {
		return err
	}
	return nil
}

// further takes granules over ahead of a program that goes on where it was, so that
// it waits for the disk ever more seldom, and returns the last one; n.io is held for
// writing.
func (l *contents) further(n *node, first, last int64) int64 {
	if first == n.next {
		n.ahead = min(max(2*n.ahead, 1), maxAhead)
	} else {
		n.ahead = 0
	}
	for range n.ahead {
		i := last + 1
		if i*granule >= n.src.low || n.have.Has(i) || l.reserve(granule) != nil || l.fetch(n, i, true) != nil {
			break
		}
		last = i
	}
	n.next = last + 1
	return last
}

// recordRanges makes a range durable in the object and writes down that it is there; n.io is
// held for writing.
func (l *contents) recordRanges(n *node, off, size int64) error {
	first, last := off/granule, (min(off+size, n.src.low)-1)/granule
	if size <= 0 || off >= n.src.low {
		return nil
	}
	for first <= last && n.have.Has(first) {
		first++
	}
	for first <= last && n.have.Has(last) {
		last--
	}
	if first > last {
		return nil
	}
	l.mu.RLock()
	dropped := n.dropped
	l.mu.RUnlock()
	if !dropped {
		last = l.further(n, first, last)
		if err := at.Sync(n.upper); err != nil {
			return err
		}
		l.step("granules-durable")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n.dropped {
		n.have.Add(spans.Span{Off: first, End: last + 1})
		return nil
	}
	return l.commit(&record{Ranges: []rangeRec{{N: n.N, First: first, Count: last - first + 1}}})
}
