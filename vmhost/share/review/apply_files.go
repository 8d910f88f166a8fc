package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// create makes what the task made.
func (a *applying) create(ctx context.Context, i *item, replace bool) error {
	e, n := i.entry, i.node
	rel, err := a.target(e)
	if err != nil {
		return err
	}
	a.l.mu.RLock()
	taken, base := e.orig != nil, n.Base
	a.l.mu.RUnlock()
	if taken {
		return errWait
	}
	if base != "" {
		return a.link(i, rel)
	}
	there, err := a.lstat(rel)
	if err != nil {
		return err
	}
	if there != nil && !a.already(ctx, i, rel, there) && (!replace || there.Kind != n.kind || n.kind == at.Directory) {
		return conflictf(journal.ReasonInTheWay, "something else is at %q", rel)
	}
	if there != nil && a.already(ctx, i, rel, there) {
		return errors.Join(a.dress(rel, a.record(n).Attrs), a.adopt(i, rel, ""))
	}
	return a.put(i, rel, there)
}

// exchange puts what the task made in the place of an original of the same kind.
func (a *applying) exchange(ctx context.Context, i *item, replace bool) error {
	rel, err := a.target(i.entry)
	if err != nil {
		return err
	}
	a.l.mu.RLock()
	bound, was := i.entry.bound(), i.entry.was()
	a.l.mu.RUnlock()
	if bound || was == nil {
		return errWait
	}
	now, err := a.lstat(rel)
	if err != nil {
		return err
	}
	if now != nil && a.already(ctx, i, rel, now) {
		return errors.Join(a.dress(rel, a.record(i.node).Attrs), a.adopt(i, rel, ""))
	}
	if err := a.intact(ctx, rel, now, was); err != nil && (!replace || now != nil && now.Kind != i.node.kind) {
		return err
	}
	return a.put(i, rel, now)
}

// already reports whether the original is as the task left it: this change was
// applied before, or a person did the same.
func (a *applying) already(ctx context.Context, i *item, rel string, there *stamp) bool {
	want := i.change.After
	if want == nil || there.Kind.String() != i.change.Kind {
		return false
	}
	if there.Kind == at.Directory {
		return true
	}
	if there.Kind == at.Symlink {
		return string(there.Target) == want.Target
	}
	if there.Size != want.Size || there.Mode&0o777 != want.Mode&0o777 || !there.MTime.time().Equal(want.MTime) || want.SHA256 == "" {
		return false
	}
	f, _, err := a.l.openOriginal(rel)
	if err != nil {
		return false
	}
	defer f.Close()
	sum, err := hashOf(ctx, f)
	return err == nil && sum == want.SHA256
}

// record is what is written down of a node at this moment: the task goes on.
func (a *applying) record(n *node) nodeRec {
	a.l.mu.RLock()
	defer a.l.mu.RUnlock()
	return n.nodeRec
}

// put makes what the task made at rel, replacing what is there now, nil for
// nothing.
func (a *applying) put(i *item, rel string, there *stamp) error {
	made := a.record(i.node)
	switch made.Kind {
	case at.Directory:
		mode := *made.Mode | 0o700 // things are still to be put into it
		info, err := a.to.Mkdir(rel, mode)
		if err == nil && info.Mode != mode {
			err = a.to.SetMeta(rel, at.Meta{Mode: &mode})
		}
		if err := errors.Join(err, a.dress(rel, made.Attrs)); err != nil {
			return err
		}
		a.l.step("made")
		if err := a.syncDir(path.Dir(rel)); err != nil {
			return err
		}
		return a.adopt(i, rel, "")
	case at.Symlink:
		temp, err := a.temp(path.Dir(rel))
		if err != nil {
			return err
		}
		if _, err := a.to.Symlink(string(made.Link), temp); err != nil {
			return err
		}
		if made.MTime != nil {
			if err := a.to.SetMeta(temp, at.Meta{MTime: made.MTime.time()}); err != nil && !errors.Is(err, at.ErrUnsupported) {
				return err
			}
		}
		return a.swap(i, temp, rel, there, a.adopt)
	}
	i.node.io.Lock()
	defer i.node.io.Unlock()
	temp, err := a.write(i, rel, there)
	if err != nil {
		return err
	}
	return a.swap(i, temp, rel, there, a.adopt)
}

// write makes a temporary file beside rel with the content, mode and times of a
// node, durable; n.io is held for writing.
func (a *applying) write(i *item, rel string, there *stamp) (temp string, err error) {
	l, n := a.l, i.node
	l.mu.Lock()
	info, err := l.info(n)
	set, made := n.Attrs, n.Base == ""
	if set == nil && made {
		set = attrs{} // none, whatever what it replaces has
	}
	n.opens++
	l.mu.Unlock()
	defer l.endUse(n)
	if err == nil {
		err = l.ensure(n)
	}
	if err != nil {
		return "", err
	}
	if temp, err = a.temp(path.Dir(rel)); err != nil {
		return "", err
	}
	f, _, err := a.to.Create(temp, 0o600)
	if err != nil {
		return temp, err
	}
	defer f.Close()
	if there != nil {
		if err := a.attributes(temp, rel); err != nil && !made {
			return temp, errors.Join(err, f.Close(), a.to.Remove(temp))
		} else if err != nil {
			l.log.Warn("review: what takes the place of a file does not get all that it had", "path", rel, "err", err)
		}
	}
	l.step("temp")
	if err := l.copyOut(f, n, info.Size); err != nil {
		return temp, err
	}
	return temp, errors.Join(a.dress(temp, set), f.SetMeta(meta(info)), f.Sync(), f.Close())
}

// meta is mode and times of a file.
func meta(info at.Info) at.Meta {
	return at.Meta{Mode: &info.Mode, ATime: info.ATime, MTime: info.MTime}
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

var errOwner = errors.New("owner, group or access rights cannot be given to a new file")

// attributes gives a new file what the one that it will replace has: attributes, owner,
// group and access rights, but for the rights of a program. It is errOwner when that
// is not possible.
func (a *applying) attributes(temp, rel string) error {
	src, _, err := a.l.openOriginal(rel)
	if err != nil {
		return nil // not to be read, or gone
	}
	defer src.Close()
	dst, _, err := a.l.openOriginal(temp)
	if err != nil {
		return err
	}
	defer dst.Close()
	at.CopyAttributes(dst, src)
	own, err := at.FileAttrs(src).Owner()
	if err == nil && own != nil {
		delete(own.Set, at.Capability) // it was given to other content
		err = at.FileAttrs(dst).SetOwner(own)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errOwner, err)
	}
	return nil
}

// copyOut writes the content of n, leaving holes; n.io is held.
func (l *contents) copyOut(f share.Handle, n *node, size int64) error {
	buf := make([]byte, 1<<20)
	for off := int64(0); off < size; {
		if n.src.obj != 0 && !n.src.part { // do not read what nobody wrote
			if next, err := at.Seek(n.upper, off, seekData); err == nil {
				off = next
			} else if noData(err) {
				break
			}
		}
		c, err := l.read(n, buf[:min(int64(len(buf)), size-off)], off)
		if c > 0 && !at.Zero(buf[:c]) {
			if _, err := f.WriteAt(buf[:c], off); err != nil {
				return err
			}
		}
		off += int64(c)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	return f.Truncate(size)
}

// swap gives a temporary file its place, in one step.
func (a *applying) swap(i *item, temp, rel string, there *stamp, done func(i *item, rel, temp string) error) error {
	var err error
	if there != nil {
		now, lerr := a.l.root.Lstat(rel)
		if lerr != nil || !there.untouched(stampOf(now, string(there.Target))) {
			err = errors.Join(journal.ErrRaced, lerr)
		}
	}
	if err == nil {
		err = a.to.Rename(temp, rel, there == nil)
	}
	if err == nil {
		a.l.step("swapped")
		err = a.syncDir(path.Dir(rel))
	}
	if err != nil {
		_ = a.to.Remove(temp) // else the next Apply does
		if errors.Is(err, fs.ErrExist) {
			return conflictf(journal.ReasonInTheWay, "something else is at %q", rel)
		}
		return err
	}
	return done(i, rel, temp)
}

// adopt writes down that what the task made is in the original now, and lets
// whoever has it open go on with that. n.io is held for writing if it is a file
// that was put there.
func (a *applying) adopt(i *item, rel, temp string) error {
	l, e, n := a.l, i.entry, i.node
	if temp == "" && n.kind == at.File {
		n.io.Lock()
		defer n.io.Unlock()
	}
	now, err := a.lstat(rel)
	if err != nil {
		return err
	}
	if now == nil {
		return journal.ErrRaced
	}
	l.mu.Lock()
	if n.dropped || !e.current() || e.node != n {
		l.mu.Unlock()
		return conflictf(journal.ReasonChanged, "%q was changed by the task at the same time", i.change.Path)
	}
	rec := nodeRec{N: n.N, Kind: n.kind, Base: raw(rel), Orig: now}
	if n.kind == at.Directory {
		rec.MTime, rec.CTime = n.MTime, n.CTime
		if now.Mode != *n.Mode {
			rec.Mode = n.Mode
		}
		a.dirs = append(a.dirs, lateDir{n, rec.Mode, n.MTime})
	}
	obj := n.Obj
	r := &record{Nodes: []nodeRec{rec}, Names: []nameRec{e.settled()}, Clean: []uint64{n.N}}
	l.outlive(e, r)
	err = l.commit(r)
	l.mu.Unlock()
	if err == nil && n.kind == at.File {
		l.unstage(n, obj)
	}
	return err
}
