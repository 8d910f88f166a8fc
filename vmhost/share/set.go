package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// Errors of a share, beside those of the operating system.
var (
	ErrReadOnly    = errors.New("the folder is read-only")
	ErrTooManyOpen = errors.New("too many open files")
	ErrGone        = store.ErrGone // the folder is not shared any more
	ErrClosed      = errors.New("the share is closed")
	ErrDuplicate   = errors.New("a folder with this id is shared already")
)

// Folder is a directory of the host that a guest may see.
type Folder struct {
	ID       string // of the folder in its task; unique in a Set
	Path     string // on the host, absolute
	Name     string // in the virtual root; "" is the last part of Path
	ReadOnly bool
	Guard    *guard.Guard // decides about changes; nil allows them all
	Bytes    *guard.Guard // counts what is written and downloaded, where no Guard does: in a folder that is read-only or reviewed
}

// Options bound what a guest may make the host hold. The zero value is valid.
type Options struct {
	UID, GID uint32 // who owns everything, as the guest sees it; 0 is 1000
	MaxOpen  int    // open files and directories; 0 is 1,024, or half of what the process may have
	Log      *slog.Logger
	// Gone hears once of a folder whose disk or network drive went while it is shared, from
	// the call that failed; it must not wait. nil is nobody.
	Gone func(Folder)
	// Silent hears once of a folder whose drive does not answer (package drive), so that calls
	// for it never return; it must not wait. nil is nobody.
	Silent func(Folder)
	Counts *Counts // what is asked is counted there; nil: nowhere else
}

// Set is the virtual root: the folders that a guest sees. Folders may be added
// and removed while it is served. Its methods may be called from several
// goroutines at once.
type Set struct {
	opts Options
	log  *slog.Logger

	mu      sync.RWMutex
	trees   map[string]*Tree // by name
	state   *Tree            // AddState, in no list; nil without
	version uint32
	changed time.Time
	closed  bool

	watches sync.Once
	over    chan struct{} // closed when nothing is shared any more

	open    atomic.Int64
	devMu   sync.Mutex
	devices map[uint64]uint64
}

// NewSet returns a Set without folders.
func NewSet(o Options) *Set {
	o.UID = cmp.Or(o.UID, 1000)
	o.GID = cmp.Or(o.GID, 1000)
	if o.MaxOpen == 0 {
		o.MaxOpen = min(1024, maxFiles()/2)
	}
	if o.Counts == nil {
		o.Counts = new(Counts)
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Set{opts: o, log: o.Log, trees: map[string]*Tree{}, changed: time.Now(), over: make(chan struct{}), devices: map[uint64]uint64{}}
}

// Add shares a folder and returns it with the name it got: the one it asked
// for, or one that is not taken yet. Changes are written to j, which stays the
// caller's and must stay open for as long as the folder is shared; without it a
// folder must be read-only.
func (s *Set) Add(f Folder, j *journal.Journal) (Folder, error) {
	if !filepath.IsAbs(f.Path) {
		return f, fmt.Errorf("sharing %q: not an absolute path", f.Path)
	}
	if j == nil && !f.ReadOnly {
		return f, fmt.Errorf("sharing %q: a folder that may be changed needs a journal", f.Path)
	}
	if f.ReadOnly {
		j = nil
	}
	store, err := drive.Await(context.Background(), f.Path, func() (Store, error) { return opened(f.Path, f.ID, j) }, Store.Close)
	if err != nil {
		return f, fmt.Errorf("sharing %q: %w", f.Path, err)
	}
	return s.AddStore(f, store)
}

// AddStore is Add for a folder that a store shows. The store belongs to the Set
// from then on, which closes it, also when this fails.
func (s *Set) AddStore(f Folder, store Store) (Folder, error) {
	if f.Name == "" {
		f.Name = filepath.Base(f.Path)
	}
	f.Name = guestName(f.Name)
	if f.Guard != nil {
		f.Bytes = f.Guard
	}
	var t *Tree
	files, ready := 0, make(chan struct{})
	go func() {
		defer close(ready)
		t = newTree(s, f, store)
		files = t.consent.survey()
	}()
	if err := drive.Wait(context.Background(), ready, drive.Silence(), f.Path); err != nil {
		go func() { <-ready; t.close() }()
		return f, fmt.Errorf("sharing %q: %w", f.Path, err)
	}
	var err error
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		err = ErrClosed
	case slices.ContainsFunc(s.list(), func(o *Tree) bool { return o.folder.ID == f.ID }):
		err = ErrDuplicate
	}
	if err != nil {
		t.close()
		return f, fmt.Errorf("sharing %q: %w", f.Path, err)
	}
	f.Name = s.unique(f.Name)
	t.folder = f
	s.trees[f.Name] = t
	if f.Bytes != nil {
		f.Bytes.Folder(f.ID, f.Name, files)
	}
	s.touch()
	if s.opts.Silent != nil {
		s.watches.Do(func() { go s.watch() })
	}
	return f, nil
}

// guestName makes one component of a name that the guest can have; bytes that
// are no UTF-8 stay as they are.
func guestName(name string) string {
	name = strings.NewReplacer("/", "_", "\\", "_", "\x00", "_").Replace(name)
	const room = 8 // for what unique adds
	if len(name) > at.MaxName-room {
		name = strings.ToValidUTF8(name[:at.MaxName-room], "")
	}
	if name == "" || name == "." || name == ".." || name == "_" {
		return "folder"
	}
	return name
}

func (s *Set) unique(name string) string {
	try := name
	for i := 2; s.trees[try] != nil || try == wire.StateName; i++ {
		try = fmt.Sprintf("%s (%d)", name, i)
	}
	return try
}

// Remove ends the sharing of a folder, if it is shared: its files are closed,
// and the guest finds nothing there any more. It returns when nothing of it is
// in use, or its drive is silent.
func (s *Set) Remove(id string) {
	s.mu.Lock()
	var t *Tree
	for name, x := range s.trees {
		if x.folder.ID == id {
			t = x
			delete(s.trees, name)
		}
	}
	s.touch()
	s.mu.Unlock()
	if t != nil {
		t.close()
	}
}

// Close ends the sharing of all folders and of the state. Journals stay open. It is idempotent,
// and waits for calls under way, as Remove does.
func (s *Set) Close() {
	s.mu.Lock()
	list := s.list()
	if s.state != nil {
		list = append(list, s.state)
	}
	if !s.closed {
		close(s.over)
	}
	s.closed, s.state = true, nil
	clear(s.trees)
	s.touch()
	s.mu.Unlock()
	var closing sync.WaitGroup
	for _, t := range list {
		closing.Go(t.close)
	}
	closing.Wait()
}

func (s *Set) list() []*Tree {
	var out []*Tree
	for _, t := range s.trees {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *Tree) int { return cmp.Compare(a.folder.Name, b.folder.Name) })
	return out
}

// touch notes that the list of folders changed; mu is held.
func (s *Set) touch() {
	s.version++
	s.changed = time.Now()
}

// List returns the shared folders by name, when that list last changed and its
// version.
func (s *Set) List() (trees []*Tree, changed time.Time, version uint32) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.list(), s.changed, s.version
}

// Lookup returns the folder that has a name in the virtual root, or nil. The state
// has one too.
func (s *Set) Lookup(name string) *Tree {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if name == wire.StateName {
		return s.state
	}
	return s.trees[name]
}

// Next returns the folder that has the name of t now, when t is not shared any more; nil
// while it is, and where no other one is.
func (s *Set) Next(t *Tree) *Tree {
	if t.life.Err() == nil {
		return nil
	}
	return s.Lookup(t.folder.Name)
}

// Owner returns the user and group that everything belongs to.
func (s *Set) Owner() (uid, gid uint32) { return s.opts.UID, s.opts.GID }

// RootNumber is the inode number of the virtual root, which no file has.
const RootNumber = 1<<63 | 1

// Number returns the number under which a guest knows an inode: the inode's
// own, made unique over the file systems that the folders lie on.
func (s *Set) Number(id at.ID) uint64 {
	s.devMu.Lock()
	defer s.devMu.Unlock()
	n, ok := s.devices[id.Dev]
	if !ok {
		n = uint64(len(s.devices))
		s.devices[id.Dev] = n
	}
	return id.Ino ^ n<<48
}
