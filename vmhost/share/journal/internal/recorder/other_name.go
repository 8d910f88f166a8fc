package recorder

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

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

// name is where an object is, by the tables.
type name struct {
	o     *ledger.Object
	dir   *ledger.Object
	name  string
	entry *ledger.Entry // nil: its home
}

// findAstray finds files that the task changed, and directories in which it changed something, that are not
// where the journal knows them: a person moved them, or one of several names was removed. The list shows
// their changes at the paths that are found. A name that means something else by now is the person's, where
// the file has another. While tasks go on, folders that are shared are left out.
//
// Nothing is looked for while an undo or a redo of these changes waits to be finished: that moved files,
// and finds them itself.
func (s *survey) findAstray(ctx context.Context) error {
	wanted := map[*ledger.Folder]map[at.ID]*ledger.Object{}
	want := func(o *ledger.Object) {
		if s.Tables.Inodes[o.Ident] != o {
			return // the number was given out again
		}
		if wanted[o.Folder] == nil {
			wanted[o.Folder] = map[at.ID]*ledger.Object{}
		}
		wanted[o.Folder][o.Ident] = o
	}
	s.Mu.Lock()
	err := error(nil)
	if !s.Tables.Undoing {
		err = s.checkNames(want)
	}
	s.Mu.Unlock()
	for f, left := range wanted {
		if err != nil {
			break
		}
		err = s.seek(ctx, f, left)
	}
	return err
}

// checkNames calls want with files and directories that have none of their names any more; j.Mu is held.
func (s *survey) checkNames(want func(*ledger.Object)) error {
	var list []name
	alive := map[*ledger.Object]int{} // names that lead to it
	inside := s.Tables.Inside()
	for _, o := range s.Tables.Objects {
		if o.Kind != at.File && o.Kind != at.Directory || o.Parent == nil || o.Made || s.r.Open[o.Folder] == nil || !s.stopped && s.live[o.Folder.ID] != nil {
			continue
		}
		var own []name
		if s.Tables.Home(o) {
			own = append(own, name{o, o.Dir, o.Alias, nil})
		}
		for _, e := range o.Spots {
			own = append(own, name{o, e.Dir, e.Name, e})
		}
		switch {
		case o.Touch == ledger.TouchNone && len(own) < 2 && !inside[o]:
		case len(own) > 0:
			list = append(list, own...)
		case o.Astray, o.Touch != ledger.TouchNone && o.Base.Links > 1:
			want(o)
		}
	}
	slices.SortFunc(list, func(a, b name) int {
		return cmp.Or(int(a.dir.ID)-int(b.dir.ID), int(a.o.ID)-int(b.o.ID), cmp.Compare(a.name, b.name))
	})
	var lost []name
	var dir *ledger.Object
	var d *at.Dir
	var away error
	shut := func() {
		if d != nil {
			d.Close()
		}
	}
	defer func() { shut() }()
	for _, n := range list {
		if n.dir != dir {
			shut()
			dir, d, away = n.dir, nil, nil
			if rel, ok := s.Tables.SurePath(dir); ok {
				d, away = s.r.Open[dir.Folder].Dir(rel)
			}
		}
		if d == nil && !IsMissing(away) {
			alive[n.o]++ // nobody knows
			continue
		}
		info, err := at.Info{}, away
		if d != nil {
			info, err = d.Lstat(n.name)
		}
		if IsMissing(err) || err == nil && (info.Kind != n.o.Kind || info.Born != 0 && !n.o.Ident.Same(info.ID)) {
			lost = append(lost, n)
			continue
		}
		alive[n.o]++
	}
	for _, n := range lost {
		switch {
		case alive[n.o] == 0 && (n.o.Touch != ledger.TouchNone || inside[n.o]):
			want(n.o)
		case alive[n.o] > 0 && n.entry != nil && n.entry.Sure && n.o.Awaited(): // else undo says whose the name is
			if _, err := s.Put(ledger.BindRecord{Entry: n.entry.ID}); err != nil {
				return err
			}
		}
	}
	return nil
}

// seek looks for files and directories in a folder and records where they are.
func (s *survey) seek(ctx context.Context, f *ledger.Folder, left map[at.ID]*ledger.Object) error {
	root := s.r.Open[f]
	top, err := root.Dir(".")
	if err != nil {
		return nil
	}
	defer top.Close()
	found := map[*ledger.Object]string{}
	err = Walk(ctx, top, ".", func(rel string, info at.Info) error {
		if info.Dev != f.Root.Ident.Dev {
			return fs.SkipDir
		}
		if o := left[info.ID]; o != nil {
			found[o] = rel
			if delete(left, info.ID); len(left) == 0 {
				return fs.SkipAll
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.SkipAll) {
		return err
	}
	c := NewChanger(s.Recorder, root, f, true)
	for o, rel := range found {
		if o.Kind == at.Directory {
			d, err := root.Dir(rel)
			if err != nil {
				continue
			}
			_, err = c.Directory(Place{Dir: d, Path: rel, Name: "."})
			d.Close()
			if err != nil {
				return err
			}
			continue
		}
		if err := s.moved(c, o, rel); err != nil {
			return err
		}
	}
	return nil
}

// moved records that a person moved o, or that only this name of it is left.
func (s *survey) moved(c *Changer, o *ledger.Object, rel string) error {
	d, base, err := c.Root.Split(rel)
	if err != nil {
		return nil
	}
	defer d.Close()
	dir, err := c.Directory(Place{Dir: d, Path: path.Dir(rel), Name: base})
	if err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if len(o.Spots) > 0 {
		return nil // the task moved it, too: undo says that it is gone from there
	}
	rec := ledger.Record(ledger.HomeRecord{Object: o.ID, Dir: dir.ID, Name: []byte(base)})
	if e := s.Tables.Names[ledger.Name{Dir: dir.ID, Name: base}]; e != nil {
		rec = ledger.AdoptRecord{Entry: e.ID, Object: o.ID}
	}
	_, err = s.Put(rec)
	if info, serr := d.Lstat(base); err == nil && serr == nil {
		err = s.SignAgain(o, info)
	}
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
