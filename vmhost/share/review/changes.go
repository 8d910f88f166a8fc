package review

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"sync"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// delta is an entry of the list of changes, with what it is about.
type delta struct {
	change  journal.Change
	node    *node  // what there is now, nil when it was deleted
	entry   *entry // the name that it is about, nil for a change in place
	from    *entry // of a move: the name that node has lost
	before  *stamp // the original, nil for what was created
	content bool   // the content may differ
	source  string // path in the original of before
	took    int64  // bytes that the staged content has on its disk
}

// Changes returns how the merged view differs from what the folder was when the
// task came to each of its files, sorted by path. The meaning is that of
// journal.Journal.Changes; it reads staged files to hash them.
func (l *Layer) Changes(ctx context.Context) ([]journal.Change, error) {
	l.apply.Lock()
	defer l.apply.Unlock()
	list, err := l.list(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]journal.Change, 0, len(list))
	for _, d := range list {
		out = append(out, d.change)
	}
	return out, nil
}

// list is Changes; apply is held.
func (l *changeList) list(ctx context.Context) ([]*delta, error) {
	l.mu.RLock()
	if l.closed {
		l.mu.RUnlock()
		return nil, ErrClosed
	}
	list := l.deltas("")
	l.mu.RUnlock()
	used := map[sumKey]bool{}
	out := list[:0]
	for _, d := range list {
		if err := l.hash(ctx, d, used); err != nil {
			return nil, err
		}
		if !d.same() {
			out = append(out, d)
		}
	}
	l.sums.keep(used)
	slices.SortFunc(out, func(a, b *delta) int {
		return cmp.Or(cmp.Compare(a.change.Path, b.change.Path), cmp.Compare(a.change.ID, b.change.ID))
	})
	return out, nil
}

// deltas computes the list without hashes, or what there is of one id; mu is held.
func (l *changeList) deltas(only string) []*delta {
	t := l.t
	lost := map[*node][]*entry{} // names of the original that a node has lost
	for _, d := range t.nodes {
		for _, e := range d.order {
			if e.hid != nil && d.kept {
				lost[e.hid] = append(lost[e.hid], e)
			}
		}
	}
	var out []*delta
	moved := map[*entry]bool{} // names whose loss is the beginning of a move
	done := map[*entry]bool{}  // names whose gain is the end of one
	for n, list := range lost {
		if len(n.links) == 0 || n.dropped {
			continue
		}
		slices.SortFunc(list, func(a, b *entry) int {
			return cmp.Or(truth(b.source() == string(n.Base), a.source() == string(n.Base)), cmp.Compare(a.seq, b.seq))
		})
		moved[list[0]], done[n.links[0]] = true, true
		out = l.moveOf(out, n, list[0], list[0].source())
	}
	for _, n := range t.nodes {
		switch {
		case !n.kept || n.Base == "" || n.gone():
		case n.From != "" && len(n.links) > 0 && !done[n.links[0]]:
			done[n.links[0]] = true
			out = l.moveOf(out, n, nil, string(n.From))
		case len(n.links) == 0 || !done[n.links[0]]:
			out = l.changeOf(out, n)
		}
	}
	for _, d := range t.nodes {
		if !d.kept {
			continue
		}
		for _, e := range d.order {
			out = l.nameOf(out, e, moved[e], done[e])
		}
	}
	out = slices.DeleteFunc(out, func(d *delta) bool {
		return only != "" && d.change.ID != only || d.node != nil && !l.after(d)
	})
	l.rooms(out)
	return out
}

// rooms says what the content that waits takes of the folder's disk: a file once, whatever names
// it has, and without its holes where the disk has such; mu is held.
func (l *changeList) rooms(list []*delta) {
	of := map[*node]*journal.DiskRoom{}
	holes := sync.OnceValue(func() bool {
		s, err := l.root.Space()
		return err == nil && !s.Dense
	})
	var disk uint64
	for _, d := range list {
		n := d.node
		if n == nil || n.Obj == 0 || d.change.After == nil {
			continue
		}
		if len(of) == 0 {
			if top, err := l.root.Lstat("."); err == nil {
				disk = top.Dev
			}
		}
		room := of[n]
		if room == nil {
			room = &journal.DiskRoom{Disk: disk}
			of[n] = room
		}
		was := cmp.Or(d.before, n.Orig)
		grows := d.change.After.Size
		if was != nil { // it is changed, and if it is large in its place
			grows = max(0, grows-was.Size)
		}
		if d.took < grows && holes() {
			grows = d.took
		}
		room.Bytes = max(room.Bytes, grows)
		d.change.Room = room
	}
}

func truth(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// source returns the path in the original that a name stands for.
func (e *entry) source() string {
	if e.dir.Base == "" {
		return ""
	}
	return path.Join(string(e.dir.Base), e.name)
}

func (l *changeList) moveOf(out []*delta, n *node, from *entry, source string) []*delta {
	e := n.links[0]
	d := l.newDelta(journal.EffectMove, "n", n.N, n.Kind)
	d.node, d.entry, d.from, d.before, d.content, d.source = n, e, from, n.Orig, n.Obj != 0, string(n.Base)
	d.change.From = source
	var ok bool
	if d.change.Path, ok = l.t.entryPath(e); !ok {
		return out
	}
	return append(out, d)
}

func (l *changeList) changeOf(out []*delta, n *node) []*delta {
	d := l.newDelta(journal.EffectChange, "n", n.N, n.Kind)
	d.node, d.before, d.content, d.source = n, n.Orig, n.Obj != 0, string(n.Base)
	var ok bool
	if d.change.Path, ok = l.t.nodePath(n); !ok {
		d.change.Path = string(n.Base) // by another of its names
	}
	if !d.content && !n.modeChanged() && !n.timesChanged() && !n.attrsChanged() {
		return out
	}
	return append(out, d)
}

func (n *node) modeChanged() bool { return n.Mode != nil && *n.Mode != n.Orig.Mode }

// timesChanged reports whether times were set of what keeps its content.
func (n *node) timesChanged() bool {
	return n.Obj == 0 && n.MTime != nil && *n.MTime != n.Orig.MTime && (n.Kind != at.Directory || n.Times)
}

// nameOf adds what became of a name: moved when what was there is somewhere
// else, done when what is there came from somewhere else.
func (l *changeList) nameOf(out []*delta, e *entry, moved, done bool) []*delta {
	n := e.node
	victim := e.orig != nil && !moved && (n == nil || n != e.hid)
	replaced := victim && n != nil && n.Base == "" && n.Kind == e.orig.Kind && n.Kind != at.Directory
	if victim {
		d := l.newDelta(journal.EffectDelete, "x", e.seq, e.orig.Kind)
		d.entry, d.before, d.source = e, e.orig, e.source()
		d.change.Path, d.change.Before = d.source, e.orig.file()
		if replaced {
			d.node, d.content, d.change.Effect = n, true, journal.EffectChange
		}
		out = append(out, d)
	}
	if n == nil || done || replaced || n == e.hid {
		return out
	}
	d := l.newDelta(journal.EffectCreate, "e", e.seq, n.Kind)
	d.node, d.entry, d.content = n, e, true
	var ok bool
	if d.change.Path, ok = l.t.entryPath(e); !ok {
		return out
	}
	return append(out, d)
}

func (l *changeList) newDelta(effect journal.Effect, prefix string, id uint64, kind at.Kind) *delta {
	return &delta{change: journal.Change{ID: prefix + strconv.FormatUint(id, 10), Folder: l.opts.Folder, Kind: kind.String(), Effect: effect}}
}

// after fills in what there is now, and reports whether there is something.
func (l *changeList) after(d *delta) bool {
	info, err := l.info(d.node)
	if err != nil && errors.Is(err, fs.ErrNotExist) && d.before != nil {
		// A person has taken the original away: what the task did to it is still
		// to be decided on.
		d.change.Before, d.change.After = d.before.file(), d.before.file()
		return true
	}
	if err != nil {
		return false
	}
	d.took = info.Blocks * 512
	target := string(d.node.Link)
	if d.node.Kind == at.Symlink && d.node.Base != "" {
		target = string(d.node.Orig.Target)
	}
	d.change.After = stampOf(info, target).file()
	if d.before != nil {
		d.change.Before = d.before.file()
	}
	if n := d.node; n.Attrs != nil {
		d.change.After.Attributes = n.Attrs.digest()
		if d.before != nil && n.Base != "" {
			d.change.Before.Attributes = n.Had
		}
	}
	return true
}

// same reports whether before and after are the same.
func (d *delta) same() bool {
	b, a := d.change.Before, d.change.After
	if d.change.Effect != journal.EffectChange || a == nil || b == nil || !d.content {
		return false
	}
	return a.SHA256 == b.SHA256 && a.SHA256 != "" && a.Mode == b.Mode && a.MTime.Equal(b.MTime) && a.Size == b.Size && a.Attributes == b.Attributes ||
		d.change.Kind == at.Symlink.String() && a.Target == b.Target && a.MTime.Equal(b.MTime)
}
