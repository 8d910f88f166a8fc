package journal

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
	Undone  int64            `json:"undone"`  // what undo replaced or removed
	Records int              `json:"records"` // things and names that the task came near
	Folders map[string]int64 `json:"folders"` // before-images by id of the folder
}

// Usage says how large the journal is.
func (j *Journal) Usage() Usage {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := j.tables
	u := Usage{Limit: j.limit, Records: len(t.objects) + len(t.entries), Folders: map[string]int64{}}
	if j.closed {
		return u
	}
	u.Log = j.file.Length()
	u.Images, u.Deleted, u.Undone = sizeOf(j.image), sizeOf(j.refs), sizeOf(j.trash)
	u.Bytes = u.Log + u.Images + u.Deleted + u.Undone
	for id := range t.folders {
		u.Folders[id] = 0
	}
	for _, o := range t.objects {
		switch {
		case o.image != nil && o.image.parts && o.image.loaded != nil:
			u.Folders[o.folder.id] += o.image.loaded.end
		case o.image != nil:
			u.Folders[o.folder.id] += o.image.size
		case o.ref != 0:
			u.Folders[o.folder.id] += o.base.Size
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

// fullError is ErrFull with what would have helped, and when that was so.
type fullError struct {
	need, limit int64
	answers     int // that had been given
}

func (e *fullError) Error() string        { return ErrFull.Error() }
func (e *fullError) Is(target error) bool { return target == ErrFull }

// full says whether a limit of the Options is reached; j.mu is held.
func (j *Journal) full(more int64) error {
	if len(j.tables.objects)+len(j.tables.entries) >= j.opts.MaxRecords {
		return ErrFull
	}
	if over := j.used + j.file.Length() + more - j.limit; j.limit > 0 && over > 0 {
		return &fullError{over, j.limit, j.answers}
	}
	return nil
}

// ask does something that may be refused for want of room, and does it again
// when somebody gave it. Nothing is locked while it is asked.
func (f *Folder) ask(do func() error) error {
	for {
		err := do()
		var full *fullError
		if f.j == nil || f.silent || f.j.opts.OnFull == nil || !errors.As(err, &full) {
			return err
		}
		if more := f.j.more(full); more != nil {
			return errors.Join(err, more)
		}
	}
}

// more asks for room, unless somebody got an answer since it was missing.
func (j *Journal) more(full *fullError) error {
	j.asking.Lock()
	defer j.asking.Unlock()
	j.mu.Lock()
	limit, answers := j.limit, j.answers
	j.mu.Unlock()
	if answers != full.answers {
		if limit == full.limit {
			return ErrFull // the answer was no
		}
		return nil
	}
	more, err := j.opts.OnFull(j.life, full.need, limit)
	if err == nil && (more <= 0 || j.life.Err() != nil) {
		err = ErrFull
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.answers++
	if err != nil {
		return err
	}
	j.limit = limit + min(more, math.MaxInt64-limit)
	return nil
}
