package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"

	"piwork/vmhost/share/internal/at"
)

// stage gives a node an object of its own before its content changes for the
// first time; n.io is held for writing. keep is how much of the content is
// needed, -1 is all of it. The content is copied by sharing blocks where the file system can,
// whole when it is small, and else only in the granules that change (ranges.go). The inode
// number stays the same.
func (l *contents) stage(n *node, keep int64) error {
	if n.damaged {
		return l.restart(n, keep)
	}
	if n.src.obj != 0 {
		return nil
	}
	l.mu.Lock()
	err := l.room()
	num := l.t.next()
	l.mu.Unlock()
	if err != nil {
		return err
	}
	f, _, err := l.objs.Create(objName(num), 0o600)
	if err != nil {
		return err
	}
	if err = l.copyUp(n, f, num, keep); err != nil {
		f.Close()
		_ = l.objs.Remove(objName(num))
		return err
	}
	n.upper = f
	if !n.src.part {
		n.lower.Close()
		n.lower = nil
	}
	l.charge(n, f)
	if n.Safe == nil {
		l.markDirty(n)
	}
	l.step("staged")
	return nil
}

// restart lets a file that lost its content begin anew, from nothing; n.io is held for
// writing.
func (l *contents) restart(n *node, keep int64) error {
	if keep != 0 {
		return ErrDamaged
	}
	err := l.amend(n, func(r *nodeRec) error { r.Safe, r.Part, r.Low = nil, false, 0; return nil })
	if err == nil {
		n.damaged = false
		l.markDirty(n)
	}
	return err
}

func (l *contents) copyUp(n *node, f *os.File, num uint64, keep int64) error {
	info, err := at.Stat(n.lower)
	if err != nil {
		return err
	}
	want := info.Size
	if keep >= 0 {
		want = min(want, keep)
	}
	part, sum := false, ""
	switch {
	case want == 0:
	case at.Clone(f, n.lower) == nil:
		if err = f.Truncate(want); err == nil && want == info.Size && want < l.opts.large {
			sum, err = hashOf(context.Background(), f) // as of one that is copied
		}
	case want >= l.opts.large && want <= maxPart:
		part = true
		err = f.Truncate(want)
	default:
		if err = l.reserve(want); err == nil {
			info, sum, err = copyWhole(f, n.lower, info, want)
		}
	}
	l.step("copied")
	if err != nil {
		return err
	}
	l.mu.RLock()
	atime, mtime := info.ATime, info.MTime
	if n.ATime != nil {
		atime = n.ATime.time()
	}
	if n.MTime != nil {
		mtime = n.MTime.time()
	}
	l.mu.RUnlock()
	if err := at.SetTimes(f, atime, mtime); err != nil {
		return err
	}
	safe := (*int64)(nil)
	if want > 0 {
		if err := errors.Join(at.Sync(f), l.objs.Sync()); err != nil {
			return err
		}
		now, err := at.Stat(f)
		if err != nil {
			return err
		}
		safe = &now.Size
	}
	l.step("object-durable")
	l.mu.Lock()
	defer l.mu.Unlock()
	r := n.nodeRec
	r.Orig = stampOf(info, "")
	r.Orig.Sum = sum
	if n.kept || n.dropped {
		r.Orig.Mode, r.Orig.Links = n.Orig.Mode, n.Orig.Links
		if r.Ino == (at.ID{}) {
			r.Ino = n.Orig.ID
		}
	}
	r.Safe, r.Obj, r.Part, r.ATime, r.MTime = safe, num, part, nil, nil
	if part {
		r.Low = want
	}
	if now, ok := l.named(n); !ok || now.ID != info.ID {
		l.dropUnkept(n)
	}
	if n.dropped {
		n.assign(r)
		return nil
	}
	return l.commit(&record{Nodes: []nodeRec{r}})
}

// named returns the original of a node that is only open, and whether there is
// one; a node that is kept or lost has no need of it. mu is held.
func (l *base) named(n *node) (at.Info, bool) {
	info, err := l.root.Lstat(string(n.Base))
	return info, err == nil && info.Kind == n.Kind
}

// dropUnkept gives up a node that is only open, when a person has given its name to
// something else. mu is held for writing.
func (l *base) dropUnkept(n *node) {
	if !n.kept && !n.dropped {
		l.t.detach(n)
		l.t.dropped = nil // it is open
	}
}

// copyWhole copies the first bytes of a file and returns what the file was when
// they were read. sum is "" when that was not all of it.
func copyWhole(dst, src *os.File, info at.Info, want int64) (at.Info, string, error) {
	for range 3 { // a person may be writing it at this moment
		h := sha256.New()
		if _, err := at.CopyFile(dst, src, want, func(b []byte) error { h.Write(b); return nil }); err != nil {
			return info, "", err
		}
		after, err := at.Stat(src)
		if err != nil {
			return info, "", err
		}
		if stampOf(after, "").untouched(stampOf(info, "")) {
			if want < info.Size {
				return info, "", nil
			}
			return info, hex.EncodeToString(h.Sum(nil)), nil
		}
		want = min(want, after.Size)
		info = after
	}
	return info, "", ErrMixed
}

// SetMeta sets mode and times of what is at rel itself.
func (l *Layer) SetMeta(rel string, m at.Meta) (at.Info, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, info, err := l.find(rel)
	if err != nil {
		return at.Info{}, err
	}
	if info.Kind == at.Special {
		return at.Info{}, fail("setattr", rel, at.ErrSpecial)
	}
	return at.Info{}, l.update(s, info, func(r *nodeRec) error { return l.setMeta(r, m) })
}

// update changes attributes of what is at s; mu is held for writing.
func (l *tree) update(s spot, info at.Info, set func(r *nodeRec) error) error {
	if err := l.room(); err != nil {
		return err
	}
	r, err := l.track(s, info)
	if err != nil {
		return err
	}
	l.changed(&r)
	if err := set(&r); err != nil {
		return err
	}
	return l.commit(&record{Nodes: []nodeRec{r}})
}

// setMeta takes mode and times over into a record; those of staged content are the
// object's.
func (l *tree) setMeta(r *nodeRec, m at.Meta) error {
	if m.Mode != nil && r.Kind == at.Symlink {
		return fail("chmod", string(r.Base), at.ErrUnsupported)
	}
	if m.Mode != nil {
		r.Mode = m.Plain().Mode
	}
	if m.Mode = nil; r.Obj != 0 {
		return l.objs.SetMeta(objName(r.Obj), m)
	}
	if !m.ATime.IsZero() {
		r.ATime = new(momentOf(m.ATime))
	}
	if !m.MTime.IsZero() {
		r.MTime, r.Times = new(momentOf(m.MTime)), true
	}
	return nil
}
