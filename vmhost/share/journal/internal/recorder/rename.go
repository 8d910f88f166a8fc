package recorder

import (
	"errors"
	"io/fs"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// Rename moves old to rel as rename(2) does, keeping what is replaced; with
// noReplace it fails when something is there.
func (f *Folder) Rename(old, rel string, noReplace bool) error {
	return f.changeBoth(old, rel, func(o, p Place) error { return f.Rec.Rename(o, p, !noReplace) })
}

// Rename moves old to p, keeping what is replaced.
func (f *Changer) Rename(old, p Place, replace bool) error {
	if f == nil && replace {
		return old.Dir.Rename(old.Name, p.Dir, p.Name)
	}
	if f == nil {
		return old.Dir.RenameNoReplace(old.Name, p.Dir, p.Name)
	}
	defer f.Enter()()
	from, err := f.Directory(old)
	if err != nil {
		return err
	}
	to, err := f.Directory(p)
	if err != nil {
		return err
	}
	o, info, err := f.look(from, old)
	if err != nil {
		return err
	}
	var victim *ledger.Object
	var there at.Info
	respell := replace && old.Dir.Respells(old.Name, p.Dir, p.Name)
	if !respell {
		victim, there, err = f.look(to, p)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if victim != nil {
		if !replace {
			return &fs.PathError{Op: "rename", Path: p.Name, Err: fs.ErrExist}
		}
		if there.ID == info.ID {
			if info.NLink > 1 && info.Kind != at.Directory || from == to && old.Name == p.Name {
				return nil // two names of one inode: rename(2) does nothing
			}
			victim, respell = nil, true // the host does not tell the two names apart
		} else if err := replaceable(p.Name, info.Kind, there.Kind); err != nil {
			return err
		}
	}
	f.J.Mu.Lock()
	e1, err := f.TouchName(from, old.Name, o)
	var e2 *ledger.Entry
	if err == nil {
		e2, err = f.TouchName(to, p.Name, victim)
	}
	f.J.Mu.Unlock()
	if err != nil {
		return err
	}
	if victim != nil && there.Kind == at.Directory {
		err = f.keepDirectory(victim, p)
	}
	if err != nil {
		f.recordUnchanged(e1)
		f.recordUnchanged(e2)
		return err
	}
	if err := f.durable(o, victim); err != nil {
		return err
	}
	f.J.Step("before")
	switch err = unsealed(f); {
	case err != nil:
	case respell:
		err = old.Dir.Rename(old.Name, p.Dir, p.Name)
	default:
		err = f.replace(old, p, victim, there)
	}
	if err != nil {
		f.recordUnchanged(e1)
		f.recordUnchanged(e2)
		return err
	}
	f.J.Step("after")
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	_, err = f.J.Put(ledger.BindRecord{Entry: e2.ID, Object: o.ID}, ledger.BindRecord{Entry: e1.ID})
	f.J.Step("recorded")
	if err == nil && victim != nil && there.Kind == at.File && there.NLink > 1 {
		err = f.signElsewhere(victim)
	}
	if err != nil || o.Kind != at.File {
		return err
	}
	if now, err := p.Dir.Lstat(p.Name); err == nil {
		return f.J.SignAgain(o, now)
	}
	return nil
}

// replaceable answers what rename(2) would, before anything is kept for it.
func replaceable(name string, from, to at.Kind) error {
	err := error(nil)
	switch {
	case to == at.Special:
		err = ErrSpecial
	case from == at.Directory && to != at.Directory:
		err = syscall.ENOTDIR
	case from != at.Directory && to == at.Directory:
		err = syscall.EISDIR
	}
	if err != nil {
		return &fs.PathError{Op: "rename", Path: name, Err: err}
	}
	return nil
}

func (f *Changer) replace(old, p Place, victim *ledger.Object, there at.Info) error {
	if victim != nil && victim.Kind == at.File && !f.J.known(victim).made {
		if err := f.keepName(victim, p, there); err != nil {
			return err
		}
	}
	if victim == nil {
		return old.Dir.RenameNoReplace(old.Name, p.Dir, p.Name)
	}
	if err := looked(f, victim, p, there); err != nil {
		return err
	}
	if err := unsealed(f); err != nil { // keeping what was there may have taken long
		return err
	}
	return old.Dir.Rename(old.Name, p.Dir, p.Name)
}

// looked makes sure, before o loses the name p, that it is still what it was when it was looked at.
// Copying its content may have taken minutes, in which a person wrote into it. In refs/ lies no copy but
// the file itself, with what they wrote.
func looked(f *Changer, o *ledger.Object, p Place, before at.Info) error {
	kept, err := unchanged(f, o, p, before)
	if err != nil || kept == "" {
		return err
	}
	sum, now, err := SumAt(f.J.life, p.Dir, p.Name)
	if err != nil || sum == kept {
		return err
	}
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	s := ledger.StateOf(now)
	_, err = f.J.Put(rebased(o, now, s)...) // the next time it is kept anew
	return errors.Join(ErrRaced, err)
}

// unchanged is looked by size and time. Where these prove nothing, it returns the hash of what was
// kept, if that is known: large files are kept in parts.
func unchanged(f *Changer, o *ledger.Object, p Place, before at.Info) (kept string, err error) {
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	now, err := p.Dir.Lstat(p.Name)
	if err != nil || now.ID != before.ID {
		return "", errors.Join(ErrRaced, err)
	}
	s := ledger.StateOf(now)
	tasks := o.Writers > 0 || o.Touch != ledger.TouchNone && s.SameData(o.Last)
	switch {
	case o.Kind != at.File || o.Made || o.Ref != 0 || tasks:
		return "", nil
	case !s.SameData(ledger.StateOf(before)):
		return "", ErrRaced
	case now.Coarse() && o.Touch == ledger.TouchNone && o.Image != nil:
		return o.Image.Sum, nil
	}
	return "", nil
}
