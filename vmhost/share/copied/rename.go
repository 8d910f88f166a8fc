package copied

import (
	"bytes"
	"context"
	"maps"
	"strings"

	"piwork/vmhost/wire"
)

// inode is what keeps its number when it is renamed.
type inode struct {
	root int
	ino  uint64
}

// sources are the names of a kind that are gone, by what they stood for.
func (g *gathering) sources(kind string) map[inode]key {
	from := map[inode]key{}
	for _, k := range g.gone() {
		if e := g.known[k].there; e.Kind == kind {
			from[inode{k.root, e.Ino}] = k
		}
	}
	return from
}

// source takes out of from the name that what is at k had before; ok is false for none.
func (g *gathering) source(from map[inode]key, k key) (old key, ok bool) {
	e := g.now[k]
	i := inode{k.root, e.Ino}
	old, ok = from[i]
	if !ok || old == k || g.known[old] == nil {
		return old, false
	}
	was := g.known[old].there
	if was.Size != e.Size || was.MTime != e.MTime || !bytes.Equal(was.Target, e.Target) {
		return old, false // a number that was given out again
	}
	delete(from, i)
	return old, true
}

// renames finds files and links that have another name now.
func (g *gathering) renames(ctx context.Context) error {
	for _, kind := range []string{wire.CopyFile, wire.CopyLink} {
		from := g.sources(kind)
		for _, to := range g.changed {
			if g.now[to].Kind != kind {
				continue
			}
			if old, ok := g.source(from, to); ok {
				if err := g.rename(ctx, old, to); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// rename renames in a folder, unless a person changed something there.
func (g *gathering) rename(ctx context.Context, old, to key) error {
	directory := g.known[old].there.Kind == wire.CopyDir
	mine, there, err := g.untouched(old)
	free, taken, terr := g.untouched(to)
	if err != nil || terr != nil || !mine || !there || !free || taken && directory {
		return nil //nolint:nilerr // it is made as something new
	}
	t := g.roots[old.root].tree
	do := t.RenameNoReplace
	if taken {
		do = t.Rename
	}
	done, err := g.attempt(ctx, old, func() error { return do(old.path, to.path) })
	if err != nil {
		return err
	}
	note := g.move
	if !done {
		note = func(old, to key) { g.refuse(old); g.refuse(to) }
	}
	note(old, to)
	if directory {
		for k := range maps.Clone(g.known) {
			if k.root == old.root && strings.HasPrefix(k.path, old.path+"/") {
				note(k, key{to.root, to.path + strings.TrimPrefix(k.path, old.path)})
			}
		}
	}
	return nil
}

// move notes that something has another name on both sides.
func (g *gathering) move(old, to key) {
	g.known[to] = g.known[old]
	delete(g.known, old)
}
