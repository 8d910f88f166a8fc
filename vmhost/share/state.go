package share

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// DefaultStateBytes is how much a state may hold unless its caller says otherwise.
const DefaultStateBytes = 2 << 30

// AddState gives the guest the directory dir of the host, which is there already,
// as what belongs to its task and not to a person. It is found in the virtual root
// by the name wire.StateName and not listed there; nothing of it is journalled or
// asked about. The confinement is that of a folder. The directory
// wire.StateUploads in it, which is made when it is missing, is read-only for the
// guest.
//
// What the guest makes holds at most maxBytes, 0 for DefaultStateBytes: contents
// by their size in blocks of 4 KiB, holes too, and one block for every name. More
// is refused with ENOSPC. What is there already counts, uploads do not; neither
// does what the host changes later. A Set has one state at most (ErrDuplicate).
func (s *Set) AddState(dir string, maxBytes int64) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("sharing the state %q: not an absolute path", dir)
	}
	store, err := newState(dir, maxBytes)
	if err != nil {
		return fmt.Errorf("sharing the state %q: %w", dir, err)
	}
	t := newTree(s, Folder{ID: wire.StateName, Path: dir, Name: wire.StateName}, store)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		err = ErrClosed
	case s.state != nil:
		err = ErrDuplicate
	}
	if err != nil {
		t.close()
		return fmt.Errorf("sharing the state %q: %w", dir, err)
	}
	s.state = t
	return nil
}

const (
	stateBlock = 4096 // bytes in which a state is counted; a name is one
	// stateDepth is how deep directories may be for a state to be counted; a deeper
	// one counts as full.
	stateDepth = 256
)

// state is the directory of a task as a Store. A File's size changes under its
// content's lock, names under the state's, so that what is counted is what is
// there.
type state struct {
	Store // the directory itself
	max   int64

	mu   sync.Mutex         // held by what opens, makes and removes names
	open map[at.ID]*content // files that are open

	count sync.Mutex
	used  int64
}

// content is a file that is open. A name may be gone before it.
type content struct {
	id      at.ID
	handles int  // state.mu
	gone    bool // state.mu: it has no name, and is counted until it is closed

	mu   sync.Mutex // held while the file is changed
	size int64      // as counted
}

func newState(dir string, maxBytes int64) (*state, error) {
	maxBytes = cmp.Or(maxBytes, DefaultStateBytes)
	root, err := at.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s := &state{Store: journal.Unrecorded(root), max: maxBytes, open: map[at.ID]*content{}}
	if err := s.begin(root); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// begin makes what has to be there and counts what is.
func (s *state) begin(root *at.Root) error {
	_, err := s.Store.Mkdir(wire.StateUploads, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := root.Lstat(wire.StateUploads)
	if err == nil && info.Kind != at.Directory {
		err = &fs.PathError{Op: "open", Path: wire.StateUploads, Err: errNotDirectory}
	}
	if err != nil {
		return err
	}
	d, err := root.Dir(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return s.survey(d, map[at.ID]bool{}, 0)
}

// survey counts what is in a directory. No guest sees it yet.
func (s *state) survey(d *at.Dir, seen map[at.ID]bool, depth int) error {
	names, err := d.Names(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if depth == 0 && strings.EqualFold(name, wire.StateUploads) {
			continue
		}
		info, err := d.Lstat(name)
		if err != nil {
			return err
		}
		s.used += stateBlock
		switch {
		case info.Kind == at.File && !seen[info.ID]:
			seen[info.ID] = info.NLink > 1
			s.used += blocks(info.Size)
		case info.Kind == at.Directory && depth >= stateDepth:
			s.used = max(s.used, s.max)
		case info.Kind == at.Directory:
			sub, err := d.Sub(name)
			if err != nil {
				return err
			}
			err = s.survey(sub, seen, depth+1)
			sub.Close()
			if err != nil {
				return err
			}
		}
		if s.used >= s.max {
			return nil // full, however much more there is
		}
	}
	return nil
}

// blocks is what a content of so many bytes counts.
func blocks(size int64) int64 { return (size + stateBlock - 1) / stateBlock * stateBlock }

// pay counts what is about to be there, when there is room for it.
func (s *state) pay(n int64) error {
	s.count.Lock()
	defer s.count.Unlock()
	if n > s.max-s.used {
		return errNoSpace
	}
	s.used += n
	return nil
}

// back takes back what is not there any more.
func (s *state) back(n int64) {
	s.count.Lock()
	defer s.count.Unlock()
	s.used = max(0, s.used-n)
}

// paid makes a name when there is room for one.
func (s *state) paid(make func() error) error {
	if err := s.pay(stateBlock); err != nil {
		return err
	}
	err := make()
	if err != nil {
		s.back(stateBlock)
	}
	return err
}

// kept reports whether a path is the directory of uploads or in it, however a host
// spells that.
func kept(rel string) bool {
	first, _, _ := strings.Cut(rel, "/")
	return strings.EqualFold(first, wire.StateUploads)
}

// change makes a change of names, none of which may be of the uploads.
func (s *state) change(call func() error, paths ...string) error {
	for _, p := range paths {
		if kept(p) {
			return ErrReadOnly
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return call()
}

func (s *state) Space() (at.Space, error) {
	host, err := s.Store.Space()
	if err != nil {
		return host, err
	}
	s.count.Lock()
	left := uint64(max(0, s.max-s.used)) / stateBlock
	s.count.Unlock()
	left = min(left, host.Available*uint64(host.Block)/stateBlock)
	return at.Space{Block: stateBlock, Blocks: uint64(s.max) / stateBlock, Free: left, Available: left}, nil
}

func (s *state) Original(string) (bool, error) { return false, nil }

func (s *state) Taken(string) (bool, error) { return false, nil }

func (s *state) Open(rel string, write bool) (h Handle, info at.Info, err error) {
	if kept(rel) {
		if write {
			return nil, info, ErrReadOnly
		}
		return s.Store.Open(rel, false)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, info, err = s.Store.Open(rel, write); err != nil {
		return nil, info, err
	}
	return s.hold(h, info), info, nil
}

func (s *state) Create(rel string, perm uint32) (h Handle, info at.Info, err error) {
	err = s.change(func() error {
		return s.paid(func() error {
			if h, info, err = s.Store.Create(rel, perm|ownerFile); err == nil {
				h = s.hold(h, info)
			}
			return err
		})
	}, rel)
	return h, info, err
}

// hold makes an open file one that is counted. mu is held.
func (s *state) hold(h Handle, info at.Info) Handle {
	if info.Kind != at.File {
		return h
	}
	c := s.open[info.ID]
	if c == nil {
		c = &content{id: info.ID, size: info.Size}
		s.open[info.ID] = c
	}
	c.handles++
	return &stateFile{Handle: h, s: s, c: c}
}

// release counts a file out that is closed and has no name.
func (s *state) release(c *content) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.handles--; c.handles > 0 {
		return
	}
	delete(s.open, c.id)
	if c.gone {
		s.back(blocks(c.size))
	}
}

// removed counts a name out that is gone, and what it was the last one of. mu is
// held.
func (s *state) removed(info at.Info) {
	s.back(stateBlock)
	if info.Kind != at.File || info.NLink > 1 {
		return
	}
	if c := s.open[info.ID]; c != nil {
		c.gone = true
		return
	}
	s.back(blocks(info.Size))
}

// The rights of the owner that stay: the host reads a state and removes it.
const (
	ownerFile = 0o600
	ownerDir  = 0o700
)

func (s *state) Mkdir(rel string, perm uint32) (info at.Info, err error) {
	err = s.change(func() error {
		return s.paid(func() error { info, err = s.Store.Mkdir(rel, perm|ownerDir); return err })
	}, rel)
	return info, err
}

func (s *state) Symlink(target, rel string) (info at.Info, err error) {
	err = s.change(func() error {
		return s.paid(func() error { info, err = s.Store.Symlink(target, rel); return err })
	}, rel)
	return info, err
}

func (s *state) Link(old, rel string) (info at.Info, err error) {
	err = s.change(func() error {
		return s.paid(func() error { info, err = s.Store.Link(old, rel); return err })
	}, old, rel)
	return info, err
}

func (s *state) Rename(old, rel string, noReplace bool) error {
	return s.change(func() error {
		from, err := s.Lstat(old)
		if err != nil {
			return err
		}
		there, missing := s.Lstat(rel)
		if err := s.Store.Rename(old, rel, noReplace); err != nil {
			return err
		}
		if missing == nil && there.ID != from.ID {
			s.removed(there)
		}
		return nil
	}, old, rel)
}

func (s *state) Remove(rel string) error { return s.remove(rel, s.Store.Remove) }

func (s *state) RemoveDir(rel string) error { return s.remove(rel, s.Store.RemoveDir) }

func (s *state) remove(rel string, do func(string) error) error {
	return s.change(func() error {
		info, err := s.Lstat(rel)
		if err == nil {
			err = do(rel)
		}
		if err == nil {
			s.removed(info)
		}
		return err
	}, rel)
}
