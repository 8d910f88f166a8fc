package share

import (
	"io/fs"
	"math"
	"slices"
	"strings"
	"syscall"
	"time"

	"piwork/vmhost/share/internal/at"
)

// What both front ends answer in the same way, whatever their protocol calls it.

// Object is what a number of a guest's stands for: a name in a folder, for as long as
// it has one, and an open file of it. Calls are made by the name, and by the file when
// the name is gone.
type Object struct {
	Tree *Tree
	Rel  string
	Gone error // why there is no name; nil while there is one
	File *File // nil: none is open
}

// SetAttr sets what of it is not nil: the size first. Doing it again changes nothing. It
// returns what is there then, or nothing where that is not known.
func (o Object) SetAttr(size *uint64, m Meta) (now at.Info, err error) {
	if o.Tree.folder.ReadOnly {
		return now, ErrReadOnly
	}
	if size != nil {
		if *size > math.MaxInt64 {
			return now, errTooLarge
		}
		if err := o.truncate(int64(*size)); err != nil {
			return now, err
		}
	}
	switch {
	case m == Meta{}:
		return now, nil
	case o.Gone == nil:
		return o.Tree.setMeta(o.Rel, m)
	case o.File != nil:
		return now, o.File.SetMeta(m)
	}
	return now, o.Gone
}

func (o Object) truncate(size int64) error {
	switch {
	case o.File != nil && o.File.Writable():
		return o.File.Truncate(size)
	case o.Gone != nil:
		return fs.ErrInvalid
	}
	return o.Tree.Truncate(o.Rel, size)
}

// GuestTime is a time to be set: none, now, or the one that is given, which a clock
// has to be able to show.
func GuestTime(set, given bool, sec, nsec uint64) (time.Time, error) {
	switch {
	case !set:
		return time.Time{}, nil
	case !given:
		return time.Now(), nil
	case nsec >= 1e9 || int64(sec) > MaxTime || int64(sec) < MinTime:
		return time.Time{}, fs.ErrInvalid
	}
	return time.Unix(int64(sec), int64(nsec)), nil
}

// GetXattr returns the value of an extended attribute.
func (o Object) GetXattr(attr string) ([]byte, error) {
	switch {
	case o.Gone == nil:
		return o.Tree.GetXattr(o.Rel, attr)
	case o.File != nil:
		return o.File.GetXattr(attr)
	}
	return nil, o.Gone
}

// ListXattr returns the names of the extended attributes, each ended by NUL.
func (o Object) ListXattr() ([]byte, error) {
	var names []string
	err := o.Gone
	switch {
	case o.Gone == nil:
		names, err = o.Tree.ListXattr(o.Rel)
	case o.File != nil:
		names, err = o.File.ListXattr()
	}
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return []byte(strings.Join(names, "\x00") + "\x00"), nil
}

// SetXattr sets an extended attribute as [Tree.SetXattr] does.
func (o Object) SetXattr(attr string, value []byte, flags int) error {
	switch {
	case o.Gone == nil:
		return o.Tree.SetXattr(o.Rel, attr, value, flags)
	case o.File != nil:
		return o.File.SetXattr(attr, value, flags)
	}
	return o.Gone
}

// RemoveXattr removes an extended attribute.
func (o Object) RemoveXattr(attr string) error {
	switch {
	case o.Gone == nil:
		return o.Tree.RemoveXattr(o.Rel, attr)
	case o.File != nil:
		return o.File.RemoveXattr(attr)
	}
	return o.Gone
}

// Mknod makes a regular file. No device, FIFO or socket reaches the host.
func (t *Tree) Mknod(rel string, mode uint32) (at.Info, error) {
	const typeMask, typeFile = 0o170000, 0o100000 // of Linux
	if t.folder.ReadOnly {
		return at.Info{}, ErrReadOnly
	}
	if kind := mode & typeMask; kind != 0 && kind != typeFile {
		return at.Info{}, syscall.EPERM
	}
	f, i, err := t.Create(rel, mode, true, false)
	if err == nil {
		f.Close()
	}
	return i, err
}

// List is ReadDir as a guest hears of it: with its numbers for inodes. rel is where the
// directory is, unless its name is gone.
func (f *File) List(off int64, size int, rel string, gone error) ([]at.Entry, error) {
	list, err := f.ReadDir(off, size)
	if err != nil {
		return nil, err
	}
	self, err := f.Stat()
	if err != nil {
		return nil, err
	}
	list = slices.Clone(list)
	for i := range list {
		e := &list[i]
		if e.Kind == at.Unknown && gone == nil {
			e.Kind = f.tree.KindOf(rel, e.Name)
		}
		e.Ino = f.tree.set.Number(at.ID{Dev: self.Dev, Ino: e.Ino})
		if e.Name == ".." && rel == "." {
			e.Ino = RootNumber // what lies above on the host is none of the guest's business
		}
	}
	return list, nil
}

// ListRoot is List for the virtual root.
func (s *Set) ListRoot(off uint64) []at.Entry {
	all := []at.Entry{{Name: ".", Ino: RootNumber}, {Name: "..", Ino: RootNumber}}
	trees, _, _ := s.List()
	for _, t := range trees {
		if i, err := t.Lstat("."); err == nil {
			all = append(all, at.Entry{Name: t.folder.Name, Ino: s.Number(i.ID)})
		}
	}
	for i := range all {
		all[i].Kind, all[i].Next = at.Directory, int64(i)+1
	}
	return all[min(off, uint64(len(all))):]
}

// RootInfo is what the virtual root is.
func (s *Set) RootInfo() at.Info {
	trees, changed, _ := s.List()
	changed = changed.Round(0)
	return at.Info{Kind: at.Directory, Type: 0o040000, Mode: 0o555, NLink: uint64(2 + len(trees)), Block: 4096,
		ATime: changed, MTime: changed, CTime: changed}
}
