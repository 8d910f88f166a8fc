package journal

import (
	"context"
	"errors"
	"io/fs"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/recorder"
)

// What a person wants replaced is theirs. It is kept for Redo, but a change that ends as a conflict
// cannot be made again: so it keeps a name beside its own until what was before is in its place, and
// gets its own back where that fails, on a full disk for example.

func (u *site) asideName(i *item) string { return u.tempName(i.Place, "-"+i.Change.ID+".old") }

// setAside gives what is at a name of d that of undo's own.
func (u *site) setAside(i *item, d *at.Dir, name string) error {
	now, err := d.Lstat(name)
	if err != nil || !i.seen.holds(now) {
		return errors.Join(err, ErrRaced)
	}
	aside := u.asideName(i)
	if err := d.RenameNoReplace(name, d, aside); err != nil {
		return err
	}
	i.aside = true
	if got, err := d.Lstat(aside); err != nil || !i.seen.holds(got) {
		return ErrRaced // settleAside gives it its name back, or one beside
	}
	u.j.Step("undo-aside")
	return nil
}

// settleAside removes what was replaced, and gives the rest its name back.
func settleAside(u *undo) {
	for _, i := range u.items {
		if !i.aside {
			continue
		}
		d, err := u.dir(i.Entry.Dir)
		if err == nil {
			if i.done() {
				err = d.Remove(u.asideName(i))
			} else {
				err = giveNameBack(i, d, u.asideName(i), u.opts.Label)
			}
			d.Close()
		}
		if err != nil {
			u.j.Log.Error("journal: what a person wanted replaced stays beside its name", "path", i.Change.Path, "name", u.asideName(i), "err", err)
		}
	}
}

// giveNameBack gives what was set aside its name, or one like it when something else has that by now.
func giveNameBack(i *item, d *at.Dir, aside, label string) error {
	name := i.Entry.Name
	for n := 1; ; n++ {
		err := d.RenameNoReplace(aside, d, name)
		if !errors.Is(err, fs.ErrExist) || n == 1000 {
			return err
		}
		name = BesideName(i.Entry.Name, label, n)
	}
}

// returnAside does the same for an undo that was interrupted: it is replaced where what was before has
// its name, and not where a person saved something there since.
func (u *guards) returnAside(ctx context.Context, i *item) {
	d, err := u.dir(i.Entry.Dir)
	if err != nil {
		return
	}
	defer d.Close()
	aside := u.asideName(i)
	if _, err := d.Lstat(aside); recorder.IsMissing(err) {
		return
	}
	info, err := d.Lstat(i.Entry.Name)
	if err == nil && (info.ID == i.Place.Ident || u.isBase(ctx, d, i.Entry.Name, i.Place, info)) {
		err = d.Remove(aside)
	} else {
		err = giveNameBack(i, d, aside, "")
	}
	if err != nil {
		u.j.Log.Error("journal: what a person wanted replaced stays beside its name", "path", i.Change.Path, "name", aside, "err", err)
	}
}
