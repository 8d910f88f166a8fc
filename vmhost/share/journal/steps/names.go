package steps

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// remove takes a name away.
func (x *Run) remove(ctx context.Context, s *Step) error {
	p, now, err := s.At.Look()
	defer p.End()
	if err == nil {
		err = s.Expect.Check(ctx, p, now)
	} else if s.MayLack && errors.Is(err, ErrGone) {
		return x.done(s, p)
	}
	if err == nil {
		err = p.Folder.Drop(p.Place, now.Kind == at.Directory)
	}
	if errors.Is(err, syscall.EEXIST) {
		return syscall.ENOTEMPTY
	}
	if err != nil {
		return err
	}
	x.step("removed")
	return x.done(s, p)
}

// create makes something new.
func (x *Run) create(ctx context.Context, s *Step) error {
	p, there, err := s.At.Look()
	defer p.End()
	switch {
	case err == nil && s.Already != nil && s.Already(p, there):
		return x.found(s, p, there)
	case err == nil && (!s.Replace || !replaceable(there.Kind) || !replaceable(s.Kind)):
		return fs.ErrExist
	case err == nil:
		return x.put(ctx, s, p, &there)
	case errors.Is(err, ErrGone) && p.Dir != nil:
		return x.put(ctx, s, p, nil)
	}
	return err
}

// replaceable reports whether one rename can put something else in the place of what is there.
func replaceable(k at.Kind) bool { return k == at.File || k == at.Symlink }

// found is for what is as the step makes it.
func (x *Run) found(s *Step, p Opened, there at.Info) error {
	s.Found = true
	if there.Kind != at.Directory {
		if err := x.dress(s, p, there); err != nil {
			return err
		}
	}
	return x.done(s, p)
}

// put makes something new, where nothing is or in the place of what is there.
func (x *Run) put(ctx context.Context, s *Step, p Opened, there *at.Info) error {
	if s.Kind == at.Directory {
		// With a mode such as 0555 no file could be put into it.
		_, err := p.Folder.Mkdir(p.Place, *s.Mode|0o700)
		if err == nil && s.Attrs != nil {
			err = p.Folder.SetXattrs(p.Place, s.Attrs)
		}
		if err == nil && s.Owner != nil {
			s.lacks(p.own(s.Owner))
		}
		if err != nil {
			return err
		}
		x.step("made")
		return x.done(s, p)
	}
	q := p
	if there != nil || s.Staged {
		q.Name = s.Temp
	}
	var err error
	if s.Staged {
		// The owner made it.
	} else if s.Kind == at.Symlink {
		if _, err = p.Folder.Symlink(q.Place, s.Target); err == nil {
			err = x.dress(s, q, at.Info{Kind: at.Symlink})
		}
	} else {
		err = x.file(ctx, s, q, p, there)
	}
	switch {
	case err == nil && there != nil:
		err = x.supplant(q, p, *there)
	case err == nil && s.Staged:
		err = p.Folder.Rename(q.Place, p.Place, false)
	}
	if err != nil && q.Name != p.Name {
		_ = Discard(Place{s.At.Folder, s.At.Dir, q.Name}, s.Return)
	}
	if err != nil {
		return err
	}
	x.step("made")
	return x.done(s, p)
}

// supplant gives what was made at q the name p in the place of what is there.
func (x *Run) supplant(q, p Opened, there at.Info) error {
	x.step("beside")
	now, err := p.Lstat()
	if err != nil || !same(there, now) {
		return errors.Join(recorder.ErrRaced, err)
	}
	return p.Folder.Supplant(q.Place, p.Place, now)
}

// same reports whether nothing happened to what is at a name between two looks.
func same(a, b at.Info) bool {
	return a.Kind == b.Kind && a.ID == b.ID && a.Size == b.Size && a.MTime.Equal(b.MTime)
}

// Discard removes what was made under a temporary name. It may be the only file with its
// content: then it goes back where it was taken from.
func Discard(pl Place, back func(d *at.Dir, name string) error) error {
	p, _, err := pl.Look()
	defer p.End()
	if err != nil {
		return err
	}
	dir, err := p.Dir.Info()
	if err != nil {
		return err
	}
	j := p.Folder.J
	j.Mu.Lock()
	var e *ledger.Entry
	if o := j.Tables.Inodes[dir.ID]; o != nil {
		e = j.Tables.Names[ledger.Name{Dir: o.ID, Name: p.Name}]
	}
	j.Mu.Unlock()
	switch {
	case back != nil && back(p.Dir, p.Name) == nil:
		if e != nil {
			j.Mu.Lock()
			defer j.Mu.Unlock()
			_, err = j.Put(ledger.BindRecord{Entry: e.ID})
		}
		return err
	case e != nil:
		return p.Folder.Drop(p.Place, false)
	}
	// Not of the journal, or a power cut took its record: to the folder it would be a
	// person's, listed as deleted and brought back by the next undo.
	return p.Dir.Remove(p.Name)
}

// link gives the file at From a further name. With Replace it takes the name of a file that is as Expect
// says.
func (x *Run) link(ctx context.Context, s *Step) error {
	from, now, err := s.From.Look()
	defer from.End()
	if err != nil {
		return err
	}
	p, there, err := s.At.Look()
	defer p.End()
	switch {
	case err == nil && there.ID == now.ID:
		s.Found = true
		return x.done(s, p)
	case err == nil && (!s.Replace || s.Temp == "" || !replaceable(there.Kind)):
		return fs.ErrExist
	case p.Dir == nil:
		return err
	case err == nil:
		q := p
		q.Name = s.Temp
		if s.Expect.Same != nil {
			err = s.Expect.Check(ctx, p, there)
		}
		if err != nil {
			return err
		}
		if _, err = p.Folder.Link(from.Place, q.Place); err == nil {
			if err = x.supplant(q, p, there); err != nil {
				_ = Discard(Place{s.At.Folder, s.At.Dir, q.Name}, nil)
			}
		}
	default:
		_, err = p.Folder.Link(from.Place, p.Place)
	}
	if err != nil {
		return err
	}
	x.step("linked")
	return x.done(s, p)
}

// move moves what is at From.
func (x *Run) move(ctx context.Context, s *Step) error {
	from, now, err := s.From.Look()
	defer from.End()
	p, perr := s.At.open()
	defer p.End()
	there := at.Info{}
	if perr == nil {
		there, perr = p.Lstat()
	}
	if errors.Is(err, ErrGone) && perr == nil && there.ID == s.Inode {
		return x.done(s, p) // the program died before this was written down
	}
	if err == nil {
		err = s.Expect.Check(ctx, from, now)
	}
	if err != nil {
		return err
	}
	switch {
	case s.From == s.At:
		return x.done(s, p)
	case p.Dir == nil:
		return perr
	case perr == nil && from.Dir.Respells(from.Name, p.Dir, p.Name):
		err = p.Folder.Rename(from.Place, p.Place, true)
	case perr == nil && there.ID != now.ID && s.Replace && replaceable(there.Kind) && replaceable(now.Kind):
		err = p.Folder.Rename(from.Place, p.Place, true)
	case perr == nil && there.ID != now.ID:
		return fs.ErrExist
	case perr == nil && now.Kind != at.Directory && there.NLink > 1:
		err = p.Folder.Drop(from.Place, false) // it has that name already
	default: // the host may not tell the two names apart
		err = p.Folder.Rename(from.Place, p.Place, perr == nil)
	}
	if err != nil {
		return err
	}
	x.step("moved")
	return x.done(s, p, from)
}

// lacks tells the step's owner what of its Owner a new file did not get.
func (s *Step) lacks(err error) {
	if err != nil && s.Lacking != nil {
		s.Lacking(err)
	}
}

// own gives the directory at p an owner.
func (p Opened) own(o *at.Owner) error {
	d, err := p.Dir.Sub(p.Name)
	if err != nil {
		return err
	}
	defer d.Close()
	a, err := d.Attrs(".")
	if err != nil {
		return err
	}
	defer a.Close()
	return a.SetOwner(o)
}
