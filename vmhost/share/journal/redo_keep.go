package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
	"piwork/vmhost/share/journal/internal/recorder"
)

// keepAll writes down how undo finds what it is going to change, with all
// content, and waits until that is durable.
func (u *redoKeeper) keepAll(ctx context.Context, items []*item) error {
	any := false
	u.copies = len(items) >= stageFrom && u.j.Store.SyncAll() == nil
	for _, i := range items {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if i.conflict != nil || i.done() {
			continue
		}
		u.j.Mu.Lock()
		have := u.resumed && u.j.Tables.Keeps[i.Change.ID] != nil
		u.j.Mu.Unlock()
		if have {
			continue // and may be changed by half already
		}
		if err := u.keep(i); err != nil {
			u.j.Log.Warn("journal: an undo will not be undone", "path", i.Change.Path, "err", err)
		}
		any = true
	}
	if !any {
		return nil
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

func (u *redoKeeper) keep(i *item) error {
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
	return u.keepThing(k, d, name, content)
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
func (u *redoKeeper) keepThing(k *ledger.Kept, d *at.Dir, name string, content *ledger.Object) error {
	p := recorder.Place{Dir: d, Name: name}
	info, err := p.Lstat()
	if err != nil {
		return err
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
		if a, err := d.Attrs(name); err == nil {
			k.Attrs, _ = a.All()
			a.Close()
		}
	}
	if content == nil || info.Kind != at.File {
		return u.keepRecord(k, nil)
	}
	k.File = k.Change.ID + "." + strconv.FormatInt(time.Now().UnixNano(), 36)
	// Undo writes into an inode that has, or will have again, several names.
	inPlace := content.Image != nil && content.Image.Parts || (info.NLink > 1 || content.Base.Links > 1) && !content.Made
	inPlace = inPlace || !at.KeepsOwner && !content.Made
	if !inPlace && d.Link(name, u.j.Trash, k.File) == nil {
		if err := u.syncKept(k.File); err != nil {
			return err
		}
		k.Has, k.Bytes = true, info.Size
		return u.keepRecord(k, nil)
	}
	f, _, err := d.Open(name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	if content.Image != nil && content.Image.Parts {
		return u.keepPartsAfter(k, f, content, info)
	}
	if info.Size <= ledger.MaxInline {
		data := make([]byte, info.Size)
		n, err := f.ReadAt(data, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		k.File, k.Has, k.Inline = "", true, int64(n)
		return u.keepRecord(k, data[:n])
	}
	if u.j.Reserve(info.Size) != nil {
		k.File, k.Lost = "", true
		return u.keepRecord(k, nil)
	}
	return u.keepCopy(k, f)
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
func (u *redoKeeper) keepCopy(k *ledger.Kept, f *os.File) error {
	k.Copy = true
	return u.keepFile(k, func(dst *os.File) error {
		if at.Clone(dst, f) == nil {
			return nil
		}
		_, err := at.CopyFile(dst, f, math.MaxInt64, nil)
		return err
	})
}

func (u *redoKeeper) keepFile(k *ledger.Kept, fill func(dst *os.File) error) error {
	dst, _, err := u.j.Trash.Create(k.File, 0o600)
	if err != nil {
		return err
	}
	defer dst.Close()
	err = fill(dst)
	if err == nil && !u.copies {
		err = at.Sync(dst)
	}
	var info at.Info
	if err == nil {
		info, err = at.Stat(dst)
	}
	if k.Bytes = info.Size; err != nil {
		_ = u.j.Trash.Remove(k.File)
		k.File, k.Lost = "", true
		return errors.Join(err, u.keepRecord(k, nil))
	}
	k.Has = true
	return u.keepRecord(k, nil)
}

// keepPartsAfter keeps the parts of a file that undo writes over, and what it
// will cut off.
func (u *redoKeeper) keepPartsAfter(k *ledger.Kept, f *os.File, o *ledger.Object, info at.Info) error {
	before, err := u.j.PartsOf(o)
	if err != nil {
		return err
	}
	p := partial.New(info.Size, before.Block)
	p.Mu.RLock()
	var list []partial.Span
	for _, s := range append(before.Covered(), partial.Span{Off: before.Size, End: info.Size}) {
		if s.Off < s.End {
			list = append(list, p.Missing(s)...)
		}
	}
	p.Mu.RUnlock()
	if err := u.j.Reserve(min(recorder.Length(list), info.Blocks*512)); err != nil {
		k.File, k.Lost = "", true
		return u.keepRecord(k, nil)
	}
	k.Parts = true
	return u.keepFile(k, func(dst *os.File) error {
		if _, err := dst.WriteAt(p.Head(), 0); err != nil {
			return err
		}
		_, err := p.Add(dst, f, list)
		return err
	})
}

func (u *redoKeeper) keepRecord(k *ledger.Kept, data []byte) error {
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	_, err := u.j.Put(ledger.KeepRecord{Keep: k, Inline: &ledger.Inline{Data: data}})
	u.j.Step("undo-kept")
	return err
}

// keptContent opens what is kept of the content; under is the file as it is now,
// where only parts are.
func (j *Journal) keptContent(k *ledger.Kept, under func() (*Content, error)) (*Content, error) {
	switch {
	case !k.Has:
		return nil, ErrNoContent
	case k.File == "":
		data := make([]byte, k.Inline)
		j.rec.Mu.Lock()
		defer j.rec.Mu.Unlock()
		if k.Inline > 0 {
			if _, err := j.rec.File.ReadAt(data, k.Content.At); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
			}
		}
		return recorder.Memory(data), nil
	case !k.Parts:
		return j.keptFile(k)
	}
	p, img, err := j.keptParts(k)
	if err != nil {
		return nil, err
	}
	rest, err := under()
	if err != nil {
		return nil, errors.Join(err, img.Close())
	}
	end := func() error { return errors.Join(img.Close(), rest.Close()) }
	return NewContent(io.NewSectionReader(partial.Overlay{P: p, Img: img, Under: rest}, 0, p.Size), end), nil
}

// keptFile opens the file with what is kept of a change, unless it is damaged.
func (j *Journal) keptFile(k *ledger.Kept) (*Content, error) {
	c, err := recorder.OpenStored(j.rec.Trash, k.File)
	if err == nil && c.Size() < k.Bytes {
		return nil, errors.Join(fmt.Errorf("%w: it has %d of %d bytes", ErrNoImage, c.Size(), k.Bytes), c.Close())
	}
	return c, err
}

func (j *Journal) keptParts(k *ledger.Kept) (*partial.Image, *Content, error) {
	img, err := j.keptFile(k)
	if err != nil {
		return nil, nil, err
	}
	p, err := partial.Read(img)
	if err == nil && p.End < k.Bytes {
		err = fmt.Errorf("%w: %d of %d bytes are whole", ErrNoImage, p.End, k.Bytes)
	}
	if err != nil {
		return nil, nil, errors.Join(err, img.Close())
	}
	return p, img, nil
}
