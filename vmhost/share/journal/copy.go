package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// ErrUnfinished refuses a copy of a journal whose undo or redo was interrupted
// and could not be finished: a folder of it cannot be reached.
var ErrUnfinished = errors.New("an undo or redo of the journal is not finished")

// Copy makes in dst, a directory that is not there yet, a journal that says the
// same as the one in src and shares no file with it, so that it may lie on
// another file system: what src has as references (files themselves, which other
// names of people's may lead to) dst has as images. Undo with dst gives the same
// files, but for names outside the folder that led to one of them: those are
// files of their own then.
//
// src stays as it is. dst is durable when Copy returns nil; after an error, or
// a kill, it is to be removed. told hears of bytes that were copied. It is
// ErrLocked while somebody has src open.
func Copy(ctx context.Context, src, dst string, told func(n int64)) error {
	had, err := settle(ctx, src)
	if err != nil {
		return err
	}
	lock, err := wal.Lock(src, ErrLocked)
	if err != nil {
		return fmt.Errorf("journal %s: %w", src, err)
	}
	err = errors.Join(copyStore(ctx, src, dst, told), lock.Unlock())
	if err == nil {
		err = detach(dst, had)
	}
	if err != nil {
		return fmt.Errorf("copy the journal %s: %w", src, err)
	}
	return nil
}

// belongings are what a copy of a reference could lose.
type belongings struct {
	attrs at.AttrSet
	owner *at.Owner
}

// settle brings the journal in dir in order, and returns what the references of it and of its journal of
// undos have beside their content.
func settle(ctx context.Context, dir string) (had []map[uint32]belongings, err error) {
	j, err := Open(dir, Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	// Copies are seen by their own times: what is to be known of the files
	// themselves is found out before.
	if _, err := j.Changes(ctx); err != nil {
		return nil, err
	}
	if j.pending() {
		return nil, fmt.Errorf("journal %s: %w", dir, ErrUnfinished)
	}
	for _, r := range j.both() {
		if r != j.rec {
			if _, _, err := r.List(ctx, false); err != nil {
				return nil, err
			}
		}
		b, err := belongingsOf(r)
		if err != nil {
			return nil, err
		}
		had = append(had, b)
	}
	return had, nil
}

// both are the journals of the task and, where there is one, of its undos.
func (j *Journal) both() []*recorder.Recorder {
	if undos := j.undos.Load(); undos != nil {
		return []*recorder.Recorder{j.rec, undos}
	}
	return []*recorder.Recorder{j.rec}
}

func belongingsOf(j *recorder.Recorder) (had map[uint32]belongings, err error) {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	had = map[uint32]belongings{}
	for _, o := range j.Tables.Objects {
		if o.Ref == 0 {
			continue
		}
		a, err := j.Refs.Attrs(ledger.StoreName(o.ID, o.Ref))
		if errors.Is(err, fs.ErrNotExist) {
			continue // undo says so, here as there
		}
		if err != nil {
			return nil, fmt.Errorf("journal: attributes of a deleted file: %w", err)
		}
		set, err := a.All()
		own, oerr := a.Owner()
		a.Close()
		if err = errors.Join(err, oerr); err != nil {
			return nil, fmt.Errorf("journal: attributes of a deleted file: %w", err)
		}
		had[o.ID] = belongings{set, own}
	}
	return had, nil
}

// copyStore copies the files of a journal whose lock is held.
func copyStore(ctx context.Context, src, dst string, told func(int64)) error {
	from, err := at.OpenRoot(src)
	if err != nil {
		return err
	}
	defer from.Close()
	for _, name := range []string{"", "images", "refs"} {
		if err := os.Mkdir(filepath.Join(dst, name), 0o700); err != nil {
			return err
		}
	}
	to, err := at.OpenRoot(dst)
	if err != nil {
		return err
	}
	defer to.Close()
	for _, name := range []string{"images", "refs", "."} {
		if err := copyFiles(ctx, from, to, name, told); err != nil {
			return err
		}
	}
	undos := filepath.Join(src, undosDir)
	if _, err := os.Lstat(undos); err != nil || filepath.Base(src) == undosDir {
		return nil
	}
	return copyStore(ctx, undos, filepath.Join(dst, undosDir), told)
}

func copyFiles(ctx context.Context, from, to *at.Root, dir string, told func(int64)) error {
	src, err := from.Dir(dir)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := to.Dir(dir)
	if err != nil {
		return err
	}
	defer dst.Close()
	names, err := src.Names(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if dir == "." && name != "log" {
			continue
		}
		if err := copyOne(ctx, src, dst, name, told); err != nil {
			return fmt.Errorf("%s/%s: %w", dir, name, err)
		}
	}
	return dst.Sync()
}

// copyOne copies a file with its mode, its time and its attributes. The mode may
// keep its owner from reading it, as a person's file does.
func copyOne(ctx context.Context, from, to *at.Dir, name string, told func(int64)) error {
	info, err := from.Lstat(name)
	if err != nil || info.Kind != at.File {
		return err
	}
	src, _, err := recorder.OpenOwn(from, name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer src.Close()
	out, _, err := to.Create(name, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err = at.CopyData(ctx, out, src, math.MaxInt64, told); err != nil {
		return err
	}
	at.CopyAttributes(out, src)
	if err := out.Chmod(fs.FileMode(info.Mode & 0o777)); err != nil {
		return err
	}
	if err := to.Chtimes(name, time.Time{}, info.MTime); err != nil {
		return err
	}
	return at.Sync(out)
}

// detach makes the references of a journal that was copied images: they are
// plain files there, which nobody else has a name of.
func detach(dir string, had []map[uint32]belongings) error {
	j, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	for n, r := range j.both() {
		if err == nil && n < len(had) {
			err = detachAll(r, had[n])
		}
	}
	return errors.Join(err, j.Close(), wal.SyncDir(dir), wal.SyncDir(filepath.Dir(dir)))
}

func detachAll(j *recorder.Recorder, had map[uint32]belongings) error {
	j.Mu.Lock()
	var list []*ledger.Object
	for _, o := range j.Tables.Objects {
		if o.Ref != 0 {
			list = append(list, o)
		}
	}
	j.Mu.Unlock()
	for _, o := range list {
		if err := detachOne(j, o); err != nil {
			return fmt.Errorf("a deleted file: %w", err)
		}
	}
	j.Mu.Lock()
	defer j.Mu.Unlock()
	for _, o := range list {
		o.Ref = 0
		b := had[o.ID]
		if len(b.attrs) > 0 && o.Attrs == nil {
			o.Attrs = b.attrs
			o.Base.Attrs = b.attrs.Digest()
		}
		if b.owner != nil && o.Owner == nil && !b.owner.Plain() {
			o.Owner = b.owner
		}
	}
	if err := errors.Join(j.Image.Sync(), j.Refs.Sync()); err != nil {
		return err
	}
	return j.Rewrite() // one step, which does not make the journal younger
}

// detachOne makes the reference of o its image, or completes that.
func detachOne(j *recorder.Recorder, o *ledger.Object) error {
	name := ledger.StoreName(o.ID, o.Ref)
	f, info, err := recorder.OpenOwn(j.Refs, name, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // there was none to copy
	}
	if err != nil {
		return err
	}
	defer f.Close()
	switch {
	case o.Image == nil:
		if err := j.Refs.RenameNoReplace(name, j.Image, name); err != nil {
			return err
		}
		j.Mu.Lock()
		defer j.Mu.Unlock()
		s := o.Base
		if now := ledger.StateOf(info); !now.SameData(o.Base) {
			s.Sum = "" // somebody wrote into it by another name
		}
		s.Size = info.Size
		return j.Tables.Apply(ledger.ImageRecord{Object: o.ID, Gen: o.Ref, State: &s}, j.Tables.LastT)
	case o.Image.Parts:
		if err := j.KeepRest(o, f); err != nil {
			return err
		}
	}
	return j.Refs.Remove(name)
}
