package share

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"

	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
)

// consent asks the guard of a folder about changes before they are made.
type consent struct {
	guard  *guard.Guard // nil allows all
	folder string       // its id
	store  Store
	tree   *Tree // whose calls have what the guard wants around them

	// names is held by changes of names in a folder with a guard: what was allowed
	// is still there when it is done.
	names sync.Mutex
}

// guarded is edit for a change of names or attributes. intents says what would be
// changed at the paths as they are spelled on the disk. The guest can put nothing else
// there until the change is made.
func (c *consent) guarded(e guard.Effect, kind at.Kind, paths []string, intents func(own []string) ([]guard.Intent, error), call func() error) error {
	return c.tree.edit(func() error {
		if err := changeable(paths...); err != nil {
			return err
		}
		g := c.guard
		if g == nil {
			return call()
		}
		c.names.Lock()
		defer c.names.Unlock()
		own := make([]string, len(paths))
		for i, p := range paths {
			own[i] = c.spelled(p)
		}
		if g.Idle(c.folder, e, kind, own...) {
			return call()
		}
		list, err := intents(own)
		if err != nil {
			return err
		}
		back, err := g.Take(list...)
		if err != nil {
			return err
		}
		if err := call(); err != nil {
			back()
			return err
		}
		return nil
	})
}

// named is call for a new name.
func (c *consent) named(rel string, call func() error) func() error {
	return func() error { return c.tree.paid(rel, guard.NameBytes, call) }
}

// creates is guarded for making something at a new name.
func (c *consent) creates(rel string, kind at.Kind, call func() error) error {
	return c.guarded(guard.Create, kind, []string{rel}, func(own []string) ([]guard.Intent, error) {
		made, err := c.made(path.Dir(rel))
		i := guard.Intent{Folder: c.folder, Path: own[0], Effect: guard.Create, Kind: kind, Original: true, Made: made}
		if err == nil && kind == at.Symlink {
			i.Instead, err = c.store.Taken(rel)
		}
		return []guard.Intent{i}, err
	}, c.named(rel, call))
}

// made is how many directories at the end of a path the task made itself. One that it
// made in the place of a person's directory counts as theirs.
func (c *consent) made(dir string) (n int, err error) {
	if taken, err := c.store.Taken(dir); err != nil || taken {
		return 0, err
	}
	for ; dir != "."; dir = path.Dir(dir) {
		if original, err := c.store.Original(dir); err != nil || original {
			return n, err
		}
		n++
	}
	return n, nil
}

// spelled is a path with the names that are in the directories, as far as it is
// there: a short name (8.3) has a "~". Other spellings of a name are known by
// comparing, see package guard.
func (c *consent) spelled(rel string) string {
	d, ok := c.store.(interface{ OwnPath(rel string) string })
	if c.guard == nil || !ok || !strings.Contains(rel, "~") {
		return rel
	}
	return d.OwnPath(rel)
}

// changes is guarded for a change of what is at one name.
func (c *consent) changes(e guard.Effect, rel string, call func() error) error {
	return c.guarded(e, at.Unknown, []string{rel}, func([]string) ([]guard.Intent, error) {
		i, err := c.intent(e, rel)
		if err != nil || e == guard.Delete && i.Kind == at.Directory && !c.ruled(i) {
			return nil, err // nothing is lost with an empty directory
		}
		return []guard.Intent{i}, nil
	}, call)
}

// ruled reports whether a rule may name what is there.
func (c *consent) ruled(i guard.Intent) bool { return c.guard.Ruled(i) }

func (c *consent) intent(e guard.Effect, rel string) (guard.Intent, error) {
	info, err := c.store.Lstat(rel)
	if err != nil {
		return guard.Intent{}, err
	}
	original, err := c.store.Original(rel)
	return c.intentOf(e, rel, info, original), err
}

func (c *consent) intentOf(e guard.Effect, rel string, info at.Info, original bool) guard.Intent {
	return guard.Intent{Folder: c.folder, Path: c.spelled(rel), Effect: e, Kind: info.Kind, ID: info.ID,
		Program: info.Kind == at.File && info.Mode&0o111 != 0, Original: original, Size: info.Size}
}

// moves is guarded for a rename: what is moved, and what it replaces.
func (c *consent) moves(old, rel string, noReplace bool, call func() error) error {
	return c.guarded(guard.Move|guard.Overwrite, at.Directory, []string{old, rel}, func(own []string) ([]guard.Intent, error) {
		from, err := c.intent(guard.Move, old)
		if err != nil {
			return nil, err
		}
		from.To = own[1]
		list := []guard.Intent{from}
		there, err := c.intent(guard.Overwrite, rel)
		switch {
		case err == nil && (noReplace || there.ID == from.ID):
			return nil, nil // it fails, or does nothing, by itself
		case err == nil && there.Kind != at.Directory && from.Kind != at.Directory:
			list = append(list, there)
		}
		return c.arrival(list, from, old, rel)
	}, call)
}

// arrival adds to list what a new name of something puts there, for what the task
// made itself: moving that is not of interest, where it goes may be.
func (c *consent) arrival(list []guard.Intent, from guard.Intent, old, rel string) ([]guard.Intent, error) {
	if from.Original {
		return list, nil // where it goes is looked at as from.To
	}
	made, err := c.made(path.Dir(rel))
	if err != nil {
		return nil, err
	}
	to := guard.Intent{Folder: c.folder, Path: from.To, Effect: guard.Create, Kind: from.Kind, ID: from.ID, Original: true, Made: made}
	taken, err := c.store.Taken(rel)
	if err != nil || !taken || from.Kind != at.Directory {
		to.Instead = taken
		return append(list, to), err
	}
	// What it holds is found from now on where a person's own directory was.
	list = append(list, to)
	err = c.walk(old, func(below string, kind at.Kind, err error) error {
		if err != nil {
			return err
		}
		i := guard.Intent{Folder: c.folder, Path: from.To + strings.TrimPrefix(below, old), Effect: guard.Create, Kind: kind, Original: true}
		if c.ruled(i) {
			list = append(list, i)
		}
		return c.tree.life.Err()
	})
	return list, err
}

// links is guarded for a second name of a file: it is new there, and a way to change
// the file that rules for its first name do not see.
func (c *consent) links(old, rel string, call func() error) error {
	return c.guarded(guard.Create|guard.Change, at.Symlink, []string{old, rel}, func(own []string) ([]guard.Intent, error) {
		from, err := c.intent(guard.Change, old)
		if err != nil {
			return nil, err
		}
		from.To = own[1]
		var list []guard.Intent
		if c.ruled(from) {
			list = append(list, from)
		}
		return c.arrival(list, from, old, rel)
	}, c.named(rel, call))
}

// content asks for a change of the content of an open file, the first time and
// after every decision.
func (f *File) content(e guard.Effect) error {
	t := f.tree
	g := t.folder.Guard
	if g == nil {
		return nil
	}
	epoch := g.Epoch() + 1
	if f.cleared.Load() == epoch {
		return nil
	}
	if !g.Idle(t.folder.ID, e, at.File, f.rel) {
		original, err := f.h.Original()
		if err != nil {
			return err
		}
		info, err := f.h.Stat()
		if err != nil {
			return err
		}
		if _, err := g.Take(t.consent.intentOf(e, f.rel, info, original)); err != nil {
			return t.wait(err)
		}
	}
	f.cleared.Store(epoch)
	return nil
}

// paid makes a call that takes so many bytes of the folder's disk at rel, where it may.
func (t *Tree) paid(rel string, bytes int64, call func() error) error {
	g := t.folder.Bytes
	if g == nil {
		return call()
	}
	if err := g.Write(t.folder.ID, rel, bytes); err != nil {
		return err
	}
	err := call()
	if err != nil {
		g.Unwritten(bytes)
	}
	return err
}

// moreContent asks for so many bytes more in the folder; lessContent gives back what was
// not written of them.
func (f *File) moreContent(bytes int64) error {
	if g := f.tree.folder.Bytes; g != nil {
		return f.tree.wait(g.Write(f.tree.folder.ID, f.rel, bytes))
	}
	return nil
}

func (f *File) lessContent(bytes int64) {
	if g := f.tree.folder.Bytes; g != nil {
		g.Unwritten(bytes)
	}
}

// survey counts the files of the folder before a guest sees it, as far as the
// guard asks.
func (c *consent) survey() int {
	g := c.guard
	if g == nil {
		return 0
	}
	left, dirs := g.Files(), maxSurvey
	_ = c.walk(".", func(_ string, kind at.Kind, err error) error {
		switch {
		case err != nil: // what cannot be read does not count
		case left <= 0:
			return fs.SkipAll
		case kind == at.File:
			left--
		case kind == at.Directory:
			if dirs--; dirs <= 0 {
				return fs.SkipDir
			}
		}
		return nil
	})
	return g.Files() - left
}

// walk calls visit for everything below a directory, as fs.WalkDir does: with an
// error for a directory that cannot be read.
func (c *consent) walk(rel string, visit func(rel string, kind at.Kind, err error) error) error {
	h, _, err := c.store.Open(rel, false)
	if err != nil {
		return visit(rel, at.Directory, err)
	}
	defer h.Close()
	for off := int64(0); ; {
		list, err := h.ReadDir(off, 8<<10)
		if err != nil {
			return visit(rel, at.Directory, err)
		}
		if len(list) == 0 {
			return nil
		}
		for _, e := range list {
			off = e.Next
			below, err := Join(rel, e.Name)
			if err != nil {
				continue // "." and ".." among others
			}
			if e.Kind == at.Unknown {
				e.Kind = kindOf(c.store, below)
			}
			if err = visit(below, e.Kind, nil); err == nil && e.Kind == at.Directory {
				err = c.walk(below, visit)
			}
			if err != nil && !errors.Is(err, fs.SkipDir) {
				return err
			}
		}
	}
}

// maxSurvey bounds the directories that are looked at for it.
const maxSurvey = 200
