package review

import (
	"context"
	"errors"
	"io"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// change gives an original the content, mode and times that the task gave it.
func (a *applying) change(ctx context.Context, i *item, replace bool) error {
	l, n := a.l, i.node
	n.io.Lock()
	defer n.io.Unlock()
	l.mu.RLock()
	rec, kept, rel := n.nodeRec, n.kept, string(n.Base)
	l.mu.RUnlock()
	if !kept {
		return nil // a move, and nothing else
	}
	now, err := a.lstat(rel)
	if err != nil {
		return err
	}
	if now == nil || now.Kind != n.kind {
		if !replace || now != nil || rec.Obj == 0 {
			return conflictf(journal.ReasonGone, "%q is not there any more", rel)
		}
	}
	if rec.Obj == 0 {
		return a.manner(i, rel, now)
	}
	if now != nil && a.already(ctx, i, rel, now) {
		if err := a.dress(rel, rec.Attrs); err != nil {
			return err
		}
		return a.merged(i, rel, "")
	}
	if now != nil && !replace && !rec.Busy {
		if err := a.undressed(rel, rec); err != nil {
			return err
		}
	}
	if !replace {
		if err := a.intact(ctx, rel, now, rec.Orig); err != nil && (!rec.Busy || !a.ours(rel)) {
			return err
		}
	}
	if now != nil && (now.Links > 1 || rec.Part) {
		return a.rewrite(i, rel)
	}
	temp, err := a.write(i, rel, now)
	if errors.Is(err, errOwner) {
		return a.rewrite(i, rel)
	}
	if err != nil {
		return err
	}
	return a.swap(i, temp, rel, now, a.merged)
}

// merged writes down that a node has the content of its original; n.io is held
// for writing.
func (a *applying) merged(i *item, rel, temp string) error {
	l, n := a.l, i.node
	now, err := a.lstat(rel)
	if err != nil {
		return err
	}
	if now == nil {
		return journal.ErrRaced
	}
	l.mu.Lock()
	if n.dropped {
		l.mu.Unlock()
		return nil
	}
	rec := nodeRec{N: n.N, Kind: n.kind, Base: n.Base, Orig: now, Ino: l.id(n), From: n.From}
	obj := n.Obj
	err = l.commit(&record{Nodes: []nodeRec{rec}, Clean: []uint64{n.N}})
	l.mu.Unlock()
	if err == nil {
		l.unstage(n, obj)
	}
	return err
}

// manner applies mode and times alone. A person may have changed the content:
// then its time stays.
func (a *applying) manner(i *item, rel string, now *stamp) error {
	l, n := a.l, i.node
	l.mu.RLock()
	rec := n.nodeRec
	l.mu.RUnlock()
	if rec.Mode != nil && now.Mode != rec.Orig.Mode && now.Mode != *rec.Mode &&
		!(rec.Attrs != nil && now.Mode == rec.Orig.Mode|0o200) && a.o.Resolve[i.change.ID] != Replace {
		return conflictf(journal.ReasonChanged, "the permissions of %q were changed since", rel)
	}
	if a.o.Resolve[i.change.ID] != Replace {
		if err := a.undressed(rel, rec); err != nil {
			return err
		}
	}
	var m at.Meta
	if rec.MTime != nil && rec.Times && (now.MTime == rec.Orig.MTime || n.kind == at.Directory) {
		m.MTime = rec.MTime.time()
	}
	if rec.ATime != nil {
		m.ATime = rec.ATime.time()
	}
	mode := now.Mode
	if rec.Mode != nil {
		mode = *rec.Mode
	}
	if err := a.writable(rel, now, rec.Attrs); err != nil {
		return err
	}
	if err := a.dress(rel, rec.Attrs); err != nil {
		return err
	}
	if n.kind == at.Directory && m != (at.Meta{}) {
		a.dirs = append(a.dirs, lateDir{n, nil, rec.MTime})
	}
	if now.Mode != mode {
		m.Mode = &mode
	}
	if m != (at.Meta{}) {
		if err := a.to.SetMeta(rel, m); err != nil && (n.kind != at.Symlink || !errors.Is(err, at.ErrUnsupported)) {
			return err
		}
	}
	l.step("attributes")
	l.mu.Lock()
	defer l.mu.Unlock()
	rec = n.nodeRec
	rec.Mode, rec.Times, rec.Attrs, rec.Had = nil, false, nil, ""
	if n.kind != at.Directory {
		rec.MTime, rec.ATime, rec.CTime = nil, nil, nil
	}
	if s, err := a.lstat(rel); err == nil && s != nil {
		s.Sum = rec.Orig.Sum
		rec.Orig = s
	}
	return l.commit(&record{Nodes: []nodeRec{rec}, Clean: []uint64{n.N}})
}

// rewrite writes what the task changed into the original itself: of a large file
// only what differs, and of one with several names so that they stay one. The
// journal keeps what was there. n.io is held for writing.
func (a *applying) rewrite(i *item, rel string) error {
	l, n := a.l, i.node
	l.mu.Lock()
	info, err := l.info(n)
	rec := n.nodeRec
	set := rec.Attrs
	rec.Busy = true
	if err == nil {
		err = l.commit(&record{Nodes: []nodeRec{rec}})
	}
	n.opens++
	l.mu.Unlock()
	defer l.endUse(n)
	if err == nil {
		err = errors.Join(l.wal.Sync(l.wal.Position()), l.ensure(n))
	}
	if err != nil {
		return err
	}
	f, _, err := a.to.Open(rel, true)
	if err != nil {
		return err
	}
	defer f.Close()
	l.step("rewrite")
	if !n.src.part {
		if err := f.Truncate(0); err != nil {
			return err
		}
		l.step("emptied")
		err = l.copyOut(f, n, info.Size)
	} else {
		err = l.patch(f, n, info.Size)
	}
	if err := errors.Join(err, a.dress(rel, set), f.SetMeta(meta(info)), f.Sync(), f.Close()); err != nil {
		return err
	}
	l.step("rewritten")
	return a.merged(i, rel, "")
}

// patch writes the parts of n that are in its object into its original.
func (l *contents) patch(f share.Handle, n *node, size int64) error {
	now, err := f.Stat()
	if err == nil && now.Size > n.src.low {
		err = f.Truncate(n.src.low)
	}
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		return err
	}
	for _, s := range n.have {
		if err := copyRange(f, n.upper, s.Off*granule, min(s.End*granule, size)); err != nil {
			return err
		}
	}
	for off := n.src.low; off < size; {
		data, err := at.Seek(n.upper, off, seekData)
		if noData(err) {
			return nil
		}
		end := size
		if err == nil {
			if end, err = at.Seek(n.upper, data, seekHole); err != nil {
				return err
			}
			off = data
		}
		if err := copyRange(f, n.upper, off, min(end, size)); err != nil {
			return err
		}
		off = end
	}
	return nil
}

func copyRange(dst io.WriterAt, src io.ReaderAt, off, end int64) error {
	_, err := io.CopyBuffer(io.NewOffsetWriter(dst, off), io.NewSectionReader(src, off, end-off), make([]byte, 1<<20))
	return err
}
