package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

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

// otherNames are names that the journal does not know of files that the task removed.
type otherNames struct {
	*site
	of map[*ledger.Object]otherName
}

// otherName is a path below a directory that the journal knows and undo may move.
type otherName struct {
	in  *ledger.Object
	rel string
}

// linkable reports whether what an item puts back may be a link of a name that the journal does not know.
func (i *item) linkable() bool {
	o := i.Place
	return o != nil && i.Change.Effect != EffectMove && o.Kind == at.File && o.Image != nil && o.Base.Links > 1 && o.Ref == 0 && i.apart == ""
}

// find looks for names of all files that are to be put back, reading each folder once. When ctx ends
// meanwhile, nothing is put back.
func (u *otherNames) find(ctx context.Context, items []*item) {
	wanted := map[*ledger.Folder]map[at.ID]*ledger.Object{}
	for _, i := range items {
		if i.conflict != nil || i.placed || !i.linkable() || u.named(i.Place) {
			continue
		}
		if wanted[i.folder()] == nil {
			wanted[i.folder()] = map[at.ID]*ledger.Object{}
		}
		wanted[i.folder()][i.Place.Ident] = i.Place
	}
	for f, left := range wanted {
		top, err := u.dir(f.Root)
		if err != nil {
			continue
		}
		u.own.walks++
		known := map[string]*ledger.Object{".": f.Root}
		_ = walk(ctx, top, ".", func(rel string, info at.Info) error {
			o := left[info.ID]
			switch {
			case info.Dev != f.Root.Ident.Dev:
				return fs.SkipDir
			case info.Kind == at.Directory:
				if dir := u.directoryAt(rel, info.ID); dir != nil {
					known[rel] = dir
				}
			case o != nil:
				dir := path.Dir(rel)
				for known[dir] == nil {
					dir = path.Dir(dir)
				}
				u.of[o] = otherName{known[dir], strings.TrimPrefix(rel, dir+"/")}
				if delete(left, info.ID); len(left) == 0 {
					return fs.SkipAll
				}
			}
			return nil
		})
		top.Close()
	}
}

// named reports whether o is where the task left it.
func (u *otherNames) named(o *ledger.Object) bool {
	d, name, err := u.where(o)
	if err != nil {
		return false
	}
	defer d.Close()
	_, err = d.Lstat(name)
	return err == nil
}

// directoryAt returns the directory that the journal knows at a path, nil for one that it does not.
func (u *otherNames) directoryAt(rel string, id at.ID) *ledger.Object {
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	dir := u.j.Tables.Inodes[id]
	if dir == nil || dir.Kind != at.Directory {
		return nil
	}
	if is, ok := u.j.Tables.DirPath(dir); !ok || is != rel {
		return nil // a person moved it
	}
	return dir
}

// open returns where another name of a file is. The caller closes the directory, which is nil when
// there is none.
func (u *otherNames) open(o *ledger.Object) (*at.Dir, string) {
	link, ok := u.of[o]
	root := u.r.Open[o.Folder]
	if !ok || root == nil {
		return nil, ""
	}
	u.j.Mu.Lock()
	dir, ok := u.j.Tables.DirPath(link.in)
	u.j.Mu.Unlock()
	if !ok {
		return nil, ""
	}
	d, name, err := root.Split(path.Join(dir, link.rel))
	if err != nil {
		return nil, ""
	}
	if info, err := d.Lstat(name); err != nil || info.ID != o.Ident {
		d.Close()
		return nil, ""
	}
	return d, name
}

// restoreLink gives a file that has a name which the journal does not know its content back
// and this name to it, unless a person changed it since.
func (u *undo) restoreLink(i *item, to *at.Dir) (bool, error) {
	d, name := u.others.open(i.Place)
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

// walk shows visit what is below d, which is at rel, until that returns an error other than
// [fs.SkipDir], which leaves out what is in a directory, or ctx ends. What cannot be read is left out.
func walk(ctx context.Context, d *at.Dir, rel string, visit func(rel string, info at.Info) error) error {
	names, err := d.Names(-1)
	if err != nil || strings.Count(rel, "/") > ledger.MaxPathLen/2 {
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
		err = walk(ctx, sub, below, visit)
		sub.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
