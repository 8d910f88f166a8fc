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
// the log, or may be missing in it because the program died ([ledger.Ledger.Doubts]).
// Nothing else changes anything meanwhile.
//
// A power cut takes a tail of the log, and only operations on what was kept ahead or is
// the task's own do not wait for it. So what was kept ahead and is gone was removed,
// and what differs was changed; what is at a name that the task had emptied or taken is
// the task's. What happened clearly later than the program's death is a person's, however
// often the journal was opened since.
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
			info, _, err := s.see(e)
			if err != nil {
				continue
			}
			if o := t.Inodes[info.ID]; o != nil && o.Kind == info.Kind {
				if _, err := s.Put(ledger.BindRecord{Entry: e.ID, Object: o.ID}); err != nil {
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
		info, target, err := s.see(e)
		switch {
		case errors.Is(err, os.ErrNotExist):
			_, err = s.Put(ledger.BindRecord{Entry: e.ID})
		case err != nil:
			continue // its directory is not there; asked again next time
		case e.Cur != nil && e.Cur.Suspect && info.Kind == at.File:
			// Removed and made again: as if it had been overwritten.
			_, err = s.Put(ledger.InodeRecord{Object: e.Cur.ID, Inode: &info.ID}, ledger.BindRecord{Entry: e.ID, Object: e.Cur.ID})
		case e.Stale && s.later(ledger.StateOf(info), e.Died) || info.Kind == at.Special:
			_, err = s.Put(ledger.BindRecord{Entry: e.ID}) // a person's
		default:
			st := ledger.StateOf(info)
			st.Target = ledger.Raw(target)
			n := t.LastO + 1
			_, err = s.Put(ledger.ObjectRecord{Object: n, Dir: e.Dir.ID, Name: []byte(e.Name), Inode: &info.ID,
				Kind: info.Kind.String(), Made: true, State: &st}, ledger.BindRecord{Entry: e.ID, Object: n})
		}
		if err != nil {
			return err
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
		info, _, err := s.see(old)
		rec := ledger.Record(ledger.BindRecord{Entry: old.ID})
		switch {
		case err == nil && info.Born != 0 && !o.Ident.Same(info.ID):
			rec = ledger.TouchRecord{Entry: old.ID, Died: e.Died}
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
func (s *survey) see(e *ledger.Entry) (at.Info, string, error) {
	errAway := errors.New("not to be reached")
	root := s.r.Open[e.Dir.Folder]
	rel, ok := s.Tables.SurePath(e.Dir)
	if root == nil || !ok {
		return at.Info{}, "", errAway
	}
	d, err := root.Dir(rel)
	if err != nil {
		return at.Info{}, "", errAway
	}
	defer d.Close()
	info, err := d.Lstat(e.Name)
	if err != nil || info.Kind != at.Symlink {
		return info, "", err
	}
	target, err := d.Readlink(e.Name)
	return info, target, err
}
