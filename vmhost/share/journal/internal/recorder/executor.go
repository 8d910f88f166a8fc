package recorder

import (
	"errors"
	"io/fs"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// What takes changes back (package journal) works through a Changer like a task, with tasks stopped.

// Executor returns a Changer of a folder for a run of steps. A lazy one waits for no disk: its
// owner makes the store and the log durable before the run, with [Changer.Keep], and the folder
// after it. A lossy one makes a change although there is no room to keep what that destroys.
func (j *Recorder) Executor(root *at.Root, table *ledger.Folder, lazy, lossy bool) *Changer {
	f := NewChanger(j, root, table, true)
	f.lazy, f.lossy, f.syncs = lazy, lossy, !lazy
	return f
}

// FolderAs returns the folder of this journal that is f in another one, writing it down when it is new.
func (j *Recorder) FolderAs(f *ledger.Folder, root *at.Root) (*ledger.Folder, error) {
	info, err := root.Lstat(".")
	if err != nil {
		return nil, err
	}
	j.Mu.Lock()
	defer j.Mu.Unlock()
	if t := j.Tables.Folders[f.ID]; t != nil && t.Root.Ident == info.ID && t.Path == root.Path() {
		return t, nil
	}
	s := ledger.StateOf(info)
	_, err = j.Put(ledger.FolderRecord{ID: f.ID, Folder: j.Tables.LastF + 1, Root: j.Tables.LastO + 1,
		Path: []byte(root.Path()), Inode: &info.ID, State: &s})
	return j.Tables.Folders[f.ID], err
}

// Keep writes down what is at p, and that this is about to change, and keeps its content where the
// journal cannot take the file itself when it loses its name. It need not be durable. When the change
// does not come, or the program dies, the disk is asked what is there (decide.go). itself says that the
// thing will change, and not only what has its name.
func (f *Changer) Keep(p Place, itself bool) error {
	defer f.Enter()()
	dir, err := f.Directory(p)
	if err != nil {
		return err
	}
	o, info, err := f.look(dir, p)
	if err != nil && !IsMissing(err) || p.Name == "." {
		return err
	}
	f.J.Mu.Lock()
	_, terr := f.TouchName(dir, p.Name, o)
	if err == nil && terr == nil && itself && o.Touch != ledger.TouchOpen {
		_, terr = f.J.Put(ledger.OpenRecord{Object: o.ID})
	}
	f.J.Mu.Unlock()
	if err != nil || terr != nil {
		return terr
	}
	if store, err := f.J.Refs.Info(); err != nil || store.Dev == info.Dev || info.Kind != at.File || f.J.known(o).made {
		return err
	}
	err = f.keepName(o, p, info)
	if f.lossy && errors.Is(err, ErrFull) {
		return nil
	}
	return err
}

// Staged writes down a file that was made at p and that nobody has recorded yet. It stands for the
// object of another journal with this number.
// sum is the SHA-256 of its content in hex, "" where nobody knows.
func (f *Changer) Staged(p Place, stands uint32, sum string) error {
	defer f.Enter()()
	dir, err := f.Directory(p)
	if err != nil {
		return err
	}
	info, err := p.Lstat()
	if err != nil {
		return err
	}
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	e, err := f.TouchName(dir, p.Name, nil)
	if err != nil {
		return err
	}
	o, err := f.Made(dir, e, info, "")
	if err != nil {
		return err
	}
	if err := f.Signed(o, info, sum); err != nil {
		return err
	}
	_, err = f.J.Put(ledger.RebornRecord{Object: o.ID, Old: stands})
	return err
}

// Returned writes down a file that came out of the store of another journal. sum is the SHA-256 of its
// content in hex, "" where nobody knows. A file with several names was not made by the run: a change of its
// content shows at its other names, so that the journal keeps what was there. J.Mu is held.
func (f *Changer) Returned(dir *ledger.Object, e *ledger.Entry, info at.Info, sum string) error {
	if info.NLink < 2 {
		o, err := f.Made(dir, e, info, "")
		if err != nil {
			return err
		}
		return f.Signed(o, info, sum)
	}
	s := ledger.StateOf(info)
	s.Sum = sum
	var recs []ledger.Record
	o := f.met(info)
	if o == nil || o.Made {
		n := f.J.Tables.LastO + 1
		recs = append(recs, ledger.ObjectRecord{Object: n, Dir: dir.ID, Name: []byte(e.Name), Inode: &info.ID, Kind: info.Kind.String(), State: &s},
			ledger.BindRecord{Entry: e.ID, Object: n})
	} else {
		if o.Touch == ledger.TouchNone {
			recs = append(recs, ledger.RebaseRecord{Object: o.ID, Inode: &info.ID, State: &s, Gen: o.Gen})
		}
		recs = append(recs, ledger.BindRecord{Entry: e.ID, Object: o.ID})
	}
	_, err := f.J.Put(recs...)
	return err
}

// Signed writes down how something that was made is left: with the hash of its content, where that is
// known. J.Mu is held.
func (f *Changer) Signed(o *ledger.Object, info at.Info, sum string) error {
	s := ledger.StateOf(info)
	if s.Sum = sum; sum == "" {
		_, err := f.J.Put(ledger.SignRecord{Object: o.ID, State: &s})
		return err
	}
	_, err := f.J.Put(ledger.AfterRecord{Object: o.ID, State: &s})
	return err
}

// Supplant gives the file or link at tmp, which the task made in the same directory, the name p in the
// place of was, which goes into the journal. Where the disk exchanges names, what somebody else puts
// at p in this very moment keeps its name, and the error is ErrRaced.
func (f *Changer) Supplant(tmp, p Place, was at.Info) error {
	defer f.Enter()()
	dir, err := f.Directory(p)
	if err != nil {
		return err
	}
	made, _, err := f.look(dir, tmp)
	if err != nil {
		return err
	}
	victim, there, err := f.look(dir, p)
	if err != nil {
		return err
	}
	if there.ID != was.ID && !(there.Layered && ledger.StateOf(there).SameData(ledger.StateOf(was))) {
		return ErrRaced // not only copied up by overlayfs
	}
	if err := replaceable(p.Name, at.File, there.Kind); err != nil {
		return err
	}
	f.J.Mu.Lock()
	e1, err := f.TouchName(dir, tmp.Name, made)
	var e2 *ledger.Entry
	if err == nil {
		e2, err = f.TouchName(dir, p.Name, victim)
	}
	f.J.Mu.Unlock()
	if err != nil {
		return err
	}
	if err = f.durable(victim); err == nil {
		f.J.Step("before")
		err = unsealed(f)
	}
	if err == nil {
		err = f.supplant(tmp, p, victim, there)
	}
	if err != nil {
		f.recordUnchanged(e1)
		f.recordUnchanged(e2)
		return err
	}
	f.J.Step("after")
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	_, err = f.J.Put(ledger.BindRecord{Entry: e2.ID, Object: made.ID}, ledger.BindRecord{Entry: e1.ID})
	f.J.Step("recorded")
	if err == nil && there.Kind == at.File && there.NLink > 1 {
		err = f.signElsewhere(victim)
	}
	if now, lerr := p.Lstat(); err == nil && lerr == nil {
		err = f.J.SignAgain(made, now)
	}
	return err
}

func (f *Changer) supplant(tmp, p Place, victim *ledger.Object, was at.Info) error {
	made, err := tmp.Lstat()
	if err != nil {
		return err
	}
	f.J.Step("replacing")
	err = p.Dir.Exchange(tmp.Name, p.Name)
	if err != nil && !IsMissing(err) { // not every disk can
		err = f.replace(tmp, p, victim, was)
		if f.lossy && errors.Is(err, ErrFull) {
			err = tmp.Dir.Rename(tmp.Name, p.Dir, p.Name)
		}
		return err
	}
	if err != nil {
		return err
	}
	f.J.Step("exchanged")
	out, err := tmp.Lstat()
	switch {
	case IsMissing(err):
		return nil // a server of FUSE that knows no exchange renamed
	case err == nil && (out.ID != was.ID || out.Kind == at.File && !ledger.StateOf(out).SameData(ledger.StateOf(was))):
		err = ErrRaced
	case err == nil:
		err = f.discard(victim, tmp, out)
	}
	if err == nil || errors.Is(err, errUnnamed) {
		return err
	}
	for range 2 { // for what somebody saved, and for what they saved while that was given back
		back := p.Dir.Exchange(tmp.Name, p.Name)
		if errors.Is(back, fs.ErrNotExist) { // what had the name is gone by now
			back = tmp.Dir.RenameNoReplace(tmp.Name, p.Dir, p.Name)
		}
		out, lerr := tmp.Lstat()
		if err = errors.Join(err, back); back != nil || lerr != nil || out.ID == made.ID {
			break
		}
	}
	return err
}
