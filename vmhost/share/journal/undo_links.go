package journal

import (
	"context"
	"os"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// A file may have names that the task never met, in the folder or outside of it. Through
// them a person changes what the task removed.

// editedElsewhere reports whether a person changed f, which is o and has other names than
// that which the task removed, so that undo must not write into it: it has neither what the
// task left in it nor what it had before.
func (u *guards) editedElsewhere(o *ledger.Object, f *os.File) bool {
	info, err := at.Stat(f)
	if err != nil || o.Rewriting || o.Ref != 0 && info.NLink < 2 {
		return false
	}
	after := u.after(o)
	return (after.Lost || !after.SameData(ledger.StateOf(info))) && !hasBase(o, f, info)
}

// hasBase reports whether f has the content that o had before.
func hasBase(o *ledger.Object, f *os.File, info at.Info) bool {
	if o.Base.Sum == "" || info.Size != o.Base.Size {
		return false
	}
	sum, err := Sum(context.Background(), f)
	return err == nil && sum == o.Base.Sum
}

// asBefore reports whether f, which only the journal has a name of, has the
// content that o had before.
func asBefore(o *ledger.Object, f *os.File) bool {
	info, err := at.Stat(f)
	return err == nil && !o.Image.Parts && hasBase(o, f, info)
}

// restoreLink looks for a name of the file that the journal does not know, gives
// the file its content back and this name to it, unless a person changed it since.
func (u *undo) restoreLink(i *item, to *at.Dir) (bool, error) {
	top, err := u.dir(i.folder().Root)
	if err != nil {
		return false, err
	}
	defer top.Close()
	d, name := findInode(top, i.Place, ledger.MaxPathLen/2)
	if d == nil {
		return false, nil
	}
	defer d.Close()
	f, info, err := recorder.OpenOwn(d, name, os.O_RDONLY)
	if err != nil {
		return false, err
	}
	edited := u.editedElsewhere(i.Place, f)
	f.Close()
	if edited {
		return false, nil
	}
	if err := u.fixInPlace(i.Place, d, name, i.Place.Base.Mode, &info); err != nil {
		return false, err
	}
	if err := d.Link(name, to, i.Entry.Name); err != nil {
		return false, err
	}
	return true, u.recordArrival(i, to)
}

// findInode looks for the inode of o below d. The caller closes the directory
// that it finds it in.
func findInode(d *at.Dir, o *ledger.Object, depth int) (*at.Dir, string) {
	names, err := d.Names(-1)
	if err != nil || depth == 0 {
		return nil, ""
	}
	for _, name := range names {
		info, err := d.Lstat(name)
		if err != nil || info.Dev != o.Ident.Dev {
			continue
		}
		if info.ID == o.Ident {
			same, err := d.Again()
			if err != nil {
				return nil, ""
			}
			return same, name
		}
		if info.Kind != at.Directory {
			continue
		}
		sub, err := d.Sub(name)
		if err != nil {
			continue
		}
		found, name := findInode(sub, o, depth-1)
		sub.Close()
		if found != nil {
			return found, name
		}
	}
	return nil, ""
}
