package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// Side says which content of a change is wanted.
type Side string

// Sides of a change.
const (
	Before Side = "before" // as the person had it
	After  Side = "after"  // as the task left it
)

// Content opens the content of a file before or after a change, for showing it:
// of a change in the list, and of one that was undone. What is not in the
// journal is read from the folder when it is there as it should be, and is
// ErrChangedSince otherwise. The caller closes it.
func (j *Journal) Content(ctx context.Context, id string, side Side) (*Content, error) {
	ctx, done, err := j.rec.Alone(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := j.rec.Settled(ctx); err != nil {
		return nil, err
	}
	r := j.rec.OpenRoots()
	defer r.Close()
	j.rec.Mu.Lock()
	if j.rec.Closed {
		j.rec.Mu.Unlock()
		return nil, ErrClosed
	}
	n := j.rec.Tables.Find(id)
	u, undone := j.rec.Tables.Undone[id]
	j.rec.Mu.Unlock()
	switch {
	case n != nil && side == Before:
		return contentBefore(ctx, j.rec, r, n)
	case n != nil:
		return j.contentAfter(ctx, r, n)
	case undone && side == Before:
		return j.contentRestored(ctx, r, u.Change)
	case undone && u.Change.After != nil && u.Change.Kind != at.File.String():
		return nil, ErrNoContent
	case undone:
		return j.contentUndone(ctx, r, u)
	}
	return nil, fmt.Errorf("%w: %q", ErrUnknownChange, id)
}

// contentUndone opens what an undo replaced or removed.
func (j *Journal) contentUndone(ctx context.Context, r *recorder.Roots, u ledger.Undone) (*Content, error) {
	undos := j.undos.Load()
	if undos == nil {
		return nil, ErrNoImage
	}
	own := undos.OpenRoots()
	defer own.Close()
	undos.Mu.Lock()
	var list []*ledger.Step
	for _, n := range undos.Tables.Changes(nil) {
		if u.Marks.Has(n) && n.Object != nil && n.Object.Kind == at.File {
			list = append(list, n)
		}
	}
	was, is := u.Change.Before, u.Change.After
	if was != nil && is != nil && was.Size == is.Size && was.MTime.Equal(is.MTime) && was.SHA256 == is.SHA256 { // its content was never another
		list = slices.DeleteFunc(list, func(n *ledger.Step) bool {
			return n.Change.Effect == EffectMove || n.Change.Effect == EffectChange && n.Remove == nil
		})
	}
	undos.Mu.Unlock()
	// The last is what a person had there, and wanted replaced.
	for _, fits := range []func(is, was *FileState) bool{
		func(is, was *FileState) bool { return was != nil && is.Size == was.Size && is.SHA256 == was.SHA256 },
		func(is, was *FileState) bool {
			return was != nil && is.Size == was.Size && (is.SHA256 == "" || was.SHA256 == "")
		},
		func(*FileState, *FileState) bool { return true },
	} {
		for _, n := range list {
			if is, was := n.Change.Before, u.Change.After; is != nil && fits(is, was) {
				return contentBefore(ctx, undos, own, n)
			}
		}
	}
	if u.Change.After == nil {
		return nil, ErrNoContent
	}
	if u.Change.Before != nil {
		return j.contentRestored(ctx, r, u.Change)
	}
	return nil, ErrNoImage
}

func contentBefore(ctx context.Context, j *recorder.Recorder, r *recorder.Roots, n *ledger.Step) (*Content, error) {
	o := n.Object
	if o == nil || o.Kind != at.File {
		return nil, ErrNoContent
	}
	j.Mu.Lock()
	kept := o.Image != nil || o.Ref != 0
	j.Mu.Unlock()
	if !kept {
		return j.Present(ctx, r, o)
	}
	c, err := j.Before(ctx, r, o)
	if errors.Is(err, ErrChangedSince) && j.NeedsFile(o) {
		return moved(ctx, j, r, o, err)
	}
	return c, err
}

// moved is what was before of a file that a person moved, or removed by the name that the journal knows, while
// the journal has only those parts of it that the task changed. All of the folder is read for it.
func moved(ctx context.Context, j *recorder.Recorder, r *recorder.Roots, o *ledger.Object, err error) (*Content, error) {
	root := r.Open[o.Folder]
	if root == nil {
		return nil, err
	}
	top, terr := root.Dir(".")
	if terr != nil {
		return nil, err
	}
	defer top.Close()
	var c *Content
	werr := walk(ctx, top, ".", func(rel string, info at.Info) error {
		switch {
		case info.Kind == at.Directory && info.Dev != o.Folder.Root.Ident.Dev:
			return fs.SkipDir
		case info.Kind != o.Kind || info.ID != o.Ident:
			return nil
		}
		c, err = j.BeforeAt(ctx, r, o, rel)
		return fs.SkipAll
	})
	if werr != nil && !errors.Is(werr, fs.SkipAll) {
		err = errors.Join(err, werr)
	}
	return c, err
}

func (j *Journal) contentAfter(ctx context.Context, r *recorder.Roots, n *ledger.Step) (*Content, error) {
	if n.Change.After == nil || n.Change.Kind != at.File.String() {
		return nil, ErrNoContent
	}
	o := n.Object
	if n.Remove != nil {
		j.rec.Mu.Lock()
		o = n.Remove.Cur
		j.rec.Mu.Unlock()
	}
	if o == nil {
		return nil, ErrChangedSince
	}
	return j.rec.Present(ctx, r, o)
}

// contentRestored opens what an undo brought back.
func (j *Journal) contentRestored(ctx context.Context, r *recorder.Roots, c Change) (*Content, error) {
	if c.Before == nil || c.Kind != at.File.String() {
		return nil, ErrNoContent
	}
	rel := c.Path
	if c.From != "" {
		rel = c.From
	}
	j.rec.Mu.Lock()
	root := r.Open[j.rec.Tables.Folders[c.Folder]]
	j.rec.Mu.Unlock()
	return recorder.OpenSame(ctx, root, rel, c.Before.Size, c.Before.SHA256, func(info at.Info) bool {
		return info.Size == c.Before.Size && info.MTime.Equal(c.Before.MTime)
	})
}
