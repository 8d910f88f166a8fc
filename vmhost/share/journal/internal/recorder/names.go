package recorder

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
	"piwork/vmhost/share/journal/internal/ledger"
)

// Create makes a new file, open for reading and writing. It fails when the name
// is taken. perm is subject to the umask of the host.
func (f *Folder) Create(rel string, perm uint32) (h store.Handle, info at.Info, err error) {
	err = f.change(rel, func(p Place) error {
		var x *File
		if x, info, err = f.Rec.create(p, perm); err == nil {
			h = x
		}
		return err
	})
	return h, info, err
}

func (f *Changer) create(p Place, perm uint32) (*File, at.Info, error) {
	if f == nil {
		file, info, err := p.Dir.Create(p.Name, perm)
		if err != nil {
			return nil, info, err
		}
		return &File{opened: opened{file}}, info, nil
	}
	var file *os.File
	var info at.Info
	var o *ledger.Object
	err := f.Add(p, func() (err error) {
		file, info, err = p.Dir.Create(p.Name, perm)
		return err
	}, func(dir *ledger.Object, e *ledger.Entry) (err error) {
		o, err = f.Made(dir, e, info, "")
		if o != nil {
			o.Join()
		}
		return err
	})
	if err != nil {
		if file != nil {
			file.Close()
		}
		return nil, info, err
	}
	return f.made(file, o, info), info, nil
}

// Mkdir makes a directory.
func (f *Folder) Mkdir(rel string, perm uint32) (info at.Info, err error) {
	err = f.change(rel, func(p Place) error { info, err = f.Rec.Mkdir(p, perm); return err })
	return info, err
}

// Mkdir makes a directory.
func (f *Changer) Mkdir(p Place, perm uint32) (at.Info, error) {
	return f.make(p, "", func() error { return p.Dir.Mkdir(p.Name, perm) })
}

// Symlink makes a symbolic link. Its target is data and never resolved here.
func (f *Folder) Symlink(target, rel string) (info at.Info, err error) {
	err = f.change(rel, func(p Place) error { info, err = f.Rec.Symlink(p, target); return err })
	return info, err
}

// Symlink makes a symbolic link.
func (f *Changer) Symlink(p Place, target string) (at.Info, error) {
	if target == "" || len(target) >= ledger.MaxPathLen {
		return at.Info{}, &fs.PathError{Op: "symlink", Path: p.Name, Err: at.ErrName}
	}
	return f.make(p, target, func() error { return p.Dir.Symlink(target, p.Name) })
}

func (f *Changer) make(p Place, target string, do func() error) (at.Info, error) {
	if f == nil {
		if err := do(); err != nil {
			return at.Info{}, err
		}
		return p.Dir.Lstat(p.Name)
	}
	var info at.Info
	err := f.Add(p, func() (err error) {
		if err = do(); err == nil {
			info, err = p.Dir.Lstat(p.Name)
		}
		return err
	}, func(dir *ledger.Object, e *ledger.Entry) error {
		_, err := f.Made(dir, e, info, target)
		return err
	})
	return info, err
}

// Link gives the file old the second name rel. Only files and symbolic links of
// the same folder can be linked.
func (f *Folder) Link(old, rel string) (info at.Info, err error) {
	err = f.changeBoth(old, rel, func(o, p Place) error { info, err = f.Rec.Link(o, p); return err })
	return info, err
}

// Link gives the file old the second name p.
func (f *Changer) Link(old, p Place) (at.Info, error) {
	if f == nil {
		if err := old.Dir.Link(old.Name, p.Dir, p.Name); err != nil {
			return at.Info{}, err
		}
		return p.Dir.Lstat(p.Name)
	}
	var info at.Info
	var o *ledger.Object
	err := f.Add(p, func() error {
		dir, err := f.Directory(old)
		if err != nil {
			return err
		}
		var before at.Info
		if o, before, err = f.look(dir, old); err != nil {
			return err
		}
		if before.Kind != at.File && before.Kind != at.Symlink {
			return &fs.PathError{Op: "link", Path: old.Name, Err: syscall.EPERM}
		}
		if err := old.Dir.Link(old.Name, p.Dir, p.Name); err != nil {
			return err
		}
		info, err = p.Dir.Lstat(p.Name)
		return err
	}, func(_ *ledger.Object, e *ledger.Entry) error {
		if _, err := f.J.Put(ledger.BindRecord{Entry: e.ID, Object: o.ID}); err != nil {
			return err
		}
		if now, err := p.Dir.Lstat(p.Name); err == nil {
			return f.J.SignAgain(o, now)
		}
		return nil
	})
	return info, err
}

// SignAgain notes the state of a file again after a change of its names, which
// changes its ctime, so that a later change by a person can be told apart. The
// caller holds j.Mu.
func (j *Recorder) SignAgain(o *ledger.Object, info at.Info) error {
	s := ledger.StateOf(info)
	if o.Kind == at.File && o.Touch == ledger.TouchNone && o.Synced > 0 && info.ID == o.Ident && s.SameData(o.Last) && s.Mode == o.Last.Mode {
		_, err := j.Put(ledger.InodeRecord{Object: o.ID, Inode: &info.ID, State: &s})
		return err
	}
	if after := j.Tables.After(o, nil); o.Kind == at.File && o.Touch == ledger.TouchDone && after.CSec != 0 && info.ID == o.Ident && s.SameData(after) {
		after.CSec, after.CNsec = s.CSec, s.CNsec
		_, err := j.Put(ledger.AfterRecord{Object: o.ID, State: &after})
		return err
	}
	if o.Kind != at.File || o.Touch != ledger.TouchQuiet || info.ID != o.Ident || !s.SameData(o.Last) {
		return nil
	}
	_, err := j.Put(ledger.SignRecord{Object: o.ID, State: &s})
	return err
}

// Add does what puts something at a name where nothing is. The records before
// it are not waited for: nothing is lost with them.
func (f *Changer) Add(p Place, do func() error, done func(dir *ledger.Object, e *ledger.Entry) error) error {
	defer f.Enter()()
	dir, err := f.Directory(p)
	if err != nil {
		return err
	}
	if _, err := p.Dir.Lstat(p.Name); err == nil {
		return &fs.PathError{Op: "create", Path: p.Name, Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f.J.Mu.Lock()
	e, err := f.TouchName(dir, p.Name, nil)
	f.J.Mu.Unlock()
	if err == nil && f.syncs {
		err = f.J.Sync(f.J.File.Position())
	}
	if err != nil {
		return err
	}
	f.J.Step("before")
	if err = unsealed(f); err == nil {
		err = do()
	}
	if err != nil {
		f.recordUnchanged(e)
		return err
	}
	f.J.Step("after")
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	return done(dir, e)
}

// recordUnchanged records that a name means what it meant: the operation failed.
func (f *Changer) recordUnchanged(e *ledger.Entry) {
	if f.lazy {
		return // a next try would have to wait for the disk: that the name is in doubt is durable already
	}
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	r := ledger.BindRecord{Entry: e.ID}
	if e.Cur != nil {
		r.Object = e.Cur.ID
	}
	_, _ = f.J.Put(r) // without it the disk is asked later
}

// Made writes down what the task has made at a name. j.Mu is held.
func (f *Changer) Made(dir *ledger.Object, e *ledger.Entry, info at.Info, target string) (*ledger.Object, error) {
	s := ledger.StateOf(info)
	s.Target = ledger.Raw(target)
	r := ledger.ObjectRecord{Object: f.J.Tables.LastO + 1, Dir: dir.ID, Name: []byte(e.Name), Inode: &info.ID,
		Kind: info.Kind.String(), Made: true, State: &s}
	recs := []ledger.Record{r, ledger.BindRecord{Entry: e.ID, Object: r.Object}}
	if info.Kind != at.File { // it is complete
		recs = append(recs, ledger.SignRecord{Object: r.Object, State: &s})
	}
	if _, err := f.J.Put(recs...); err != nil {
		return nil, err
	}
	f.J.Step("recorded")
	return f.J.Tables.Objects[r.Object], nil
}

// look returns the object at p and what it is at this moment.
func (f *Changer) look(dir *ledger.Object, p Place) (*ledger.Object, at.Info, error) {
	p.Dir.CopyUp(p.Name, f.J.knows)
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	info, err := p.Lstat()
	if err != nil {
		return nil, info, err
	}
	if p.Name == "." {
		return dir, info, nil
	}
	target := ""
	if info.Kind == at.Symlink {
		if target, err = p.Dir.Readlink(p.Name); err != nil {
			return nil, info, err
		}
	}
	o, err := f.meet(dir, p.Name, info, target)
	return o, info, err
}

// durable returns when everything written down so far is durable, unless there
// is nothing of a person's among objs.
func (f *keeper) durable(objs ...*ledger.Object) error {
	if f.lazy {
		return nil
	}
	for _, o := range objs {
		if o != nil && !f.J.known(o).made {
			return f.J.Sync(f.J.File.Position())
		}
	}
	return nil
}

// known is what is kept of an object at one moment.
type known struct {
	made, image, parts bool
	ref, gen           uint32
	base               ledger.State
}

func (j *Recorder) known(o *ledger.Object) known {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	k := known{made: o.Made, ref: o.Ref, gen: o.Gen, base: o.Base}
	if o.Image != nil {
		k.image, k.parts = true, o.Image.Parts
	}
	return k
}

// Remove removes a name that is not a directory.
func (f *Folder) Remove(rel string) error {
	return f.change(rel, func(p Place) error { return f.Rec.Drop(p, false) })
}

// RemoveDir removes an empty directory.
func (f *Folder) RemoveDir(rel string) error {
	return f.change(rel, func(p Place) error { return f.Rec.Drop(p, true) })
}

// Drop removes a name, of an empty directory with wantDir, else of anything else.
func (f *Changer) Drop(p Place, wantDir bool) error {
	if f == nil {
		if wantDir {
			return p.Dir.RemoveDir(p.Name)
		}
		return p.Dir.Remove(p.Name)
	}
	defer f.Enter()()
	dir, err := f.Directory(p)
	if err != nil {
		return err
	}
	o, info, err := f.look(dir, p)
	if err != nil {
		return err
	}
	switch isDir := info.Kind == at.Directory; {
	case info.Kind == at.Special:
		return &fs.PathError{Op: "unlink", Path: p.Name, Err: ErrSpecial}
	case isDir && !wantDir:
		return &fs.PathError{Op: "unlink", Path: p.Name, Err: syscall.EISDIR}
	case !isDir && wantDir:
		return &fs.PathError{Op: "rmdir", Path: p.Name, Err: syscall.ENOTDIR}
	}
	if o.Kind == at.File && !f.silent {
		f.keepAhead(dir, p.Dir)
	}
	lone := f.lone(o, dir, p, info)
	f.J.Mu.Lock()
	e, err := f.TouchName(dir, p.Name, o)
	f.J.Mu.Unlock()
	if err != nil {
		return err
	}
	if info.Kind == at.Directory {
		if err := f.keepDirectory(o, p); err != nil {
			f.recordUnchanged(e)
			return err
		}
	}
	if !lone {
		if err := f.durable(o); err != nil {
			return err
		}
		if o.Kind == at.File && !f.J.known(o).made {
			f.J.waited(dir)
		}
	}
	f.J.Step("before")
	if err = unsealed(f); err == nil {
		err = f.discard(o, p, info)
	}
	if err != nil && !errors.Is(err, errUnnamed) {
		f.recordUnchanged(e)
		return err
	}
	f.J.Step("after")
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	recs := []ledger.Record{ledger.BindRecord{Entry: e.ID}}
	if info.NLink == 1 && info.Kind != at.Directory { // a person removed its other names
		for _, old := range o.Spots {
			if old != e {
				recs = append(recs, ledger.BindRecord{Entry: old.ID})
			}
		}
	}
	_, perr := f.J.Put(recs...)
	f.J.Step("recorded")
	if err = errors.Join(err, perr); err == nil && info.Kind == at.File && info.NLink > 1 {
		err = f.signElsewhere(o)
	}
	return err
}

// signElsewhere is SignAgain for a file that has lost one of its names.
func (f *Changer) signElsewhere(o *ledger.Object) error {
	dir, name, ok := f.J.Tables.Spot(o)
	if !ok {
		return nil
	}
	rel, ok := f.J.Tables.DirPath(dir)
	if !ok {
		return nil
	}
	d, err := f.Root.Dir(rel)
	if err != nil {
		return nil // a person moved it
	}
	defer d.Close()
	info, err := d.Lstat(name)
	if err != nil {
		return nil
	}
	return f.J.SignAgain(o, info)
}

// discard takes the name p away from o after keeping what would be lost. Where
// it can, one rename does both: whatever was there is in the journal then.
func (f *Changer) discard(o *ledger.Object, p Place, info at.Info) error {
	if o.Kind == at.Directory {
		return p.Dir.RemoveDir(p.Name)
	}
	if k := f.J.known(o); o.Kind == at.File && !k.made {
		if !f.NoRefs && k.ref == 0 && !info.Online { // out of its service's folder, nothing would bring its content
			o.Keep.Lock()
			moved, err := f.refer(o, func(ref string) error {
				return p.Dir.RenameNoReplace(p.Name, f.J.Refs, ref)
			}, func(ref string) error {
				if err := f.J.Refs.RenameNoReplace(ref, p.Dir, p.Name); err != nil {
					return err
				}
				_ = p.Dir.Sync() // before a record says that it is there
				return nil
			})
			o.Keep.Unlock()
			if moved || errors.Is(err, ErrFull) && !f.lossy {
				return err
			}
			f.noteRefs(err)
		}
		if err := f.keepName(o, p, info); err != nil && !(f.lossy && errors.Is(err, ErrFull)) {
			return err
		}
	}
	if err := looked(f, o, p, info); err != nil {
		return err
	}
	if err := unsealed(f); err != nil { // keeping it may have taken long
		return err
	}
	return p.Dir.Remove(p.Name)
}
