package review

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// target returns the path in the original where a name belongs, errWait when
// its directory is not there yet.
func (a *applying) target(e *entry) (string, error) {
	a.l.mu.RLock()
	defer a.l.mu.RUnlock()
	if e.dir.Base == "" {
		return "", errWait
	}
	return e.source(), nil
}

// cleanUp removes what an interrupted Apply left, and its marks. What it lifted
// stays until its change is applied.
func (a *applying) cleanUp() error {
	l := a.l
	l.mu.RLock()
	prefix := l.t.tempPrefix()
	lifted := map[string]bool{}
	var marks []string
	for temp, id := range l.t.temps {
		if n := l.t.nodes[id]; n != nil && string(n.Base) == temp {
			lifted[temp] = true
		} else {
			marks = append(marks, temp)
		}
	}
	l.mu.RUnlock()
	for _, mark := range marks {
		dir := path.Dir(mark)
		d, err := l.root.Dir(dir)
		var names []string
		if err == nil {
			names, err = d.Names(-1)
			d.Close()
		}
		if err != nil && !isMissing(err) && !errors.Is(err, io.EOF) {
			l.log.Warn("review: temporary files may be left", "dir", dir, "err", err)
			continue
		}
		for _, name := range names {
			temp := path.Join(dir, name)
			if !strings.HasPrefix(name, prefix) || lifted[temp] {
				continue
			}
			if err := a.to.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if err := l.write(&record{NoTemp: raw(mark)}); err != nil {
			return err
		}
	}
	return nil
}

// isMissing reports whether there is no such directory any more.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
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
	return mark + strconv.FormatUint(l.t.next(), 10), nil
}

// liftTo writes down a name to which the original of n is about to be moved.
func (a *applying) liftTo(n *node) (string, error) {
	l := a.l
	l.mu.Lock()
	defer l.mu.Unlock()
	rel := l.t.tempPrefix() + strconv.FormatUint(l.t.next(), 10)
	if err := l.commit(&record{Temp: raw(rel), Lift: n.N}); err != nil {
		return "", err
	}
	return rel, l.wal.Sync(l.wal.Position())
}

// lstat looks at a path of the original; nil is nothing.
func (a *applying) lstat(rel string) (*stamp, error) {
	info, err := a.l.root.Lstat(rel)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	target := ""
	if info.Kind == at.Symlink {
		if target, err = a.l.readlink(rel); err != nil {
			return nil, err
		}
	}
	return stampOf(info, target), nil
}

// replaced reports whether what is at a name of the original is what the task made
// there: an Apply that was interrupted went further than the log says.
func (a *applying) replaced(ctx context.Context, e *entry, rel string, now *stamp) bool {
	for _, i := range a.items {
		if i.entry == e && i.change.Effect == journal.EffectCreate {
			return a.already(ctx, i, rel, now)
		}
	}
	return false
}

// ours reports whether an original that Apply was writing into is as it left it.
func (a *applying) ours(rel string) bool {
	ours, err := a.to.AsLeft(rel)
	return err == nil && ours
}

// intact returns a conflict unless an original is as the task found it.
func (a *applying) intact(ctx context.Context, rel string, now, was *stamp) error {
	switch {
	case now == nil:
		return conflictf(journal.ReasonGone, "%q is not there any more", rel)
	case was.untouched(now):
		return nil
	case now.Kind == was.Kind && was.Kind == at.File && now.Size == was.Size && was.Sum != "":
		f, _, err := a.l.openOriginal(rel)
		if err != nil {
			return err
		}
		defer f.Close()
		sum, err := hashOf(ctx, f)
		if err != nil || sum == was.Sum {
			return err
		}
	}
	return conflictf(journal.ReasonChanged, "%q was changed since", rel)
}
