package journal

import (
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
	if got, err := d.Lstat(aside); err != nil || !i.seen.holds(got) {
		_ = d.RenameNoReplace(aside, d, name)
		return ErrRaced
	}
	i.aside = true
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
				err = giveNameBack(u, i, d)
			}
			d.Close()
		}
		if err != nil {
			u.j.Log.Error("journal: what a person wanted replaced stays beside its name", "path", i.Change.Path, "name", u.asideName(i), "err", err)
		}
	}
}

// giveNameBack gives what was set aside its name, or one like it when something else has that by now.
func giveNameBack(u *undo, i *item, d *at.Dir) error {
	name := i.Entry.Name
	for n := 1; ; n++ {
		err := d.RenameNoReplace(u.asideName(i), d, name)
		if !errors.Is(err, fs.ErrExist) || n == 1000 {
			return err
		}
		name = BesideName(i.Entry.Name, u.opts.Label, n)
	}
}

// returnAside does the same for an undo that was interrupted. Where its name is taken it was replaced.
func (u *site) returnAside(i *item) {
	d, err := u.dir(i.Entry.Dir)
	if err != nil {
		return
	}
	defer d.Close()
	aside := u.asideName(i)
	if _, err := d.Lstat(aside); recorder.IsMissing(err) {
		return
	}
	if err = d.RenameNoReplace(aside, d, i.Entry.Name); errors.Is(err, fs.ErrExist) {
		err = d.Remove(aside)
	}
	if err != nil {
		u.j.Log.Error("journal: what a person wanted replaced stays beside its name", "path", i.Change.Path, "name", aside, "err", err)
	}
}
