package journal

import (
	"context"
	"errors"
	"io/fs"
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
	if err != nil || o.Ref != 0 && info.NLink < 2 || u.stillRewriting(o, info) {
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
	d, name := findInode(top, i.Place)
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
	if err := u.fixInPlace(i.Place, d, name, i.Place.Base.Mode, info); err != nil {
		return false, err
	}
	if err := d.Link(name, to, i.Entry.Name); err != nil {
		return false, err
	}
	return true, u.recordArrival(i, to)
}

// findInode looks for the inode of o below d. The caller closes the directory
// that it finds it in.
func findInode(d *at.Dir, o *ledger.Object) (in *at.Dir, name string) {
	_ = walk(context.Background(), d, ledger.MaxPathLen/2, func(d *at.Dir, n string, info at.Info) error {
		switch {
		case info.Dev != o.Ident.Dev:
			return fs.SkipDir
		case info.ID != o.Ident:
			return nil
		}
		if same, err := d.Again(); err == nil {
			in, name = same, n
		}
		return fs.SkipAll
	})
	return in, name
}

// walk shows visit what is below d, until that returns an error other than [fs.SkipDir], which
// leaves out what is in a directory, or ctx ends. What cannot be read is left out.
func walk(ctx context.Context, d *at.Dir, depth int, visit func(d *at.Dir, name string, info at.Info) error) error {
	names, err := d.Names(-1)
	if err != nil || depth == 0 {
		return nil
	}
	for _, name := range names {
		info, err := d.Lstat(name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue
		}
		switch err := visit(d, name, info); {
		case errors.Is(err, fs.SkipDir):
			continue
		case err != nil:
			return err
		case info.Kind != at.Directory:
			continue
		}
		sub, err := d.Sub(name)
		if err != nil {
			continue
		}
		err = walk(ctx, sub, depth-1, visit)
		sub.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
