package steps

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"slices"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// errOwner says that a new file cannot have what the one has that it replaces.
var errOwner = errors.New("owner, group or access rights cannot be given to a new file")

// content gives what is at a name new content, mode, times and attributes.
func (x *Run) content(ctx context.Context, s *Step) error {
	p, now, err := s.At.Look()
	defer p.End()
	switch {
	case errors.Is(err, ErrGone) && p.Dir != nil && s.Replace && s.Do != Dress:
		return x.put(ctx, s, p, nil)
	case err != nil:
		return err
	case s.Do != Dress && s.Already != nil && s.Already(p, now):
		return x.found(s, p, now)
	case !s.Late:
		if err := s.Expect.Check(ctx, p, now); err != nil {
			return err
		}
	}
	switch {
	case s.Do == Dress && now.Kind == at.Directory && !s.Late && !s.Early:
		return x.done(s, p)
	case s.Do == Dress:
		if err := x.dress(s, p, now); err != nil {
			return err
		}
		x.step("dressed")
		return x.done(s, p)
	case s.Do == Write && s.InPlace:
		return x.rewrite(ctx, s, p, now)
	}
	err = x.put(ctx, s, p, &now)
	if errors.Is(err, errOwner) {
		s.InPlace, s.More = true, true
		return nil
	}
	return err
}

// dress gives what is at p attributes, mode and times; now is what it is.
func (x *Run) dress(s *Step, p Opened, now at.Info) error {
	m := at.Meta{ATime: s.ATime, MTime: s.MTime}
	mode := now.Mode
	if now.Kind != at.Symlink {
		if s.Mode != nil {
			mode = *s.Mode
		}
		if s.Attrs != nil && now.Mode&0o200 == 0 && runtime.GOOS != "windows" { // xattr(7)
			now.Mode |= 0o200
			if _, err := p.Folder.SetMeta(p.Place, at.Meta{Mode: &now.Mode}); err != nil {
				return err
			}
		}
		if s.Attrs != nil {
			if err := p.Folder.SetXattrs(p.Place, s.Attrs); err != nil {
				return err
			}
			x.step("attrs")
		}
		if mode != now.Mode {
			m.Mode = &mode
		}
	}
	if m == (at.Meta{}) {
		return nil
	}
	_, err := p.Folder.SetMeta(p.Place, m)
	if now.Kind == at.Symlink && errors.Is(err, at.ErrUnsupported) {
		return nil
	}
	return err
}

// file gives a new file the name q, in one step. there is the file at in that it will replace later, nil
// for none.
func (x *Run) file(ctx context.Context, s *Step, q, in Opened, there *at.Info) error {
	var info at.Info
	tmp := s.Temp + ".new"
	return q.Folder.Add(q.Place, func() error {
		if s.Take == nil || s.Take(q.Dir, q.Name) != nil {
			if err := x.stage(ctx, s, q.Dir, tmp, in, there); err != nil {
				return err
			}
			x.step("staged")
			if err := q.Dir.RenameNoReplace(tmp, q.Dir, q.Name); err != nil {
				_ = q.Dir.Remove(tmp)
				return err
			}
		}
		var err error
		info, err = q.Lstat()
		return err
	}, func(dir *ledger.Object, e *ledger.Entry) error {
		return q.Folder.Returned(dir, e, info, s.Sum)
	})
}

// stage makes a durable file that the journal does not know.
func (x *Run) stage(ctx context.Context, s *Step, d *at.Dir, tmp string, in Opened, there *at.Info) error {
	c, err := s.Content()
	if err != nil {
		return err
	}
	defer c.End()
	if c.Keep > 0 {
		c.Spans = nil // nothing of the file that is there
	}
	return recorder.Stage(d, tmp, func(f *os.File, _ at.Info) error {
		if s.Like && there != nil {
			if err := attributes(f, in); err != nil && !s.Anyway {
				return err
			} else if err != nil {
				in.Folder.J.Log.Warn("journal: what takes the place of a file does not get all that it had", "path", s.Change.Path, "err", err)
			}
		}
		if s.Owner != nil {
			s.lacks(d.SetOwnerOfNew(f, s.Owner))
		}
		if err := c.write(ctx, f, 0); err != nil {
			return err
		}
		if s.Attrs != nil {
			if err := at.FileAttrs(f).SetAll(s.Attrs); err != nil {
				return err
			}
		}
		if err := at.SetMeta(f, at.Meta{Mode: s.Mode, ATime: s.ATime, MTime: s.MTime}); err != nil {
			return err
		}
		return at.Sync(f)
	})
}

// attributes gives a new file what the one at a place has: attributes, owner, group
// and access rights, but for the rights of a program.
func attributes(dst *os.File, p Opened) error {
	src, _, err := p.Dir.Open(p.Name, os.O_RDONLY)
	if err != nil {
		return nil // not to be read, or gone
	}
	defer src.Close()
	at.CopyAttributes(dst, src)
	own, err := at.FileAttrs(src).Owner()
	if err == nil && own != nil {
		delete(own.Set, at.Capability) // it was given to other content
		err = at.FileAttrs(dst).SetOwner(own)
	}
	if err != nil {
		return errors.Join(errOwner, err)
	}
	return nil
}

// rewrite writes into the file that is there.
func (x *Run) rewrite(ctx context.Context, s *Step, p Opened, now at.Info) error {
	w, _, err := p.Folder.OpenFile(p.Place)
	if errors.Is(err, fs.ErrPermission) {
		if _, wide := p.Folder.SetMeta(p.Place, at.Meta{Mode: new(uint32(0o600))}); wide == nil {
			w, _, err = p.Folder.OpenFile(p.Place)
		}
	}
	if err != nil {
		return err
	}
	defer w.Close()
	c, err := s.Content()
	if err != nil {
		return err
	}
	defer c.End()
	keep := min(c.Keep, now.Size) // what it gets behind its end is zeros
	if err := w.Keep(append(c.list(keep), spans.Span{Off: c.Keep, End: math.MaxInt64})); err != nil {
		return err
	}
	if again, err := p.Lstat(); err != nil || !same(now, again) { // keeping it took a while
		return errors.Join(recorder.ErrRaced, err)
	}
	x.step("rewrite")
	if err := takeRoom(w, c.Room, now); err != nil {
		return err
	}
	if err := x.rewriteAll(context.WithoutCancel(ctx), s, p, c, w, now); err != nil {
		s.Half, _ = w.Stat()
		return err
	}
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		return err
	}
	x.step("rewritten")
	return x.done(s, p)
}

func (x *Run) rewriteAll(ctx context.Context, s *Step, p Opened, c *Content, w *recorder.File, now at.Info) error {
	if now.Size > c.Keep {
		if err := w.Truncate(c.Keep); err != nil {
			return err
		}
		x.step("emptied")
	}
	if err := c.write(ctx, w, min(c.Keep, now.Size)); err != nil {
		return err
	}
	info, err := w.Stat()
	if err != nil {
		return err
	}
	return x.dress(s, p, info)
}

// takeRoom takes room in a file, if its disk can, or leaves it as it is.
func takeRoom(w *recorder.File, list spans.Set, now at.Info) error {
	const keepSize = 1 // FALLOC_FL_KEEP_SIZE, fallocate(2)
	for _, s := range list {
		err := error(nil)
		if s.End > s.Off {
			err = w.Allocate(keepSize, s.Off, s.End-s.Off)
		}
		if at.IsFull(err) || errors.Is(err, syscall.EFBIG) {
			return errors.Join(err, w.Truncate(now.Size), w.SetMeta(at.Meta{MTime: now.MTime}))
		}
	}
	return nil
}

// list is what is written into a file of which bytes up to keep are there.
func (c *Content) list(keep int64) spans.Set {
	list := slices.Clone(c.Spans)
	if list == nil {
		list = spans.Set{{Off: 0, End: c.Size}}
	}
	for _, z := range c.Zeros {
		list.Add(spans.Span{Off: z.Off, End: min(z.End, keep)})
	}
	return list
}

// write writes the content into a file, of which bytes up to keep are there.
func (c *Content) write(ctx context.Context, w interface {
	io.WriterAt
	Truncate(size int64) error
}, keep int64,
) error {
	list := c.list(keep)
	most := int64(1 << 20)
	buf := make([]byte, min(most, c.Size))
	for _, s := range list {
		for s.Off < s.End {
			if err := ctx.Err(); err != nil {
				return err
			}
			n, err := c.ReadAt(buf[:min(most, s.End-s.Off)], s.Off)
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if b := buf[:n]; s.Off < keep || !at.Zero(b) {
				if _, err := w.WriteAt(b, s.Off); err != nil {
					return err
				}
			}
			if s.Off += int64(n); n == 0 {
				return io.ErrUnexpectedEOF
			}
		}
	}
	return w.Truncate(c.Size)
}
