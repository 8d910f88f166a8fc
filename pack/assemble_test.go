package pack

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/pack/spec"
)

// assemblyRig has two versions that share most of their chunks.
type assemblyRig struct {
	*forger
	old, new []byte
	store    *Store
	have     *Installed // the old one
	head     *Head      // of the new one
}

func newAssemblyRig(t *testing.T) *assemblyRig {
	t.Helper()
	r := &assemblyRig{forger: newForger(t)}
	r.old, r.new = r.soundChunks("1.0.0"), r.soundChunks("1.1.0")
	var err error
	if r.store, err = OpenStore(filepath.Join(t.TempDir(), "runtime")); err != nil {
		t.Fatal(err)
	}
	file := writeFile(t, filepath.Join(t.TempDir(), "old"), r.old)
	if r.have, err = Install(t.Context(), file, r.store, r.keys, InstallOptions{}); err != nil {
		t.Fatal(err)
	}
	if r.head, err = ReadHead(t.Context(), bytes.NewReader(r.new), r.keys, spec.Policy{}); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *assemblyRig) begin(t *testing.T, from ...*Installed) *Assembly {
	t.Helper()
	a, err := Assemble(t.Context(), r.head, r.store, r.keys, AssembleOptions{From: from})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (r *assemblyRig) packed(c spec.Chunk) []byte { return r.new[c.Offset : c.Offset+c.Packed] }

// put gives an assembly chunks out of the archive that they are of.
func put(t *testing.T, a *Assembly, archive []byte, chunks []spec.Chunk) {
	t.Helper()
	for _, c := range chunks {
		if err := a.Put(c, archive[c.Offset:c.Offset+c.Packed]); err != nil {
			t.Fatal(err)
		}
	}
}

// complete finishes an assembly and wants the pack to be sound.
func complete(t *testing.T, a *Assembly) {
	t.Helper()
	in, err := a.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Verify(t.Context(), LevelFull); err != nil {
		t.Error(err)
	}
}

// flip changes a byte of a file.
func flip(t *testing.T, name string, off int) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[off] ^= 1
	writeFile(t, name, b)
}

// names lists what is in the store.
func (r *assemblyRig) names(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(r.store.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != lockName && e.Name() != pointerName && !strings.HasPrefix(e.Name(), ".leases") {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestAssemble: what two versions share is copied, the rest is fetched, and what
// comes together is the pack.
func TestAssemble(t *testing.T) {
	r := newAssemblyRig(t)
	plan := r.head.Plan(r.have)
	var done, total int64
	a, err := Assemble(t.Context(), r.head, r.store, r.keys, AssembleOptions{
		From: []*Installed{r.have}, Progress: func(d, n int64) { done, total = d, n },
	})
	if err != nil {
		t.Fatal(err)
	}
	missing := a.Missing()
	all := r.head.Chunks.All()
	if len(missing) == 0 || len(missing) > len(all)/2 {
		t.Fatalf("%d of %d chunks are missing", len(missing), len(all))
	}
	var fetch int64
	for _, c := range missing {
		fetch += c.Packed
	}
	if plan.Fetch != fetch || total != r.head.layout.size {
		t.Errorf("plan %+v, but %d chunks of %d bytes are missing, %d of %d copied", plan, len(missing), fetch, done, total)
	}
	if !slices.IsSortedFunc(missing, func(a, b spec.Chunk) int { return int(a.Offset - b.Offset) }) {
		t.Error("missing chunks are not in order")
	}
	var wg sync.WaitGroup
	for _, c := range append(missing, missing...) { // twice, at once
		wg.Go(func() {
			if err := a.Put(c, r.packed(c)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	before, err := r.store.Pointer()
	if err != nil {
		t.Fatal(err)
	}
	complete(t, a)
	if now, err := r.store.Pointer(); err != nil || now.Current != before.Current || now.Current != "1.0.0" {
		t.Errorf("the pointer is %+v, %v", now, err)
	}
	if names := r.names(t); !slices.Equal(names, []string{"1.0.0", "1.1.0"}) {
		t.Errorf("the store has %q", names)
	}
}

// TestAssembleFromNothing: without an old version everything is fetched; chunks
// of the same content once.
func TestAssembleFromNothing(t *testing.T) {
	f := newForger(t)
	a := f.plain()
	a.add("z", strings.Repeat("\x00", 10*forgedChunk))
	data := f.chunked(a, division{})
	h, err := ReadHead(t.Context(), bytes.NewReader(data), f.keys, spec.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	as, err := Assemble(t.Context(), h, s, f.keys, AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	missing := as.Missing()
	if all := h.Chunks.All(); len(missing) > len(all)-8 {
		t.Errorf("%d of %d chunks are missing", len(missing), len(all))
	}
	if _, err := as.Finish(t.Context()); !errors.Is(err, spec.ErrIncomplete) {
		t.Errorf("finished at the start: %v", err)
	}
	if as, err = Assemble(t.Context(), h, s, f.keys, AssembleOptions{}); err != nil {
		t.Fatal(err)
	}
	put(t, as, data, as.Missing())
	complete(t, as)
}

// TestAssemblyResumes: what is in place is found again, whatever else became of
// the directory, and nothing that is not right is believed.
func TestAssemblyResumes(t *testing.T) {
	at := func(r *assemblyRig, name string) string {
		return filepath.Join(r.store.dir, assemblyPrefix+r.head.Digest[:assemblyDigits], filepath.FromSlash(name))
	}
	for _, tc := range []struct {
		name string
		harm func(t *testing.T, r *assemblyRig)
		gone int // chunks that must be fetched again, -1 for all
	}{
		{"nothing", func(*testing.T, *assemblyRig) {}, 0},
		{"flipped byte", func(t *testing.T, r *assemblyRig) { flip(t, at(r, "tree/guest/rootfs.img"), 1500) }, 1},
		{"file cut", func(t *testing.T, r *assemblyRig) {
			if err := os.Truncate(at(r, "tree/guest/rootfs.img"), 1000); err != nil {
				t.Fatal(err)
			}
		}, -1},
		{"file grown", func(t *testing.T, r *assemblyRig) {
			if err := os.Truncate(at(r, "tree/guest/rootfs.img"), 1<<20); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"file gone", func(t *testing.T, r *assemblyRig) { _ = os.Remove(at(r, "tree/guest/rootfs.img")) }, -1},
		{"directory gone", func(t *testing.T, r *assemblyRig) { _ = os.RemoveAll(at(r, "tree/guest")) }, -1},
		{"tree gone", func(t *testing.T, r *assemblyRig) { _ = os.RemoveAll(at(r, "tree")) }, -1},
		{"signature flipped", func(t *testing.T, r *assemblyRig) { flip(t, at(r, "tree/"+spec.SignatureName), 3) }, 0},
		{"index gone", func(t *testing.T, r *assemblyRig) { _ = os.Remove(at(r, "tree/"+spec.ChunksName)) }, 0},
		{"manifest grown", func(t *testing.T, r *assemblyRig) {
			if err := os.Truncate(at(r, "tree/"+spec.ManifestName), 1<<20); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"extra file", func(t *testing.T, r *assemblyRig) { writeFile(t, at(r, "tree/guest/evil"), []byte("x")) }, -1},
		{"symlink in the place of a file", func(t *testing.T, r *assemblyRig) {
			outside := writeFile(t, filepath.Join(t.TempDir(), "outside"), []byte("precious"))
			t.Cleanup(func() {
				if b, err := os.ReadFile(outside); err != nil || string(b) != "precious" {
					t.Errorf("written through a link: %q, %v", b, err)
				}
			})
			_ = os.Remove(at(r, "tree/guest/rootfs.img"))
			symlink(t, outside, at(r, "tree/guest/rootfs.img"))
		}, -1},
		{"symlink in the place of the tree", func(t *testing.T, r *assemblyRig) {
			outside := t.TempDir()
			t.Cleanup(func() {
				if e, err := os.ReadDir(outside); err != nil || len(e) > 0 {
					t.Errorf("written through a link: %v, %v", e, err)
				}
			})
			_ = os.RemoveAll(at(r, "tree"))
			symlink(t, outside, at(r, "tree"))
		}, -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newAssemblyRig(t)
			a := r.begin(t)
			missing := a.Missing()
			half := missing[:len(missing)/2+1]
			put(t, a, r.new, half)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			tc.harm(t, r)
			if err := r.store.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			a = r.begin(t)
			left := a.Missing()
			want := len(missing) - len(half) + tc.gone
			if tc.gone >= 0 && tc.name != "tree gone" && len(left) != want {
				t.Errorf("%d chunks are missing, want %d", len(left), want)
			}
			if tc.gone < 0 && len(left) <= len(missing)-len(half) {
				t.Errorf("%d chunks are missing, as if nothing had happened", len(left))
			}
			put(t, a, r.new, left)
			complete(t, a)
		})
	}
}

// TestAssemblyMovesOn: what was fetched for a version that is no longer wanted
// serves the next one.
func TestAssemblyMovesOn(t *testing.T) {
	r := newAssemblyRig(t)
	a := r.begin(t)
	missing := a.Missing()
	put(t, a, r.new, missing[:len(missing)-2])
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r.new = r.soundChunks("1.2.0")
	var err error
	if r.head, err = ReadHead(t.Context(), bytes.NewReader(r.new), r.keys, spec.Policy{}); err != nil {
		t.Fatal(err)
	}
	a = r.begin(t)
	left := a.Missing()
	if len(left) == 0 || len(left) >= len(missing)-2 {
		t.Errorf("%d chunks are missing, of the version before it were %d", len(left), len(missing))
	}
	if names := r.names(t); !slices.Equal(names, []string{a.name, "1.0.0"}) {
		t.Errorf("the store has %q", names)
	}
	put(t, a, r.new, left)
	complete(t, a)
}

// TestHostileSources: a damaged, forged or vanished old version costs bytes and
// nothing else.
func TestHostileSources(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, dir string){
		"flipped byte": func(t *testing.T, dir string) {
			flip(t, filepath.Join(dir, "guest/rootfs.img"), 2000)
		},
		"cut":           func(t *testing.T, dir string) { _ = os.Truncate(filepath.Join(dir, "guest/rootfs.img"), 10) },
		"forged index":  func(t *testing.T, dir string) { writeFile(t, filepath.Join(dir, spec.ChunksName), noise("x", 100)) },
		"endless index": func(t *testing.T, dir string) { _ = os.Truncate(filepath.Join(dir, spec.ChunksName), spec.MaxIndex+1) },
		"no index":      func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, spec.ChunksName)) },
		"gone":          func(t *testing.T, dir string) { _ = os.RemoveAll(dir) },
		"a link out": func(t *testing.T, dir string) {
			_ = os.Rename(filepath.Join(dir, "guest"), dir+"-guest")
			symlink(t, dir+"-guest", filepath.Join(dir, "guest"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newAssemblyRig(t)
			harm(t, r.have.Dir)
			a := r.begin(t, r.have)
			put(t, a, r.new, a.Missing())
			complete(t, a)
		})
	}
}

// TestHostilePut: nothing that a server answers gets into an assembly but what
// was signed.
func TestHostilePut(t *testing.T) {
	r := newAssemblyRig(t)
	a := r.begin(t)
	defer a.Abandon()
	missing := a.Missing()
	c, other := missing[1], missing[2]
	good := r.packed(c)
	before := tree(t, r.store.dir)
	for name, packed := range map[string][]byte{
		"nothing":               nil,
		"another chunk":         r.packed(other),
		"cut":                   good[:len(good)-1],
		"longer":                append(bytes.Clone(good), 0),
		"zeros":                 make([]byte, len(good)),
		"a page":                []byte("<!DOCTYPE html><title>404</title>"),
		"other content":         r.frame(noise("other", c.Size)),
		"a bomb":                r.frame(make([]byte, 64<<20)),
		"the same in two parts": append(r.frame(noise("rootfs", 100)), r.frame(noise("rootfs", 100))...),
	} {
		if err := a.Put(c, packed); spec.KindOf(err) != spec.KindFlippedByte {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, c := range map[string]spec.Chunk{
		"no such chunk":    {Offset: 1, Size: 1, Packed: 1},
		"of another size":  {Sum: c.Sum, Offset: c.Offset, Size: c.Size + 1, Packed: c.Packed},
		"of another sum":   {Sum: other.Sum, Offset: c.Offset, Size: c.Size, Packed: c.Packed},
		"of another place": {Sum: c.Sum, Offset: other.Offset, Size: c.Size, Packed: c.Packed},
	} {
		if err := a.Put(c, good); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if after := tree(t, r.store.dir); after != before {
		t.Errorf("something was written:\n%s\nbefore:\n%s", after, before)
	}
	if len(a.Missing()) != len(missing) {
		t.Errorf("%d chunks are missing, %d were", len(a.Missing()), len(missing))
	}
}

// TestAssemblyLimits: what must not happen does not.
func TestAssemblyLimits(t *testing.T) {
	t.Run("two at once", func(t *testing.T) {
		r := newAssemblyRig(t)
		a := r.begin(t)
		if _, err := Assemble(t.Context(), r.head, r.store, r.keys, AssembleOptions{}); !errors.Is(err, spec.ErrBusy) {
			t.Errorf("got %v", err)
		}
		// Meanwhile the store can be changed: a download takes its time.
		if err := r.store.Promote(t.Context(), "1.0.0"); err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if err := r.begin(t).Abandon(); err != nil {
			t.Error(err)
		}
		if names := r.names(t); !slices.Equal(names, []string{"1.0.0"}) {
			t.Errorf("the store has %q", names)
		}
	})
	t.Run("full disk", func(t *testing.T) {
		r := newAssemblyRig(t)
		r.store.free = func(string) (uint64, error) { return spaceReserve, nil }
		before := tree(t, r.store.dir)
		_, err := Assemble(t.Context(), r.head, r.store, r.keys, AssembleOptions{From: []*Installed{r.have}})
		if full, is := errors.AsType[*spec.SpaceError](err); !is || full.Need <= full.Free {
			t.Errorf("got %v", err)
		}
		if err := r.store.Sweep(t.Context()); err != nil {
			t.Error(err)
		}
		if after := tree(t, r.store.dir); after != before {
			t.Errorf("left behind:\n%s\nbefore:\n%s", after, before)
		}
	})
	t.Run("another machine", func(t *testing.T) {
		r := newAssemblyRig(t)
		if _, err := Assemble(t.Context(), r.head, r.store, r.keys, AssembleOptions{Policy: spec.Policy{HostOS: "plan9"}}); spec.KindOf(err) != spec.KindWrongPlatform {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		r := newAssemblyRig(t)
		ctx, cancel := context.WithCancel(t.Context())
		r.store.step = func(name string) {
			if name == "chunk" {
				cancel()
			}
		}
		if _, err := Assemble(ctx, r.head, r.store, r.keys, AssembleOptions{From: []*Installed{r.have}}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		r.store.step = func(string) {}
		a := r.begin(t)
		if len(a.Missing()) == len(r.head.Chunks.All()) {
			t.Error("nothing of what was copied is left")
		}
		if err := a.Abandon(); err != nil {
			t.Error(err)
		}
	})
	t.Run("too old", func(t *testing.T) {
		r := newAssemblyRig(t)
		a := r.begin(t)
		lock := filepath.Join(r.store.dir, a.name, assemblyLock)
		past := time.Now().Add(-assemblyAge - time.Hour)
		touch := func() {
			if err := errors.Join(os.Chtimes(lock, past, past), r.store.Sweep(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		touch()
		if _, err := os.Stat(lock); err != nil {
			t.Errorf("taken away under somebody who works on it: %v", err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		touch()
		if _, err := os.Stat(lock); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("kept: %v", err)
		}
	})
	t.Run("removed by a person", func(t *testing.T) {
		r := newAssemblyRig(t)
		a := r.begin(t)
		left := func() int {
			t.Helper()
			list, err := r.store.Unfinished()
			if err := errors.Join(err, r.store.RemoveUnfinished(t.Context())); err != nil {
				t.Fatal(err)
			}
			return len(list)
		}
		left()
		if left() != 1 {
			t.Error("taken away under somebody who works on it")
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		left()
		if left() != 0 {
			t.Error("kept")
		}
		if names := r.names(t); !slices.Equal(names, []string{"1.0.0"}) {
			t.Errorf("the store has %q", names)
		}
	})
	t.Run("repair of the version itself", func(t *testing.T) {
		r := newAssemblyRig(t)
		h, err := ReadHead(t.Context(), bytes.NewReader(r.old), r.keys, spec.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		flip(t, filepath.Join(r.have.Dir, "guest", "rootfs.img"), 1500)
		a, err := Assemble(t.Context(), h, r.store, r.keys, AssembleOptions{From: []*Installed{r.have}})
		if err != nil {
			t.Fatal(err)
		}
		missing := a.Missing()
		if len(missing) != 1 {
			t.Errorf("%d chunks are missing, want one", len(missing))
		}
		put(t, a, r.old, missing)
		complete(t, a)
		if names := r.names(t); !slices.Equal(names, []string{"1.0.0"}) {
			t.Errorf("the store has %q", names)
		}
	})
}

func symlink(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}
