package review

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
	"piwork/vmhost/share/journal/steps"
)

// cleanUp removes what an interrupted Apply left, and its marks. What it lifted
// stays until its change is applied or forgotten: it is a person's file.
func (a *applying) cleanUp() error {
	l := a.l
	l.mu.Lock()
	err := l.recoverLifts()
	prefix := l.t.tempPrefix()
	lifted := map[string]bool{}
	var marks []string
	for temp, id := range l.t.temps {
		if id != 0 {
			lifted[temp] = true
		}
		if n := l.t.nodes[id]; n == nil || string(n.Base) != temp {
			marks = append(marks, temp)
		}
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	for _, mark := range marks {
		dir := path.Dir(mark)
		if lifted[mark] {
			if there, err := a.lstat(mark); there != nil || err != nil {
				l.log.Warn("review: whose file this is nobody knows any more", "path", mark, "err", err)
				continue
			}
		}
		d, err := l.root.Dir(dir)
		var names []string
		if err == nil {
			names, err = d.Names(-1)
			d.Close()
		}
		if err != nil && !steps.IsMissing(err) && !errors.Is(err, io.EOF) {
			l.log.Warn("review: temporary files may be left", "dir", dir, "err", err)
			continue
		}
		for _, name := range names {
			temp := path.Join(dir, name)
			if !strings.HasPrefix(name, prefix) || lifted[temp] {
				continue
			}
			if err := steps.Discard(a.place(temp), nil); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if err := l.write(&record{NoTemp: raw(mark)}); err != nil {
			return err
		}
	}
	return nil
}

// write is commit for one record alone.
func (l *base) write(r *record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.commit(r)
}

// temp returns a name in dir that nothing has, for a new file. That there may be
// some in dir is written down before the first of them.
func (a *applying) temp(dir string) (string, error) {
	l := a.l
	l.mu.Lock()
	defer l.mu.Unlock()
	mark := path.Join(dir, l.t.tempPrefix())
	if _, ok := l.t.temps[mark]; !ok {
		if err := l.commit(&record{Temp: raw(mark)}); err != nil {
			return "", err
		}
		if err := l.wal.Sync(l.wal.Position()); err != nil {
			return "", err
		}
	}
	return l.t.tempPrefix() + strconv.FormatUint(l.t.next(), 10), nil
}

// lstat looks at a path of the original; nil is nothing.
func (a *applying) lstat(rel string) (*at.Info, error) {
	info, err := a.l.root.Lstat(rel)
	if steps.IsMissing(err) {
		return nil, nil
	}
	return &info, err
}

type readerAt func(b []byte, off int64) (int, error)

func (r readerAt) ReadAt(b []byte, off int64) (int, error) { return r(b, off) }

// contentOf is what the task made of a file, with its mode and times at this moment; n.io
// is held for writing.
func (a *applying) contentOf(s *steps.Step, n *node) (*steps.Content, error) {
	l := a.l
	l.mu.Lock()
	info, err := l.info(n)
	if n.opens++; err == nil && s.InPlace {
		rec := n.nodeRec
		rec.Busy = true
		err = l.commit(&record{Nodes: []nodeRec{rec}})
	}
	if s.Mode, s.ATime, s.MTime, s.Attrs = &info.Mode, info.ATime, info.MTime, at.AttrSet(n.Attrs); s.Attrs == nil && n.Base == "" {
		s.Attrs = at.AttrSet{} // none, whatever what it replaces has
	}
	l.mu.Unlock()
	if err == nil && s.InPlace {
		err = l.wal.Sync(l.wal.Position())
	}
	if err == nil {
		err = l.ensure(n)
	}
	c := &steps.Content{ReaderAt: readerAt(func(b []byte, off int64) (int, error) { return l.read(n, b, off) }), Size: info.Size}
	switch {
	case err != nil:
	case !n.src.part && n.src.obj != 0:
		c.Spans = at.Data(n.upper, 0, info.Size)
	case n.src.part:
		c.Spans = at.Data(n.upper, n.src.low, info.Size)
		if !s.InPlace {
			c.Spans.Add(spans.Span{Off: 0, End: min(n.src.low, info.Size)})
			break
		}
		for _, x := range n.have {
			c.Spans.Add(spans.Span{Off: x.Off * granule, End: min(x.End*granule, info.Size)})
		}
		c.ReaderAt, c.Keep = n.upper, n.src.low
	}
	c.End = func() { l.endUse(n) }
	if err != nil {
		l.endUse(n)
	}
	return c, err
}

// isHalf reports whether an Apply that was interrupted left a file like that, into which it was writing;
// n.io is held for writing.
func (a *applying) isHalf(ctx context.Context, s *steps.Step, n *node, rel string) (bool, error) {
	if left, err := a.to.AsLeft(rel); left || err != nil {
		return left, err
	}
	c, err := a.contentOf(s, n)
	if err != nil {
		return false, err
	}
	defer c.End()
	known := slices.Clone(c.Spans)
	known.Add(spans.Span{Off: c.Keep, End: math.MaxInt64})
	return a.to.IsHalf(ctx, rel, c, known)
}

// endUse ends a use of n by Apply; n.io is held for writing.
func (l *contents) endUse(n *node) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n.opens--; n.opens > 0 {
		return
	}
	for _, f := range []**os.File{&n.lower, &n.upper} {
		if *f != nil {
			(*f).Close()
			*f = nil
		}
	}
	if n.dropped {
		l.dropObject(n)
	}
}
