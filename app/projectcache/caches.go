package projectcache

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"piwork/app/durable"
	"piwork/app/problem"
	"piwork/vmhost/qemu"
)

// Dir is the directory of all caches, in the cache directory of piwork.
const Dir = "caches"

// DefaultLimitMB is how much a cache may hold where nobody chose.
const DefaultLimitMB = 10 << 10

// keptLayers is how many files a cache is left with by Tidy, unless it is large: the base, and
// what the last task changed. maxLayers is how many it may have before nothing is kept until it is tidied.
const (
	keptLayers = 2
	maxLayers  = qemu.MaxCacheLayers - 2
)

const (
	stateName = "state.json"
	baseName  = "base.qcow2"
	dirPrefix = "c-"
	maxState  = 64 << 10 // bytes of state.json
)

// Cache is a cache as people see it.
type Cache struct {
	ID      string    `json:"id"`
	Project Project   `json:"project"`
	Bytes   int64     `json:"bytes"`
	LimitMB int64     `json:"limitMb"`
	Used    time.Time `json:"used"` // when a task last began with it
	InUse   bool      `json:"inUse"`
	CanBack bool      `json:"canBack"` // what the last task changed can be taken out of it
}

// state is what state.json holds.
type state struct {
	V       int       `json:"v"`
	Project Project   `json:"project"`
	Layers  []string  `json:"layers"`            // names of files, the base first
	Merging bool      `json:"merging,omitempty"` // the first layer is being merged into the base, or was in part
	Next    int       `json:"next"`              // number of the next file
	LimitMB int64     `json:"limitMb"`
	Used    time.Time `json:"used"`
}

// canBack reports whether the last layer can be taken away: a base that has a part of the
// first layer is sound only below that layer.
func (s state) canBack() bool {
	return len(s.Layers) > 2 || len(s.Layers) == 2 && !s.Merging
}

// Merge writes what the file top has into base, on which it is (qemu.MergeCache).
type Merge func(ctx context.Context, top, base string) error

// Options say where caches are.
type Options struct {
	Dir   string     // made when it is needed
	Limit func() int // MiB of one cache, of tasks that begin; nil and 0 are DefaultLimitMB
	Log   *slog.Logger
	Now   func() time.Time

	// at, when not nil, is called before each step that changes something on the disk; its
	// error ends there, as a kill would. Of tests.
	at func(step string) error
}

// Caches has the caches of one data directory. It is safe for concurrent use.
type Caches struct {
	o Options

	mu    sync.Mutex
	inUse map[string]*use // by id
}

// use is what goes on with a cache.
type use struct {
	tasks  int                // at work with it
	writer bool               // the changes of one of them are to be kept
	tidy   context.CancelFunc // ends tidying; nil while nobody does
	tidied chan struct{}      // closed when that is over
}

// New makes a Caches; nothing is read or written yet.
func New(o Options) *Caches {
	if o.Limit == nil {
		o.Limit = func() int { return 0 }
	}
	return &Caches{o: o, inUse: map[string]*use{}}
}

func (c *Caches) limit() int64 { return int64(cmp.Or(c.o.Limit(), DefaultLimitMB)) }

func (c *Caches) step(name string) error {
	if c.o.at == nil {
		return nil
	}
	return c.o.at(name)
}

func (c *Caches) dir(id string) string { return filepath.Join(c.o.Dir, dirPrefix+id) }

// List returns the caches, those that were used last first.
func (c *Caches) List(context.Context) ([]Cache, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids, err := c.ids()
	if err != nil {
		return nil, problem.From(err)
	}
	out := []Cache{}
	for _, id := range ids {
		s, err := c.read(id)
		if err != nil {
			c.o.Log.Warn("a cache cannot be read", "cache", id, "error", err)
			s = state{Project: Project{Name: id}}
		}
		bytes, _, err := durable.SizeOf(c.dir(id))
		if err != nil {
			return nil, problem.From(err)
		}
		out = append(out, Cache{ID: id, Project: s.Project, Bytes: bytes, LimitMB: s.LimitMB, Used: s.Used, InUse: c.busy(id), CanBack: s.canBack()})
	}
	slices.SortStableFunc(out, func(a, b Cache) int { return b.Used.Compare(a.Used) })
	return out, nil
}

// busy reports whether tasks are at work with a cache; c.mu is held.
func (c *Caches) busy(id string) bool { return c.inUse[id] != nil && c.inUse[id].tasks > 0 }

// Empty removes all that is in a cache, and the cache: the next task of its project begins
// with nothing.
func (c *Caches) Empty(ctx context.Context, id string) error {
	if !validID(id) {
		return problem.New(problem.CodeNotFound).With("what", "cache").With("name", id)
	}
	if err := c.lockQuiet(ctx, id); err != nil {
		return err
	}
	defer c.mu.Unlock()
	if _, err := os.Lstat(c.dir(id)); errors.Is(err, fs.ErrNotExist) {
		return problem.New(problem.CodeNotFound).With("what", "cache").With("name", id)
	}
	if c.busy(id) {
		return problem.New(problem.CodeCacheInUse).With("cache", id)
	}
	if err := c.remove(id); err != nil {
		return problem.From(err)
	}
	return nil
}

// Back takes out of a cache what the last task changed that was kept: the next one begins as
// that one did.
func (c *Caches) Back(ctx context.Context, id string) error {
	if !validID(id) {
		return problem.New(problem.CodeNotFound).With("what", "cache").With("name", id)
	}
	if err := c.lockQuiet(ctx, id); err != nil {
		return err
	}
	defer c.mu.Unlock()
	s, err := c.read(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return problem.New(problem.CodeNotFound).With("what", "cache").With("name", id)
	case errors.Is(err, errDamaged), errors.Is(err, errNewer):
		return problem.New(problem.CodeCacheNoWayBack).With("cache", id).Because(err)
	case err != nil:
		return problem.From(err)
	case c.busy(id):
		return problem.New(problem.CodeCacheInUse).With("cache", id)
	case !s.canBack():
		return problem.New(problem.CodeCacheNoWayBack).With("cache", id)
	}
	last := len(s.Layers) - 1
	file := filepath.Join(c.dir(id), s.Layers[last])
	s.Layers = s.Layers[:last]
	if err := c.write(s); err != nil {
		return problem.From(err)
	}
	if err := c.step("unlink"); err != nil {
		return problem.From(err)
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) { // the next task removes it
		return problem.From(err)
	}
	return nil
}

// remove removes a cache: without its state it is none, whatever is still there.
func (c *Caches) remove(id string) error {
	if err := c.step("forget"); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(c.dir(id), stateName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := c.step("remove"); err != nil {
		return err
	}
	return os.RemoveAll(c.dir(id))
}

// Errors of read: errDamaged says that a state is none of piwork, errNewer that a later version
// of it may know what this one does not.
var (
	errDamaged = errors.New("damaged, or of another program")
	errNewer   = errors.New("of a later version of piwork")
)

// read returns the state of a cache; c.mu is held.
func (c *Caches) read(id string) (state, error) {
	path := filepath.Join(c.dir(id), stateName)
	fi, err := os.Lstat(path)
	if err != nil {
		return state{}, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > maxState {
		return state{}, fmt.Errorf("%s: %w", path, errDamaged)
	}
	b, err := durable.ReadFile(path)
	if err != nil {
		return state{}, err
	}
	var s state
	if err := json.Unmarshal(b, &s); err != nil {
		return state{}, fmt.Errorf("%s: %w: %w", path, errDamaged, err)
	}
	if s.V > 1 {
		return state{}, fmt.Errorf("%s: %w", path, errNewer)
	}
	if s.V != 1 || s.Project.ID() != id || len(s.Layers) == 0 || len(s.Layers) > qemu.MaxCacheLayers || s.Layers[0] != baseName {
		return state{}, fmt.Errorf("%s is of another cache: %w", path, errDamaged)
	}
	for _, l := range s.Layers {
		if l != baseName && l != layerName(numberOf(l)) {
			return state{}, fmt.Errorf("%s names the file %q: %w", path, l, errDamaged)
		}
	}
	return s, nil
}

func layerName(n int) string { return fmt.Sprintf("layer-%d.qcow2", n) }

// numberOf is the number in the name of a layer, -1 for what is none.
func numberOf(name string) int {
	n := -1
	if _, err := fmt.Sscanf(name, "layer-%d.qcow2", &n); err != nil || n < 0 {
		return -1
	}
	return n
}

// write replaces the state of a cache; c.mu is held.
func (c *Caches) write(s state) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := c.step("state"); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(c.dir(s.Project.ID()), stateName), b)
}

// files are the paths of the layers, the topmost first.
func (c *Caches) files(s state) (out []string) {
	for _, l := range slices.Backward(s.Layers) {
		out = append(out, filepath.Join(c.dir(s.Project.ID()), l))
	}
	return out
}

// whole checks that all files of a state are there and good to be opened.
func (c *Caches) whole(s state) error {
	for _, f := range c.files(s) {
		if _, err := qemu.CheckCacheFile(f); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes what the state of a cache does not name; nobody uses it.
func (c *Caches) sweep(s state) error {
	dir := c.dir(s.Project.ID())
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != stateName && !slices.Contains(s.Layers, e.Name()) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// Sweep removes what a program that was killed left in caches that nobody uses: the files of its
// tasks, and what had no state yet. A cache that cannot be read stays.
func (c *Caches) Sweep() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids, err := c.ids()
	for _, id := range ids {
		if c.inUse[id] != nil {
			continue
		}
		s, rerr := c.read(id)
		switch {
		case rerr == nil:
			err = errors.Join(err, c.sweep(s))
		case errors.Is(rerr, fs.ErrNotExist):
			err = errors.Join(err, c.remove(id))
		}
	}
	return err
}

// ids are those of all caches.
func (c *Caches) ids() (out []string, err error) {
	entries, err := os.ReadDir(c.o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		if id, ok := strings.CutPrefix(e.Name(), dirPrefix); ok && validID(id) {
			out = append(out, id)
		}
	}
	return out, err
}

// create makes a cache of an empty disk. Without its state, which comes last, it is none.
func (c *Caches) create(p Project, empty string) (state, error) {
	dir := c.dir(p.ID())
	if err := c.step("clear"); err != nil {
		return state{}, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return state{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return state{}, err
	}
	if err := c.step("base"); err != nil {
		return state{}, err
	}
	if err := copyFile(filepath.Join(dir, baseName), empty); err != nil {
		return state{}, err
	}
	if err := errors.Join(durable.SyncDir(dir), durable.SyncDir(c.o.Dir)); err != nil {
		return state{}, err
	}
	s := state{V: 1, Project: p, Layers: []string{baseName}, Next: 1, LimitMB: c.limit(), Used: c.o.Now().UTC()}
	return s, c.whole(s)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
