package journal

import (
	"errors"
	"os"
	"slices"

	"piwork/vmhost/share/internal/at"
)

// decide asks the disk about names whose change began and has no outcome in
// the log, and then about those whose change may be missing in it, because the
// program died. Nothing else changes anything meanwhile.
//
// A power cut takes a tail of the log, and only operations on what was kept ahead or is
// the task's own do not wait for it. So what was kept ahead and is gone was removed,
// and what differs was changed; what is at a name that the task had emptied or taken is
// the task's. What happened clearly later than the newest record is a person's. Each
// doubt ends once, with the first record about its subject; until then the journal
// does not say that it was closed in order.
func (j *Journal) decide(r *roots) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		if err := j.decideNames(r); err != nil {
			return err
		}
		if j.tables.undoing {
			return nil // whatever undo did without a record, it finds itself
		}
		names, err := j.replaced(r)
		if err != nil {
			return err
		}
		files, err := j.lostWith(r)
		if err != nil || !names && !files {
			return err
		}
	}
}

// replaced finds out which names that the task changed it changed again, with
// records that a power cut took: nobody waits for them when what is replaced is
// the task's own. It reports whether there are names to decide about. j.mu is
// held.
func (j *Journal) replaced(r *roots) (bool, error) {
	again := false
	for _, e := range j.tables.entries {
		if !e.suspect {
			continue
		}
		info, _, err := j.see(r, e)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			continue // its directory is not there; asked again next time
		}
		e.suspect = false
		known := err != nil || e.cur != nil && (info.ID == e.cur.ident || info.Born == 0)
		if known || j.later(stateOf(info)) {
			continue
		}
		if _, err := j.put(touchRecord{Entry: e.id}); err != nil {
			return false, err
		}
		e.stale, again = true, true
	}
	return again, nil
}

func (j *Journal) decideNames(r *roots) error {
	t := j.tables
	var open []*entry
	for _, e := range t.entries {
		if !e.sure {
			open = append(open, e)
		}
	}
	if len(open) == 0 {
		return nil
	}
	slices.SortFunc(open, func(a, b *entry) int { return int(a.id) - int(b.id) })
	// What is found first: it may be the way to other names, and what is gone
	// from one name may be found at another.
	for found := true; found; {
		found = false
		for _, e := range open {
			info, _, err := j.see(r, e)
			if e.sure || err != nil {
				continue
			}
			if o := t.inodes[info.ID]; o != nil && o.kind == info.Kind {
				if _, err := j.put(bindRecord{Entry: e.id, Object: o.id}); err != nil {
					return err
				}
				left, err := j.left(r, o, e)
				if err != nil {
					return err
				}
				open, found = append(open, left...), true
			}
		}
	}
	for _, e := range open {
		if e.sure {
			continue
		}
		info, target, err := j.see(r, e)
		switch {
		case errors.Is(err, os.ErrNotExist):
			_, err = j.put(bindRecord{Entry: e.id})
		case err != nil:
			continue // its directory is not there; asked again next time
		case e.stale && j.later(stateOf(info)) || info.Kind == at.Special:
			_, err = j.put(bindRecord{Entry: e.id}) // a person's
		default:
			s := stateOf(info)
			s.Target = raw(target)
			n := t.lastO + 1
			_, err = j.put(objectRecord{Object: n, Dir: e.dir.id, Name: []byte(e.name), Inode: &info.ID,
				Kind: info.Kind.String(), Made: true, State: &s}, bindRecord{Entry: e.id, Object: n})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// left finds out which names o does not have any more that was found at e, and
// returns those that mean something else by now. j.mu is held.
func (j *Journal) left(r *roots, o *object, e *entry) ([]*entry, error) {
	var open []*entry
	for _, old := range slices.Clone(o.spots) {
		if old == e || !old.sure {
			continue
		}
		info, _, err := j.see(r, old)
		rec := record(bindRecord{Entry: old.id})
		switch {
		case err == nil && info.Born != 0 && info.ID != o.ident:
			rec = touchRecord{Entry: old.id}
			open = append(open, old)
		case !errors.Is(err, os.ErrNotExist):
			continue
		}
		if _, err := j.put(rec); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// see returns what is at a name on the disk. The error is ErrNotExist only when
// its directory is there and the name is not. j.mu is held.
func (j *Journal) see(r *roots, e *entry) (at.Info, string, error) {
	errAway := errors.New("not to be reached")
	root := r.open[e.dir.folder]
	rel, ok := j.tables.surePath(e.dir)
	if root == nil || !ok {
		return at.Info{}, "", errAway
	}
	d, err := root.Dir(rel)
	if err != nil {
		return at.Info{}, "", errAway
	}
	defer d.Close()
	info, err := d.Lstat(e.name)
	if err != nil || info.Kind != at.Symlink {
		return info, "", err
	}
	target, err := d.Readlink(e.name)
	return info, target, err
}

// surePath is dirPath, when no name on the way is in doubt.
func (t *tables) surePath(o *object) (string, bool) {
	for x := o; x.parent != nil; {
		switch {
		case t.home(x):
			x = x.dir
		case len(x.spots) > 0 && x.place().sure:
			x = x.place().dir
		default:
			return "", false
		}
	}
	return t.dirPath(o)
}
