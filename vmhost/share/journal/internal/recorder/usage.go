package recorder

import (
	"context"
	"errors"
	"math"

	"piwork/vmhost/share/internal/at"
)

// Usage is what a journal takes up, in bytes of files.
type Usage struct {
	Bytes   int64            `json:"bytes"`   // all of it: what counts against the limit
	Limit   int64            `json:"limit"`   // 0: none
	Log     int64            `json:"log"`     // records, with the content of small files
	Images  int64            `json:"images"`  // content of files before their first change
	Deleted int64            `json:"deleted"` // files that the task deleted, kept as they were
	Undone  int64            `json:"undone"`  // what undo replaced or removed, with the log of that
	Records int              `json:"records"` // things and names that the task came near
	Memory  int64            `json:"memory"`  // bytes of memory for them, about
	Folders map[string]int64 `json:"folders"` // before-images by id of the folder
}

// Usage says how large the journal is.
func (j *Recorder) Usage() Usage {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	t := j.Tables
	u := Usage{Limit: j.room.limit, Records: len(t.Objects) + len(t.Entries), Memory: t.Memory(), Folders: map[string]int64{}}
	if j.Closed {
		return u
	}
	u.Log = j.File.Length()
	u.Images, u.Deleted = sizeOf(j.Image), sizeOf(j.Refs)
	u.Bytes = u.Log + u.Images + u.Deleted
	for id := range t.Folders {
		u.Folders[id] = 0
	}
	for _, o := range t.Objects {
		switch {
		case o.Image != nil && o.Image.Parts && o.Image.Loaded != nil:
			u.Folders[o.Folder.ID] += o.Image.Loaded.End
		case o.Image != nil:
			u.Folders[o.Folder.ID] += o.Image.Size
		case o.Ref != 0:
			u.Folders[o.Folder.ID] += o.Base.Size
		}
	}
	return u
}

func sizeOf(d *at.Dir) int64 {
	names, err := d.Names(-1)
	if err != nil {
		return 0
	}
	total := int64(0)
	for _, name := range names {
		if info, err := d.Lstat(name); err == nil {
			total += info.Size
		}
	}
	return total
}

// OnFull is asked when a change needs more room in the journal than the limit
// leaves: need is how many bytes more, limit the present one. It returns by how
// much the limit is raised, which may take as long as a person takes to answer;
// 0 or an error refuses the change. ctx ends when the journal is closed.
type OnFull func(ctx context.Context, need, limit int64) (more int64, err error)

// budget is a limit that answers raise.
type budget struct {
	limit   int64 // 0: none
	answers int   // to questions for more
	ask     OnFull
}

// fullError is ErrFull with what would have helped, and when that was so.
type fullError struct {
	of          *budget
	need, limit int64
	answers     int // that had been given
}

func (e *fullError) Error() string        { return ErrFull.Error() }
func (e *fullError) Is(target error) bool { return target == ErrFull }

// full says whether a limit of the Options is reached; j.Mu is held.
func (j *Recorder) full(more int64) error {
	if err := j.memory.over(j.Tables.Memory()); err != nil {
		return err
	}
	return j.room.over(j.used + j.File.Length() + more)
}

func (b *budget) over(used int64) error {
	if over := used - b.limit; b.limit > 0 && over > 0 {
		return &fullError{b, over, b.limit, b.answers}
	}
	return nil
}

// ask does something that may be refused for want of room, and does it again
// when somebody gave it. Nothing is locked while it is asked.
func (f *Changer) ask(do func() error) error {
	for {
		err := do()
		var full *fullError
		if f == nil || f.silent || !errors.As(err, &full) || full.of.ask == nil {
			return err
		}
		if more := f.J.more(full); more != nil {
			return errors.Join(err, more)
		}
	}
}

// more asks for room, unless somebody got an answer since it was missing.
func (j *Recorder) more(full *fullError) error {
	j.asking.Lock()
	defer j.asking.Unlock()
	b := full.of
	j.Mu.Lock()
	limit, answers := b.limit, b.answers
	j.Mu.Unlock()
	if answers != full.answers {
		if limit == full.limit {
			return ErrFull // the answer was no
		}
		return nil
	}
	more, err := b.ask(j.life, full.need, limit)
	if err == nil && (more <= 0 || j.life.Err() != nil) {
		err = ErrFull
	}
	j.Mu.Lock()
	defer j.Mu.Unlock()
	b.answers++
	if err != nil {
		return err
	}
	b.limit = limit + min(more, math.MaxInt64-limit)
	return nil
}

// Room asks for the room for want of which a change was refused with
// err. It returns nil when the change may be tried again. It must be called without
// locks: a person is asked.
func (j *Recorder) Room(err error) error {
	var full *fullError
	if !errors.As(err, &full) || full.of.ask == nil {
		return err
	}
	return j.more(full)
}

// Quiet makes changes of the folder fail with ErrFull where somebody would be asked
// for room, and returns the folder.
func (f *Folder) Quiet() *Folder {
	f.Rec.silent = true
	return f
}
