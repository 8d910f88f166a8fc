package review

import (
	"cmp"
	"errors"
	"fmt"
	"path"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/journal/steps"
)

// Refused implements steps.Owner: it does what a person asked for in case of a conflict.
func (a *applying) Refused(s *steps.Step, err error) (again bool, fatal error) {
	i := a.items[s]
	if errors.Is(err, ErrClosed) || errors.Is(err, journal.ErrClosed) || errors.Is(err, journal.ErrFull) {
		return false, err
	}
	if s.Late && i.change.Effect == journal.EffectCreate {
		a.l.log.Warn("review: mode and time of a directory", "path", i.change.Path, "err", err)
		return false, nil
	}
	c := journal.ConflictOf(i.change, err)
	switch {
	case errors.Is(err, ErrDamaged):
		c.Reason = journal.ReasonDamaged
	case errors.Is(err, ErrMixed):
		c.Reason = journal.ReasonChanged
	}
	if c.Reason != journal.ReasonIO && !errors.Is(err, steps.ErrWait) {
		again, done, aerr := a.answer(i)
		if aerr == nil && (again || done) {
			return again, nil
		}
		if aerr != nil {
			c.Detail = errors.Join(err, aerr).Error()
		}
	}
	a.report.Conflicts = append(a.report.Conflicts, c)
	return false, nil
}

// answer does what a person asked for. It reports whether that is tried, or was done.
func (a *applying) answer(i *item) (again, done bool, err error) {
	switch a.o.Resolve[i.change.ID] {
	case journal.Both:
		if i.damaged() || i.beside != "" {
			return false, false, nil
		}
		if i.change.Effect != journal.EffectDelete && (i.change.Kind != at.Directory.String() || i.change.Effect == journal.EffectMove) {
			return true, false, a.beside(i)
		}
	case journal.Keep:
		// Forgotten below.
	default:
		return false, false, nil
	}
	if i.change.Kind == at.Directory.String() && i.change.Effect == journal.EffectCreate {
		return false, false, nil // what is in it would go along
	}
	if err := a.putAside(i.delta); err != nil {
		return false, false, err
	}
	nodes := map[*node]bool{}
	if i.node != nil {
		if err := a.l.revert(i.node); err != nil {
			return false, false, err
		}
		nodes[i.node] = true
	}
	a.l.mu.Lock()
	err = a.l.unbindNames(map[*delta]bool{i.delta: true}, nodes)
	a.l.mu.Unlock()
	a.report.Kept = append(a.report.Kept, i.change)
	return false, true, err
}

// beside has what the task made put beside what is in its way.
func (a *applying) beside(i *item) (err error) {
	l, n := a.l, i.node
	l.mu.RLock()
	rel := string(n.Base)
	moves := i.change.Effect == journal.EffectMove && !i.placed
	if i.entry != nil && (i.change.Effect != journal.EffectMove || moves) {
		rel = i.entry.source()
	}
	content := n.Obj != 0 || n.Base == ""
	l.mu.RUnlock()
	if moves || content {
		i.beside, err = a.free(rel, cmp.Or(a.o.Label, "new"))
	} else {
		i.over = true
	}
	return err
}

// free returns a name beside rel that nothing has, with a label.
func (a *applying) free(rel, label string) (string, error) {
	dir, name := path.Split(rel)
	for i := 1; i < 1000; i++ {
		try := path.Join(dir, journal.BesideName(name, label, i))
		there, err := a.lstat(try)
		if err != nil || there == nil {
			return try, err
		}
	}
	return "", fmt.Errorf("no free name beside %q", rel)
}
