package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"piwork/vmhost/share/internal/at"
)

// Reason says why undo left a change alone.
type Reason string

// Reasons of a [Conflict].
const (
	ReasonChanged  Reason = "changed-since"   // a person changed it after the task
	ReasonGone     Reason = "gone"            // what was changed or moved is not there any more
	ReasonInTheWay Reason = "in-the-way"      // something else has the name now
	ReasonNoImage  Reason = "no-before-image" // the journal has lost what was there before
	ReasonIO       Reason = "io"              // the disk or its permissions refused
	ReasonRights   Reason = "rights"          // it is back, but may not have the owner or the access rights that it had
	ReasonDamaged  Reason = "damaged"         // of a change that waits: its content was lost, in a power cut for example
)

// Conflict is a change that undo did not touch, and why.
type Conflict struct {
	Change Change
	Reason Reason
	Detail string // for a log or a fold-out, in English
}

// Report is what came of an undo.
type Report struct {
	Undone    []Change // with Undone set; also what had to be undone along with them
	Conflicts []Conflict
	Kept      []Change          // left alone because [Keep] was asked for
	Beside    map[string]string // id of a change → where [Both] put what was before; a path in the folder
	Redone    []Change          // of a Redo: with the id under which they were undone
	Lacking   []Conflict        // undone, but for owner, group or access rights: [ReasonRights]
}

// ErrUnknownChange is returned by Undo for an id that is in no list.
var ErrUnknownChange = errors.New("no such change")

// Undo takes changes back: those with the given ids, or all of them. What they
// depend on is taken back too (a deleted directory comes back for a file in it,
// a created one takes what was put into it along). Content, mode and time of
// each become exactly what they were; directories get their time back when
// nothing else in them differs from before.
//
// A change whose file a person changed since, or whose place is taken, is left
// alone and reported as a conflict; the others are undone all the same. Tasks
// wait while it runs. When ctx ends Undo stops between two files and reports
// what it did, with the error of ctx. It may be called again with the same ids.
func (j *Journal) Undo(ctx context.Context, ids []string, o UndoOptions) (Report, error) {
	j.undoMu.Lock()
	defer j.undoMu.Unlock()
	if _, _, err := j.list(ctx, false); err != nil { // hash while tasks may go on
		return Report{}, err
	}
	defer j.stop()()
	list, live, err := j.list(ctx, true)
	if err != nil {
		return Report{}, err
	}
	chosen, already, err := j.choose(list, ids)
	if err != nil {
		return Report{}, err
	}
	if len(chosen) == 0 && len(ids) > 0 {
		return Report{Undone: already}, nil
	}
	recs := o.records()
	if len(ids) == 0 {
		recs = append(recs, undoRecord{})
	} else {
		var all []string
		for _, n := range chosen {
			all = append(all, n.change.ID)
		}
		recs = append(recs, about[undoRecord](all)...)
	}
	if err := j.putNow(recs...); err != nil {
		return Report{}, err
	}
	j.step("undo-begun")
	report, err := j.runUndo(ctx, chosen, live, o, len(ids) == 0, false)
	report.Undone = append(report.Undone, already...)
	slices.SortFunc(report.Undone, byPath)
	return report, err
}

// resume finishes an undo or a redo in the middle of which the program died.
func (j *Journal) resume() {
	if !j.tables.undoing && len(j.tables.redoIDs) == 0 {
		return
	}
	j.undoMu.Lock()
	defer j.undoMu.Unlock()
	ids := slices.Clone(j.tables.undoIDs)
	list, live, err := j.list(context.Background(), false)
	if err != nil {
		j.log.Error("journal: an interrupted undo waits", "err", err)
		return
	}
	for _, f := range j.tables.folders {
		if _, err := os.Lstat(f.path); err != nil {
			j.log.Info("journal: an interrupted undo waits for its folder", "path", f.path)
			return
		}
	}
	if redo := j.tables.redoIDs; len(redo) > 0 {
		chosen := map[string]Change{}
		for _, id := range redo {
			if c, ok := j.tables.undone[id]; ok {
				chosen[id] = c
			}
		}
		report, err := j.runRedo(context.Background(), chosen, true)
		j.log.Info("journal: an interrupted redo was finished", "redone", len(report.Redone), "conflicts", len(report.Conflicts), "err", err)
	}
	if !j.tables.undoing {
		return
	}
	if len(ids) > 0 {
		list = slices.DeleteFunc(list, func(n *net) bool { return !slices.Contains(ids, n.change.ID) })
	}
	report, err := j.runUndo(context.Background(), list, live, j.tables.answers, len(ids) == 0, true)
	j.log.Info("journal: an interrupted undo was finished", "undone", len(report.Undone), "conflicts", len(report.Conflicts), "err", err)
}

// choose returns the changes to undo and those of ids that are undone already.
func (j *Journal) choose(list []*net, ids []string) ([]*net, []Change, error) {
	if len(ids) == 0 {
		return list, nil, nil
	}
	byID := map[string]*net{}
	for _, n := range list {
		byID[n.change.ID] = n
	}
	chosen := map[*net]bool{}
	var already []Change
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, id := range ids {
		if n := byID[id]; n != nil {
			chosen[n] = true
		} else if c, ok := j.tables.undone[id]; ok {
			already = append(already, c)
		} else {
			return nil, nil, fmt.Errorf("%w: %q", ErrUnknownChange, id)
		}
	}
	j.tables.spread(list, chosen)
	return slices.DeleteFunc(slices.Clone(list), func(n *net) bool { return !chosen[n] }), already, nil
}

// spread adds what the chosen changes depend on.
func (t *tables) spread(list []*net, chosen map[*net]bool) {
	dirs := map[*object]*net{} // directories of a person that are gone
	for _, n := range list {
		if n.place != nil && n.place.kind == at.Directory {
			dirs[n.place] = n
		}
	}
	for grown := true; grown; {
		grown = false
		made := map[*object]bool{} // directories of the task that will go
		for n := range chosen {
			if n.remove != nil && n.remove.cur != nil && n.remove.cur.kind == at.Directory {
				made[n.remove.cur] = true
			}
			if n.place == nil {
				continue
			}
			for d := n.entry.dir; d != nil && d.parent != nil; d = d.parent {
				if _, _, ok := t.spot(d); ok {
					break
				}
				if up := dirs[d]; up != nil && !chosen[up] {
					chosen[up], grown = true, true
				}
			}
		}
		for _, n := range list {
			if !chosen[n] && t.below(n, made) {
				chosen[n], grown = true, true
			}
		}
	}
}

// below reports whether n is about something that is in one of these
// directories now.
func (t *tables) below(n *net, dirs map[*object]bool) bool {
	var dir *object
	switch {
	case n.remove != nil:
		dir = n.remove.dir
	case n.place != nil:
		dir, _, _ = t.spot(n.place)
	}
	for range maxPathLen {
		if dir == nil || dir.parent == nil {
			return false
		}
		if dirs[dir] {
			return true
		}
		var ok bool
		if dir, _, ok = t.spot(dir); !ok {
			return false
		}
	}
	return false
}

// undo is one undo at work. Tasks are stopped and Journal.undoMu is held.
type undo struct {
	j       *Journal
	r       *roots
	live    map[*object]state // of files that are open
	opts    UndoOptions
	beside  map[string]string
	left    []Change // because Keep was asked for
	resumed bool
	items   []*item
	belong  map[*entry][]*item     // by the name that they are to have again
	moved   map[*object]*entry     // lifted out of the way of others → where it was
	dirs    map[*object]*dirInPlay // directories that undo changed or looked into
	theirs  map[*object]bool       // a person changed the extended attributes since
	ended   time.Time              // of the task's last change, or that of the undo that was interrupted
	notes   []record               // see commit
	noted   time.Time              // when the newest of them was
	atOnce  map[*folderTable]bool  // made durable in one go, and not file by file
	copies  bool                   // what is kept is made durable in one go
	lacking map[*object]error      // what did not get its owner or its rights back; guarded by Journal.mu
	far     bool                   // the journal lies on another file system
}

// item is a change on its way back.
type item struct {
	*net
	removed, placed, fixed bool
	left                   *entry // the name that it had before it was placed
	whole                  bool   // its content is as before already
	force                  bool   // whatever a person did since: they said so
	seen                   at.ID  // what is to be removed
	beside                 bool   // what was before has a name of its own beside what is there
	staged                 bool   // what it gets is beside it, durable
	stagedFor              state  // what it takes the place of
	displaced              bool   // what was in the way is kept under its name
	after                  state  // how the task left what is fixed or removed
	conflict               *Conflict
}

func (i *item) fail(reason Reason, format string, args ...any) {
	if i.conflict == nil {
		i.conflict = &Conflict{Change: i.change, Reason: reason, Detail: fmt.Sprintf(format, args...)}
	}
}

func (i *item) done() bool { return i.conflict == nil && i.removed && i.placed && i.fixed }

func (j *Journal) runUndo(ctx context.Context, list []*net, live map[*object]state, o UndoOptions, all, resumed bool) (Report, error) {
	j.round.Add(1) // files that are open prepare again
	u := &undo{j: j, r: j.openRoots(), live: live, opts: o, resumed: resumed, beside: map[string]string{}, moved: map[*object]*entry{}, dirs: map[*object]*dirInPlay{}, theirs: map[*object]bool{}, atOnce: map[*folderTable]bool{}, lacking: map[*object]error{}, belong: map[*entry][]*item{}}
	defer u.r.close()
	j.undoing.Store(true)
	defer j.undoing.Store(false)
	j.ticks.Arm()
	j.mu.Lock()
	u.ended = j.tables.lastOp
	if last := j.tables.undoLast; resumed && last.After(u.ended) {
		u.ended = last
	}
	for _, n := range list {
		if o.Resolve[n.change.ID] == Keep {
			u.left = append(u.left, n.change)
			continue
		}
		i := &item{net: n, removed: n.remove == nil, placed: n.place == nil, fixed: n.fix == nil}
		u.items = append(u.items, i)
		if n.place != nil {
			u.belong[n.entry] = append(u.belong[n.entry], i)
		}
	}
	j.mu.Unlock()
	u.open(all)
	for _, i := range u.guarded() {
		if ctx.Err() == nil {
			u.guard(ctx, i)
			u.resolve(ctx, i)
		}
	}
	u.together()
	if err := u.keepAll(ctx); err != nil && ctx.Err() == nil {
		return Report{}, errors.Join(err, u.commit())
	}
	u.j.step("undo-all-kept")
	u.prestage()
	u.work(ctx)
	u.displaceAll(ctx)
	for _, i := range u.items {
		if i.conflict == nil && i.removed && i.placed && !i.fixed && ctx.Err() == nil {
			u.fix(i)
		}
	}
	u.unstage(nil)
	u.closeDirs(all)
	return u.finish(ctx)
}

// finish writes down what was undone.
func (u *undo) finish(ctx context.Context) (Report, error) {
	report := Report{Kept: u.left, Beside: u.beside}
	now := time.Now().UTC()
	var recs []record
	var dropped []string
	for _, i := range u.items {
		switch {
		case i.done():
			c := i.change
			c.Undone = &now
			report.Undone = append(report.Undone, c)
			recs = append(recs, undoneRecord{Change: &c})
			if err := u.lacking[i.obj]; err != nil {
				report.Lacking = append(report.Lacking, Conflict{Change: c, Reason: ReasonRights, Detail: err.Error()})
			}
		case i.conflict == nil && ctx.Err() != nil:
			// Stopped before its turn; it stays in the list.
		default:
			i.fail(ReasonInTheWay, "something else is at %q", i.entryPath(u.j))
			report.Conflicts = append(report.Conflicts, *i.conflict)
			dropped = append(dropped, i.change.ID)
		}
	}
	recs = append(recs, u.settleKept(&report, dropped, now)...)
	recs = append(recs, undoEndRecord{})
	u.j.step("undo-done")
	err := u.commit()
	u.j.mu.Lock()
	if err == nil {
		err = u.j.putAll(recs)
	}
	u.j.mu.Unlock()
	if err == nil {
		err = u.j.sync(u.j.file.Position())
	}
	if err == nil {
		u.j.clean()
	}
	return report, errors.Join(err, ctx.Err())
}

func (i *item) entryPath(j *Journal) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case i.remove != nil && !i.removed:
		return j.tables.pathOf(i.remove.dir, i.remove.name)
	case i.entry != nil:
		return j.tables.pathOf(i.entry.dir, i.entry.name)
	}
	return i.change.Path
}

// tempName is the name of something of undo's own beside o. The journal's id
// in it cannot be guessed by a guest.
func (u *undo) tempName(o *object, suffix string) string {
	return strings.Join([]string{".piwork-undo", u.j.tables.id, fmt.Sprint(o.id)}, "-") + suffix
}
