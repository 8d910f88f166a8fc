package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// resolve does what the person answered to a conflict that was found before
// anything was done.
func (u *undo) resolve(ctx context.Context, i *item) {
	if i.conflict == nil {
		return
	}
	switch u.opts.Resolve[i.Change.ID] {
	case Both:
		u.putBeside(ctx, i)
	case Restore:
		u.overrule(ctx, i)
	}
}

// overrule makes undo go on over what a person changed, where the journal has
// all of what was before. What is there is kept for Redo like anything else.
func (u *undo) overrule(ctx context.Context, i *item) {
	if i.conflict.Reason != ReasonChanged {
		return // what is in the way is dealt with when it is; the rest cannot be helped
	}
	o := i.Fix
	if o == nil && i.Place != nil && i.Remove == nil {
		o = i.Place // moved, and edited since
	}
	if o != nil && o.Kind == at.File {
		// Of a file that was being changed when the program died, nobody knows that a person changed it.
		if o.Image == nil && o.Ref == 0 || o.Image != nil && o.Image.Parts && !i.after.Lost {
			i.conflict = nil
			i.fail(ReasonNoImage, "the journal has not all of what %q was before the person changed it", i.Change.Path)
			return
		}
	}
	if d, name, ok := u.there(i); ok {
		info, err := recorder.Place{Dir: d, Name: name}.Lstat()
		d.Close()
		if err != nil || info.Kind != at.File && info.Kind != at.Symlink {
			return // a directory with a person's things in it
		}
		if o != nil && i.Remove == nil && (o.Kind != info.Kind || i.Change.Effect == EffectMove && o.Ref != 0 && o.Ident.Other(info.ID)) {
			return // another file has the name, and what was moved lies in the journal
		}
		if i.seen = sightingOf(info); i.Remove == nil {
			i.found = i.seen
		}
	}
	i.conflict, i.force = nil, true
	if i.Remove != nil {
		if i.Place != nil {
			u.guardPlace(ctx, i)
		}
		return
	}
	if o.Image != nil && i.Fix == nil {
		i.Fix, i.fixed = o, false
	}
	i.after = ledger.State{Mode: i.after.Mode}
}

// there returns where what the person changed is.
func (u *undo) there(i *item) (*at.Dir, string, bool) {
	var d *at.Dir
	var name string
	var err error
	if i.Remove != nil {
		name = i.Remove.Name
		d, err = u.dir(i.Remove.Dir)
	} else if o := i.Object; o != nil {
		d, name, err = u.where(o)
	} else {
		return nil, "", false
	}
	return d, name, err == nil
}

// displaceAll takes away what is in the way of things that the person wants
// back nevertheless, and puts the others beside it. Directories come first, for what is in them. Of
// several that wait for a name the newest comes first, and no other takes that from it.
func (u *undo) displaceAll(ctx context.Context) {
	list := slices.Clone(u.items)
	depth := func(i *item) int { return strings.Count(cmp.Or(i.Change.From, i.Change.Path), "/") }
	slices.SortStableFunc(list, func(a, b *item) int { return cmp.Or(depth(a)-depth(b), b.rank()-a.rank()) })
	for _, i := range list {
		if i.conflict != nil || !i.removed || i.placed || ctx.Err() != nil && !i.begun || u.try(ctx, i, true, u.placeObject) {
			continue
		}
		answer := u.opts.Resolve[i.Change.ID]
		if answer != Restore || i.force || outranked(u, i) { // one thing of a person's is kept for a change
			i.fail(ReasonInTheWay, "something else is at %q", i.entryPath(u.j))
		}
		switch {
		case answer == Both:
			u.putBeside(ctx, i)
		case i.conflict == nil:
			if err := u.displace(ctx, i); err != nil {
				i.fail(ReasonInTheWay, "something else is at %q and stays: %v", i.entryPath(u.j), err)
				continue
			}
			u.try(ctx, i, true, u.placeObject)
		}
	}
}

// rank is the place of what is to be placed among all that a person had at that name.
func (i *item) rank() int {
	if i.Entry == nil {
		return 0
	}
	return slices.Index(i.Entry.Bases, i.Place)
}

// outranked reports whether something newer got the name that an item waits for.
func outranked(u *undo, i *item) bool {
	return slices.ContainsFunc(u.belong[i.Entry], func(x *item) bool { return x.placed && !x.beside && x.rank() > i.rank() })
}

// displace keeps what is in the way and takes its name away.
func (u *undo) displace(ctx context.Context, i *item) error {
	d, err := u.dir(i.Entry.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	info, err := d.Lstat(i.Entry.Name)
	if err != nil {
		return err
	}
	if info.Kind != at.File && info.Kind != at.Symlink {
		return errNotFile
	}
	k := &ledger.Kept{Change: i.Change, Dir: i.Entry.Dir.ID, Name: ledger.Raw(i.Entry.Name), From: i.Entry.Dir.ID, Obj: i.Place.ID}
	thing := &ledger.Object{Made: true}
	if info.Kind == at.Symlink {
		thing = nil
	}
	if err := u.keepThing(ctx, k, d, i.Entry.Name, thing); err != nil {
		return err
	}
	if k.Lost {
		return ErrFull // it is the only copy
	}
	if err := errors.Join(u.j.Trash.Sync(), u.j.Sync(u.j.File.Position())); err != nil {
		return err
	}
	i.displaced, i.seen = true, sightingOf(info)
	return u.setAside(i, d, i.Entry.Name)
}

var errNotFile = errors.New("it is not a file")

// putBeside makes a file with what was before beside what is there now.
func (u *undo) putBeside(ctx context.Context, i *item) {
	o := i.Object
	if o == nil || o.Kind != at.File {
		return
	}
	u.j.Mu.Lock()
	dir, name, ok := u.j.Tables.Spot(o)
	if i.Entry != nil {
		dir, name, ok = i.Entry.Dir, i.Entry.Name, true
	}
	u.j.Mu.Unlock()
	if !ok {
		return
	}
	c, err := u.own.contentBefore(ctx, u.r, i.Step)
	if err != nil {
		i.conflict = nil
		i.fail(ReasonNoImage, "%v", err)
		return
	}
	defer c.Close()
	d, err := u.dir(dir)
	if err != nil {
		return // there is nothing to put it beside
	}
	defer d.Close()
	u.workIn(dir)
	got, err := u.writeBeside(o, c, d, name)
	if err != nil {
		i.conflict = nil
		i.fail(reasonOf(err), "%v", err)
		return
	}
	u.j.Mu.Lock()
	u.beside[i.Change.ID] = u.j.Tables.PathOf(dir, got)
	u.j.Mu.Unlock()
	i.conflict, i.beside = nil, true
	i.removed, i.placed, i.fixed = true, true, true
}

func (u *undo) writeBeside(o *ledger.Object, c *Content, d *at.Dir, name string) (string, error) {
	tmp := u.tempName(o, ".new")
	err := recorder.Stage(d, tmp, func(f *os.File, was at.Info) error {
		if err := c.CopyTo(f, o.Base.Sum); err != nil {
			return err
		}
		return u.dress(f, o.Base.Mode, was.ATime, o, true)
	})
	for n := 1; err == nil; n++ {
		got := BesideName(name, u.opts.Label, n)
		if there, lerr := d.Lstat(got); u.resumed && lerr == nil && there.Size == c.Size() && ledger.StateOf(there).MTime().Equal(o.Base.MTime()) {
			_ = d.Remove(tmp)
			return got, nil // put there before the program died
		}
		if err = d.RenameNoReplace(tmp, d, got); err == nil {
			return got, nil
		}
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			err = nil
		}
	}
	_ = d.Remove(tmp)
	return "", err
}

// BesideName is a name for another version of a file: the n-th that was tried. Without
// a label it is "before".
func BesideName(name, label string, n int) string {
	label = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return ' '
		}
		return r
	}, label)
	if label = strings.Join(strings.Fields(label), " "); label == "" {
		label = "before"
	}
	const most = 80
	label = clipText(label, most)
	if n > 1 {
		label += fmt.Sprint(" ", n)
	}
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if stem == "" || len(ext) > 20 || strings.ContainsRune(ext, ' ') {
		stem, ext = name, "" // ".profile", or no ending at all
	}
	if s, ok := strings.CutSuffix(stem, ".tar"); ok && s != "" {
		stem, ext = s, ".tar"+ext
	}
	tail := " (" + label + ")" + ext
	return clipText(stem, at.MaxName-len(tail)) + tail
}

// clipText cuts s to at most max bytes, not in the middle of a character.
func clipText(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return strings.TrimRight(s[:max], " ")
}

// settleKept returns the records about what Redo may do, and notes in the
// report what it cannot: dropped are changes that were left alone after all.
func (u *undo) settleKept(report *Report, dropped []string, now time.Time) []ledger.Record {
	var recs []ledger.Record
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	t := u.j.Tables
	listed := map[string]bool{}
	for _, i := range u.items {
		listed[i.Change.ID] = true
	}
	for id, k := range t.Keeps {
		if u.resumed && !listed[id] && t.Undone[id].ID == "" {
			// Undone just before the program died, and not in the list since.
			c := k.Change
			c.Undone = &now
			report.Undone = append(report.Undone, c)
			recs = append(recs, ledger.UndoneRecord{Change: &c})
		}
	}
	recs = append(recs, ledger.About[ledger.DropRecord](dropped)...)
	for _, i := range u.items {
		if i.beside {
			recs = append(recs, t.Acceptance(i.Step)...)
		}
	}
	return recs
}

// clean removes files of the store that nothing refers to any more.
func (j *Journal) clean() {
	j.rec.Mu.Lock()
	defer j.rec.Mu.Unlock()
	if err := j.rec.SweepStore(); err != nil {
		j.rec.Log.Warn("journal: files of the store stay", "err", err)
	}
}
