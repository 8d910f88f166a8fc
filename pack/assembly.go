package pack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/errgroup"

	"piwork/pack/spec"
)

// Missing returns the chunks that are still to be fetched, in the order of the
// archive. Of chunks with the same content it is the first one.
func (a *Assembly) Missing() []spec.Chunk {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []spec.Chunk
	for i, c := range a.head.Chunks.Chunks {
		if !a.have[i] && a.same[c.Sum][0] == i {
			list = append(list, c)
		} else if !a.have[i] && a.have[a.same[c.Sum][0]] {
			list = append(list, c)
		}
	}
	return list
}

// Put verifies a chunk as it lies in the archive and writes it to its places.
// Content that is not what was signed is a [spec.VerifyError] and leaves no trace.
func (a *Assembly) Put(c spec.Chunk, packed []byte) error {
	chunks := a.head.Chunks.Chunks
	i, ok := slices.BinarySearchFunc(chunks, c.Offset, func(x spec.Chunk, off int64) int { return int(min(max(x.Offset-off, -1), 1)) })
	if !ok || chunks[i] != c {
		return fmt.Errorf("no chunk of pack %s at %d", a.head.Manifest.Version, c.Offset)
	}
	a.mu.Lock()
	done := a.have[i]
	a.mu.Unlock()
	if done {
		return nil
	}
	data, err := unpackChunk(a.dec, c, packed, nil)
	if err != nil {
		return &spec.VerifyError{Kind: spec.KindFlippedByte, File: a.head.layout.fileAt(a.head.Chunks.Body[i]), Err: fmt.Errorf("chunk %d: %w", i, err)}
	}
	for _, i := range a.same[c.Sum] {
		if err := a.write(i, data); err != nil {
			return err
		}
		a.mu.Lock()
		a.have[i] = true
		a.mu.Unlock()
	}
	return nil
}

// write writes a verified chunk to its place.
func (a *Assembly) write(i int, data []byte) error {
	a.store.step("chunk")
	l := a.head.layout
	for p, err := range l.pieces(a.head.Chunks.Body[i], len(data)) {
		if err != nil {
			return err
		}
		b := data[p.from:p.to]
		if p.file < 0 {
			if string(b) != string(p.literal) {
				return spec.Refuse(spec.KindUnsafeEntry, l.fileAt(a.head.Chunks.Body[i]+int64(p.from)), "its header is not what the manifest says")
			}
			continue
		}
		if err := a.writeFile(l.files[p.file].Path, p.off, b); err != nil {
			return err
		}
	}
	return nil
}

func (a *Assembly) writeFile(name string, off int64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	f, err := a.stage.dir.OpenFile(filepath.FromSlash(name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(b, off); err != nil {
		return errors.Join(err, f.Close())
	}
	startFlush(f, off, int64(len(b)))
	return f.Close()
}

// Finish makes the version durable and visible. The pointer of the store stays as
// it is. While chunks are missing the error is [spec.ErrIncomplete]; after any error
// the assembly stays for another attempt, and is closed in every case.
func (a *Assembly) Finish(ctx context.Context) (*Installed, error) {
	in, err := a.finish(ctx)
	if err = errors.Join(err, a.Close()); err != nil {
		return nil, fmt.Errorf("finish pack %s: %w", a.head.Manifest.Version, err)
	}
	return in, nil
}

func (a *Assembly) finish(ctx context.Context) (*Installed, error) {
	if n := len(a.Missing()); n > 0 {
		return nil, fmt.Errorf("%w: %d chunks are missing", spec.ErrIncomplete, n)
	}
	a.store.step("sync files")
	g, syncing := errgroup.WithContext(ctx)
	g.SetLimit(maxSyncs)
	for _, f := range a.head.Manifest.Files {
		g.Go(func() error {
			if syncing.Err() != nil {
				return syncing.Err()
			}
			t, err := a.stage.dir.OpenFile(filepath.FromSlash(f.Path), os.O_RDWR, 0)
			if err != nil {
				return err
			}
			return finish(t)
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := checkTree(ctx, a.stage.dir, a.head.Manifest); err != nil {
		return nil, err
	}
	unlock, err := a.store.lock(ctx, true)
	if err != nil {
		return nil, err
	}
	defer unlock()
	version := a.head.Manifest.Version
	if err := a.stage.publish(version); err != nil {
		return nil, err
	}
	if err := a.release(); err != nil {
		return nil, err
	}
	// Others are of versions that this one leaves behind.
	if err := a.store.removeAssemblies(a.root, func(string, time.Time) bool { return true }); err != nil {
		return nil, err
	}
	return a.store.Open(version, a.keys, a.policy)
}

func (a *Assembly) closeStage() error {
	if a.stage == nil {
		return nil
	}
	err := a.stage.close()
	a.stage = nil
	return err
}

// Close ends the work and keeps what is in place for a later [Assemble]. It may
// be called again.
func (a *Assembly) Close() error { return errors.Join(a.release(), a.root.Close()) }

// release gives back all but the store.
func (a *Assembly) release() error {
	err := a.closeStage()
	if a.dec != nil {
		a.dec.Close()
		a.dec = nil
	}
	if a.lock != nil {
		err = errors.Join(err, a.lock.Close())
		a.lock = nil
	}
	return err
}

// Abandon ends the work and removes what is in place.
func (a *Assembly) Abandon() error {
	err := a.closeStage()
	a.store.step("abandon")
	// Renamed while it is locked, so that nobody opens what is going away; where an
	// open file forbids that it is removed under its name.
	gone := tempName(stagingPrefix)
	if a.root.Rename(a.name, gone) != nil {
		gone = a.name
	}
	return errors.Join(err, a.release(), a.root.RemoveAll(gone), a.root.Close())
}

// Unfinished are the directories of versions that were fetched in part.
func (s *Store) Unfinished() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	var list []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), assemblyPrefix) {
			list = append(list, filepath.Join(s.dir, e.Name()))
		}
	}
	return list, err
}

// RemoveUnfinished removes what was fetched of versions in part, unless somebody works on it.
func (s *Store) RemoveUnfinished(ctx context.Context) error {
	return s.change(ctx, "remove unfinished versions", func(root *os.Root) error {
		return s.removeAssemblies(root, func(string, time.Time) bool { return true })
	})
}

// removeAssemblies removes those that nobody works on and that old says so of, by
// name and time of the last use, and what is left of those that were published.
// It needs the lock of the store.
func (s *Store) removeAssemblies(root *os.Root, old func(name string, used time.Time) bool) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), assemblyPrefix) {
			continue
		}
		var used time.Time
		if info, err := root.Lstat(path.Join(e.Name(), assemblyLock)); err == nil {
			used = info.ModTime()
		}
		_, err := root.Lstat(path.Join(e.Name(), assemblyTree))
		if !errors.Is(err, fs.ErrNotExist) && !old(e.Name(), used) {
			continue
		}
		l := flock.New(filepath.Join(s.dir, e.Name(), assemblyLock), flock.SetPermissions(0o600))
		ok, err := l.TryLock()
		if err != nil || !ok {
			continue // in use
		}
		if err := l.Close(); err != nil {
			return err
		}
		s.step("remove an assembly")
		if err := root.RemoveAll(e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// sweepAssemblies removes what is too old to go on with. It needs the lock of the
// store.
func (s *Store) sweepAssemblies(root *os.Root) error {
	return s.removeAssemblies(root, func(_ string, used time.Time) bool { return time.Since(used) > assemblyAge })
}
