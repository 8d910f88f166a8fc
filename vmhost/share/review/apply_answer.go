package review

import (
	"cmp"
	"path"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// answer does what a person asked for in case of a conflict.
func (a *applying) answer(i *item) (bool, error) {
	switch a.o.Resolve[i.change.ID] {
	case journal.Both:
		if i.damaged() {
			return false, nil
		}
		if i.change.Effect != journal.EffectDelete && (i.change.Kind != at.Directory.String() || i.change.Effect == journal.EffectMove) {
			return true, a.beside(i)
		}
	case journal.Keep:
		// Forgotten below.
	default:
		return false, nil
	}
	if i.change.Kind == at.Directory.String() && i.change.Effect == journal.EffectCreate {
		return false, nil // what is in it would go along
	}
	if i.node != nil {
		if err := a.l.revert(i.node); err != nil {
			return false, err
		}
	}
	nodes := map[*node]bool{}
	if i.node != nil {
		nodes[i.node] = true
	}
	a.l.mu.Lock()
	err := a.l.unbindNames(map[*delta]bool{i.delta: true}, nodes)
	a.l.mu.Unlock()
	i.done = err == nil
	a.report.Kept = append(a.report.Kept, i.change)
	return true, err
}

// free returns a name beside rel that nothing has.
func (a *applying) free(rel string) (string, error) {
	dir, name := path.Split(rel)
	for i := 1; i < 1000; i++ {
		try := path.Join(dir, journal.BesideName(name, cmp.Or(a.o.Label, "new"), i))
		there, err := a.lstat(try)
		if err != nil || there == nil {
			return try, err
		}
	}
	return "", conflictf(journal.ReasonInTheWay, "no free name beside %q", rel)
}

// beside puts what the task made beside what is in its way.
func (a *applying) beside(i *item) error {
	l, n := a.l, i.node
	l.mu.RLock()
	rel := string(n.Base)
	if i.entry != nil && (i.change.Effect != journal.EffectMove || !i.placed) {
		rel = i.entry.source()
	}
	content := n.Obj != 0 || n.Base == ""
	l.mu.RUnlock()
	free, err := a.free(rel)
	if err != nil {
		return err
	}
	switch {
	case i.change.Effect == journal.EffectMove && !i.placed:
		if err = a.move(i, path.Base(free)); err == nil {
			i.placed = true
			a.report.Beside[i.change.ID] = free
		}
		return err // its content, if it changed, comes next
	case n.Base == "":
		err = a.put(i, free, nil)
	case content:
		n.io.Lock()
		var temp string
		if temp, err = a.write(i, free, nil); err == nil {
			err = a.swap(i, temp, free, nil, func(*item, string, string) error { return nil })
		}
		n.io.Unlock()
		if err == nil {
			err = l.revert(n)
		}
	default:
		err = l.revert(n)
	}
	if err != nil {
		return err
	}
	i.done = true
	if content {
		a.report.Beside[i.change.ID] = free
	}
	a.report.Applied = append(a.report.Applied, i.change)
	return nil
}
