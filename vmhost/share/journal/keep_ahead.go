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
	return ahead > 0 && j.file.durable(ahead)
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
func (f *Folder) lone(o, dir *object, p Place, info at.Info) bool {
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
		_, err := j.put(record{K: recRebase, O: o.id, ID: &info.ID, S: &now, G: o.gen})
		return err
	}
	return nil
}

// keepAhead keeps files of a directory in which one after the other is waited
// for. What does not work is left for its turn. f.names is held.
func (f *Folder) keepAhead(dir *object, d *at.Dir) {
	j := f.j
	if !j.opts.KeepAhead {
		return
	}
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
	pos := j.file.position()
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
	j.mu.Unlock()
	if !fit {
		return nil, 0
	}
	o.keep.Lock()
	defer o.keep.Unlock()
	if j.keepAttrs(o, at.FileAttrs(file), true) != nil || j.known(o).image {
		return nil, 0
	}
	if j.putInline(o, got, data, j.known(o).gen+1, true) != nil {
		return nil, 0
	}
	return o, int64(n)
}

// lostWith finds out what a crash took the records of: names of files that were
// kept ahead and are gone. j.mu is held.
func (j *Journal) lostWith(r *roots) error {
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
		_, err = d.Lstat(o.alias)
		d.Close()
		if err == nil {
			o.doubtful = false
		}
		if !errors.Is(err, os.ErrNotExist) {
			continue
		}
		e := j.tables.lastE + 1
		if _, err := j.put(record{K: recEntry, E: e, P: o.dir.id, N: []byte(o.alias), O: o.id}, record{K: recCur, E: e}); err != nil {
			return err
		}
		if o.doubtful = false; o.suspect {
			o.suspect, o.touch = false, touchNone
		}
	}
	return nil
}
