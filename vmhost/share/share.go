package share

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// Folder is a folder of the host that a guest may see.
type Folder struct {
	ID       string // unique in the set
	Path     string // absolute, on the host
	Name     string // wished for in the guest; "" is the last part of Path
	ReadOnly bool
}

// Options of a Set. The zero value is valid.
type Options struct{}

// Set is the folders that one guest sees: the content of the virtual root. Its
// methods may be called from several goroutines at once, also while it is
// served: a folder that is added appears, one that is removed is gone for new
// look-ups.
type Set struct {
	mu      sync.RWMutex
	folders map[string]*Mounted // by name in the guest
	changed time.Time
	gen     uint32
	closed  bool
}

// Mounted is a folder in a Set, as front ends use it.
type Mounted struct {
	Folder
	Root  *at.Root
	Files *journal.Folder // makes the changes
}

// NewSet makes an empty set.
func NewSet(Options) *Set {
	return &Set{folders: map[string]*Mounted{}, changed: time.Now()}
}

// ErrClosed is returned by Add after Close.
var ErrClosed = errors.New("the set of folders is closed")

// Add opens a folder and puts it into the virtual root, under its name or,
// when that is taken, under one made unique; the returned Folder says which.
// Changes go through j; without a journal the folder must be read-only.
func (s *Set) Add(f Folder, j *journal.Journal) (Folder, error) {
	if j == nil && !f.ReadOnly {
		return f, fmt.Errorf("share %s: a folder that may be changed needs a journal", f.Path)
	}
	root, err := at.OpenRoot(f.Path)
	if err != nil {
		return f, fmt.Errorf("share %s: %w", f.Path, err)
	}
	files := journal.Unrecorded(root)
	if j != nil && !f.ReadOnly {
		if files, err = j.Folder(f.ID, root); err != nil {
			root.Close()
			return f, fmt.Errorf("share %s: %w", f.Path, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || slices.ContainsFunc(s.list(), func(m *Mounted) bool { return m.ID == f.ID }) {
		files.Close()
		root.Close()
		if s.closed {
			return f, ErrClosed
		}
		return f, fmt.Errorf("share %s: the id %q is taken", f.Path, f.ID)
	}
	f.Name = s.unique(guestName(f))
	s.folders[f.Name] = &Mounted{Folder: f, Root: root, Files: files}
	s.touch()
	return f, nil
}

// Remove takes the folder with this id out of the virtual root. Files that the
// guest has open in it fail from then on.
func (s *Set) Remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, m := range s.folders {
		if m.ID == id {
			delete(s.folders, name)
			m.close()
			s.touch()
		}
	}
}

// Close removes every folder. It is idempotent.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for name, m := range s.folders {
		delete(s.folders, name)
		m.close()
	}
}

// Lookup returns the folder with this name in the guest, nil without one.
func (s *Set) Lookup(name string) *Mounted {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.folders[name]
}

// List returns the folders sorted by name, and what changes when they do.
func (s *Set) List() (folders []*Mounted, changed time.Time, generation uint32) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.list(), s.changed, s.gen
}

func (s *Set) list() []*Mounted {
	all := make([]*Mounted, 0, len(s.folders))
	for _, m := range s.folders {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *Mounted) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (s *Set) touch() {
	s.changed = time.Now()
	s.gen++
}

// unique returns name, or "name (2)" and so on when it is taken.
func (s *Set) unique(name string) string {
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			tail := " (" + strconv.Itoa(n) + ")"
			try = name[:min(len(name), at.MaxName-len(tail))] + tail
		}
		if s.folders[try] == nil {
			return try
		}
	}
}

// guestName is the name that f asks for, made one that every guest can have.
func guestName(f Folder) string {
	name := f.Name
	if name == "" {
		name = filepath.Base(f.Path)
	}
	if at.CheckName(name) != nil {
		return "folder"
	}
	return name
}

func (m *Mounted) close() {
	m.Files.Close()
	m.Root.Close()
}
