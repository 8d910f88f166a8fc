package share

import (
	"path"

	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
)

// guarded is edit for a change of names or attributes. intents says what would
// be changed; what is at these names stays there from then on until the change is
// made, as far as the guest is concerned.
func (t *Tree) guarded(e guard.Effect, kind at.Kind, paths []string, intents func() ([]guard.Intent, error), call func() error) error {
	return t.edit(func() error {
		g := t.folder.Guard
		if g == nil {
			return call()
		}
		t.names.Lock()
		defer t.names.Unlock()
		if g.Idle(t.folder.ID, e, kind, paths...) {
			return call()
		}
		list, err := intents()
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

// creates is guarded for what puts something where nothing is.
func (t *Tree) creates(rel string, call func() error) error {
	return t.guarded(guard.Create, at.Unknown, []string{rel}, func() ([]guard.Intent, error) {
		original, err := t.store.Original(path.Dir(rel))
		i := guard.Intent{Folder: t.folder.ID, Path: rel, Effect: guard.Create, Original: original}
		return []guard.Intent{i}, err
	}, call)
}

// changes is guarded for a change of what is at one name.
func (t *Tree) changes(e guard.Effect, rel string, call func() error) error {
	return t.guarded(e, at.Unknown, []string{rel}, func() ([]guard.Intent, error) {
		i, err := t.intent(e, rel)
		if err != nil || e == guard.Delete && i.Kind == at.Directory && !t.ruled(i) {
			return nil, err // nothing is lost with an empty directory
		}
		return []guard.Intent{i}, nil
	}, call)
}

// ruled reports whether a rule may name what is there.
func (t *Tree) ruled(i guard.Intent) bool { return t.folder.Guard.Ruled(i) }

func (t *Tree) intent(e guard.Effect, rel string) (guard.Intent, error) {
	info, err := t.store.Lstat(rel)
	if err != nil {
		return guard.Intent{}, err
	}
	original, err := t.store.Original(rel)
	return t.intentOf(e, rel, info, original), err
}

func (t *Tree) intentOf(e guard.Effect, rel string, info at.Info, original bool) guard.Intent {
	return guard.Intent{Folder: t.folder.ID, Path: rel, Effect: e, Kind: info.Kind, ID: info.ID,
		Program: info.Kind == at.File && info.Mode&0o111 != 0, Original: original, Size: info.Size}
}

// moves is guarded for a rename: what is moved, and what it replaces.
func (t *Tree) moves(old, rel string, noReplace bool, call func() error) error {
	return t.guarded(guard.Move|guard.Overwrite, at.Directory, []string{old, rel}, func() ([]guard.Intent, error) {
		from, err := t.intent(guard.Move, old)
		if err != nil {
			return nil, err
		}
		from.To = rel
		there, err := t.intent(guard.Overwrite, rel)
		switch {
		case err == nil && (noReplace || there.ID == from.ID):
			return nil, nil // it fails, or does nothing, by itself
		case err == nil && there.Kind != at.Directory && from.Kind != at.Directory:
			return []guard.Intent{from, there, t.arrival(from)}, nil
		}
		return []guard.Intent{from, t.arrival(from)}, nil
	}, call)
}

// arrival is a rename as what it puts at the new name, for what the task made
// itself: moving that is not of interest, where it goes may be.
func (t *Tree) arrival(from guard.Intent) guard.Intent {
	original, err := t.store.Original(path.Dir(from.To))
	return guard.Intent{Folder: t.folder.ID, Path: from.To, Effect: guard.Create, Kind: from.Kind,
		ID: from.ID, Original: !from.Original && (original || err != nil)}
}

// links is guarded for a second name of a file: something new there, and at the
// old name a way to change it that no rule can see any more.
func (t *Tree) links(old, rel string, call func() error) error {
	return t.guarded(guard.Create|guard.Change, at.Unknown, []string{old, rel}, func() ([]guard.Intent, error) {
		from, err := t.intent(guard.Change, old)
		if err != nil {
			return nil, err
		}
		from.To = rel
		to := t.arrival(from)
		if !t.ruled(from) {
			return []guard.Intent{to}, nil
		}
		return []guard.Intent{from, to}, nil
	}, call)
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
		if _, err := g.Take(t.intentOf(e, f.rel, info, original)); err != nil {
			return t.wait(err)
		}
	}
	f.cleared.Store(epoch)
	return nil
}

// survey counts the files of the folder before a guest sees it, as far as the
// guard asks.
func (t *Tree) survey() int {
	g := t.folder.Guard
	if g == nil {
		return 0
	}
	left := g.Files()
	dirs := maxSurvey
	var walk func(rel string)
	walk = func(rel string) {
		if left <= 0 || dirs <= 0 {
			return
		}
		dirs--
		h, _, err := t.store.Open(rel, false)
		if err != nil {
			return
		}
		defer h.Close()
		var off int64
		for left > 0 {
			list, err := h.ReadDir(off, 8<<10)
			if err != nil || len(list) == 0 {
				return
			}
			for _, e := range list {
				off = e.Next
				below, err := Join(rel, e.Name)
				if err != nil {
					continue // "." and ".." among others
				}
				switch e.Kind {
				case at.File:
					left--
				case at.Directory:
					walk(below)
				}
			}
		}
	}
	walk(".")
	return g.Files() - left
}

// maxSurvey bounds the directories that are looked at for it.
const maxSurvey = 200
