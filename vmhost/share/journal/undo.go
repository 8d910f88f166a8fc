package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
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
	Change Change `json:"change"`
	Reason Reason `json:"reason"`
	Said   string `json:"said,omitempty" words:"shown"` // the reason
	Detail string `json:"detail,omitempty"`             // for a log or a fold-out, in English
}

// Report is what came of an undo.
type Report struct {
	Undone    []Change          `json:"undone"` // with Undone set; also what had to be undone along with them
	Conflicts []Conflict        `json:"conflicts"`
	Kept      []Change          `json:"kept,omitempty"`   // left alone because [Keep] was asked for
	Beside    map[string]string `json:"beside,omitempty"` // id of a change → where [Both] put what was before; a path in the folder
	Redone    []Change          `json:"-"`                // of a Redo: with the id under which they were undone
	Lacking   []Conflict        `json:"-"`                // undone, but for owner, group or access rights: [ReasonRights]
}

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
//
// An undo or a redo that was interrupted is finished first, and is in the report. While that
// cannot be done, the error is ErrUnfinished.
func (j *Journal) Undo(ctx context.Context, ids []string, o UndoOptions) (Report, error) {
	ctx, done, err := j.rec.Alone(ctx)
	if err != nil {
		return Report{}, err
	}
	defer done()
	waited, err := j.finishPending(ctx)
	if err != nil {
		return waited.report(), err
	}
	report, err := j.undo(ctx, ids, o)
	return with(report, waited), err
}

// undo is Undo while no other undo is pending; the caller is Alone.
func (j *Journal) undo(ctx context.Context, ids []string, o UndoOptions) (Report, error) {
	if _, _, err := j.rec.List(ctx, false); err != nil { // hash while tasks may go on
		return Report{}, err
	}
	start, err := j.rec.Stop(ctx)
	if err != nil {
		return Report{}, err
	}
	defer start()
	list, live, err := j.rec.List(ctx, true)
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
	if err := o.May.Ask(changesOf(chosen, o.Resolve)); err != nil {
		return Report{}, err
	}
	recs := o.Records()
	if len(ids) == 0 {
		recs = append(recs, ledger.UndoRecord{})
	} else {
		var all []string
		for _, n := range chosen {
			all = append(all, n.Change.ID)
		}
		recs = append(recs, ledger.About[ledger.UndoRecord](all)...)
	}
	if err := recorder.Begin(j.rec); err != nil {
		return Report{}, err
	}
	if err := j.rec.PutNow(recs...); err != nil {
		return Report{}, err
	}
	j.rec.Step("undo-begun")
	report, err := j.runUndo(ctx, chosen, live, o, len(ids) == 0, false)
	report.Undone = append(report.Undone, already...)
	slices.SortFunc(report.Undone, ledger.ByPath)
	return report, err
}

// changesOf are the changes that steps take back, but those that are to be left alone.
func changesOf(list []*ledger.Step, answers map[string]Resolution) []Change {
	out := make([]Change, 0, len(list))
	for _, n := range list {
		if answers[n.Change.ID] != Keep {
			out = append(out, n.Change)
		}
	}
	return out
}

// choose returns the changes to undo and those of ids that are undone already.
func (j *Journal) choose(list []*ledger.Step, ids []string) ([]*ledger.Step, []Change, error) {
	if len(ids) == 0 {
		return list, nil, nil
	}
	byID := map[string]*ledger.Step{}
	for _, n := range list {
		byID[n.Change.ID] = n
	}
	chosen := map[*ledger.Step]bool{}
	var already []Change
	j.rec.Mu.Lock()
	defer j.rec.Mu.Unlock()
	for _, id := range ids {
		if n := byID[id]; n != nil {
			chosen[n] = true
		} else if c, ok := j.rec.Tables.Undone[id]; ok {
			already = append(already, c)
		} else {
			return nil, nil, fmt.Errorf("%w: %q", ErrUnknownChange, id)
		}
	}
	j.rec.Tables.Spread(list, chosen)
	return slices.DeleteFunc(slices.Clone(list), func(n *ledger.Step) bool { return !chosen[n] }), already, nil
}

// undo is one undo at work. Tasks are stopped and the caller is Alone. It first keeps what it
// will replace or remove, then makes each file durable beside its place and renames it over. A file
// that is kept in parts or has several names is written in place, after a record that says so
// (undo_rewriting.go).
type undo struct {
	*site
	guards
	writer
	redoKeeper
	opts    UndoOptions
	beside  map[string]string
	left    []Change // because Keep was asked for
	items   []*item
	belong  map[*ledger.Entry][]*item        // by the name that they are to have again
	moved   map[*ledger.Object]*ledger.Entry // lifted out of the way of others → where it was
	others  otherNames
	otherFS bool // the journal lies on another file system
}

// site is where an undo works: the journal and the folders, and what it did there.
type site struct {
	j       *recorder.Recorder
	own     *Journal
	r       *recorder.Roots
	resumed bool
	last    lastDir
	dirs    map[*ledger.Object]*workDir // directories that undo changed or looked into
	ended   time.Time                   // of the task's last change, or that of the undo that was interrupted
	notes   []ledger.Record             // see commit
	noted   time.Time                   // when the newest of them was
	lost    error                       // why what was done is not durable
	atOnce  map[*ledger.Folder]bool     // made durable in one go, and not file by file
}

// guards decide whether a change may be undone.
type guards struct {
	*site
	live   map[*ledger.Object]ledger.State            // of files that are open
	theirs map[*ledger.Object]bool                    // a person changed the extended attributes since
	made   map[*ledger.Folder]map[*ledger.Object]bool // see elsewhere

	rewriting map[*ledger.Object]sighting // files that undo was writing into, and nobody changed since
}

// writer gives files the content and attributes that they had.
type writer struct {
	*site
	theirs  map[*ledger.Object]bool  // those of the guards
	lacking map[*ledger.Object]error // what did not get its owner or its rights back; guarded by the recorder's Mu
}

// redoKeeper keeps for redo what an undo replaces or removes.
type redoKeeper struct {
	*site
	copies bool            // what is kept is made durable in one go
	apart  map[uint64]bool // devices on which a file can have no name in the journal; guarded by the recorder's Mu
}

// item is a change on its way back.
type item struct {
	*ledger.Step
	removed, placed, fixed bool
	begun                  bool          // something of it is done: it is finished even when the context ends
	left                   *ledger.Entry // the name that it had before it was placed
	whole                  bool          // its content is as before already
	force                  bool          // whatever a person did since: they said so
	seen                   sighting      // what is to be removed
	found                  sighting      // what is to be fixed or moved
	beside                 bool          // what was before has a name of its own beside what is there
	staged                 bool          // what it gets is beside it, durable
	stagedFor              ledger.State  // what it takes the place of
	apart                  string        // it comes back as a file of its own, not as this one in refs/: a person changed what other names share
	asIs                   bool          // it comes back with what a person made of it through another name: they said so
	refReady               bool          // the file itself, which the journal keeps, is as before
	displaced              bool          // what was in the way is kept under its name
	aside                  bool          // what a person wants replaced has a name of undo's own until something is in its place
	after                  ledger.State  // how the task left what is fixed or removed
	conflict               *Conflict
}

func (i *item) fail(reason Reason, format string, args ...any) {
	if i.conflict == nil {
		i.conflict = &Conflict{Change: i.Change, Reason: reason, Detail: fmt.Sprintf(format, args...)}
	}
}

func (i *item) done() bool { return i.conflict == nil && i.removed && i.placed && i.fixed }

func (j *Journal) runUndo(ctx context.Context, list []*ledger.Step, live map[*ledger.Object]ledger.State, o UndoOptions, all, resumed bool) (Report, error) {
	j.rec.Round.Add(1) // files that are open prepare again
	w := &site{j: j.rec, own: j, r: j.rec.OpenRoots(), resumed: resumed, dirs: map[*ledger.Object]*workDir{}, atOnce: map[*ledger.Folder]bool{}}
	theirs := map[*ledger.Object]bool{}
	u := &undo{site: w, guards: guards{site: w, live: live, theirs: theirs, made: map[*ledger.Folder]map[*ledger.Object]bool{}, rewriting: map[*ledger.Object]sighting{}}, writer: writer{site: w, theirs: theirs, lacking: map[*ledger.Object]error{}},
		redoKeeper: redoKeeper{site: w, apart: map[uint64]bool{}}, opts: o, beside: map[string]string{}, moved: map[*ledger.Object]*ledger.Entry{}, belong: map[*ledger.Entry][]*item{}, others: otherNames{w, map[*ledger.Object]otherName{}}}
	defer u.r.Close()
	defer u.last.drop()
	if resumed && w.r.Away != nil {
		return Report{}, fmt.Errorf("%w: %w", ErrUnfinished, w.r.Away)
	}
	j.rec.Mu.Lock()
	u.ended = j.rec.Tables.LastOp
	if last := j.rec.Tables.UndoLast; resumed && last.After(u.ended) {
		u.ended = last
	}
	for _, n := range list {
		if o.Resolve[n.Change.ID] == Keep {
			u.left = append(u.left, n.Change)
			continue
		}
		i := &item{Step: n, removed: n.Remove == nil, placed: n.Place == nil, fixed: n.Fix == nil}
		u.items = append(u.items, i)
		if n.Place != nil {
			u.belong[n.Entry] = append(u.belong[n.Entry], i)
		}
	}
	j.rec.Mu.Unlock()
	u.settleRewriting(ctx, u.items)
	j.rec.Undoing.Store(true)
	defer j.rec.Undoing.Store(false)
	j.rec.Ticks.Arm()
	u.open(all)
	u.guardAll(ctx, u.items, u.resolve)
	u.last.drop()
	u.together()
	keeping := u.keepAll(ctx, u.items)
	u.last.drop()
	if ctx.Err() != nil {
		keeping = nil // finish returns the error of ctx
	}
	if keeping != nil && resumed {
		return Report{}, errors.Join(keeping, u.commit()) // half of it may be done: it goes on later
	}
	abandon(u.items, keeping)
	u.j.Step("undo-all-kept")
	u.prestage()
	u.others.find(ctx, u.items)
	u.last.drop()
	u.work(ctx)
	u.displaceAll(ctx)
	u.last.drop()
	fixAll(ctx, u.items, u.fix)
	settleAside(u)
	u.unstage(nil)
	u.closeDirs(all)
	report, err := u.finish(ctx)
	return report, errors.Join(keeping, err)
}

// abandon has an undo that could not keep what it was going to change leave all of that alone,
// and end: whoever asked is told that it failed, and must not find it done later.
func abandon(items []*item, why error) {
	for _, i := range items {
		if why != nil && !i.done() {
			i.fail(ReasonIO, "%q: %v", i.Change.Path, why)
		}
	}
}

// finish writes down what was undone.
func (u *undo) finish(ctx context.Context) (Report, error) {
	report := Report{Kept: u.left, Beside: u.beside}
	now := time.Now().UTC()
	var recs []ledger.Record
	var dropped []string
	for _, i := range u.items {
		switch {
		case i.done():
			c := i.Change
			c.Undone = &now
			report.Undone = append(report.Undone, c)
			recs = append(recs, ledger.UndoneRecord{Change: &c})
			if err := u.lacking[i.Object]; err != nil {
				report.Lacking = append(report.Lacking, Conflict{Change: c, Reason: ReasonRights, Detail: err.Error()})
			}
		case i.conflict == nil && ctx.Err() != nil && !i.begun:
			// Stopped before its turn; it stays in the list.
			if !u.resumed { // what is kept of it would be taken for undone by an undo that is finished later
				dropped = append(dropped, i.Change.ID)
			}
		default:
			i.fail(ReasonInTheWay, "something else is at %q", i.entryPath(u.j))
			report.Conflicts = append(report.Conflicts, *i.conflict)
			dropped = append(dropped, i.Change.ID)
		}
	}
	recs = append(recs, u.settleKept(&report, dropped, now)...)
	stopped := u.resumed && ctx.Err() != nil // and goes on where it was
	if stopped {
		recs = append(recs, ledger.UndoingRecord{When: &now})
	} else {
		recs = append(recs, ledger.UndoEndRecord{})
	}
	u.j.Step("undo-done")
	if len(u.notes)+len(report.Undone) > 0 {
		if err := u.commit(); err != nil {
			return Report{}, errors.Join(err, ctx.Err()) // it goes on when the journal is opened again
		}
	}
	u.j.Mu.Lock()
	err := u.j.PutAll(recs)
	u.j.Mu.Unlock()
	if err == nil {
		err = u.j.Sync(u.j.File.Position())
	}
	if err == nil {
		u.own.clean()
		for _, i := range u.items {
			if i.apart != "" && i.done() {
				_ = u.j.Refs.Remove(i.apart) // it would only hold on to the person's file
			}
		}
	}
	if err == nil && !stopped {
		recorder.End(u.j)
	}
	return report, errors.Join(err, ctx.Err())
}

func (i *item) entryPath(j *recorder.Recorder) string {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	switch {
	case i.Remove != nil && !i.removed:
		return j.Tables.PathOf(i.Remove.Dir, i.Remove.Name)
	case i.Entry != nil:
		return j.Tables.PathOf(i.Entry.Dir, i.Entry.Name)
	}
	return i.Change.Path
}

// tempName is the name of something of undo's own beside o. The journal's id
// in it cannot be guessed by a guest, but seen while undo is at work: directories that it makes of
// such names and fills have undo of single changes fail, until all is undone.
func (u *site) tempName(o *ledger.Object, suffix string) string {
	return strings.Join([]string{".piwork-undo", u.j.Tables.ID, fmt.Sprint(o.ID)}, "-") + suffix
}
