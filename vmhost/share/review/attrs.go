package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"syscall"

	"piwork/vmhost/share/internal/at"
)

// Extended attributes are part of a node's record, all of them from the first
// change on. Until then a file has those of its original.

// Bounds of the attributes that a task sets, bytes of names and values: they
// are in the log and in memory.
const (
	maxFileAttrs = 128 << 10 // of one file
	maxAllAttrs  = 64 << 20  // of a layer
)

// attrRec is one extended attribute, as the log has it.
type attrRec struct {
	Name  raw    `json:"n"`
	Value []byte `json:"v,omitempty"`
}

// attrs are the extended attributes of a file.
type attrs at.AttrSet

func (a attrs) MarshalJSON() ([]byte, error) {
	list := []attrRec{}
	for _, name := range a.names() {
		list = append(list, attrRec{raw(name), a[name]})
	}
	return json.Marshal(list)
}

func (a *attrs) UnmarshalJSON(b []byte) error {
	var list []attrRec
	err := json.Unmarshal(b, &list)
	*a = attrs{}
	for _, r := range list {
		(*a)[string(r.Name)] = r.Value
	}
	return err
}

func (a attrs) size() int { return at.AttrSet(a).Size() }

func (a attrs) digest() string { return at.AttrSet(a).Digest() }

// bad reports whether they are none that a task can have set.
func (a attrs) bad() bool {
	for name, value := range a {
		if at.CheckAttr(name, len(value)) != nil {
			return true
		}
	}
	return a.size() > maxFileAttrs
}

// originalAttrs returns the attributes of a path of the original.
func (l *base) originalAttrs(base string) (set attrs, err error) {
	err = l.root.At(base, func(d *at.Dir, name string) error {
		a, err := d.Attrs(name)
		if err != nil {
			return err
		}
		defer a.Close()
		all, err := a.All()
		set = attrs(all)
		return err
	})
	return set, err
}

// attrsNow returns the attributes of what is at s; mu is held.
func (l *tree) attrsNow(s spot, kind at.Kind) (attrs, error) {
	switch {
	case kind != at.File && kind != at.Directory: // has none of programs (xattr(7))
		return nil, nil
	case s.n != nil && s.n.Attrs != nil:
		return s.n.Attrs, nil
	case s.n != nil:
		s.base = string(s.n.Base)
	}
	if s.base == "" {
		return nil, nil
	}
	a, err := l.originalAttrs(s.base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a person took the original away
	}
	return a, err
}

// keepsAttrs reports whether the folder lies on a file system that has
// attributes: what is staged is to be applied.
func (l *base) keepsAttrs() error {
	l.hasAttrs.Do(func() {
		d, err := l.root.Dir(".")
		if err != nil {
			l.noAttrs = err
			return
		}
		defer d.Close()
		a, err := d.Attrs(".")
		if err != nil {
			l.noAttrs = err
			return
		}
		defer a.Close()
		_, l.noAttrs = a.List()
	})
	return l.noAttrs
}

func (a attrs) get(rel, name string) ([]byte, error) {
	if value, ok := a[name]; ok {
		return value, nil
	}
	return nil, fail("getxattr", rel, at.ErrNoAttr)
}

func (a attrs) names() []string { return slices.Sorted(maps.Keys(a)) }

// with returns a with one attribute set, by the rules of setxattr(2).
func (a attrs) with(name string, value []byte, flags int) (attrs, error) {
	_, there := a[name]
	switch {
	case flags&^(at.AttrCreate|at.AttrReplace) != 0:
		return nil, syscall.EINVAL
	case flags&at.AttrCreate != 0 && there:
		return nil, syscall.EEXIST
	case flags&at.AttrReplace != 0 && !there:
		return nil, at.ErrNoAttr
	}
	out := attrs{name: bytes.Clone(value)}
	for other, value := range a {
		if other != name {
			out[other] = value
		}
	}
	if out.size() > maxFileAttrs || !at.AttrSet(out).Fits() {
		return nil, syscall.ENOSPC
	}
	return out, nil
}

func (a attrs) without(name string) (attrs, error) {
	if _, there := a[name]; !there {
		return nil, at.ErrNoAttr
	}
	out := maps.Clone(a)
	delete(out, name)
	return out, nil
}

// GetXattr returns an extended attribute. Only those in the name space "user."
// are offered, here and below; the share has checked names and lengths.
func (l *Layer) GetXattr(rel, name string) ([]byte, error) {
	a, err := l.attrsAt(rel)
	if err != nil {
		return nil, err
	}
	return a.get(rel, name)
}

// ListXattr returns the names of the extended attributes.
func (l *Layer) ListXattr(rel string) ([]string, error) {
	a, err := l.attrsAt(rel)
	return a.names(), err
}

func (l *tree) attrsAt(rel string) (attrs, error) {
	if err := l.keepsAttrs(); err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	s, info, err := l.find(rel)
	if err != nil {
		return nil, err
	}
	if !permits(info, 0o400) {
		return nil, fail("getxattr", rel, fs.ErrPermission)
	}
	return l.attrsNow(s, info.Kind)
}

// SetXattr sets an extended attribute; flags are at.AttrCreate, at.AttrReplace
// or 0.
func (l *Layer) SetXattr(rel, name string, value []byte, flags int) error {
	return l.changeXattr(rel, func(a attrs) (attrs, error) { return a.with(name, value, flags) })
}

// RemoveXattr removes an extended attribute.
func (l *Layer) RemoveXattr(rel, name string) error {
	return l.changeXattr(rel, func(a attrs) (attrs, error) { return a.without(name) })
}

func (l *tree) changeXattr(rel string, do func(attrs) (attrs, error)) error {
	if err := l.keepsAttrs(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s, info, err := l.find(rel)
	switch {
	case err != nil:
		return err
	case info.Kind == at.Special:
		return fail("setxattr", rel, at.ErrSpecial)
	case info.Kind == at.Symlink, !permits(info, 0o200):
		return fail("setxattr", rel, fs.ErrPermission)
	}
	set, err := l.setAttrs(s, info.Kind, do)
	if err != nil {
		return fail("setxattr", rel, err)
	}
	return l.update(s, info, set)
}

// setAttrs returns what writes the changed attributes of what is at s into its
// record; mu is held.
func (l *tree) setAttrs(s spot, kind at.Kind, do func(attrs) (attrs, error)) (func(*nodeRec) error, error) {
	was, err := l.attrsNow(s, kind)
	if err != nil {
		return nil, err
	}
	now, err := do(was)
	if err != nil {
		return nil, err
	}
	if l.t.attrs+now.size() > maxAllAttrs {
		return nil, ErrFull
	}
	return func(r *nodeRec) error {
		if r.Attrs == nil {
			r.Had = was.digest()
		}
		r.Attrs = now
		return nil
	}, nil
}

// attrsChanged reports whether a node of an original has other attributes than
// the original had.
func (n *node) attrsChanged() bool { return n.Attrs != nil && n.Attrs.digest() != n.Had }

func (l *tree) openAttrs(n *node) (attrs, error) {
	if err := l.keepsAttrs(); err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.attrsNow(spot{n: n}, n.kind)
}

func (l *tree) changeOpen(n *node, do func(attrs) (attrs, error)) error {
	if err := l.keepsAttrs(); err != nil {
		return err
	}
	return l.attributeOf(n, func(r *nodeRec) error {
		set, err := l.setAttrs(spot{n: n}, n.kind, do)
		if err != nil {
			return err
		}
		return set(r)
	})
}

// GetXattr is [Layer.GetXattr] of the file itself.
func (h handle) GetXattr(name string) ([]byte, error) {
	a, err := h.l.openAttrs(h.n)
	if err != nil {
		return nil, err
	}
	return a.get(string(h.n.Base), name)
}

// ListXattr is [Layer.ListXattr] of the file itself.
func (h handle) ListXattr() ([]string, error) {
	a, err := h.l.openAttrs(h.n)
	return a.names(), err
}

// SetXattr is [Layer.SetXattr] of the file itself.
func (h handle) SetXattr(name string, value []byte, flags int) error {
	return h.l.changeOpen(h.n, func(a attrs) (attrs, error) { return a.with(name, value, flags) })
}

// RemoveXattr is [Layer.RemoveXattr] of the file itself.
func (h handle) RemoveXattr(name string) error {
	return h.l.changeOpen(h.n, func(a attrs) (attrs, error) { return a.without(name) })
}
