package copied

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"syscall"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/wire"
)

// collect makes in the folders what changed in the copies. After the last one nobody comes back
// for what can't be read.
func (c *Copy) collect(ctx context.Context, run Run, last bool) error {
	if len(c.roots) == 0 {
		return nil
	}
	c.find()
	var now map[key]wire.CopyEntry
	err := c.talk(ctx, run, wire.CopyList, func(*bufio.Writer) error { return nil }, func(r *bufio.Reader) (err error) { now, err = c.readList(r); return err })
	if err != nil {
		return err
	}
	g := c.gather(now)
	if g.bytes > c.o.Bytes {
		return &vmhost.TooLargeError{Runtime: c.o.Name, Files: len(g.changed), Bytes: g.bytes, MaxFiles: c.o.Files, MaxBytes: c.o.Bytes}
	}
	g.spare, g.last = c.o.Bytes-g.bytes, last
	for _, step := range []func(context.Context) error{g.makeWay, g.directories, g.renames, g.removals, g.links} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := g.files(ctx, run); err != nil {
		return err
	}
	if err := g.modes(ctx); err != nil {
		return err
	}
	return c.unsaved()
}

// gathering is one collect at work.
type gathering struct {
	*Copy
	now     map[key]wire.CopyEntry
	changed []key // names that are there and not as they were, a directory before what is in it
	bytes   int64 // of their contents, as the list says
	spare   int64 // how much more they may be than bytes when they come
	skipped int64 // of contents that had no room
	last    bool  // see collect
}

func (c *Copy) gather(now map[key]wire.CopyEntry) *gathering {
	g := &gathering{Copy: c, now: now}
	for k, e := range now {
		if k.path == "." || !c.changeable(k) {
			delete(now, k)
		} else if was := c.known[k]; was == nil || !same(was.there, e) {
			g.changed = append(g.changed, k)
			g.bytes += min(e.Size, c.o.Bytes+1)
		}
	}
	slices.SortFunc(g.changed, compare)
	return g
}

// attempt makes one change. An error is that of the context only: what else fails is noted,
// and the copy gets back what the folder has, unless that is torn.
func (g *gathering) attempt(ctx context.Context, k key, change func() error) (done bool, fatal error) {
	err := share.Settle(ctx, change)
	if err == nil {
		return true, nil
	}
	var torn *tornError
	if errors.As(err, &torn) {
		g.again(k)
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	g.lose(k, err)
	if torn == nil {
		g.refuse(k)
	}
	return false, nil
}

// again notes that a file of a folder is torn and its copy is whole: the copy stays as it
// is, and the next collect makes the change again.
func (g *gathering) again(k key) {
	there := wire.CopyEntry{Kind: wire.CopyFile}
	if was := g.known[k]; was != nil && was.there.Kind == wire.CopyFile && !same(was.there, g.now[k]) {
		there = was.there
	}
	g.agree(k, there, nil)
}

// refuse notes that a change of a copy is not made: nothing happened in the folder.
func (g *gathering) refuse(k key) {
	if g.known[k] == nil {
		g.known[k] = &known{}
	}
	g.known[k].there, g.known[k].sum, g.known[k].again = g.now[k], nil, true
}

// leave notes that what is in the folder is a person's, whatever is in the copy.
func (g *gathering) leave(k key) { g.known[k] = &known{here: theirs, there: g.now[k]} }

// agree notes that folder and copy are the same.
func (g *gathering) agree(k key, e wire.CopyEntry, sum []byte) {
	s, err := g.stampOf(k)
	if err != nil {
		s = theirs
	}
	g.known[k] = &known{here: s, there: e, sum: sum}
}

// untouched reports whether a name of a folder is as the copy knows it; there says that
// there is something.
func (g *gathering) untouched(k key) (same, there bool, err error) {
	s, err := g.stampOf(k)
	was := nothing
	if g.known[k] != nil {
		was = g.known[k].here
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return was == nothing, false, nil
	case err != nil:
		return false, false, err
	}
	return was == s, true, nil
}

// gone are the names that a copy has no more, what is in a directory before it.
func (g *gathering) gone() []key {
	var all []key
	for k, was := range g.known {
		if e, ok := g.now[k]; (!ok || e.Kind != was.there.Kind) && was.there.Kind != wire.CopyGone && g.changeable(k) && !g.hidden(k) {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b key) int { return compare(b, a) })
	return all
}

// hidden reports whether a name is in a directory that could not be read.
func (g *gathering) hidden(k key) bool {
	for dir := path.Dir(k.path); dir != "."; dir = path.Dir(dir) {
		if e, ok := g.now[key{k.root, dir}]; ok {
			return e.Closed
		}
	}
	return false
}

// makeWay removes what has a directory in its place now.
func (g *gathering) makeWay(ctx context.Context) error {
	return g.remove(ctx, slices.DeleteFunc(g.gone(), func(k key) bool { return g.now[k].Kind != wire.CopyDir }))
}

// removals removes what is gone.
func (g *gathering) removals(ctx context.Context) error { return g.remove(ctx, g.gone()) }

// remove removes names. What a person changed stays.
func (g *gathering) remove(ctx context.Context, names []key) error {
	for _, k := range names {
		directory := g.known[k].there.Kind == wire.CopyDir
		t := g.roots[k.root].tree
		_, err := g.attempt(ctx, k, func() error {
			mine, there, err := g.untouched(k)
			switch {
			case err != nil:
				return err
			case there && !mine:
				g.known[k] = &known{here: theirs} // and what has its name in the copy goes beside it
				return nil
			case there && directory:
				err = t.RemoveDir(k.path)
			case there:
				err = t.Remove(k.path)
			}
			switch {
			case err == nil:
				delete(g.known, k)
			case directory && (errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist)):
				g.known[k] = &known{here: theirs} // with what a person put into it, or kept there
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxDirectories bounds the renames of directories that are made as such: each looks at all
// names. Others are made as new directories.
const maxDirectories = 200

// directories renames those that have another name now, and makes those that are new.
func (g *gathering) directories(ctx context.Context) error {
	from, renamed := g.sources(wire.CopyDir), 0
	for _, k := range g.changed {
		made := g.now[k]
		if made.Kind != wire.CopyDir || g.known[k] != nil && g.known[k].there.Kind == wire.CopyDir {
			continue
		}
		if old, ok := g.source(from, k); ok && renamed < maxDirectories {
			renamed++
			if err := g.rename(ctx, old, k); err != nil {
				return err
			}
			if was := g.known[k]; was != nil && was.there.Kind == wire.CopyDir {
				continue
			}
		}
		_, err := g.attempt(ctx, k, func() error {
			s, err := g.stampOf(k)
			switch {
			case err == nil && s.kind == at.Directory: // a person made it, too
				made.Mode = s.mode
			case err == nil:
				return fs.ErrExist
			case errors.Is(err, fs.ErrNotExist):
				made.Mode |= 0o700 // until everything is in it
				if _, err := g.roots[k.root].tree.Mkdir(k.path, made.Mode); err != nil {
					return err
				}
			default:
				return err
			}
			g.agree(k, made, nil)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// links makes links that are new, or lead elsewhere.
func (g *gathering) links(ctx context.Context) error {
	for _, k := range g.changed {
		e := g.now[k]
		if e.Kind != wire.CopyLink || g.settled(k) {
			continue
		}
		_, err := g.attempt(ctx, k, func() error {
			at, there, err := g.place(k)
			if err != nil {
				return err
			}
			t := g.roots[at.root].tree
			if there {
				if now, err := t.Readlink(at.path); err == nil && now == string(e.Target) {
					g.agree(k, e, nil) // made anew, the same
					return nil
				}
				if err := t.Remove(at.path); err != nil {
					return err
				}
			}
			if _, err := t.Symlink(string(e.Target), at.path); err != nil {
				return err
			}
			g.placed(k, at, e, nil)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settled reports whether nothing is to be done about a name any more.
func (g *gathering) settled(k key) bool { return g.known[k] != nil && same(g.known[k].there, g.now[k]) }

// modes gives directories that changed, or were made, the modes that they have in the copy,
// the deepest first.
func (g *gathering) modes(ctx context.Context) error {
	for _, k := range slices.Backward(g.changed) {
		e, was := g.now[k], g.known[k]
		if e.Kind != wire.CopyDir || was == nil || was.again || was.here == theirs {
			continue
		}
		if was.there.Mode == e.Mode {
			was.there = e
			continue
		}
		_, err := g.attempt(ctx, k, func() error {
			mode := e.Mode
			if err := g.roots[k.root].tree.SetMeta(k.path, at.Meta{Mode: &mode}); err != nil {
				return err
			}
			g.agree(k, e, nil)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// place is where what a copy has at k is to be in the folder: there, or beside what a person
// changed there.
func (g *gathering) place(k key) (at key, there bool, err error) {
	mine, there, err := g.untouched(k)
	if err != nil || mine {
		return k, there, err
	}
	at, err = g.free(k)
	return at, false, err
}

// placed notes where something is in the folder.
func (g *gathering) placed(k, at key, e wire.CopyEntry, sum []byte) {
	if at == k {
		g.agree(k, e, sum)
		return
	}
	g.known[k] = &known{here: theirs, there: e}
	if g.o.Beside != nil {
		g.o.Beside(Beside{Folder: g.roots[k.root].tree.Folder().ID, Path: k.path, Beside: at.path})
	}
}
