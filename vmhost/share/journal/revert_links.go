package journal

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/steps"
)

// otherNames are names that the journal does not know of files and links that the task removed: it has
// copies of these, which come back as further names of the same inode.
type otherNames map[*ledger.Object]otherName

// otherName is a path below a directory that the journal knows and undo may move.
type otherName struct {
	in  *ledger.Object
	rel string
}

// find looks for names of all that is to be put back and had several, reading each folder once. When
// ctx ends meanwhile, nothing is put back.
func (l *otherNames) find(ctx context.Context, x *revert) {
	*l = otherNames{}
	wanted := map[*ledger.Folder]map[at.ID]*ledger.Object{}
	for _, i := range x.items {
		o := i.Place
		if o == nil || i.placed || i.Change.Effect == EffectMove || o.Kind == at.Directory || o.Base.Links < 2 || o.Ref != 0 {
			continue
		}
		if pl, err := x.spot(o, false); err == nil {
			if _, err := x.lstat(pl); err == nil {
				continue
			}
		}
		if wanted[i.folder()] == nil {
			wanted[i.folder()] = map[at.ID]*ledger.Object{}
		}
		wanted[i.folder()][o.Ident] = o
	}
	for f, left := range wanted {
		top, err := x.open(f.Root)
		if err != nil {
			continue
		}
		x.j.walks++
		known := map[string]*ledger.Object{".": f.Root}
		_ = walk(ctx, top, ".", func(rel string, info at.Info) error {
			o := left[info.ID]
			switch {
			case info.Dev != f.Root.Ident.Dev:
				return fs.SkipDir
			case info.Kind == at.Directory:
				if dir := x.directoryAt(rel, info.ID); dir != nil {
					known[rel] = dir
				}
			case o != nil && info.Kind == o.Kind:
				dir := path.Dir(rel)
				for known[dir] == nil {
					dir = path.Dir(dir)
				}
				(*l)[o] = otherName{known[dir], strings.TrimPrefix(rel, dir+"/")}
				if delete(left, info.ID); len(left) == 0 {
					return fs.SkipAll
				}
			}
			return nil
		})
		top.Close()
	}
}

// place is where another name of o is. A person may have changed it through that: then it is theirs.
func (l otherNames) place(x *revert, o *ledger.Object, careful bool) (steps.Place, error) {
	link, ok := l[o]
	if !ok {
		return steps.Place{}, steps.ErrGone
	}
	pl, err := x.slot(link.in, ".", careful)
	if err != nil {
		return pl, err
	}
	pl.Dir, pl.Name = path.Split(path.Join(pl.Dir, link.rel))
	pl.Dir = path.Clean("./" + pl.Dir)
	return pl, nil
}

// directoryAt returns the directory that the journal knows at a path, nil for one that it does not.
func (x *revert) directoryAt(rel string, id at.ID) *ledger.Object {
	x.from.Mu.Lock()
	defer x.from.Mu.Unlock()
	dir := x.from.Tables.Inodes[id]
	if dir == nil || dir.Kind != at.Directory {
		return nil
	}
	if is, ok := x.from.Tables.DirPath(dir); !ok || is != rel {
		return nil // a person moved it
	}
	return dir
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
