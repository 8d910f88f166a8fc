package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// Undo writes into some files in place. While it does, the file has neither the one content nor
// the other, and only the record before it (Object.Rewriting) lets that be told from what a
// person saved. When the program dies there, what happened to the file later than the undo is
// known to have been at work is a person's. A rewrite that ended, well or not, is known by the
// state in which it left the file.

// writeInto gives the file its content, which was verified, its mode and its time from before,
// in place and durable. before is what the file was when undo decided about it: to verify a large
// image takes seconds, and what a person saves meanwhile is theirs.
func (u *writer) writeInto(o *ledger.Object, f *os.File, before at.Info, mode uint32) error {
	if err := asSeen(f, before); err != nil {
		u.notRewriting(o)
		return err
	}
	if err := u.j.PutNow(ledger.RewriteRecord{Object: o.ID}); err != nil {
		return err
	}
	u.j.Step("undo-rewriting")
	if err := asSeen(f, before); err != nil {
		u.notRewriting(o)
		return err
	}
	err := u.rewrite(o, f)
	if err == nil {
		u.j.Step("undo-rewritten")
		err = u.dress(f, mode, time.Time{}, o, true)
	}
	u.noteRewritten(o, f, err == nil)
	return err
}

// asSeen is ErrRaced unless an open file is what it was.
func asSeen(f *os.File, before at.Info) error {
	now, err := at.Stat(f)
	if err != nil || now.ID != before.ID || !ledger.StateOf(now).SameData(ledger.StateOf(before)) {
		return errors.Join(ErrRaced, err)
	}
	return nil
}

// notRewriting writes down that what is in a file is not undo's, at once: the next undo would
// take the time at which this one was at work for that of the one before.
func (u *site) notRewriting(o *ledger.Object) {
	if !o.Rewriting {
		return
	}
	done := ledger.RewriteRecord{Object: o.ID, Done: true}
	if err := u.j.PutNow(done); err != nil {
		u.j.Log.Warn("journal: should undo be interrupted, it may take a file for its own", "err", err)
		u.note(done)
	}
}

// noteRewritten writes down how writeInto left a file, whole or not. It need not wait for the
// end of the undo: the file is durable, and the journal gives nothing up.
func (u *writer) noteRewritten(o *ledger.Object, f *os.File, whole bool) {
	info, err := at.Stat(f)
	if err != nil {
		return // its times say whose it is
	}
	u.j.Mu.Lock()
	s := ledger.StateOf(info)
	s.Attrs = u.j.Tables.After(o, nil).Attrs
	if whole {
		s.Sum, s.Equal = o.Base.Sum, true
		if !u.theirs[o] {
			s.Attrs = o.Base.Attrs
		}
	}
	recs := []ledger.Record{ledger.AfterRecord{Object: o.ID, State: &s}, ledger.RewriteRecord{Object: o.ID, Done: true}}
	if whole && u.lacking[o] != nil {
		u.j.Mu.Unlock()
		return // an undo that goes on does it again, and reports again what is lacking
	}
	_, err = u.j.Put(recs...)
	u.j.Mu.Unlock()
	if err != nil { // no room in the log
		u.note(recs...)
	}
}

// settleRewriting decides, before undo changes anything, about files that one which was
// interrupted was writing into. Those that a person changed since are compared like any other
// from now on; the others are finished.
func (u *guards) settleRewriting(ctx context.Context, items []*item) {
	for _, i := range items {
		o := i.Object
		if o == nil || !o.Rewriting {
			continue
		}
		d, name, err := u.placeOfRewritten(i)
		if err != nil {
			continue // it may be found later
		}
		info, err := d.Lstat(name)
		if err == nil && u.changedSince(o, info) && u.isHalf(ctx, i, d, name, info) {
			u.rewriting[o] = sightingOf(info)
		}
		if err == nil {
			u.stillRewriting(o, info)
		}
		d.Close()
	}
}

// placeOfRewritten returns where a file is that undo was writing into: in the journal, where the
// task left it, or where undo put it without a record of that. The caller closes the directory.
func (u *guards) placeOfRewritten(i *item) (*at.Dir, string, error) {
	o := i.Object
	ref := ledger.StoreName(o.ID, o.Ref)
	if _, err := u.j.Refs.Lstat(ref); err == nil && o.Ref != 0 {
		d, err := u.j.Refs.Again()
		return d, ref, err
	}
	if d, name, err := u.where(o); err == nil {
		return d, name, nil
	}
	if i.Entry == nil {
		return nil, "", fs.ErrNotExist
	}
	d, err := u.dir(i.Entry.Dir)
	if err != nil {
		return nil, "", err
	}
	if info, err := d.Lstat(i.Entry.Name); err != nil || info.ID != o.Ident {
		d.Close()
		return nil, "", errors.Join(fs.ErrNotExist, err)
	}
	return d, i.Entry.Name, nil
}

// stillRewriting reports whether a file that undo was writing into is as that left it, and notes
// what it is. That a person changed it is written down.
func (u *guards) stillRewriting(o *ledger.Object, info at.Info) bool {
	if !o.Rewriting {
		return false
	}
	if seen, known := u.rewriting[o]; known && seen.holds(info) || !known && !u.changedSince(o, info) {
		u.rewriting[o] = sightingOf(info)
		return true
	}
	u.notRewriting(o)
	return false
}

// guardRewriting reports whether the file of an item is one that undo was writing into, and as
// that left it: then it is finished.
func (u *guards) guardRewriting(i *item, d *at.Dir, name string) bool {
	info, err := d.Lstat(name)
	if err != nil || !u.stillRewriting(i.Fix, info) {
		return false
	}
	i.found = sightingOf(info)
	return true
}

// changedSince reports whether something happened to a file later than the task, or the undo that
// was interrupted, is known to have been at work. A time that undo or the task set says nothing.
func (u *guards) changedSince(o *ledger.Object, info at.Info) bool {
	end := u.ended.Add(recorder.DeathSlack)
	switch {
	case o.Ident.Other(info.ID), info.Kind != o.Kind, info.CTime.After(end):
		return true
	case !info.MTime.After(end):
		return false
	}
	for _, t := range []time.Time{o.Base.MTime(), u.after(o).MTime()} {
		if info.MTime.Sub(t).Abs() < 2*time.Second {
			return false
		}
	}
	return true
}
