package review

import (
	"context"
	"fmt"
	"io"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// Content opens the content of a file before or after a change of the list.
// Before is the original as the task found it, journal.ErrChangedSince when a
// person has changed it. The caller closes it.
func (l *Layer) Content(ctx context.Context, id string, side journal.Side) (*journal.Content, error) {
	l.apply.Lock()
	defer l.apply.Unlock()
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, ErrClosed
	}
	var d *delta
	for _, x := range l.deltas(id) {
		d = x
	}
	if d == nil {
		l.mu.Unlock()
		return nil, fmt.Errorf("%w: %q", journal.ErrUnknownChange, id)
	}
	if side == journal.After && d.node != nil && d.node.Kind == at.File {
		n := d.node
		info, err := l.info(n)
		n.opens++
		l.mu.Unlock()
		return l.contentAfter(n, info, err)
	}
	l.mu.Unlock()
	if l.moved != nil {
		return nil, l.moved
	}
	if side != journal.Before || d.before == nil || d.before.Kind != at.File {
		return nil, journal.ErrNoContent
	}
	return journal.OpenSame(ctx, l.root, d.source, d.before.Size, d.before.Sum, func(info at.Info) bool {
		return d.before.untouched(stampOf(info, ""))
	})
}

func (l *Layer) contentAfter(n *node, info at.Info, err error) (*journal.Content, error) {
	f := l.file(n)
	if err == nil {
		n.io.Lock()
		if err = l.ensure(n); n.damaged {
			err = ErrDamaged
		}
		n.io.Unlock()
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", journal.ErrChangedSince, err)
	}
	return journal.NewContent(io.NewSectionReader(f, 0, info.Size), f.Close), nil
}
