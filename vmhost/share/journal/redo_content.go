package journal

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
	"piwork/vmhost/share/journal/internal/recorder"
)

// file makes a file with what is kept, in one step.
func (x *redoing) file(f *recorder.Changer, p recorder.Place, k *ledger.Kept) error {
	var info at.Info
	tmp := x.temp(k) + ".new"
	return f.Add(p, func() error {
		if k.File != "" && !k.Parts {
			if err := x.j.KeptForRedo(k).Check(); err != nil {
				return err
			}
			if x.j.Trash.RenameNoReplace(k.File, p.Dir, p.Name) == nil {
				var err error
				info, err = p.Dir.Lstat(p.Name)
				return err
			}
		}
		if err := x.stage(p.Dir, tmp, k); err != nil {
			return err
		}
		x.j.Step("redo-staged")
		if err := p.Dir.RenameNoReplace(tmp, p.Dir, p.Name); err != nil {
			_ = p.Dir.Remove(tmp)
			return err
		}
		var err error
		info, err = p.Dir.Lstat(p.Name)
		return err
	}, func(dir *ledger.Object, e *ledger.Entry) error {
		o, err := f.Made(dir, e, info, "")
		if err != nil {
			return err
		}
		s := ledger.StateOf(info)
		_, err = f.J.Put(ledger.SignRecord{Object: o.ID, State: &s})
		return err
	})
}

// temp is a name that nobody uses, and that sweep knows.
func (x *redoing) temp(k *ledger.Kept) string {
	return strings.Join([]string{".piwork-redo", x.j.Tables.ID, k.Change.ID}, "-")
}

// stage makes a durable file under a name of redo's own.
func (x *redoing) stage(d *at.Dir, tmp string, k *ledger.Kept) error {
	c, err := x.j.KeptForRedo(k).Open(func() (*Content, error) { return nil, ErrNoImage })
	if err != nil {
		return err
	}
	defer c.Close()
	return recorder.Stage(d, tmp, func(f *os.File) error {
		if _, err := io.Copy(f, c); err != nil {
			return err
		}
		if err := at.FileAttrs(f).SetAll(k.Attrs); err != nil {
			return err
		}
		if err := at.SetMeta(f, at.Meta{Mode: &k.State.Mode, MTime: k.State.MTime()}); err != nil {
			return err
		}
		return at.Sync(f)
	})
}

// supersede puts another file in the place of one, as programs save.
func (x *redoing) supersede(ctx context.Context, k *ledger.Kept) error {
	f, p, err := x.in(k.Dir, string(k.Name))
	if err != nil {
		return err
	}
	defer p.Dir.Close()
	if x.resumed && x.as(k, p) {
		return x.recordReborn(f, p, k)
	}
	_, _, w, _, err := x.where(ctx, k)
	if err != nil {
		return err
	}
	w.Dir.Close()
	tmp := recorder.Place{Dir: p.Dir, Path: p.Path, Name: x.temp(k)}
	if k.State.Target != "" {
		if _, err = f.Symlink(tmp, string(k.State.Target)); err == nil {
			err = f.SetMeta(tmp, at.Meta{MTime: k.State.MTime()})
		}
	} else {
		err = x.file(f, tmp, k)
	}
	if err == nil {
		x.j.Step("redo-beside")
		err = f.Rename(tmp, p, true)
	}
	if err != nil {
		x.unstage(f, tmp, k)
		return err
	}
	return x.recordReborn(f, p, k)
}

// content gives a file its content, mode, times and attributes again.
func (x *redoing) content(ctx context.Context, k *ledger.Kept) error {
	if x.resumed {
		if f, p, err := x.in(k.Dir, string(k.Name)); err == nil {
			if x.as(k, p) && k.Has {
				err = dress(f, p, k)
				p.Dir.Close()
				return err
			}
			p.Dir.Close()
		}
	}
	o, f, p, info, err := x.where(ctx, k)
	if errors.Is(err, ErrChangedSince) && x.resumed && k.Has {
		o, f, p, info, err = x.halfway(k)
	}
	if err != nil {
		return err
	}
	defer p.Dir.Close()
	if info.Kind == at.Directory {
		x.late = append(x.late, k)
		return nil
	}
	if k.Has {
		if k.Linked() && info.NLink == 1 && k.Change.Effect != EffectMove && !x.linked[k.Obj] {
			return x.supersede(ctx, k)
		}
		if err := x.write(ctx, o, f, p, k); err != nil {
			return err
		}
	}
	return dress(f, p, k)
}

// halfway returns a file that an interrupted redo was writing into.
func (x *redoing) halfway(k *ledger.Kept) (*ledger.Object, *recorder.Changer, recorder.Place, at.Info, error) {
	o := x.object(k.Obj)
	f, p, err := x.in(k.Dir, string(k.Name))
	if err != nil {
		return nil, nil, p, at.Info{}, err
	}
	info, err := p.Lstat()
	if err == nil && (o == nil || info.ID != o.Ident || o.Touch == ledger.TouchNone) {
		err = ErrChangedSince
	}
	if err != nil {
		p.Dir.Close()
	}
	return o, f, p, info, err
}

func (x *redoing) dressDir(k *ledger.Kept) error {
	f, p, err := x.in(k.Dir, string(k.Name))
	if err != nil {
		return err
	}
	defer p.Dir.Close()
	return dress(f, p, k)
}

// dress gives what is at p in f a mode, times and attributes.
func dress(f *recorder.Changer, p recorder.Place, k *ledger.Kept) error {
	info, err := p.Lstat()
	if err != nil {
		return err
	}
	if info.Kind == at.Symlink {
		return f.SetMeta(p, at.Meta{MTime: k.State.MTime()})
	}
	if err := f.SetXattrs(p, k.Attrs); err != nil {
		return err
	}
	m := at.Meta{MTime: k.State.MTime()}
	if info.Kind == at.Directory && k.Change.Effect != EffectCreate && !timesChanged(k.Change) {
		m.MTime = time.Time{}
	}
	if info.Mode != k.State.Mode {
		m.Mode = &k.State.Mode
	}
	if m == (at.Meta{}) {
		return nil
	}
	return f.SetMeta(p, m)
}

// timesChanged reports whether the time of a directory is a change of its own.
func timesChanged(c Change) bool {
	return c.Before != nil && c.After != nil && !c.Before.MTime.Equal(c.After.MTime)
}

// write puts what is kept into the file itself.
func (x *redoing) write(ctx context.Context, o *ledger.Object, f *recorder.Changer, p recorder.Place, k *ledger.Kept) error {
	w, _, err := f.OpenFile(p)
	if errors.Is(err, fs.ErrPermission) && f.SetMeta(p, at.Meta{Mode: new(uint32(0o600))}) == nil {
		w, _, err = f.OpenFile(p)
	}
	if err != nil {
		return err
	}
	defer w.Close()
	kept := x.j.KeptForRedo(k)
	c, err := kept.Open(func() (*Content, error) {
		return NewContent(io.NewSectionReader(w, 0, k.State.Size), func() error { return nil }), nil
	})
	if err != nil {
		return err
	}
	defer c.Close()
	list := []partial.Span{{Off: 0, End: c.Size()}}
	if k.Parts {
		p, err := kept.Parts()
		if err != nil {
			return err
		}
		list = p.Covered()
	}
	x.j.Step("redo-writing")
	buf := make([]byte, partial.MaxPart)
	for _, s := range list {
		for s.Off < s.End {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := buf[:min(partial.MaxPart, s.End-s.Off)]
			if _, err := c.ReadAt(b, s.Off); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if _, err := w.WriteAt(b, s.Off); err != nil {
				return err
			}
			s.Off += int64(len(b))
		}
	}
	if err := w.Truncate(k.State.Size); err != nil {
		return err
	}
	x.j.Step("redo-written")
	return w.Sync()
}
