package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"piwork/vmhost/share/internal/wal"
	"piwork/vmhost/share/journal/internal/ledger"
)

// Forget gives up, by the person's choice, that changes can be taken back:
// those with the given ids, or all of them. They leave the list, and what the
// journal kept for them leaves the disk. Undone changes can then not be redone.
// What is kept for a change in a directory goes with what is kept for the
// directory: with a deleted directory all that was deleted in it, with a file in
// a created directory the creation of that.
func (j *Journal) Forget(ctx context.Context, ids []string) error {
	j.rec.UndoMu.Lock()
	defer j.rec.UndoMu.Unlock()
	if _, _, err := j.rec.List(ctx, false); err != nil { // hash while tasks may go on
		return err
	}
	defer j.rec.Stop()()
	list, _, err := j.rec.List(ctx, true)
	if err != nil {
		return err
	}
	j.rec.Round.Add(1) // files that are open prepare again
	j.rec.Mu.Lock()
	recs, refs, dirs, err := j.rec.Tables.Forgetting(list, ids)
	if err == nil {
		err = j.rec.PutAll(recs)
	}
	j.rec.Mu.Unlock()
	if err == nil {
		err = j.rebaseDirs(dirs)
	}
	if err != nil {
		return err
	}
	if err := j.rec.Sync(j.rec.File.Position()); err != nil {
		return err
	}
	j.rec.Step("forgotten")
	for _, name := range refs {
		if err := j.rec.Refs.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			j.rec.Log.Warn("journal: a file that was given up stays", "name", name, "err", err)
		}
	}
	j.clean()
	j.rec.Mu.Lock()
	defer j.rec.Mu.Unlock()
	return j.rec.Rewrite() // what the log kept goes, too
}

// rebaseDirs makes the time that directories have now the one that undo goes
// back to.
func (j *Journal) rebaseDirs(dirs map[*ledger.Object]bool) error {
	r := j.rec.OpenRoots()
	defer r.Close()
	j.rec.Mu.Lock()
	defer j.rec.Mu.Unlock()
	for o := range dirs {
		rel, ok := j.rec.Tables.DirPath(o)
		root := r.Open[o.Folder]
		if !ok || root == nil || o.Made || o.Times || j.rec.Tables.Objects[o.ID] != o {
			continue
		}
		d, err := root.Dir(rel)
		if err != nil {
			continue
		}
		info, err := d.Info()
		d.Close()
		if err != nil {
			continue
		}
		s := o.Base
		s.Sec, s.Nsec = info.MTime.Unix(), int64(info.MTime.Nanosecond())
		if _, err := j.rec.Put(ledger.DirTimeRecord{Object: o.ID, State: &s}); err != nil {
			return err
		}
	}
	return nil
}

// Stored is a journal on disk, as [Expire] sees it.
type Stored struct {
	ID    string
	Ended time.Time // when its task did; zero while it runs: never dropped
	Bytes int64
}

// Expire chooses journals to be removed: those whose task ended more than keep
// ago, and then the oldest until the others take at most limit bytes together
// (0 is no limit). What ended within the last day is never chosen for its size.
func Expire(list []Stored, now time.Time, keep time.Duration, limit int64) []string {
	total := int64(0)
	for _, s := range list {
		total += s.Bytes
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Stored) int { return cmp.Or(a.Ended.Compare(b.Ended), cmp.Compare(a.ID, b.ID)) })
	var out []string
	for _, s := range sorted {
		age := now.Sub(s.Ended)
		if s.Ended.IsZero() || age <= keep && (limit == 0 || total <= limit || age < 24*time.Hour) {
			continue
		}
		out = append(out, s.ID)
		total -= s.Bytes
	}
	return out
}

// Remove removes the journal in dir with everything that it keeps. It is
// ErrLocked while somebody has it open. A removal that was interrupted leaves no
// journal, and may be repeated.
func Remove(dir string) error {
	lock, err := wal.Lock(dir, ErrLocked)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("journal %s: %w", dir, err)
	}
	// The log first: nothing is a journal without it.
	err = os.Remove(filepath.Join(dir, "log"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = wal.SyncDir(dir)
	}
	if err = errors.Join(err, lock.Unlock()); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return os.RemoveAll(dir)
}

// Bytes is how much the journal in dir takes on disk, without opening it.
func Bytes(dir string) (int64, error) {
	total := int64(0)
	err := filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			total += info.Size()
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	})
	return total, err
}
