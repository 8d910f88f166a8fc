package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// Discard forgets staged changes: those with the given ids, or all of them. What
// depends on them goes along (what was put into a directory that the task made,
// what took the name of something that comes back). In the original it only moves
// back, through the journal that open returns, what an interrupted Apply moved out
// of the way of others; open is called only for that.
func (l *Layer) Discard(ctx context.Context, ids []string, open func() (*journal.Journal, error)) (Report, error) {
	l.apply.Lock()
	defer l.apply.Unlock()
	if l.moved != nil && l.t.going != nil {
		return Report{}, l.moved // what Apply was about to move is in the folder that is not here
	}
	back, err := l.discarding(open)
	if err != nil {
		return Report{}, err
	}
	var out Report
	list, err := l.list(ctx)
	if err != nil {
		return out, err
	}
	if back != nil {
		defer back.to.Close()
		out = back.report
		if err := back.putAllBack(false); err != nil {
			return out, err
		}
		before, some := list, len(ids) > 0
		if list, err = l.list(ctx); err != nil {
			return out, err
		}
		if ids = l.undecided(ids, before, list, &out); some && len(ids) == 0 {
			return out, l.syncLog()
		}
	}
	chosen, err := choose(list, ids)
	if err != nil {
		return out, err
	}
	l.mu.RLock()
	l.spreadDiscard(list, chosen)
	l.mu.RUnlock()
	nodes := map[*node]bool{}
	for _, d := range list {
		if !chosen[d] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if back != nil {
			if err := back.putAside(d); err != nil {
				return out, err
			}
		}
		out.Kept = append(out.Kept, d.change)
		if n := d.subject(); n != nil {
			nodes[n] = true
			if err := l.revert(n); err != nil {
				return out, err
			}
		}
	}
	l.step("reverted")
	l.mu.Lock()
	err = l.unbindNames(chosen, nodes)
	l.mu.Unlock()
	if err != nil {
		return out, err
	}
	l.step("discarded")
	return out, l.syncLog()
}

// undecided returns the ids that are still to be forgotten. What is no change any more since
// its original is back is forgotten already: Apply lifted y, and then the task called it y.
func (l *Layer) undecided(ids []string, before, now []*delta, out *Report) []string {
	has := func(list []*delta, id string) int {
		return slices.IndexFunc(list, func(d *delta) bool { return d.change.ID == id })
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		i := has(before, id)
		gone := i >= 0 && has(now, id) < 0
		if gone {
			out.Kept = append(out.Kept, before[i].change)
		}
		return gone
	})
}

// subject returns the node that a delta is about: of a deletion the directory
// that comes back, since what was done to it before is in the list no more.
func (d *delta) subject() *node {
	if d.node != nil || d.entry == nil || d.entry.hid == nil || d.entry.hid.Kind != at.Directory {
		return d.node
	}
	return d.entry.hid
}

// unbindNames gives the names of deltas back what they meant, all in one step: a move
// that was forgotten by half would be a deletion. nodes are what the deltas are
// about; mu is held for writing.
func (l *changeList) unbindNames(chosen map[*delta]bool, nodes map[*node]bool) error {
	drop := map[*entry]bool{} // false: it means nothing from now on
	note := func(e *entry, all bool) {
		if e != nil && e.current() && (e.node == nil || nodes[e.node]) {
			drop[e] = drop[e] || all || e.orig == nil
		}
	}
	for d := range chosen {
		note(d.entry, d.change.Effect == journal.EffectDelete || d.change.Effect == journal.EffectChange)
		note(d.from, true)
	}
	b := &batch{}
	var err error
	b.yield = func(r *record) bool { err = l.commit(r); return err == nil }
	for e, all := range drop {
		b.Names = append(b.Names, nameRec{Dir: e.dir.N, Name: raw(e.name), Drop: all})
		b.add(2 * len(e.name))
	}
	for n := range nodes {
		b.Clean = append(b.Clean, n.N)
		b.add(0)
	}
	b.flush(false)
	return err
}

// choose returns the deltas with these ids, all when there are none.
func choose(list []*delta, ids []string) (map[*delta]bool, error) {
	chosen := map[*delta]bool{}
	byID := map[string]*delta{}
	for _, d := range list {
		byID[d.change.ID] = d
		if len(ids) == 0 {
			chosen[d] = true
		}
	}
	for _, id := range ids {
		d := byID[id]
		if d == nil {
			return nil, fmt.Errorf("%w: %q", journal.ErrUnknownChange, id)
		}
		chosen[d] = true
	}
	return chosen, nil
}

// spreadDiscard adds what cannot stay when the chosen changes are forgotten; mu
// is held.
func (l *changeList) spreadDiscard(list []*delta, chosen map[*delta]bool) {
	var queue, rest []*delta
	for _, d := range list {
		if chosen[d] {
			queue = append(queue, d)
		} else {
			rest = append(rest, d)
		}
	}
	for len(queue) > 0 && len(rest) > 0 {
		d := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		rest = slices.DeleteFunc(rest, func(o *delta) bool {
			if !l.needs(o, d) {
				return false
			}
			chosen[o] = true
			queue = append(queue, o)
			return true
		})
	}
}

// needs reports whether o cannot be without d; mu is held.
func (l *changeList) needs(o, d *delta) bool {
	switch d.change.Effect {
	case journal.EffectCreate:
		// It is in a directory that d made.
		return d.node.Kind == at.Directory && o.entry != nil && o.entry.node != nil && l.within(o.entry.dir, d.node)
	case journal.EffectDelete:
		// It has the name of what comes back, or is in a deleted directory.
		return o.entry == d.entry && o != d || l.gone(o, d)
	case journal.EffectMove:
		return o.entry != nil && o != d && o.entry == d.from || l.gone(o, d)
	}
	return l.gone(o, d)
}

// gone reports whether o is the deletion of a directory that d brings something
// back into.
func (l *changeList) gone(o, d *delta) bool {
	return o.change.Effect == journal.EffectDelete && o.before.Kind == at.Directory && d.before != nil &&
		d.source != o.source && strings.HasPrefix(d.source, o.source+"/")
}

// within reports whether a directory is dir or in it, in the merged view.
func (l *changeList) within(n, dir *node) bool {
	for range maxPathLen {
		if n == dir {
			return true
		}
		switch {
		case len(n.links) > 0:
			n = n.links[0].dir
		default:
			return false // an original in its place is in nothing that was made
		}
	}
	return false
}

// revert lets a node have the content, mode and times of its original again,
// also for whoever has it open.
func (l *contents) revert(n *node) error {
	n.io.Lock()
	defer n.io.Unlock()
	l.mu.Lock()
	if n.dropped || !n.kept || n.Base == "" {
		l.mu.Unlock()
		return nil
	}
	r := n.nodeRec
	obj := r.Obj
	r.Safe, r.Obj, r.Part, r.Low, r.Mode, r.ATime, r.MTime, r.CTime, r.Times, r.Busy = nil, 0, false, 0, nil, nil, nil, nil, false, false
	r.Attrs, r.Had = nil, ""
	if n.Kind == at.Directory && len(n.order) > 0 {
		r.MTime, r.CTime = n.MTime, n.CTime
	}
	err := l.commit(&record{Nodes: []nodeRec{r}, Clean: []uint64{n.N}})
	l.mu.Unlock()
	if err != nil {
		return err
	}
	l.unstage(n, obj)
	return nil
}

// unstage gives up the object of a node whose content is the original's now;
// n.io is held for writing.
func (l *contents) unstage(n *node, obj uint64) {
	if n.upper != nil {
		n.upper.Close()
		n.upper = nil
	}
	if obj != 0 {
		l.used.Add(-n.charged.Swap(0))
		l.remove(obj)
	}
	if n.lower != nil {
		n.lower.Close()
		n.lower = nil
	}
	l.mu.RLock()
	open := n.opens > 0
	l.mu.RUnlock()
	if open && n.Kind == at.File {
		_ = l.ensure(n) // a person may have taken the original away: reads fail
	}
}
