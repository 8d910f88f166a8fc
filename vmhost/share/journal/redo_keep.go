package journal

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
	"piwork/vmhost/share/journal/internal/recorder"
	"piwork/vmhost/share/journal/steps"
)

// keepAll writes down how undo finds what it is going to change, with all
// content, and waits until that is durable.
func (u *redoKeeper) keepAll(ctx context.Context, items []*item) error {
	var list []*item
	u.copies = len(items) >= stageFrom && at.SyncsAll
	for _, i := range items {
		if i.conflict != nil || i.done() {
			continue
		}
		u.j.Mu.Lock()
		k := u.j.Tables.Keeps[i.Change.ID]
		have := u.resumed && k != nil && !savedSince(i, k)
		u.j.Mu.Unlock()
		if have { // and may be changed by half already, unless its content was lost
			u.spare(i, nil)
			continue
		}
		list = append(list, i)
	}
	// In whatever order: none is changed before all of them are durable.
	if err := recorder.Each(ctx, list, recorder.Workers(), func(ctx context.Context, i *item) error {
		err := u.keep(ctx, i)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			u.j.Log.Warn("journal: an undo will not be undone", "path", i.Change.Path, "err", err)
		}
		u.spare(i, err)
		return nil
	}); err != nil || len(list) == 0 {
		return err
	}
	sync := u.j.Trash.Sync
	if u.copies {
		sync = u.j.Store.SyncAll
		u.copies = false
	}
	if err := sync(); err != nil {
		return err
	}
	return u.j.Sync(u.j.File.Position())
}

// savedSince reports whether a person changed, after it was kept, what they want replaced.
// Journal.Mu is held.
func savedSince(i *item, k *ledger.Kept) bool {
	now := i.found
	if i.Remove != nil {
		now = i.seen
	}
	half := i.Object != nil && i.Object.Rewriting
	return i.force && !half && now.known && !k.State.SameData(now.state)
}

// spare leaves alone what a person changed since and wants replaced, when it could not be
// kept: theirs is the only copy.
func (u *redoKeeper) spare(i *item, err error) {
	if k := u.kept(i); i.force && (err != nil || k != nil && k.Lost) {
		i.fail(ReasonIO, "no room to keep %q as it is now: %v", i.Change.Path, cmp.Or(err, ErrFull))
	}
}

func (u *redoKeeper) keep(ctx context.Context, i *item) error {
	k := &ledger.Kept{Change: i.Change}
	j := u.j
	j.Mu.Lock()
	if i.Object != nil {
		k.Obj = i.Object.ID
	}
	dir, name, content := (*ledger.Object)(nil), "", (*ledger.Object)(nil)
	switch {
	case i.Remove != nil:
		dir, name = i.Remove.Dir, i.Remove.Name
		if cur := i.Remove.Cur; cur != nil && cur.Made {
			k.Made, content = cur.ID, cur
		} else if cur != nil {
			k.Obj = cur.ID
			if i.force { // a person put something else at that name of theirs
				content = &ledger.Object{Made: true}
			}
		}
	case i.Change.Effect == EffectMove:
		if e := i.Place.Gained(); e != nil {
			dir, name = e.Dir, e.Name
		}
	case i.Place != nil:
		dir, name = i.Entry.Dir, i.Entry.Name
	default:
		dir, name, _ = j.Tables.Spot(i.Fix)
	}
	if i.Place != nil {
		k.From = i.Entry.Dir.ID
	}
	j.Mu.Unlock()
	if content == nil && i.Fix != nil && i.Change.Effect != EffectDelete && i.Fix.Kind == at.File && i.contentDiffers() {
		content = i.Fix
	}
	if dir == nil {
		if i.Fix == nil || i.Fix.Parent != nil {
			return fs.ErrNotExist
		}
		dir, name = i.Fix, "." // the folder itself
	}
	k.Dir, k.Name = dir.ID, ledger.Raw(name)
	if i.Change.Effect == EffectDelete && !i.displaced {
		return u.keepRecord(k, nil)
	}
	d, err := u.dir(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return u.keepThing(ctx, k, d, name, content)
}

// workDirOf returns a directory that undo works in.
func (u *site) workDirOf(id at.ID) *workDir {
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	if o := u.j.Tables.Inodes[id]; o != nil {
		return u.dirs[o]
	}
	return nil
}

// links is how many names a file has in folders: one more may be in the store,
// where it is kept for Redo.
func (u *site) links(i *item, info at.Info) uint64 {
	k := u.kept(i)
	if k == nil || k.File == "" || k.Parts {
		return info.NLink
	}
	if in, err := u.j.Trash.Lstat(k.File); err == nil && in.ID == info.ID {
		return info.NLink - 1
	}
	return info.NLink
}

// keepThing keeps what is at a name: its state, and if content is not nil its
// content. content is what the journal takes it for.
func (u *redoKeeper) keepThing(ctx context.Context, k *ledger.Kept, d *at.Dir, name string, content *ledger.Object) error {
	f, info, err := u.look(d, name, content)
	if err != nil {
		return err
	}
	if f != nil {
		defer f.Close()
	}
	k.State = ledger.StateOf(info)
	if in := u.workDirOf(info.ID); in != nil && in.wide {
		k.State.Mode = in.mode
	}
	switch info.Kind {
	case at.Symlink:
		target, err := d.Readlink(name)
		if err != nil {
			return err
		}
		k.State.Target = ledger.Raw(target)
	case at.File, at.Directory:
		if f != nil {
			k.Attrs, _ = at.FileAttrs(f).All()
		} else if a, err := d.Attrs(name); err == nil {
			k.Attrs, _ = a.All()
			a.Close()
		}
	}
	if content == nil || info.Kind != at.File {
		return u.keepRecord(k, nil)
	}
	return u.keepWith(ctx, k, func() ([]byte, error) { return u.keepContent(ctx, k, d, name, f, content, info) })
}

// look returns what is at a name. What will be copied, as no file of its file system can have a
// further name in the journal, it opens at once.
func (u *redoKeeper) look(d *at.Dir, name string, content *ledger.Object) (*os.File, at.Info, error) {
	u.j.Mu.Lock()
	apart := content != nil && u.apart[content.Ident.Dev]
	u.j.Mu.Unlock()
	if apart {
		if f, info, err := d.Open(name, os.O_RDONLY); err == nil {
			return f, info, nil
		}
	}
	info, err := recorder.Place{Dir: d, Name: name}.Lstat()
	return nil, info, err
}

// keepWith writes down what is kept with the content that keep keeps or, for the log,
// returns. Without room for it, or where its holes cannot be left out, the change can be undone, and
// not redone.
func (u *redoKeeper) keepWith(ctx context.Context, k *ledger.Kept, keep func() ([]byte, error)) error {
	data, err := keep()
	if ctx.Err() != nil {
		return ctx.Err() // it is kept the next time
	}
	if k.Has = err == nil; !k.Has {
		k.File, k.Lost = "", true
	}
	if errors.Is(err, ErrFull) || errors.Is(err, at.ErrHoles) {
		err = nil
	}
	return errors.Join(err, u.keepRecord(k, data))
}

// keepContent keeps the content of a file, which f has open or, being nil, not yet.
func (u *redoKeeper) keepContent(ctx context.Context, k *ledger.Kept, d *at.Dir, name string, f *os.File, o *ledger.Object, info at.Info) ([]byte, error) {
	k.File = k.Change.ID + "." + strconv.FormatInt(time.Now().UnixNano(), 36)
	k.Parts = o.Image != nil && o.Image.Parts
	// Undo writes into an inode that has, or will have again, several names.
	inPlace := k.Parts || (info.NLink > 1 || o.Base.Links > 1 || !at.KeepsOwner) && !o.Made
	// A further name of what is with a cloud service has no content out of the service's folder.
	if f == nil && !inPlace && !info.Online {
		err := d.Link(name, u.j.Trash, k.File)
		if err == nil {
			k.Bytes = info.Size
			return nil, u.syncKept(k.File)
		}
		u.j.Mu.Lock()
		u.apart[info.Dev] = errors.Is(err, syscall.EXDEV)
		u.j.Mu.Unlock()
	}
	if f == nil {
		var err error
		if f, _, err = d.Open(name, os.O_RDONLY); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	switch {
	case k.Parts:
		return nil, u.keepPartsAfter(k, f, o, info)
	case info.Size <= ledger.MaxInline:
		data, err := recorder.ReadFile(f, info.Size)
		k.File, k.Inline, k.State.Sum = "", int64(len(data)), recorder.SumOf(data)
		return data, err
	}
	return nil, u.keepCopy(ctx, k, f, info.Size)
}

// syncKept makes a further name of a file in a folder durable, and its content, for
// which nobody has waited yet, unless all that is kept is made durable in one go.
func (u *redoKeeper) syncKept(name string) error {
	if u.copies {
		return nil
	}
	f, _, err := u.j.Trash.Open(name, os.O_RDONLY)
	if err != nil {
		return u.j.Store.SyncAll() // not to be read by its owner
	}
	defer f.Close()
	return at.Sync(f)
}

// keepCopy keeps a copy of f, which shares its blocks where it can.
func (u *redoKeeper) keepCopy(ctx context.Context, k *ledger.Kept, f *os.File, size int64) (err error) {
	k.Copy = true
	k.Bytes, err = u.j.StoreFile(u.j.Trash, k.File, size, !u.copies, func(dst *os.File) error {
		if at.Clone(dst, f) == nil {
			return nil
		}
		_, err := at.CopyData(ctx, dst, f, ledger.HashLimit, nil)
		return err
	})
	return err
}

// keepPartsAfter keeps the parts of a file that undo writes over, and what it
// will cut off.
func (u *redoKeeper) keepPartsAfter(k *ledger.Kept, f *os.File, o *ledger.Object, info at.Info) error {
	before, err := u.j.PartsOf(o)
	if err != nil {
		return err
	}
	p := partial.New(info.Size, before.Block)
	var list spans.Set
	for _, s := range append(before.Covered(), partial.Span{Off: before.Size, End: info.Size}) {
		for _, s := range p.Missing(s) {
			list.Add(s)
		}
	}
	k.Bytes, err = u.j.StoreFile(u.j.Trash, k.File, min(list.Size(), info.Blocks*512), !u.copies, func(dst *os.File) error {
		if _, err := dst.WriteAt(p.Head(), 0); err != nil {
			return err
		}
		_, err := p.Add(dst, f, list)
		return err
	})
	return err
}

func (u *redoKeeper) keepRecord(k *ledger.Kept, data []byte) error {
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	_, err := u.j.Put(ledger.KeepRecord{Keep: k, Inline: &ledger.Inline{Data: data}})
	u.j.Step("undo-kept")
	return err
}

// contentOf is what is kept of a file.
func (x *redoing) contentOf(k *ledger.Kept) (*steps.Content, error) {
	kept := x.j.KeptForRedo(k)
	c, err := kept.Open(nil)
	if err != nil {
		return nil, err
	}
	out := &steps.Content{ReaderAt: c, Size: c.Size(), End: func() { _ = c.Close() }}
	if !k.Parts {
		out.Spans = c.Data()
		return out, nil
	}
	p, err := kept.Parts()
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	out.Keep, out.Spans, out.Zeros = c.Size(), p.Data(), p.Zeros()
	return out, nil
}
