package recorder

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// A file may have names that the task never came near. What a program does to the file through a
// handle, after the task removed the name that it knew, changes the file at those.

// unseen reports whether nobody can see what is done to the file: it has no name, not even in the
// journal. J.Mu is held.
func (x *File) unseen(o *ledger.Object, info at.Info) bool {
	t := x.folder.J.Tables
	if t.Objects[o.ID] != o || info.ID != o.Ident {
		return true // made by the task or replaced by an undo, and without a name by now
	}
	return !t.Alive(o) && info.NLink == 0
}

// findName finds another name of the file in the folder, once, when the task removed those that the
// journal knows: the program is about to change the file at that name. It fails when the journal does
// not know the file any more, for then nothing could take that change back.
func (x *File) findName(o *ledger.Object) error {
	f := x.folder
	info, err := at.Stat(x.f)
	if err != nil {
		return err
	}
	f.J.Mu.Lock()
	known := f.J.Tables.Objects[o.ID] == o && info.ID == o.Ident
	_, _, named := f.J.Tables.Spot(o)
	links := info.NLink
	if known && o.Ref != 0 {
		links--
	}
	f.J.Mu.Unlock()
	if known && named || links == 0 || x.sought.Swap(true) {
		return nil
	}
	f.names.Lock()
	defer f.names.Unlock()
	top, err := f.Root.Dir(".")
	if err != nil {
		return err
	}
	defer top.Close()
	rel := ""
	err = Walk(f.J.life, top, ".", func(at string, i at.Info) error {
		if i.Dev != info.Dev {
			return fs.SkipDir
		}
		if i.ID == info.ID {
			rel = at
			return fs.SkipAll
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, fs.SkipAll):
		return err
	case rel == "":
		return nil
	case !known:
		return ErrRaced
	}
	d, name, err := f.Root.Split(rel)
	if err != nil {
		return err
	}
	defer d.Close()
	p := Place{Dir: d, Path: path.Dir(rel), Name: name}
	dir, err := f.Directory(p)
	if err != nil {
		return err
	}
	_, _, err = f.look(dir, p)
	return err
}

// Walk shows visit what is below d, which is at rel, until that returns an error other than
// [fs.SkipDir], which leaves out what is in a directory, or ctx ends. What cannot be read is left out.
func Walk(ctx context.Context, d *at.Dir, rel string, visit func(rel string, info at.Info) error) error {
	names, err := d.Names(-1)
	if err != nil || len(rel) > ledger.MaxPathLen {
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
		below := path.Join(rel, name)
		switch err := visit(below, info); {
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
		err = Walk(ctx, sub, below, visit)
		sub.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
