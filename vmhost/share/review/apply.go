package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
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
}

// Report is what came of an Apply.
type Report struct {
	Applied   []journal.Change   // also what had to be applied along with them
	Conflicts []journal.Conflict // left as they are, in the folder and in the list
	Kept      []journal.Change   // forgotten because journal.Keep was asked for
	Beside    map[string]string  // id of a change → where journal.Both put it
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
	// What is applied must be what the layer has after a power cut, too.
	if err := errors.Join(l.syncDirty(), l.syncLog()); err != nil {
		return Report{}, err
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
	to, err := j.Folder(l.opts.Folder, l.root)
	if err != nil {
		return Report{}, err
	}
	defer to.Close()
	a := &applying{l: l, to: to.Quiet(), o: o, report: Report{Beside: map[string]string{}}}
	if err := a.cleanUp(); err != nil {
		return a.report, err
	}
	for _, d := range list {
		if chosen[d] {
			a.items = append(a.items, &item{delta: d})
		}
	}
	a.order()
	err = a.work(ctx)
	a.late()
	err = errors.Join(err, a.cleanUp())
	return a.report, errors.Join(err, l.syncLog(), ctx.Err())
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

// applying is one Apply at work.
type applying struct {
	l      *Layer
	to     *journal.Folder
	o      ApplyOptions
	items  []*item
	dirs   []lateDir
	report Report
}

// item is a change on its way into the original.
type item struct {
	*delta
	placed bool // of a move: it is where it belongs
	done   bool
}

// damaged reports whether the content that is to be applied is not there any more.
func (d *delta) damaged() bool {
	if d.node == nil || !d.content {
		return false
	}
	d.node.io.RLock()
	defer d.node.io.RUnlock()
	return d.node.damaged
}

// lateDir is a directory that gets its mode and time when everything in it is
// as it should be.
type lateDir struct {
	n     *node
	mode  *uint32
	mtime *moment
}

// errWait says that something else must be applied first.
var errWait = errors.New("waits for another change")

// conflict says why a change is left alone.
type conflict struct {
	reason journal.Reason
	detail string
}

func (c *conflict) Error() string { return string(c.reason) + ": " + c.detail }

func conflictf(reason journal.Reason, format string, args ...any) error {
	return &conflict{reason, fmt.Sprintf(format, args...)}
}

// order sorts the items so that few of them have to wait: what is allowed and
// deleted first, then what is made and moved from the top down, then the
// directories that go.
func (a *applying) order() {
	rank := func(i *item) int {
		dir := i.change.Kind == at.Directory.String()
		switch {
		case i.change.Effect == journal.EffectChange && dir && i.node.Mode != nil && *i.node.Mode&0o300 == 0o300,
			i.change.Effect == journal.EffectChange && !dir && i.before.Links > 1:
			return 0
		case i.change.Effect == journal.EffectDelete && !dir:
			return 1
		case i.change.Effect == journal.EffectChange && !dir:
			return 2
		case i.change.Effect == journal.EffectCreate, i.change.Effect == journal.EffectMove:
			return 3
		case i.change.Effect == journal.EffectDelete:
			return 4
		}
		return 5
	}
	slices.SortStableFunc(a.items, func(x, y *item) int {
		if r := cmp.Compare(rank(x), rank(y)); r != 0 {
			return r
		}
		if rank(x) == 4 {
			return strings.Compare(y.change.Path, x.change.Path)
		}
		return strings.Compare(x.change.Path, y.change.Path)
	})
}

// work applies the items, in whatever order they allow: again and again, until
// nothing moves any more. Where two have each other's name one is lifted out of
// the way.
func (a *applying) work(ctx context.Context) error {
	for {
		progress := false
		for _, i := range a.items {
			if i.done {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil // the caller says so
			}
			more, err := a.try(ctx, i)
			if err != nil {
				return err
			}
			progress = progress || more
		}
		if !progress && !a.lift() {
			break
		}
	}
	for _, i := range a.items {
		if !i.done {
			a.fail(i, conflictf(journal.ReasonInTheWay, "%q waits for another change", i.change.Path))
		}
	}
	return nil
}

// try does an item if it can be done now. The error ends the whole Apply.
func (a *applying) try(ctx context.Context, i *item) (bool, error) {
	err := a.do(ctx, i, a.o.Resolve[i.change.ID] == Replace)
	if errors.Is(err, errWait) {
		return false, nil
	}
	var c *conflict
	if errors.As(err, &c) {
		answered, aerr := a.answer(i)
		if aerr == nil && answered {
			return true, nil
		}
		err = errors.Join(err, aerr)
	}
	if err != nil && (errors.Is(err, ErrClosed) || errors.Is(err, journal.ErrClosed) || errors.Is(err, journal.ErrFull)) {
		return false, err
	}
	if err != nil {
		a.fail(i, err)
		return true, nil
	}
	i.done = true
	a.report.Applied = append(a.report.Applied, i.change)
	a.l.step("applied")
	return true, nil
}

func (a *applying) fail(i *item, err error) {
	i.done = true
	c := journal.Conflict{Change: i.change, Reason: journal.ReasonIO, Detail: err.Error()}
	var known *conflict
	switch {
	case errors.As(err, &known):
		c.Reason, c.Detail = known.reason, known.detail
	case errors.Is(err, journal.ErrRaced), errors.Is(err, ErrMixed):
		c.Reason = journal.ReasonChanged
	}
	a.report.Conflicts = append(a.report.Conflicts, c)
}

func (a *applying) do(ctx context.Context, i *item, replace bool) error {
	if i.damaged() {
		return conflictf(journal.ReasonDamaged, "the staged content of %q was lost", i.change.Path)
	}
	switch i.change.Effect {
	case journal.EffectDelete:
		return a.remove(ctx, i, replace)
	case journal.EffectCreate:
		return a.create(ctx, i, replace)
	case journal.EffectMove:
		if !i.placed {
			if err := a.move(i, ""); err != nil {
				return err
			}
			i.placed = true
			// Where it went is known by its inode, which its content may replace.
			if err := a.l.syncLog(); err != nil {
				return err
			}
		}
		return a.change(ctx, i, replace)
	}
	if i.entry != nil {
		return a.exchange(ctx, i, replace)
	}
	return a.change(ctx, i, replace)
}
