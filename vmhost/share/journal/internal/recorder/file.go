package recorder

import (
	"io/fs"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
)

// File is a file that is open for changing. Its methods may be called from
// several goroutines at once; it works on when its name is gone.
type File struct {
	opened
	folder *Changer                      // nil: not recorded
	obj    atomic.Pointer[ledger.Object] // nil while a file of Tmpfile has no name
	ready  atomic.Uint64                 // Recorder.Round and writing.Edits when the file was prepared, plus one
	parts  atomic.Pointer[partial.Image] // what is kept before each change, nil when all was kept at once
	once   sync.Once

	writing  *ledger.Writing // that of obj, since that is known
	nameless bool            // of Tmpfile
	sought   atomic.Bool     // another name of it was looked for
}

// OpenFile opens the file at p for changing.
func (f *Changer) OpenFile(p Place) (*File, at.Info, error) {
	if f == nil {
		file, info, err := p.Dir.Open(p.Name, os.O_RDWR)
		return &File{opened: opened{file}}, info, err
	}
	// Nothing takes the name from the file until it is known whose it is.
	f.gate.RLock()
	defer f.gate.RUnlock()
	f.names.Lock()
	defer f.names.Unlock()
	dir, err := f.Directory(p)
	if err != nil {
		return nil, at.Info{}, err
	}
	file, info, err := p.Dir.Open(p.Name, os.O_RDWR)
	if err != nil {
		return nil, info, err
	}
	if !f.silent {
		f.keepAhead(dir, p.Dir)
	}
	o, err := f.writer(dir, p.Name, file)
	if err != nil {
		file.Close()
		return nil, info, err
	}
	return f.file(file, o), info, nil
}

func (f *Changer) file(file *os.File, o *ledger.Object) *File {
	x := &File{opened: opened{file}, folder: f, writing: o.Writing}
	x.obj.Store(o)
	return x
}

// made is file for one that the task has just made, as info says; j.Mu is not held.
func (f *Changer) made(file *os.File, o *ledger.Object, info at.Info) *File {
	x := f.file(file, o)
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	x.begun(info)
	return x
}

// begun notes what a file is that the task has just made; j.Mu is held.
func (x *File) begun(info at.Info) {
	w := x.writing
	w.Lock()
	defer w.Unlock()
	if w.Busy == 0 && w.Ended.IsZero() && x.exact() { // nobody else has opened and changed it meanwhile
		w.Ended = time.Now()
		w.Left, w.Looked, w.When = ledger.StateOf(info), w.Ended, w.Ended
	}
	x.folder.J.leaves(x)
}

func (f *Changer) writer(dir *ledger.Object, name string, file *os.File) (*ledger.Object, error) {
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	info, err := at.Stat(file)
	if err != nil {
		return nil, err
	}
	o, err := f.meet(dir, name, info, "")
	if err != nil {
		return nil, err
	}
	o.Join()
	return o, nil
}

// prepare keeps the content before the first change.
func (x *File) prepare(o *ledger.Object) error {
	round := x.folder.J.Round.Load()
	if x.isReady(round) {
		return nil
	}
	if err := x.findName(o); err != nil {
		return err
	}
	o.Keep.Lock()
	defer o.Keep.Unlock()
	if x.isReady(round) {
		return nil // another first change made it so; parts is never nil for those that go by it
	}
	kept, err := x.open(o)
	if err != nil {
		return err
	}
	var parts *partial.Image
	if !kept {
		if parts, err = x.folder.keepContent(o, x.f); err != nil {
			return err
		}
	}
	x.parts.Store(parts)
	x.folder.J.Step("kept")
	x.setReady(round)
	return nil
}

// open writes down that the file is about to change, and what a person did
// to it since the file was opened, or since it was last changed through those that are
// open. It reports whether nothing more has to be kept: the task made the file, or nobody can
// see it any more. The change is under way ([File.begin]).
func (x *File) open(o *ledger.Object) (kept bool, err error) {
	j, w := x.folder.J, x.writing
	j.Mu.Lock()
	defer j.Mu.Unlock()
	w.Lock()
	defer w.Unlock()
	info, err := at.Stat(x.f)
	if err != nil {
		return false, err
	}
	if x.unseen(o, info) {
		return true, nil
	}
	if w.Round != j.Round.Load()+1 {
		w.Measure() // an undo may have made it longer or shorter
	}
	if now := ledger.StateOf(info); x.edited(o, now) {
		if err := x.rebase(o, info, now); err != nil {
			return false, err
		}
	}
	if o.Touch != ledger.TouchOpen {
		w.Restart()
	}
	if w.Busy == 1 { // this one
		w.Begin(info.Size)
	}
	if first := o.Touch == ledger.TouchNone; first || o.Touch != ledger.TouchOpen || o.Suspect {
		var pos int64
		// A power cut may take the record of a further change: then the file differs from how the task left it.
		if pos, err = j.Put(ledger.OpenRecord{Object: o.ID}); first {
			o.Wait = pos
		}
	}
	j.leaves(x)
	return o.Made, err
}

// WriteAt writes as io.WriterAt does.
func (x *File) WriteAt(p []byte, off int64) (int, error) { return x.WritevAt([][]byte{p}, off) }

// Truncate sets the length of the file.
func (x *File) Truncate(size int64) error {
	return x.changeContent(partial.Span{Off: size, End: math.MaxInt64}, func() error { return x.f.Truncate(size) },
		func(w *ledger.Writing) { w.Cut(size) })
}

// SetMeta sets mode and times of the file itself.
func (x *File) SetMeta(m at.Meta) error {
	return x.changeAttribute(!m.MTime.IsZero(), nil, func() error { return at.SetMeta(x.f, m.Plain()) })
}

// changeAttribute does what changes the inode and not the content, after keep
// has written down what is lost with it, if anything.
func (x *File) changeAttribute(times bool, keep func(o *ledger.Object) error, do func() error) error {
	o := x.obj.Load()
	if o == nil {
		return do()
	}
	return x.folder.ask(func() error { return x.setAttribute(o, times, keep, do) })
}

func (x *File) setAttribute(o *ledger.Object, sets bool, keep func(o *ledger.Object) error, do func() error) error {
	x.folder.gate.RLock()
	defer x.folder.gate.RUnlock()
	x.begin()
	did := nothing
	defer func() { x.end(did, nil) }()
	if err := x.findName(o); err != nil {
		return err
	}
	kept, err := x.open(o)
	if err != nil {
		return err
	}
	x.folder.J.Busy()
	return x.folder.alter(o, kept, sets, keep, func() error {
		did = attributes
		if sets {
			did = times
		}
		err := do()
		if info, serr := at.Stat(x.f); serr == nil { // a mode that a person does not change is not theirs
			x.folder.J.Mu.Lock()
			o.Last.Mode = info.Mode
			x.folder.J.Mu.Unlock()
		}
		return err
	})
}

// alter does what changes an inode and not its content, after writing down that it is
// about to and, with keep, what is lost.
func (f *Changer) alter(o *ledger.Object, kept, times bool, keep func(o *ledger.Object) error, do func() error) error {
	var err error
	f.J.Mu.Lock()
	if f.J.Tables.Alive(o) && (o.Touch != ledger.TouchOpen || o.Suspect || times && !o.Times) {
		_, err = f.J.Put(ledger.OpenRecord{Object: o.ID, Times: times})
	}
	f.J.Mu.Unlock()
	if err == nil && keep != nil && !kept {
		o.Keep.Lock()
		err = keep(o)
		o.Keep.Unlock()
	}
	if err == nil {
		err = f.durable(o)
	}
	if err == nil {
		err = unsealed(f)
	}
	if err != nil {
		return err
	}
	f.J.Step("before")
	err = do()
	f.J.Step("after")
	return err
}

// Sync makes the file's content durable.
func (x *File) Sync() error { return at.Sync(x.f) }

// Close closes the file and notes how the task left it.
func (x *File) Close() error {
	var err error
	x.once.Do(func() {
		if o := x.obj.Load(); o != nil {
			x.leave(o)
		}
		err = x.f.Close()
	})
	return err
}

func (x *File) leave(o *ledger.Object) {
	j := x.folder.J
	j.Mu.Lock()
	changed := o.Touch == ledger.TouchOpen && o.Writers == 1
	j.Mu.Unlock()
	if changed {
		if err := at.Settle(x.f); err != nil {
			j.Log.Warn("journal: a file may seem changed by somebody else", "name", x.f.Name(), "err", err)
		}
	}
	j.Mu.Lock()
	defer j.Mu.Unlock()
	defer o.Leave()
	delete(j.left.files, x)
	info, err := at.Stat(x.f)
	if err != nil || o.Writers > 1 || o.Touch != ledger.TouchOpen || j.Closed || j.Tables.Objects[o.ID] != o || info.ID != o.Ident {
		return
	}
	checkLength(o.Writing, ledger.StateOf(info))
	s := byTask(o.Writing, ledger.StateOf(info))
	if _, err := j.Put(ledger.SignRecord{Object: o.ID, State: &s}); err != nil {
		j.Log.Error("journal: cannot write", "err", err)
	}
	j.Step("left")
}

// SetMeta sets mode and times of what is at rel itself. Bits that give rights of
// another user (setuid, setgid) are not among those of its mode.
func (f *Folder) SetMeta(rel string, m at.Meta) (info at.Info, err error) {
	err = f.change(rel, func(p Place) error { info, err = f.Rec.SetMeta(p, m); return err })
	return info, err
}

// SetMeta sets mode and times of what is at p.
func (f *Changer) SetMeta(p Place, m at.Meta) (at.Info, error) {
	return f.setAttribute(p, !m.MTime.IsZero(), nil, func() error { return p.Dir.SetMeta(p.Name, m.Plain()) })
}

// setAttribute changes attributes, mode or times of what is at p by do, after keep (which may be nil)
// has written down what they were. It returns the file as it is then, the zero Info where that is not
// known.
func (f *Changer) setAttribute(p Place, times bool, keep func(o *ledger.Object) error, do func() error) (now at.Info, err error) {
	if f == nil {
		return now, do()
	}
	defer f.Enter()()
	o, info, err := f.self(p)
	if err != nil {
		return now, err
	}
	if info.Kind == at.Special {
		return now, &fs.PathError{Op: "setattr", Path: p.Name, Err: ErrSpecial}
	}
	f.J.Mu.Lock()
	o.Writers++ // until it is signed nobody takes this for a person's change
	made, w := o.Made, o.Writing
	if w != nil && o.Touch != ledger.TouchOpen { // since an undo or a list, what a file that is open left tells nothing
		w.Lock()
		w.Forget()
		w.Unlock()
	}
	f.J.Mu.Unlock()
	defer func() { now = f.sign(o, p) }()
	if times && w != nil {
		w.Lock()
		if now, err := p.Lstat(); err == nil && now.ID == o.Ident {
			w.Check(now.Size, 0)
		}
		w.Busy++
		w.Unlock()
		defer func() { // the time is not what a file that is open left
			w.Lock()
			w.Busy--
			w.Forget()
			w.Unlock()
		}()
	}
	return now, f.alter(o, made, times, keep, do)
}

// self returns the object that p is, the folder itself for the name ".".
func (f *Changer) self(p Place) (*ledger.Object, at.Info, error) {
	dir, err := f.Directory(p)
	if err != nil {
		return nil, at.Info{}, err
	}
	return f.look(dir, p)
}

// sign notes how the task left an object, unless others are changing it, and returns what
// is there, if it is still that.
func (f *Changer) sign(o *ledger.Object, p Place) at.Info {
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	defer o.Leave()
	info, err := p.Lstat()
	if err != nil || info.ID != o.Ident {
		return at.Info{}
	}
	s, w := ledger.StateOf(info), o.Writing
	s.Target = o.Last.Target
	switch {
	case f.J.Closed || o.Writers > 1 && w == nil: // without it the disk is asked later
	case w == nil:
		_, err = f.J.Put(ledger.SignRecord{Object: o.ID, State: &s})
	default:
		w.Lock()
		if w.Busy == 0 && (w.Exact == nil || *w.Exact) {
			err = f.J.signOpen(o, w, s)
		}
		w.Unlock()
	}
	if err != nil {
		f.J.Log.Error("journal: cannot write", "err", err)
	}
	return info
}
