package at

import (
	"slices"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Respells reports whether newName in to is name itself, spelled in another way: the file
// system does not tell the two apart. It is asked by the list of the directory, for some (FUSE)
// give each spelling a number of its own. A list may lag behind, as on NFS, and lack a file that
// another computer has made: so the two names have to look alike, too.
func (d *Dir) Respells(name string, to *Dir, newName string) bool {
	if name == newName || !sameName(name, newName) {
		return false
	}
	a, errA := d.Info()
	b, errB := to.Info()
	if errA != nil || errB != nil || a.ID != b.ID {
		return false
	}
	x, errA := d.Lstat(name)
	y, errB := to.Lstat(newName)
	if errA != nil || errB != nil || !alike(x, y, d.perSpelling()) {
		return false
	}
	listed, taken := false, false
	err := d.eachName(func(part []string) bool {
		listed = listed || slices.Contains(part, name)
		taken = taken || slices.Contains(part, newName)
		return !taken
	})
	return err == nil && listed && !taken
}

// sameName compares as a volume that folds case does.
func sameName(a, b string) bool {
	fold := cases.Fold()
	return norm.NFD.String(fold.String(norm.NFD.String(a))) == norm.NFD.String(fold.String(norm.NFD.String(b)))
}

// alike reports whether x and y, of two spellings, may be one file; perSpelling says that its
// number may be another one by each.
func alike(x, y Info, perSpelling bool) bool {
	return (perSpelling || x.ID == y.ID) && x.Kind == y.Kind && x.Size == y.Size && x.MTime.Equal(y.MTime)
}
