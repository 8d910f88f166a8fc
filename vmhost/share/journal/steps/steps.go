// Package steps makes changes of a folder through a journal: it is what undo, redo and
// the Apply of a reviewed layer have in common, and knows none of them.
//
// An [Owner] turns what it has into a list of [Step]s and runs them with [Run.Do]. Each
// step is made by a recorder.Changer, so that it can be taken back like the work of a
// task, and begins with [Owner.Begin], which says where the step works and what it
// expects there at that moment, and locks what must not change meanwhile.
//
// # Rules of every step
//
// In this order:
//
//  1. What is there is looked at once. If that is what the step makes of it ([Step.Already]),
//     because the program died after it or a person did the same, only attributes are set.
//  2. It must be what [Step.Expect] says: kind and inode, then size and times, and only
//     where these differ the SHA-256 of its content. [Step.Replace] leaves out all but the kind.
//  3. A file or link that takes another's place is made beside it under [Step.Temp],
//     with content, attributes, mode and times, and is durable before one exchange of
//     names puts it there (recorder.Changer.Supplant), or a rename where the disk cannot
//     exchange names. Right before the exchange the old file must be as rule 1 found it. With
//     [Step.Staged] the owner made the new file before. At a free name the file is linked, which
//     fails when somebody takes the name meanwhile.
//  4. With [Step.InPlace] the content is written into the file itself: what has several
//     names, or is large and differs in a few places. The owner must have written down
//     that this begins; Expect then accepts a file that is written by half.
//  5. The directories are durable before [Owner.Done] hears of the step, with
//     [Run.SyncEach]; else the owner syncs them before it writes down that all is done.
//
// # Order
//
// The list is sorted so that few steps wait (sort). A step waits when its place is
// taken, its directory is not there yet or not empty yet. Rounds go on until none gets
// further; then a thing that waits for its place and is in the way of another is moved to
// a temporary name in the folder itself ([Step.Lifting]); then a step with an answer is
// refused, which may free names; then all that wait are refused. Directories get modes
// and times last, the deepest first: with mode 0555 no file could be put into one any more.
package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"syscall"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// Errors with which steps are refused, beside recorder.ErrChangedSince, recorder.ErrRaced
// and those of the system: fs.ErrExist is a place that stays taken, syscall.ENOTEMPTY a
// directory that stays full.
var (
	ErrWait  = errors.New("waits for another change")
	ErrGone  = errors.New("it is not there any more")
	ErrOther = fmt.Errorf("it is something else now: %w", recorder.ErrChangedSince)
)

// Action is what a step does next.
type Action uint8

// Actions.
const (
	Create  Action = iota + 1 // something at a free name
	Link                      // a further name for what is at From
	Replace                   // of what is at a name by something new
	Write                     // content, with mode, times and attributes
	Dress                     // mode, times and attributes
	Move                      // of what is at From
	Remove                    // a name
	Nothing                   // it is done
)

// Step is one change. Those who have it made fill in Change and Kind, and in
// Owner.Begin the rest.
type Step struct {
	Change   ledger.Change // what a person sees; its path orders steps
	Kind     at.Kind
	Early    bool // others wait for it: it goes first
	Answered bool // a person said what to do about a conflict

	Do       Action
	At, From Place
	Expect   State // at From when there is one, else At
	Inode    at.ID // of what is moved: it may be in its place without anybody knowing
	Already  func(p Opened, now at.Info) bool
	Replace  bool // also in the place of something else, or where nothing is any more
	Staged   bool // the owner made the file already, under Temp in the same directory
	MayLack  bool // it does not matter whether it was there
	New
	InPlace bool   // content is written into the file that is there
	Temp    string // a name that nobody has

	More    bool    // set by Owner.Done: the step goes on with another action
	Half    at.Info // of a file into which content was written when that failed
	Found   bool    // it was done already
	Late    bool    // it is the turn of a directory
	Lifting bool    // it is to be moved out of the way of another, into the folder itself

	waits error
}

// New is what a step makes of its place.
type New struct {
	Content      func() (*Content, error) // nil: it stays
	Take, Return func(d *at.Dir, name string) error
	Sum          string     // SHA-256 of the content in hex, "" where nobody knows
	Target       string     // of a symbolic link
	Attrs        at.AttrSet // nil: they stay
	Mode         *uint32    // nil: it stays
	ATime, MTime time.Time
	Like         bool        // a new file gets the owner, rights and attributes of the one that it replaces
	Anyway       bool        // even if it cannot have all of these; else it is written in place
	Owner        *at.Owner   // of a new file or directory; nil: who runs the program
	Lacking      func(error) // hears what of Owner could not be given; nil: nobody
}

// Place is a path in a folder. The name "." is the directory itself.
type Place struct {
	Folder    *recorder.Changer
	Dir, Name string
}

// Opened is a place whose directory is open.
type Opened struct {
	recorder.Place
	Folder *recorder.Changer
}

// State is what a place is expected to be.
type State struct {
	Kind at.Kind
	ID   at.ID                                     // zero: whichever
	Same func(p Opened, now at.Info) (bool, error) // without reading it; nil: it is
	Size int64                                     // with Sum
	Sum  string                                    // SHA-256 in hex; "": it is not read
}

// Content is the content of a file.
type Content struct {
	io.ReaderAt
	Size  int64
	Keep  int64     // so much of the file that is written into stays, but for the spans
	Spans spans.Set // what is written; nil: all. Of the rest below Keep nothing is read
	Zeros spans.Set // what is made zeros besides
	Room  spans.Set // what a file that is written into takes room for first, so that it is not left half written
	End   func()    // of its use
}

// Owner has steps made: it knows what they are about.
type Owner interface {
	// Begin fills in what a step is at this moment, and locks what must not change
	// until it is over: the returned function ends that. ErrWait puts the step off.
	Begin(ctx context.Context, s *Step) (end func(), err error)
	// Done hears that an action was made, inside of Begin and its end, and what is at
	// the place now, if anything.
	Done(s *Step, p Opened, now at.Info) error
	// Refused hears why a step is left alone, and may change the step to have it tried
	// again. An error ends the run.
	Refused(s *Step, err error) (again bool, fatal error)
}

// Path is the path in the folder.
func (pl Place) Path() string { return path.Join(pl.Dir, pl.Name) }

// open opens the directory of a place.
func (pl Place) open() (Opened, error) {
	if pl.Folder == nil {
		return Opened{}, ErrWait
	}
	d, err := pl.Folder.Root.Dir(pl.Dir)
	if err != nil {
		return Opened{}, err
	}
	return Opened{recorder.Place{Dir: d, Path: pl.Dir, Name: pl.Name}, pl.Folder}, nil
}

// Look opens a place and returns what is there. The name is the one on the disk. The
// caller closes the directory unless it is nil.
func (pl Place) Look() (Opened, at.Info, error) {
	p, err := pl.open()
	if err != nil {
		return p, at.Info{}, gone(err)
	}
	if p.Name != "." {
		p.Name = p.Dir.OwnName(p.Name)
	}
	info, err := p.Lstat()
	return p, info, gone(err)
}

func gone(err error) error {
	if IsMissing(err) {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return err
}

// End ends the use of the directory, if that is open.
func (p Opened) End() {
	if p.Dir != nil {
		p.Dir.Close()
	}
}

// IsMissing reports whether err says that there is nothing at a path.
func IsMissing(err error) bool {
	return recorder.IsMissing(err) || errors.Is(err, syscall.ELOOP)
}

// CheckAt returns an error unless a place is as expected.
func (e State) CheckAt(ctx context.Context, pl Place) error {
	p, now, err := pl.Look()
	defer p.End()
	if err == nil {
		err = e.Check(ctx, p, now)
	}
	return err
}

// Check is CheckAt for a place that is open and what is there.
func (e State) Check(ctx context.Context, p Opened, now at.Info) error {
	switch {
	case now.Kind != e.Kind:
		return ErrOther
	case e.ID != (at.ID{}) && now.Born != 0 && !e.ID.Same(now.ID):
		return recorder.ErrChangedSince
	case e.Same == nil:
		return nil
	}
	if same, err := e.Same(p, now); same || err != nil {
		return err
	}
	if now.Kind == at.File && e.Sum != "" && now.Size == e.Size {
		sum, _, err := recorder.SumAt(ctx, p.Dir, p.Name)
		if err != nil || sum == e.Sum {
			return err
		}
	}
	return recorder.ErrChangedSince
}
