package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/journal/steps"
)

// Dying between a step and its record is harmless: what is in the original as it should
// be counts as applied the next time. l.mu is held from the last look at a name of the
// original to the record, n.io while content is on its way.

// Begin implements steps.Owner.
func (a *applying) Begin(ctx context.Context, s *steps.Step) (func(), error) {
	i := a.items[s]
	n := i.node
	s.Replace = i.replace
	switch {
	case s.Late:
		a.l.mu.RLock()
		defer a.l.mu.RUnlock()
		s.At = a.place(string(n.Base))
		return nil, nil
	case i.damaged():
		return nil, ErrDamaged
	case i.over:
		s.Do = steps.Nothing
		return nil, a.l.revert(n)
	case i.change.Effect == journal.EffectDelete:
		return a.beginRemove(ctx, s, i)
	case i.change.Effect == journal.EffectMove && !i.placed:
		return a.beginMove(s, i)
	case i.beside != "":
		s.Do, s.Already = steps.Create, nil
		return a.beginContent(s, i, i.beside)
	case i.entry == nil || i.placed:
		return a.beginChange(ctx, s, i)
	}
	return a.beginNew(ctx, s, i)
}

func (a *applying) place(rel string) steps.Place {
	return steps.Place{Folder: a.to.Rec, Dir: path.Dir(rel), Name: path.Base(rel)}
}

// damaged reports whether the content that is to be applied is not there any more.
func (d *delta) damaged() bool {
	if d.node == nil || !d.content {
		return false
	}
	d.node.io.RLock()
	defer d.node.io.RUnlock()
	return d.node.damaged
}

// state is what the original is expected to be.
func (i *item) state(was *stamp, more func(p steps.Opened) (bool, error)) steps.State {
	if i.replace {
		return steps.State{Kind: was.Kind} // whatever a person made of it
	}
	return steps.State{Kind: was.Kind, Size: was.Size, Sum: was.Sum, Same: func(p steps.Opened, now at.Info) (bool, error) {
		if more != nil {
			if ours, err := more(p); ours || err != nil {
				return ours, err
			}
		}
		return was.untouched(stampAt(p, now)) && (was.Sum == "" || !now.Coarse()), nil
	}}
}

// stampAt is what is at a place of the original.
func stampAt(p steps.Opened, now at.Info) *stamp {
	target := ""
	if now.Kind == at.Symlink {
		target, _ = p.Dir.Readlink(p.Name)
	}
	return stampOf(now, target)
}

// beginRemove is Begin for a name that the task removed.
func (a *applying) beginRemove(ctx context.Context, s *steps.Step, i *item) (func(), error) {
	l, e := a.l, i.entry
	rel := e.source()
	s.Do, s.At, s.MayLack = steps.Remove, a.place(rel), true
	now, err := a.lstat(rel)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	was, orig := e.was(), e.orig
	l.mu.RUnlock()
	if now != nil && orig != nil && now.Kind != orig.Kind && a.replaced(ctx, e) {
		now, s.Do = nil, steps.Nothing // long gone
	}
	if now != nil && was != nil && now.Kind != at.Directory {
		if err := i.state(was, nil).CheckAt(ctx, s.At); err != nil {
			return nil, err
		}
	}
	l.mu.Lock()
	switch {
	case !e.current() || e.orig == nil:
		err = errOvertaken
	case now != nil && now.Kind == e.orig.Kind && (e.bound() || now.Kind == at.Directory && e.hid != nil && len(e.hid.order) > 0):
		err = steps.ErrWait
	}
	if err != nil {
		l.mu.Unlock()
		return nil, err
	}
	s.Expect = steps.State{Kind: e.orig.Kind}
	return l.mu.Unlock, nil
}

// errOvertaken says that the task goes on with what is being applied.
var errOvertaken = fmt.Errorf("by the task at the same time: %w", journal.ErrChangedSince)

// replaced reports whether what is at a name of the original is what the task made
// there: an Apply that was interrupted went further than the log says.
func (a *applying) replaced(ctx context.Context, e *entry) bool {
	for _, i := range a.items {
		if i.entry == e && i.change.Effect == journal.EffectCreate {
			already := a.already(ctx, i)
			made := steps.State{Kind: i.kind(), Same: func(p steps.Opened, now at.Info) (bool, error) { return already(p, now), nil }}
			return made.CheckAt(ctx, a.place(e.source())) == nil
		}
	}
	return false
}

// already reports whether the original is as the task left it: this change was
// applied before, or a person did the same.
func (a *applying) already(ctx context.Context, i *item) func(p steps.Opened, now at.Info) bool {
	return func(p steps.Opened, now at.Info) bool {
		want := i.change.After
		switch {
		case want == nil || now.Kind.String() != i.change.Kind:
			return false
		case now.Kind == at.Directory:
			return true
		case now.Kind == at.Symlink:
			return string(stampAt(p, now).Target) == want.Target
		case now.Size != want.Size || now.Mode&0o777 != want.Mode&0o777 || !now.MTime.Equal(want.MTime) || want.SHA256 == "":
			return false
		}
		f, _, err := a.l.openOriginal(path.Join(p.Path, p.Name))
		if err != nil {
			return false
		}
		defer f.Close()
		sum, err := hashOf(ctx, f)
		return err == nil && sum == want.SHA256
	}
}

// beginNew is Begin for what the task made, where nothing was or in the place of an
// original of the same kind, and for a further name of an original.
func (a *applying) beginNew(ctx context.Context, s *steps.Step, i *item) (func(), error) {
	l, e := a.l, i.entry
	l.mu.RLock()
	rel, base, was, bound, taken := e.source(), string(i.node.Base), e.was(), e.bound(), e.orig != nil
	l.mu.RUnlock()
	s.Do, s.At, s.Already = steps.Create, a.place(rel), a.already(ctx, i)
	if i.change.Effect == journal.EffectChange {
		s.Do, taken = steps.Replace, bound || was == nil
	}
	switch {
	case rel == "" || taken:
		return nil, steps.ErrWait
	case s.Do == steps.Replace:
		s.Expect = i.state(was, nil)
	case base != "":
		l.mu.Lock()
		if i.node.dropped || !e.current() || e.node != i.node {
			l.mu.Unlock()
			return nil, errOvertaken
		}
		s.Do, s.From = steps.Link, a.place(string(i.node.Base))
		return l.mu.Unlock, nil
	}
	return a.beginContent(s, i, rel)
}

// beginContent is the end of Begin for something new at rel.
func (a *applying) beginContent(s *steps.Step, i *item, rel string) (end func(), err error) {
	s.At = a.place(rel)
	if s.Kind != at.Directory {
		if s.Temp, err = a.temp(s.At.Dir); err != nil {
			return nil, err
		}
	}
	if s.Kind == at.File {
		i.node.io.Lock()
		end = i.node.io.Unlock
	}
	a.l.mu.RLock()
	defer a.l.mu.RUnlock()
	s.New = a.fresh(s, i.node)
	return end, nil
}

// fresh is what the original becomes; mu is held.
func (a *applying) fresh(s *steps.Step, n *node) steps.New {
	x := steps.New{Mode: n.Mode, Attrs: at.AttrSet(n.Attrs), Target: string(n.Link)}
	if n.MTime != nil {
		x.MTime = n.MTime.time()
	}
	if n.ATime != nil && n.Base != "" {
		x.ATime = n.ATime.time()
	}
	if n.kind == at.File {
		x.Like, x.Anyway = true, n.Base == ""
		x.Content = func() (*steps.Content, error) { return a.contentOf(s, n) }
	}
	return x
}

// beginMove is Begin for an original that gets the place that the task gave it, or one beside.
func (a *applying) beginMove(s *steps.Step, i *item) (func(), error) {
	l, e, n := a.l, i.entry, i.node
	l.mu.Lock()
	from, to := string(n.Base), e.source()
	if i.from != nil {
		from = i.from.source() // it may be another of its names
	}
	if i.beside != "" {
		to = i.beside
	}
	i.going = movedRec{From: raw(from), To: raw(to)}
	s.Do, s.From, s.At, s.Inode, s.Expect = steps.Move, a.place(from), a.place(to), n.Orig.ID, steps.State{Kind: n.kind}
	if s.Lifting {
		return a.beginLift(s, i)
	}
	now, err := a.lstat(from)
	there, terr := a.lstat(to)
	err = errors.Join(err, terr)
	switch {
	case n.dropped || !e.current() || e.node != n:
		err = errOvertaken
	case e.dir.Base == "", to != from && e.orig != nil && e.hid != n, strings.HasPrefix(to, from+"/"):
		err = steps.ErrWait
	case to == from:
		s.Do = steps.Nothing
	case now != nil && there != nil && there.ID != now.ID:
		err = fs.ErrExist
	case err == nil:
		if err = l.commit(&record{Going: &i.going}); err == nil {
			err = l.wal.Sync(l.wal.Position())
		}
	}
	if err != nil {
		l.mu.Unlock()
		return nil, err
	}
	return func() {
		if !i.placed && s.Do == steps.Move {
			_ = l.commit(&record{Going: &movedRec{}}) // without it Open looks
		}
		l.mu.Unlock()
	}, nil
}

// beginLift is the end of Begin for an original that is in the way of another one, which is
// in its way in turn. mu is held.
func (a *applying) beginLift(s *steps.Step, i *item) (func(), error) {
	l, n := a.l, i.node
	temp := l.t.tempPrefix() + strconv.FormatUint(l.t.next(), 10)
	err := steps.ErrWait
	if !n.dropped && i.from != nil && i.from.source() == string(n.Base) {
		err = l.commit(&record{Temp: raw(temp), Lift: n.N})
	}
	if err == nil {
		err = l.wal.Sync(l.wal.Position())
	}
	if err != nil {
		l.mu.Unlock()
		return nil, err
	}
	s.At = a.place(temp)
	return l.mu.Unlock, nil
}

// beginChange is Begin for the content, mode, times and attributes of an original.
func (a *applying) beginChange(ctx context.Context, s *steps.Step, i *item) (func(), error) {
	l, n := a.l, i.node
	if i.placed && !i.synced {
		// Where it went is known by its inode, which its content may replace.
		if err := l.syncLog(); err != nil {
			return nil, err
		}
		i.synced = true
	}
	n.io.Lock()
	l.mu.RLock()
	rec, kept, rel := n.nodeRec, n.kept, string(n.Base)
	s.New = a.fresh(s, n)
	l.mu.RUnlock()
	s.Do, s.At, s.Expect = steps.Nothing, a.place(rel), steps.State{Kind: n.kind}
	if !kept {
		return n.io.Unlock, nil // a move, and nothing else
	}
	now, err := a.lstat(rel)
	switch {
	case err != nil:
	case rec.Obj == 0:
		s.Do = steps.Dress
		if now != nil && now.Kind == n.kind {
			err = a.manner(s, rel, rec, now)
		}
	default:
		s.Do, s.Already = steps.Write, a.already(ctx, i)
		s.Expect = i.state(rec.Orig, func(p steps.Opened) (bool, error) {
			if rec.Busy {
				return a.isHalf(ctx, s, n, path.Join(p.Path, p.Name))
			}
			return false, a.undressed(rel, rec)
		})
		s.InPlace = now != nil && (s.InPlace || now.NLink > 1 || rec.Part || rec.Busy)
		if !s.InPlace {
			s.Temp, err = a.temp(s.At.Dir)
		}
	}
	if err != nil {
		n.io.Unlock()
		return nil, err
	}
	return n.io.Unlock, nil
}

// manner has mode, times and attributes applied alone. A person may have changed the
// content: then its time stays.
func (a *applying) manner(s *steps.Step, rel string, rec nodeRec, now *at.Info) error {
	if rec.Mode != nil && now.Mode != rec.Orig.Mode && now.Mode != *rec.Mode &&
		!(rec.Attrs != nil && now.Mode == rec.Orig.Mode|0o200) && !s.Replace {
		return fmt.Errorf("the permissions: %w", journal.ErrChangedSince)
	}
	if rec.MTime == nil || !rec.Times || momentOf(now.MTime) != rec.Orig.MTime && rec.Kind != at.Directory {
		s.MTime = time.Time{}
	}
	if s.Replace {
		return nil
	}
	return a.undressed(rel, rec)
}

// undressed returns a conflict when a person changed the attributes of an
// original that the task gave others.
func (a *applying) undressed(rel string, rec nodeRec) error {
	if rec.Attrs == nil || rec.Kind != at.File && rec.Kind != at.Directory {
		return nil
	}
	now, err := a.l.originalAttrs(rel)
	if err != nil {
		return err
	}
	if d := now.digest(); d != rec.Had && d != rec.Attrs.digest() {
		return fmt.Errorf("the attributes: %w", journal.ErrChangedSince)
	}
	return nil
}
