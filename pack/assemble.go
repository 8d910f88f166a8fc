package pack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// Names of assemblies in a store.
const (
	assemblyPrefix = ".assembly-" // and the first digits of the manifest's digest
	assemblyDigits = 16
	assemblyTree   = "tree" // what becomes the version
	assemblyLock   = "lock" // held as long as an Assembly is open; its time is that of the last use
)

// assemblyAge is how long an assembly that nobody goes on with is kept.
const assemblyAge = 14 * 24 * time.Hour

// AssembleOptions of [Assemble]; the zero value is valid.
type AssembleOptions struct {
	Policy   spec.Policy
	From     []*Installed  // versions to take chunks from; damaged ones do no harm
	Progress spec.Progress // of unpacked bytes that are in place, while Assemble runs
	Wait     bool          // for another change of the store, instead of ErrBusy
}

// Assembly is a version that comes together from chunks, of which some are taken
// from other versions and the rest is fetched. It outlives the program: what is
// in place is found again by its hashes, so that no record of it can be wrong.
//
// Missing and Put may be called from several goroutines at once; Finish, Close
// and Abandon once, when no other call is under way.
type Assembly struct {
	head   *Head
	store  *Store
	keys   *trust.KeyRing
	policy spec.Policy
	name   string // in the store

	root  *os.Root // of the store
	stage *stage
	lock  *flock.Flock
	dec   *zstd.Decoder

	same map[[32]byte][]int // chunks with the same content

	mu   sync.Mutex
	have []bool
}

// Assemble begins or resumes the assembly of a pack whose head is verified. It
// looks at what an earlier attempt left, takes from o.From what the two have in
// common, each chunk verified while it is copied, and leaves the rest to
// [Assembly.Put]. Unfinished assemblies of other packs are used up in the same
// way and removed.
//
// It takes the lock of the store for as long as it runs, and the one of the
// assembly ([spec.ErrBusy]) until that is closed. Too little space for what is not in
// place yet is a [spec.SpaceError], before anything is written. What a cancelled call
// copied stays for the next one. A version that is there is replaced in the end,
// unless something runs on it ([ErrInUse]).
func Assemble(ctx context.Context, h *Head, s *Store, keys *trust.KeyRing, o AssembleOptions) (*Assembly, error) {
	a, err := assemble(ctx, h, s, keys, o)
	if err != nil {
		return nil, fmt.Errorf("assemble pack %s: %w", h.Manifest.Version, err)
	}
	return a, nil
}

func assemble(ctx context.Context, h *Head, s *Store, keys *trust.KeyRing, o AssembleOptions) (_ *Assembly, err error) {
	if err := o.Policy.Accept(h.Manifest); err != nil {
		return nil, err
	}
	unlock, err := s.lock(ctx, o.Wait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.replaceable(h.Manifest.Version); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, err
	}
	a := &Assembly{
		head: h, store: s, keys: keys, policy: o.Policy, root: root,
		name: assemblyPrefix + h.Digest[:assemblyDigits],
		same: map[[32]byte][]int{}, have: make([]bool, len(h.Chunks.Chunks)),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if err := s.sweep(root); err != nil {
		return nil, fmt.Errorf("tidy up: %w", err)
	}
	// "None" must be written down: a lost pointer would be taken for the newest.
	if err := s.ensurePointer(root); err != nil {
		return nil, err
	}
	for i, c := range h.Chunks.Chunks {
		a.same[c.Sum] = append(a.same[c.Sum], i)
	}
	if a.dec, err = newChunkDecoder(0); err != nil {
		return nil, err
	}
	if err := a.open(ctx); err != nil {
		return nil, err
	}
	sources := []*source{{root: a.stage.dir, index: h.Chunks, layout: h.layout}}
	for _, in := range append(slices.Clone(o.From), a.others()...) {
		x, l, err := indexOf(in)
		if err != nil {
			continue // damaged: then there is nothing to take
		}
		dir, err := in.root()
		if err != nil {
			continue
		}
		defer dir.Close()
		sources = append(sources, &source{root: dir, index: x, layout: l})
	}
	if err := a.copy(ctx, sources, o.Progress); err != nil {
		return nil, err
	}
	err = s.removeAssemblies(root, func(name string, _ time.Time) bool { return name != a.name })
	return a, err
}

// others are the unfinished assemblies in the store, of versions that came before
// this one could be finished: what was fetched for them is not lost.
func (a *Assembly) others() []*Installed {
	entries, err := fs.ReadDir(a.root.FS(), ".")
	if err != nil {
		return nil
	}
	var list []*Installed
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), assemblyPrefix) || e.Name() == a.name {
			continue
		}
		if in, err := openInstalled(filepath.Join(a.store.dir, e.Name(), assemblyTree), a.keys, a.policy, spec.ParseManifest); err == nil {
			list = append(list, in)
		}
	}
	return list
}

// open makes the staging directory what it has to be, and finds what is in place.
func (a *Assembly) open(ctx context.Context) error {
	s, tree := a.store, path.Join(a.name, assemblyTree)
	s.step("assembly")
	if err := a.root.Mkdir(a.name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	l := flock.New(filepath.Join(s.dir, a.name, assemblyLock), flock.SetPermissions(0o600))
	switch ok, err := l.TryLock(); {
	case err != nil:
		return fmt.Errorf("lock the assembly: %w", err)
	case !ok:
		return spec.ErrBusy
	}
	a.lock = l
	now := time.Now()
	if err := a.root.Chtimes(path.Join(a.name, assemblyLock), now, now); err != nil {
		return err
	}
	err := a.tree(ctx, tree)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if _, is := errors.AsType[*spec.SpaceError](err); is {
		return err
	}
	// Something in it is not as this program makes it.
	if err := a.closeStage(); err != nil {
		return err
	}
	s.step("start over")
	if err := a.root.RemoveAll(tree); err != nil {
		return err
	}
	clear(a.have)
	return a.tree(ctx, tree)
}

// tree opens or makes the tree with every file in its full length; what is
// missing in it are holes.
func (a *Assembly) tree(ctx context.Context, name string) error {
	var err error
	a.stage, err = openStage(a.store, a.root, name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := a.store.space(need(a.head.Manifest)); err != nil {
			return err
		}
		a.stage, err = newStage(a.store, a.root, name)
	}
	if err != nil {
		return err
	}
	if err := a.scan(ctx); err != nil {
		return err
	}
	if err := a.store.space(a.left()); err != nil {
		return err
	}
	a.store.step("files")
	for name, data := range map[string][]byte{spec.ManifestName: a.head.raw, spec.SignatureName: a.head.sig, spec.ChunksName: a.head.index} {
		if have, err := readBounded(a.stage.dir, name, int64(len(data))); err == nil && string(have) == string(data) {
			continue
		}
		if err := a.stage.dir.RemoveAll(name); err != nil {
			return err
		}
		if err := a.stage.write(name, 0o644, data); err != nil {
			return err
		}
	}
	for _, f := range a.head.layout.files {
		if err := a.size(f); err != nil {
			return err
		}
	}
	return checkTree(ctx, a.stage.dir, a.head.Manifest)
}

// size makes a file if it is not there, and gives it its length. What is in it
// stays: scan has looked at it.
func (a *Assembly) size(f spec.File) error {
	name := filepath.FromSlash(f.Path)
	info, err := a.stage.dir.Lstat(name)
	switch {
	case err == nil && info.Mode().IsRegular():
		a.stage.know(f.Path)
		if info.Size() == f.Size {
			return nil
		}
		t, err := a.stage.dir.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(t.Truncate(f.Size), t.Close())
	case err == nil:
		if err := a.stage.dir.RemoveAll(name); err != nil {
			return err
		}
	}
	a.store.step("file")
	t, err := a.stage.create(f.Path, fs.FileMode(f.Mode))
	if err != nil {
		return err
	}
	return errors.Join(t.Truncate(f.Size), t.Close())
}

// left is what is still to be written, in bytes.
func (a *Assembly) left() uint64 {
	var n uint64
	for i, c := range a.head.Chunks.Chunks {
		if !a.have[i] {
			n += uint64(c.Size)
		}
	}
	return n + uint64(len(a.head.Manifest.Files))*fileOverhead
}

// scan finds the chunks that are in place.
func (a *Assembly) scan(ctx context.Context) error {
	own := &source{root: a.stage.dir, index: a.head.Chunks, layout: a.head.layout}
	g, ctx := errgroup.WithContext(ctx)
	for w := range runtime.GOMAXPROCS(0) {
		g.Go(func() error {
			var buf []byte
			for i := w; i < len(a.have); i += runtime.GOMAXPROCS(0) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				buf, a.have[i] = own.read(i, buf)
			}
			return nil
		})
	}
	return g.Wait()
}

// copy takes over what sources have.
func (a *Assembly) copy(ctx context.Context, sources []*source, progress spec.Progress) error {
	type origin struct {
		source *source
		index  int
	}
	from := map[[32]byte]origin{}
	for _, s := range sources {
		for i, c := range s.index.Chunks {
			if _, ok := from[c.Sum]; !ok && (s.index != a.head.Chunks || a.have[i]) {
				from[c.Sum] = origin{s, i}
			}
		}
	}
	t := &tracker{progress: progress, total: a.head.layout.size}
	var todo []int
	for i, c := range a.head.Chunks.Chunks {
		if _, ok := from[c.Sum]; a.have[i] {
			t.add(int64(c.Size))
		} else if ok {
			todo = append(todo, i)
		}
	}
	var mu sync.Mutex
	next := func() int {
		mu.Lock()
		defer mu.Unlock()
		if len(todo) == 0 {
			return -1
		}
		i := todo[0]
		todo = todo[1:]
		return i
	}
	g, ctx := errgroup.WithContext(ctx)
	for range runtime.GOMAXPROCS(0) {
		g.Go(func() error {
			var buf []byte
			for i := next(); i >= 0; i = next() {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				o := from[a.head.Chunks.Chunks[i].Sum]
				var ok bool
				if buf, ok = o.source.read(o.index, buf); !ok {
					continue // damaged: it is fetched
				}
				if err := a.write(i, buf); err != nil {
					return err
				}
				mu.Lock()
				a.have[i] = true
				t.add(int64(len(buf)))
				mu.Unlock()
			}
			return nil
		})
	}
	return g.Wait()
}
