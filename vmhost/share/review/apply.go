package review

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/journal/steps"
)

// Replace is a person's answer to a conflict of Apply: the task's version, the
// other one being kept by the journal. journal.Keep is what is in the folder,
// the staged change is forgotten; journal.Both puts the task's version beside it
// under a name of its own.
const Replace journal.Resolution = "replace"

// ApplyOptions say how to apply. The zero value leaves conflicts alone.
type ApplyOptions struct {
	Resolve map[string]journal.Resolution // answers to conflicts, by the id of the change
	Label   string                        // put into the names of what Both leaves: "report (LABEL).txt"; "" is "new"
	May     journal.May                   // asked before anything is done, about all that would be
}

// Report is what came of an Apply.
type Report struct {
	Applied   []journal.Change   // also what had to be applied along with them
	Conflicts []journal.Conflict // left as they are, in the folder and in the list
	Kept      []journal.Change   // forgotten by Discard, or because journal.Keep was asked for
	Beside    map[string]string  // id of a change → where journal.Both put it, or what
	// Apply had lifted and whose name is taken now
}

// Apply makes staged changes in the original: those with the given ids, or all
// of them, with what they need (the directory that a new file lies in, what has
// to leave the name first). Everything goes through the task's journal, so that
// undo can take it back. Each file is replaced in one step, with its mode and
// times; large ones and those with several names are written in place.
//
// What a person changed since the task did is left alone and reported as a
// conflict. The merged view stays the same all the time, so Apply can stop
// anywhere: what was applied is not in the list any more, the rest is. When it
// was interrupted it is called again.
func (l *Layer) Apply(ctx context.Context, j *journal.Journal, ids []string, o ApplyOptions) (Report, error) {
	var all Report
	for {
		r, err := l.applyOnce(ctx, j, ids, o)
		all.add(r)
		if !errors.Is(err, journal.ErrFull) {
			return all, err
		}
		// Nothing is locked while a person thinks: the guest and the list go on.
		if more := j.Room(err); more != nil {
			return all, errors.Join(err, more)
		}
		if len(ids) > 0 {
			if ids = all.rest(ids); len(ids) == 0 {
				return all, nil
			}
		}
	}
}

// add takes the report of one more try over: what was left then was tried again.
func (r *Report) add(more Report) {
	r.Applied, r.Kept = append(r.Applied, more.Applied...), append(r.Kept, more.Kept...)
	r.Conflicts = more.Conflicts
	if r.Beside == nil {
		r.Beside = map[string]string{}
	}
	maps.Copy(r.Beside, more.Beside)
}

// rest returns those of ids that nothing was done about.
func (r *Report) rest(ids []string) []string {
	done := map[string]bool{}
	for _, c := range slices.Concat(r.Applied, r.Kept) {
		done[c.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return done[id] })
}

// applyOnce is Apply until the journal has no room.
func (l *Layer) applyOnce(ctx context.Context, j *journal.Journal, ids []string, o ApplyOptions) (Report, error) {
	l.apply.Lock()
	defer l.apply.Unlock()
	if l.moved != nil {
		return Report{}, l.moved
	}
	// What is applied must be what the layer has after a power cut, too.
	if err := errors.Join(l.syncDirty(), l.syncLog()); err != nil {
		return Report{}, err
	}
	to, err := j.Folder(l.opts.Folder, l.root)
	if err != nil {
		return Report{}, err
	}
	defer to.Close()
	a := &applying{l: l, to: to.Quiet(), o: o, items: map[*steps.Step]*item{}, report: Report{Beside: map[string]string{}}}
	if err := a.putAllBack(true); err != nil { // the task removed them since: that is in the list now
		return a.report, err
	}
	list, err := l.list(ctx)
	if err != nil {
		return Report{}, err
	}
	chosen, err := choose(list, ids)
	if err != nil {
		return Report{}, err
	}
	l.mu.RLock()
	spreadApply(list, chosen)
	l.mu.RUnlock()
	if err := o.May.Ask(applied(list, chosen, o.Resolve)); err != nil {
		return Report{}, err
	}
	if err := a.cleanUp(); err != nil {
		return a.report, err
	}
	var todo []*steps.Step
	for _, d := range list {
		if chosen[d] {
			s := &steps.Step{Change: d.change, Kind: d.kind(), Early: d.early(), Answered: o.Resolve[d.change.ID] != ""}
			todo, a.items[s] = append(todo, s), &item{delta: d, replace: o.Resolve[d.change.ID] == Replace}
		}
	}
	run := steps.Run{Owner: a, Hook: l.step, SyncEach: true}
	err = run.Do(ctx, todo)
	err = errors.Join(err, a.cleanUp())
	return a.report, errors.Join(err, l.syncLog(), ctx.Err())
}

// applied are the changes that are to be in the folder.
func applied(list []*delta, chosen map[*delta]bool, answers map[string]journal.Resolution) []journal.Change {
	out := make([]journal.Change, 0, len(chosen))
	for _, d := range list {
		if chosen[d] && answers[d.change.ID] != journal.Keep {
			out = append(out, d.change)
		}
	}
	return out
}

// kind is what a change is about.
func (d *delta) kind() at.Kind {
	if d.node != nil {
		return d.node.kind
	}
	return d.before.Kind
}

// early reports whether others wait for a change: it allows something in a directory, or
// is to be seen under other names, too.
func (d *delta) early() bool {
	if d.change.Effect != journal.EffectChange {
		return false
	}
	if d.kind() == at.Directory {
		return d.node.Mode != nil && *d.node.Mode&0o300 == 0o300
	}
	return d.before.Links > 1
}

// spreadApply adds what the chosen changes need.
func spreadApply(list []*delta, chosen map[*delta]bool) {
	makes := map[*node]*delta{}   // who makes a node
	about := map[*node][]*delta{} // what else was done to what loses a name
	clears := map[*entry]*delta{} // who takes the original away from a name
	for _, d := range list {
		if d.node != nil && d.node.Base != "" {
			about[d.node] = append(about[d.node], d)
		}
		switch d.change.Effect {
		case journal.EffectCreate:
			if d.node.Base == "" {
				makes[d.node] = d
			}
		case journal.EffectMove:
			if d.from != nil {
				clears[d.from] = d
			}
		case journal.EffectDelete:
			clears[d.entry] = d
		}
	}
	below := slices.Clone(list) // what is in a directory of the original stands together
	slices.SortFunc(below, func(a, b *delta) int { return strings.Compare(a.source, b.source) })
	var queue []*delta
	for d := range chosen {
		queue = append(queue, d)
	}
	add := func(d *delta) {
		if d != nil && !chosen[d] {
			chosen[d] = true
			queue = append(queue, d)
		}
	}
	for len(queue) > 0 {
		d := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if e := d.entry; e != nil && d.node != nil {
			add(makes[e.dir])
			if c := clears[e]; c != d {
				add(c)
			}
		}
		if e := d.entry; e != nil && d.before != nil && d.before.Links > 1 && d.change.Effect != journal.EffectMove {
			for _, o := range about[e.hid] {
				add(o)
			}
		}
		if d.change.Effect != journal.EffectDelete || d.before.Kind != at.Directory {
			continue
		}
		in := d.source + "/"
		i, _ := slices.BinarySearchFunc(below, in, func(o *delta, in string) int { return strings.Compare(o.source, in) })
		for _, o := range below[i:] {
			if !strings.HasPrefix(o.source, in) {
				break
			}
			if o.change.Effect == journal.EffectDelete || o.from != nil {
				add(o)
			}
		}
	}
}

// applying is one Apply at work: the owner of its steps.
type applying struct {
	l      *Layer
	to     *journal.Folder
	o      ApplyOptions
	items  map[*steps.Step]*item
	report Report
}

// item is a change on its way into the original.
type item struct {
	*delta
	replace bool     // whatever a person did since: they said so
	going   movedRec // of a move: from where to where
	placed  bool     // it is where it belongs
	synced  bool     // and that is durable
	beside  string   // a path beside what is in its way
	over    bool     // nothing of it is to be done any more, but to forget it
}
