package review

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// maxSum is the longest file in bytes that is hashed. Files that are mostly holes are not
// hashed either: a list reads all that it hashes.
const maxSum = 64 << 30

// sumKey says which content a hash is of.
type sumKey struct {
	obj  uint64 // 0: of an original
	base string
	id   at.ID
	size int64
	m, c moment
}

// sums are hashes that were computed.
type sums struct {
	mu sync.Mutex
	m  map[sumKey]string
}

func (s *sums) get(k sumKey) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[k]
}

func (s *sums) put(k sumKey, sum string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[sumKey]string{}
	}
	s.m[k] = sum
}

// keep forgets hashes of what is not in the list any more.
func (s *sums) keep(used map[sumKey]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.m {
		if !used[k] {
			delete(s.m, k)
		}
	}
}

// hash fills in the hashes of a delta whose content may differ.
func (l *changeList) hash(ctx context.Context, d *delta, used map[sumKey]bool) error {
	if d.change.Kind != at.File.String() || !d.content {
		return nil
	}
	if d.change.After != nil {
		sum, err := l.sumOf(ctx, d.node, used)
		if err != nil {
			return err
		}
		d.change.After.SHA256 = sum
	}
	if d.change.Before != nil && d.change.Before.SHA256 == "" {
		d.change.Before.SHA256 = l.sumBefore(ctx, d.source, d.before, used)
	}
	return ctx.Err()
}

// sumOf returns the hash of what a file is now, "" when it is not whole, gone or not here.
func (l *changeList) sumOf(ctx context.Context, n *node, used map[sumKey]bool) (string, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return "", ErrClosed
	}
	info, err := l.info(n)
	part := n.Part
	k := sumKey{obj: n.Obj, base: string(n.Base), id: info.ID, size: info.Size, m: momentOf(info.MTime), c: momentOf(info.CTime)}
	if n.Obj == 0 && err == nil {
		info, err = l.root.Lstat(string(n.Base))
		k.c = momentOf(info.CTime)
	}
	away := (n.Obj == 0 || part) && l.away(string(n.Base))
	n.opens++
	l.mu.Unlock()
	f := l.file(n)
	defer f.Close()
	if err != nil || away || info.Size > maxSum {
		return "", nil
	}
	used[k] = true
	if sum := l.sums.get(k); sum != "" {
		return sum, nil
	}
	n.io.Lock()
	err = l.ensure(n)
	hollow := err == nil && n.hollow(info.Size)
	n.io.Unlock()
	if err != nil || hollow {
		return "", nil
	}
	sum, err := hashOf(ctx, f)
	switch {
	case errors.Is(err, ErrMixed), errors.Is(err, ErrDamaged):
		return "", nil
	case err == nil && !part: // a part may be changed below
		l.sums.put(k, sum)
	}
	return sum, err
}

// hollow reports whether the content of n, which has size bytes and is open, is mostly holes; n.io is
// held.
func (n *node) hollow(size int64) bool {
	var files []*os.File
	for _, f := range []*os.File{n.lower, n.upper} {
		if f != nil {
			files = append(files, f)
		}
	}
	return at.Hollow(size, files...)
}

// away reports whether the content of an original is only with a cloud service: a list downloads
// nothing.
func (l *base) away(rel string) bool {
	info, err := l.root.Lstat(rel)
	return err == nil && info.Online
}

// sumBefore returns the hash of an original, "" when it is not as it was, or not here.
func (l *changeList) sumBefore(ctx context.Context, base string, was *stamp, used map[sumKey]bool) string {
	if l.away(base) {
		return ""
	}
	f, info, err := l.openOriginal(base)
	if err != nil {
		return ""
	}
	defer f.Close()
	if !was.untouched(stampOf(info, "")) {
		return ""
	}
	k := sumKey{base: base, id: info.ID, size: info.Size, m: momentOf(info.MTime), c: momentOf(info.CTime)}
	used[k] = true
	if sum := l.sums.get(k); sum != "" {
		return sum
	}
	if at.Hollow(info.Size, f) {
		return ""
	}
	sum, err := hashOf(ctx, f)
	if err != nil {
		return ""
	}
	l.sums.put(k, sum)
	return sum
}

// hashOf returns the SHA-256 of a file, unless ctx ends.
func hashOf(ctx context.Context, f io.ReaderAt) (string, error) { return journal.Sum(ctx, f) }
