package journal

import (
	"context"
	"fmt"
	"strconv"

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
	c, undone := j.rec.Tables.Undone[id]
	k := j.rec.Tables.Keeps[id]
	var other *ledger.Object // of which the change was a further name
	if k != nil && !k.Has && c.Effect == EffectCreate {
		other = j.rec.Tables.Objects[k.Obj]
		if as := j.rec.Tables.Keeps["o"+strconv.Itoa(int(k.Obj))]; as != nil && as.Has {
			k, other = as, nil // whose content was undone, too
		}
	}
	j.rec.Mu.Unlock()
	switch {
	case n != nil && side == Before:
		return j.contentBefore(ctx, r, n)
	case n != nil:
		return j.contentAfter(ctx, r, n)
	case undone && side == Before:
		return j.contentRestored(ctx, r, c)
	case undone && k != nil && k.Has:
		return j.rec.KeptForRedo(k).Open(func() (*Content, error) { return j.contentRestored(ctx, r, c) })
	case undone && other != nil:
		return j.rec.Present(ctx, r, other)
	case undone && k != nil && !k.Has && !k.Lost && c.Effect != EffectCreate && c.After != nil:
		return j.contentRestored(ctx, r, c) // its content was never another
	case undone && c.After == nil, undone && c.Kind != at.File.String():
		return nil, ErrNoContent
	case undone:
		return nil, ErrNoImage
	}
	return nil, fmt.Errorf("%w: %q", ErrUnknownChange, id)
}

func (j *Journal) contentBefore(ctx context.Context, r *recorder.Roots, n *ledger.Step) (*Content, error) {
	o := n.Object
	if o == nil || o.Kind != at.File {
		return nil, ErrNoContent
	}
	j.rec.Mu.Lock()
	kept := o.Image != nil || o.Ref != 0
	j.rec.Mu.Unlock()
	if kept {
		return j.rec.Before(ctx, r, o)
	}
	return j.rec.Present(ctx, r, o)
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
