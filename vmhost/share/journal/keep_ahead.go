package journal

import (
	"errors"
	"io"
	"os"

	"piwork/vmhost/share/internal/at"
)

// A program that overwrites or deletes one small file of a directory after the
// other would wait for the disk once for each. So after a few of them the files
// that may be next are kept ahead, many with one sync: their object, attributes
// and content. What the task then does to such a file has to wait for nothing.
//
// Its own records may be lost in a power cut. When the journal was not closed in
// order, what was kept ahead is looked at: a file that is not where it was then
// has been deleted by the task, and one that differs has been changed by it.
const (
	streakFrom = 3       // files that were waited for
	reachFirst = 16      // files kept ahead the first time, twice as many the next
	reachMost  = 256     //
	reachBytes = 4 << 20 // of content at a time
	reachNames = 8192    // of a directory that are looked at
)

// unused reports whether o is only kept ahead.
func (o *object) unused() bool { return o.image != nil && o.image.ahead && o.touch == touchNone }

// keptAhead reports whether nothing has to be waited for when o loses its content.
func (j *Journal) keptAhead(o *object) bool {
	j.mu.Lock()
	ahead := o.ahead
	j.mu.Unlock()
	return ahead > 0 && j.file.Synced() >= ahead
}

// waited notes that a file had to be waited for.
func (j *Journal) waited(o *object) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if dir, _, ok := j.tables.spot(o); ok && dir != nil {
		dir.streak++
	}
}

// waitedIn is waited for a name in dir.
func (j *Journal) waitedIn(dir *object) {
	j.mu.Lock()
	defer j.mu.Unlock()
	dir.streak++
}

// lone reports whether o may lose the name p at once: it was kept ahead under
// this name, is still as it was then, and has no other.
func (f *Folder) lone(o, dir *object, p place, info at.Info) bool {
	if o.kind != at.File || info.NLink != 1 || f.j.refute(o, info) != nil || !f.j.keptAhead(o) {
		return false
	}
	f.j.mu.Lock()
	defer f.j.mu.Unlock()
	return o.image != nil && f.j.tables.home(o) && o.dir == dir && o.alias == p.Name
}

// refute gives up what was kept ahead of a file that a person changed since.
func (j *Journal) refute(o *object, info at.Info) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if now := stateOf(info); o.ahead > 0 && o.touch == touchNone && o.writers == 0 && !o.last.untouched(now) {
		_, err := j.put(rebaseRecord{Object: o.id, Inode: &info.ID, State: &now, Gen: o.gen})
		return err
	}
	return nil
}

// keepAhead keeps files of a directory in which one after the other is waited
// for. What does not work is left for its turn. f.names is held.
func (f *Folder) keepAhead(dir *object, d *at.Dir) {
	j := f.j
	j.mu.Lock()
	due := dir.streak >= streakFrom
	if due {
		dir.streak = 0
		dir.reach = min(max(2*dir.reach, reachFirst), reachMost)
	}
	left := dir.reach
	j.mu.Unlock()
	if !due {
		return
	}
	names, err := d.Names(reachNames)
	if err != nil {
		return
	}
	room, done := int64(reachBytes), []*object(nil)
	for _, name := range names {
		if left == 0 || room <= 0 {
			break
		}
		j.mu.Lock()
		key := nameKey{dir.id, name}
		known := j.tables.names[key] != nil || j.tables.homes[key] != nil && j.tables.homes[key].image != nil
		j.mu.Unlock()
		if known {
			continue
		}
		o, size := f.keepOne(dir, d, name)
		if o != nil {
			done, left, room = append(done, o), left-1, room-size
		}
	}
	if len(done) == 0 {
		return
	}
	pos := j.file.Position()
	if j.sync(pos) != nil {
		return
	}
	j.mu.Lock()
	for _, o := range done {
		o.ahead = pos
	}
	j.mu.Unlock()
	j.step("ahead")
}

// keepOne keeps one file ahead, nil when it is none for that.
func (f *Folder) keepOne(dir *object, d *at.Dir, name string) (*object, int64) {
	j := f.j
	info, err := d.Lstat(name)
	if err != nil || info.Kind != at.File || info.Size > maxInline || info.Size > j.partsFrom || info.NLink != 1 {
		return nil, 0
	}
	file, got, err := d.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, 0
	}
	defer file.Close()
	data := make([]byte, got.Size)
	n, err := file.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) || int64(n) != got.Size || got.ID != info.ID {
		return nil, 0
	}
	j.mu.Lock()
	if after, err := at.Stat(file); err != nil || !stateOf(after).untouched(stateOf(got)) || j.full(int64(n)+at.MaxName) != nil {
		j.mu.Unlock()
		return nil, 0
	}
	o, err := f.meet(dir, name, got, "")
	fit := err == nil && !o.made && o.image == nil && o.ref == 0 && o.touch == touchNone && o.writers == 0 && j.tables.home(o)
	if now := stateOf(got); fit && !o.last.untouched(now) {
		// What is compared after a crash must be what is kept.
		_, err = j.put(rebaseRecord{Object: o.id, Inode: &got.ID, State: &now, Gen: o.gen})
		fit = err == nil
	}
	j.mu.Unlock()
	if !fit {
		return nil, 0
	}
	o.keep.Lock()
	defer o.keep.Unlock()
	if a := at.FileAttrs(file); j.keepAttrs(o, a, true) != nil || j.keepOwner(o, a) != nil || j.known(o).image {
		return nil, 0
	}
	if j.putInline(o, got, data, j.known(o).gen+1, true) != nil {
		return nil, 0
	}
	return o, int64(n)
}

// doubted reports whether something has not been looked at since the program
// died of which the log does not say so. j.mu is held.
func (t *tables) doubted() bool {
	for _, e := range t.entries {
		if e.suspect {
			return true
		}
	}
	for _, o := range t.objects {
		if o.suspect || o.doubtful {
			return true
		}
	}
	return false
}

// lostWith finds out what a crash took the records of: names of files that were
// kept ahead and are gone, or mean something else. It reports whether there are
// new names to decide about. j.mu is held.
func (j *Journal) lostWith(r *roots) (bool, error) {
	again := false
	for _, o := range j.tables.objects {
		if !o.doubtful || !j.tables.home(o) {
			continue
		}
		root := r.open[o.folder]
		rel, ok := j.tables.surePath(o.dir)
		if root == nil || !ok {
			continue
		}
		d, err := root.Dir(rel)
		if err != nil {
			continue
		}
		info, err := d.Lstat(o.alias)
		d.Close()
		entry := entryRecord{Entry: j.tables.lastE + 1, Dir: o.dir.id, Name: []byte(o.alias), Object: o.id}
		switch {
		case errors.Is(err, os.ErrNotExist):
			err = j.lost(o, entry, bindRecord{Entry: entry.Entry})
		case err != nil:
			continue
		case info.Kind != at.File:
			if err = j.lost(o, entry); err == nil {
				j.tables.entries[entry.Entry].stale, again = true, true
			}
		case info.ID != o.ident && info.Born != 0:
			// Removed and made again: as if it had been overwritten.
			recs := []record{inodeRecord{Object: o.id, Inode: &info.ID}}
			if !o.suspect {
				recs = append(recs, openRecord{Object: o.id})
				o.stale = true
			}
			_, err = j.put(recs...)
		}
		if err != nil {
			return false, err
		}
		o.doubtful = false
	}
	return again, nil
}

// lost notes that o has lost its name.
func (j *Journal) lost(o *object, recs ...record) error {
	_, err := j.put(recs...)
	if err == nil && o.suspect {
		o.suspect, o.touch = false, touchNone
	}
	return err
}
