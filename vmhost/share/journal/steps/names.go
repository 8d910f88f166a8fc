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
	p, now, err := s.At.look()
	defer p.close()
	if err == nil {
		err = s.Expect.check(ctx, p, now)
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
	p, there, err := s.At.look()
	defer p.close()
	switch {
	case err == nil && s.Already != nil && s.Already(p, there):
		return x.found(s, p, there)
	case err == nil && (!s.Replace || there.Kind != s.Kind || s.Kind == at.Directory):
		return fs.ErrExist
	case err == nil:
		return x.put(ctx, s, p, &there)
	case errors.Is(err, ErrGone) && p.Dir != nil:
		return x.put(ctx, s, p, nil)
	}
	return err
}

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
		// It may be that nothing can be put into it with its own mode.
		_, err := p.Folder.Mkdir(p.Place, *s.Mode|0o700)
		if err == nil && s.Attrs != nil {
			err = p.Folder.SetXattrs(p.Place, s.Attrs)
		}
		if err != nil {
			return err
		}
		x.step("made")
		return x.done(s, p)
	}
	q := p
	if there != nil {
		q.Name = s.Temp
	}
	var err error
	if s.Kind == at.Symlink {
		if _, err = p.Folder.Symlink(q.Place, s.Target); err == nil {
			err = x.dress(s, q, at.Info{Kind: at.Symlink})
		}
	} else {
		err = x.file(ctx, s, q, p, there)
	}
	if err == nil && there != nil {
		x.step("beside")
		now, lerr := p.Lstat()
		if lerr != nil || !same(*there, now) {
			err = errors.Join(recorder.ErrRaced, lerr)
		} else {
			err = p.Folder.Rename(q.Place, p.Place, true)
		}
	}
	if err != nil && there != nil {
		_ = Discard(Place{s.At.Folder, s.At.Dir, q.Name}, s.Return)
	}
	if err != nil {
		return err
	}
	x.step("made")
	return x.done(s, p)
}

// same reports whether nothing happened to what is at a name between two looks.
func same(a, b at.Info) bool {
	return a.Kind == b.Kind && a.ID == b.ID && a.Size == b.Size && a.MTime.Equal(b.MTime)
}

// Discard removes what was made under a temporary name. It may be the only file with its
// content: then it goes back where it was taken from.
func Discard(pl Place, back func(d *at.Dir, name string) error) error {
	p, _, err := pl.look()
	defer p.close()
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

// link gives what is at From a further name.
func (x *Run) link(s *Step) error {
	from, now, err := s.From.look()
	defer from.close()
	if err != nil {
		return err
	}
	p, there, err := s.At.look()
	defer p.close()
	switch {
	case err == nil && there.ID == now.ID:
		s.Found = true
		return x.done(s, p)
	case err == nil:
		return fs.ErrExist
	case p.Dir == nil:
		return err
	}
	if _, err = p.Folder.Link(from.Place, p.Place); err != nil {
		return err
	}
	x.step("linked")
	return x.done(s, p)
}

// move moves what is at From.
func (x *Run) move(ctx context.Context, s *Step) error {
	from, now, err := s.From.look()
	defer from.close()
	p, perr := s.At.open()
	defer p.close()
	there := at.Info{}
	if perr == nil {
		there, perr = p.Lstat()
	}
	if errors.Is(err, ErrGone) && perr == nil && there.ID == s.Inode {
		return x.done(s, p) // the program died before this was written down
	}
	if err == nil {
		err = s.Expect.check(ctx, from, now)
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
