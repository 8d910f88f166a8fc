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

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
)

// Forget gives up, by the person's choice, that changes can be taken back:
// those with the given ids, or all of them. They leave the list, and what the
// journal kept for them leaves the disk. Undone changes can then not be redone.
// What is kept for a change in a directory goes with what is kept for the
// directory: with a deleted directory all that was deleted in it, with a file in
// a created directory the creation of that.
func (j *Journal) Forget(ctx context.Context, ids []string) error {
	j.undoMu.Lock()
	defer j.undoMu.Unlock()
	if _, _, err := j.list(ctx, false); err != nil { // hash while tasks may go on
		return err
	}
	defer j.stop()()
	list, _, err := j.list(ctx, true)
	if err != nil {
		return err
	}
	j.round.Add(1) // files that are open prepare again
	j.mu.Lock()
	recs, refs, dirs, err := j.tables.forgetting(list, ids)
	if err == nil {
		err = j.putAll(recs)
	}
	j.mu.Unlock()
	if err == nil {
		err = j.rebaseDirs(dirs)
	}
	if err != nil {
		return err
	}
	if err := j.sync(j.file.Position()); err != nil {
		return err
	}
	j.step("forgotten")
	for _, name := range refs {
		if err := j.refs.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			j.log.Warn("journal: a file that was given up stays", "name", name, "err", err)
		}
	}
	j.clean()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.rewrite() // what the log kept goes, too
}

// forgetting returns the records of Forget, and the names of references that
// nobody needs after it.
//
// dirs are the directories in which something became how it always was.
func (t *tables) forgetting(list []*net, ids []string) (recs []record, refs []string, dirs map[*object]bool, err error) {
	chosen := map[*net]bool{}
	var undone []string
	byID := map[string]*net{}
	for _, n := range list {
		byID[n.change.ID] = n
		chosen[n] = len(ids) == 0
	}
	if len(ids) == 0 {
		for id := range t.undone {
			undone = append(undone, id)
		}
	}
	for _, id := range ids {
		_, again := t.undone[id]
		n := byID[id]
		if n == nil && !again {
			return nil, nil, nil, fmt.Errorf("%w: %q", ErrUnknownChange, id)
		}
		if again {
			undone = append(undone, id)
		}
		if n != nil {
			chosen[n] = true
		}
	}
	t.spreadForget(list, chosen)
	dirs = map[*object]bool{}
	for _, n := range list {
		if !chosen[n] {
			continue
		}
		if o := n.obj; o != nil && o.ref != 0 && t.only(n) {
			refs = append(refs, storeName(o.id, o.ref))
		}
		recs = append(recs, t.acceptance(n)...)
		for _, e := range []*entry{n.entry, n.remove} {
			if e != nil {
				dirs[e.dir] = true
			}
		}
		if n.change.Effect == EffectMove {
			if e := n.place.gained(); e != nil {
				dirs[e.dir] = true
			}
		}
		if o := n.remove; o != nil && o.cur != nil && o.cur.kind == at.Directory {
			dirs[o.cur] = true
		}
	}
	for _, o := range t.objects {
		if len(ids) == 0 && o.unused() && t.home(o) {
			s := o.last
			recs = append(recs, rebaseRecord{Object: o.id, Inode: &o.ident, State: &s, Gen: o.gen})
		}
	}
	slices.Sort(undone)
	return append(recs, about[dropRecord](undone)...), refs, dirs, nil
}

// rebaseDirs makes the time that directories have now the one that undo goes
// back to.
func (j *Journal) rebaseDirs(dirs map[*object]bool) error {
	r := j.openRoots()
	defer r.close()
	j.mu.Lock()
	defer j.mu.Unlock()
	for o := range dirs {
		rel, ok := j.tables.dirPath(o)
		root := r.open[o.folder]
		if !ok || root == nil || o.made || o.times || j.tables.objects[o.id] != o {
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
		s := o.base
		s.Sec, s.Nsec = info.MTime.Unix(), int64(info.MTime.Nanosecond())
		if _, err := j.put(dirTimeRecord{Object: o.id, State: &s}); err != nil {
			return err
		}
	}
	return nil
}

// spreadForget adds what makes no sense without the chosen ones.
func (t *tables) spreadForget(list []*net, chosen map[*net]bool) {
	for grown := true; grown; {
		grown = false
		made, gone := map[*object]bool{}, map[*object]bool{}
		for n := range chosen {
			if !chosen[n] {
				continue
			}
			if n.remove != nil {
				for d := n.remove.dir; d != nil && d.made && !made[d]; d, _, _ = t.spot(d) {
					made[d] = true
				}
			}
			if n.place != nil && n.place.kind == at.Directory && n.change.Effect == EffectDelete {
				gone[n.place] = true
			}
		}
		for _, n := range list {
			if !chosen[n] && (n.remove != nil && made[n.remove.cur] || n.place != nil && gone[n.entry.dir]) {
				chosen[n], grown = true, true
			}
		}
	}
}

// only reports whether n is the only change that needs what is kept of its
// object.
func (t *tables) only(n *net) bool {
	for _, e := range n.obj.origins {
		if e != n.entry && e.cur != n.obj {
			return false
		}
	}
	return true
}

// acceptance returns the records after which a change is how things always were.
func (t *tables) acceptance(n *net) []record {
	var recs []record
	rebase := func(o *object) {
		s := t.after(o, nil)
		if s.Lost {
			s = o.last
		}
		s.Attrs, s.Equal = "", false
		recs = append(recs, rebaseRecord{Object: o.id, Inode: &o.ident, State: &s, Gen: o.gen})
	}
	if o := n.obj; o != nil && (n.fix != nil || n.place != nil) && (n.place == nil || t.only(n)) {
		rebase(o)
	}
	if n.remove != nil && n.remove.cur != nil && n.remove.cur.made {
		rebase(n.remove.cur)
	}
	if n.change.Effect == EffectMove {
		if e := n.place.gained(); e != nil {
			recs = append(recs, acceptRecord{Entry: e.id})
		}
	}
	if n.entry != nil {
		recs = append(recs, acceptRecord{Entry: n.entry.id})
	}
	return recs
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
