package recorder

import (
	"errors"
	"os"
	"slices"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// survey finds out on the disk how the task left things. Embedded is whose tables it
// brings up to date.
type survey struct {
	*Recorder
	r       *Roots
	stopped bool // tasks are
}

// decide asks the disk about names whose change began and has no outcome in
// the log, or may be missing in it because of a power cut ([ledger.Ledger.Doubts]).
// Nothing else changes anything meanwhile.
//
// What the journal knows by its inode has the name, then. Anything else is a person's: no record
// says that the task made it. What was kept ahead and is gone was removed.
func (s *survey) decide() error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	t := s.Tables
	var open []*ledger.Entry
	for _, e := range t.Entries {
		if !e.Sure {
			open = append(open, e)
		}
	}
	if len(open) == 0 {
		return nil
	}
	slices.SortFunc(open, func(a, b *ledger.Entry) int { return int(a.ID) - int(b.ID) })
	// What is found first: it may be the way to other names, and what is gone
	// from one name may be found at another.
	for range len(t.Entries) { // each time one more is known, unless a person moves them about meanwhile
		found := false
		for _, e := range open {
			if e.Sure {
				continue
			}
			info, err := s.see(e.Dir, e.Name)
			if err != nil {
				continue
			}
			if o := t.Inodes[info.ID]; o != nil && o.Kind == info.Kind {
				if err := s.bind(e, o); err != nil {
					return err
				}
				left, err := s.left(o, e)
				if err != nil {
					return err
				}
				open, found = append(open, left...), true
			}
		}
		if !found {
			break
		}
	}
	for _, e := range open {
		if e.Sure {
			continue
		}
		info, err := s.see(e.Dir, e.Name)
		switch {
		case errors.Is(err, os.ErrNotExist):
			err = s.bind(e, nil)
		case err != nil:
			continue // its directory is not there; asked again next time
		case e.Cur != nil && e.Cur.Suspect && info.Kind == at.File:
			// Removed and made again: as if it had been overwritten.
			_, err = s.Put(ledger.InodeRecord{Object: e.Cur.ID, Inode: &info.ID}, ledger.BindRecord{Entry: e.ID, Object: e.Cur.ID})
		case info.Kind != at.Special && s.Tables.Running && s.byUndo(ledger.StateOf(info)):
			err = s.made(e, info) // by a run that is recorded here, and had no time to write that down
		default:
			err = s.bind(e, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// made records that what is at a name was made; j.Mu is held.
func (s *survey) made(e *ledger.Entry, info at.Info) error {
	st := ledger.StateOf(info)
	if info.Kind == at.Symlink {
		target, err := s.target(e)
		if err != nil {
			return err
		}
		st.Target = ledger.Raw(target)
	}
	n := s.Tables.LastO + 1
	_, err := s.Put(ledger.ObjectRecord{Object: n, Dir: e.Dir.ID, Name: []byte(e.Name), Inode: &info.ID,
		Kind: info.Kind.String(), Made: true, State: &st}, ledger.BindRecord{Entry: e.ID, Object: n}, ledger.SignRecord{Object: n, State: &st})
	return err
}

// target reads the symbolic link at a name; j.Mu is held.
func (s *survey) target(e *ledger.Entry) (string, error) {
	root, rel := s.r.Open[e.Dir.Folder], s.Tables.PathOf(e.Dir, e.Name)
	d, name, err := root.Split(rel)
	if err != nil {
		return "", err
	}
	defer d.Close()
	return d.Readlink(name)
}

// bind records what a name means. The change of a name changes the times of what has it and of what
// lost it, and nobody may have noted that; j.Mu is held.
func (s *survey) bind(e *ledger.Entry, o *ledger.Object) error {
	rec, was := ledger.BindRecord{Entry: e.ID}, e.Cur
	if o != nil {
		rec.Object = o.ID
	}
	if _, err := s.Put(rec); err != nil {
		return err
	}
	for _, x := range []*ledger.Object{was, o} {
		if x == nil || x.Kind != at.File {
			continue
		}
		dir, name, ok := s.Tables.Spot(x)
		if !ok {
			continue
		}
		if info, err := s.see(dir, name); err == nil {
			if err := s.SignAgain(x, info); err != nil {
				return err
			}
		}
	}
	return nil
}

// left finds out which names o does not have any more that was found at e, and
// returns those that mean something else by now. j.Mu is held.
func (s *survey) left(o *ledger.Object, e *ledger.Entry) ([]*ledger.Entry, error) {
	var open []*ledger.Entry
	for _, old := range slices.Clone(o.Spots) {
		if old == e || !old.Sure {
			continue
		}
		info, err := s.see(old.Dir, old.Name)
		rec := ledger.Record(ledger.BindRecord{Entry: old.ID})
		switch {
		case err == nil && info.Born != 0 && !o.Ident.Same(info.ID):
			rec = ledger.TouchRecord{Entry: old.ID}
			open = append(open, old)
		case !errors.Is(err, os.ErrNotExist):
			continue
		}
		if _, err := s.Put(rec); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// see returns what is at a name on the disk. The error is ErrNotExist only when
// its directory is there and the name is not. j.Mu is held.
func (s *survey) see(dir *ledger.Object, name string) (at.Info, error) {
	errAway := errors.New("not to be reached")
	root := s.r.Open[dir.Folder]
	rel, ok := s.Tables.SurePath(dir)
	if root == nil || !ok {
		return at.Info{}, errAway
	}
	d, err := root.Dir(rel)
	if err != nil {
		return at.Info{}, errAway
	}
	defer d.Close()
	return d.Lstat(name)
}
