package recorder

import (
	"runtime"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
	"piwork/vmhost/share/journal/internal/ledger"
)

// A program of the guest may keep a file open for days, and a person may save it on the host
// meanwhile: what they saved is not the task's. The file's time says so, where the disk's times
// tell ([at.ExactTimes]). It is looked at after a change through an open file, and when the last
// is closed, a list is made, its name is used, or the guest writes after a pause. While changes are
// under way nobody can tell. How long the task's changes make the file tells it, too, and at once
// (ledger.Writing): logs are appended to by several, many times between two looks.
//
// Looking after every change would make writing 4 KiB to ext4 twice as slow (Linux 6.18 makes up a
// new time for each write after a look).

// rest is how long after a look the next one comes, and how long nothing is written before a
// write looks first. What a person saves so soon after the guest's change passes for that.
const rest = 20 * time.Millisecond

// timed says that a file gets the time of the computer with a write. Elsewhere it may be that of
// the first look at it.
const timed = runtime.GOOS == "linux"

// leftAlone is how long nothing is done to a file that is open until it is written down how the task left
// it: should the program die, what a person saves from then on is theirs, and the rest the task's.
const leftAlone = 100 * time.Millisecond

// leaving are the files that were changed and are not left alone yet. Recorder.Mu guards files.
type leaving struct {
	files map[*File]bool
	ticks *wal.Ticker // calls signLeft
}

// leaves has it written down how the task left a file that is about to change; j.Mu is held.
func (j *Recorder) leaves(x *File) {
	if j.Closed {
		return
	}
	j.left.files[x] = true
	j.left.ticks.Arm()
}

// signLeft writes down how the task left files that are left alone.
func (j *Recorder) signLeft() {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	for x := range j.left.files {
		if j.Closed || x.signLeft() {
			delete(j.left.files, x)
		}
	}
	if len(j.left.files) > 0 {
		j.left.ticks.Arm()
	}
}

// signLeft reports whether nothing more is to be written down; J.Mu is held.
func (x *File) signLeft() bool {
	o, w, j := x.obj.Load(), x.writing, x.folder.J
	w.Lock()
	defer w.Unlock()
	if w.Busy > 0 || time.Since(w.Ended) < leftAlone {
		return false
	}
	info, err := at.Stat(x.f)
	if err != nil || o.Touch != ledger.TouchOpen || !x.exact() || x.unseen(o, info) {
		return true // where times do not tell, when it is closed
	}
	w.Check(info.Size, 0)
	if err := j.signOpen(o, w, ledger.StateOf(info)); err != nil {
		j.Log.Error("journal: cannot write", "err", err)
	}
	j.Step("left alone")
	return true
}

// signOpen writes down how the task left a file that is open. The next change through it begins anew.
// J.Mu is held and w locked.
func (j *Recorder) signOpen(o *ledger.Object, w *ledger.Writing, s ledger.State) error {
	if differs(w, s, 0) {
		s = leftBy(w, s)
	}
	_, err := j.Put(ledger.SignRecord{Object: o.ID, State: &s})
	w.Edits++
	w.Round = 0
	return err
}

// exact reports whether the disk's times tell who changed the file; x.writing is locked.
func (x *File) exact() bool {
	w := x.writing
	if w.Exact == nil {
		exact := at.ExactTimes(x.f)
		w.Exact = &exact
	}
	return *w.Exact
}

// effect is what a change through a file did.
type effect uint8

const (
	nothing    effect = iota
	attributes        // but its time
	times             // set its time, and perhaps other attributes
	content
)

// begin notes that a change through the file is under way; end, that it is over. length notes how long
// a change of the content made the file.
func (x *File) begin() {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.writing.Enter()
}

func (x *File) end(did effect, length func(w *ledger.Writing)) {
	w := x.writing
	w.Lock()
	defer w.Unlock()
	if did == content {
		length(w)
	}
	if w.Busy--; w.Busy == 0 {
		w.Settle(func() (int64, error) { return at.End(x.f) })
	}
	w.Ended = time.Now()
	if did == nothing || did == attributes && !w.Looked.IsZero() {
		return
	}
	now := w.Ended
	if w.Shared() || timed && did == content && !w.Set && !w.Looked.IsZero() && now.Sub(w.Looked) < rest {
		w.When = now
		return
	}
	w.Forget()
	if !x.exact() {
		return
	}
	if info, err := at.Stat(x.f); err == nil {
		w.Check(info.Size, 0)
		w.Left, w.Looked, w.When, w.Set = ledger.StateOf(info), now, now, did == times
	}
}

// differs reports whether somebody else changed what the newest change left. busy is how many
// changes are under way that have not come to the content yet. w is locked.
func differs(w *ledger.Writing, now ledger.State, busy int) bool {
	switch {
	case w.Busy > busy:
		return false
	case w.Shared():
		return true
	case w.Looked.IsZero():
		return false
	case w.Looked.Equal(w.When):
		return !w.Left.SameData(now)
	}
	return now.MTime().Before(w.Left.MTime()) || now.MTime().After(w.When.Add(rest))
}

// checkLength sees whether somebody else has made a file longer or shorter; no change is under way.
func checkLength(w *ledger.Writing, now ledger.State) {
	if w != nil {
		w.Lock()
		defer w.Unlock()
		w.Check(now.Size, 0)
	}
}

// byTask returns now, or what the task left where a person made now of it.
func byTask(w *ledger.Writing, now ledger.State) ledger.State {
	if w == nil {
		return now
	}
	w.Lock()
	defer w.Unlock()
	if !differs(w, now, 0) {
		return now
	}
	return leftBy(w, now)
}

// leftBy is what the task left where a person made now of it.
func leftBy(w *ledger.Writing, now ledger.State) ledger.State {
	left := w.Left
	if w.Shared() {
		left = w.Alone(now)
	}
	left.Attrs, left.CSec, left.CNsec = now.Attrs, 0, 0
	return left
}

// metChanged reports whether a person changed the content since the task did, as it was found at a
// name, and has files that are open made ready again. J.Mu is held since before now was asked for:
// if a change was under way then and is over, what that left is newer.
func metChanged(j *Recorder, o *ledger.Object, now ledger.State) bool {
	w := o.Writing
	if w == nil {
		return o.Writers == 0 && o.Touch != ledger.TouchOpen && !o.Last.SameData(now)
	}
	w.Lock()
	defer w.Unlock()
	var changed bool
	if o.Touch == ledger.TouchOpen {
		changed = differs(w, now, 0) && (w.Shared() || now.MTime().After(w.Left.MTime()))
	} else {
		changed = w.Busy == 0 && w.Round != j.Round.Load()+1 && !o.Last.SameData(now)
	}
	if changed {
		w.Edits++
		w.Restart()
	}
	return changed
}

// readyAgain has files that are open for changing o made ready again: it is the person's now.
func readyAgain(o *ledger.Object) {
	if w := o.Writing; w != nil {
		w.Lock()
		defer w.Unlock()
		w.Edits++
		w.Restart()
	}
}

// isReady reports whether in this round the content before is kept, and the file can be changed.
func (x *File) isReady(round uint64) bool {
	w := x.writing
	w.Lock()
	defer w.Unlock()
	if x.ready.Load() != round+w.Edits+1 {
		return false
	}
	if w.Looked.IsZero() || time.Since(w.When) < rest {
		return true
	}
	info, err := at.Stat(x.f)
	if err != nil {
		return false
	}
	w.Check(info.Size, 1)
	return !differs(w, ledger.StateOf(info), 1)
}

func (x *File) setReady(round uint64) {
	w := x.writing
	w.Lock()
	defer w.Unlock()
	x.ready.Store(round + w.Edits + 1)
	w.Round = round + 1
}

// edited reports whether a person changed the content since the task did; J.Mu is held and
// x.writing locked. Where a file was made ready since the task's state was written down, only
// what that file left tells.
func (x *File) edited(o *ledger.Object, now ledger.State) bool {
	w := x.writing
	switch {
	case !x.folder.J.Tables.Alive(o):
		return false // what is kept of it is all that there is
	case o.Touch == ledger.TouchOpen, o.Writers > 1 && (w.Busy > 1 || w.Round == x.folder.J.Round.Load()+1):
		w.Check(now.Size, 1)
		return differs(w, now, 1)
	}
	return !o.Last.SameData(now) || o.Synced > 0 && o.Touch == ledger.TouchNone && !o.Last.Untouched(now)
}

// rebase makes what a person saved in a file that is open the new "before"; all that are open are
// made ready again. J.Mu is held and x.writing locked.
func (x *File) rebase(o *ledger.Object, info at.Info, now ledger.State) error {
	w := x.writing
	w.Edits++
	w.Restart()
	recs := rebased(o, info, now)
	if o.Made && len(o.Spots) > 0 {
		recs = append(recs, ledger.AdoptRecord{Entry: o.Place().ID, Object: o.ID})
	}
	_, err := x.folder.J.Put(recs...)
	return err
}

// rebased are the records that make what is on the disk the new "before" of an object, because a person
// changed it. The journal keeps the inode itself as long as a name that the task removed waits for it, and
// the mode and the attributes from before, which the person did not change.
func rebased(o *ledger.Object, info at.Info, now ledger.State) []ledger.Record {
	base := now
	tasks := o.Kind == at.File && !o.Made && o.Touch != ledger.TouchNone
	if tasks && now.Mode == o.Last.Mode {
		base.Mode = o.Base.Mode
	}
	recs := []ledger.Record{ledger.RebaseRecord{Object: o.ID, Inode: &info.ID, State: &base, Gen: o.Gen}}
	if o.Ref != 0 {
		recs = append(recs, ledger.RefRecord{Object: o.ID, Gen: o.Ref})
	}
	if tasks && (o.Attrs != nil || base.Mode != now.Mode) {
		if o.Attrs != nil {
			recs = append(recs, ledger.AttrsRecord{Object: o.ID, Attrs: o.Attrs})
		}
		recs = append(recs, ledger.OpenRecord{Object: o.ID}, ledger.SignRecord{Object: o.ID, State: &now})
	}
	return recs
}
