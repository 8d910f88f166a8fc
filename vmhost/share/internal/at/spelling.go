package at

import (
	"slices"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Respells reports whether newName in to is name itself, spelled in another way: the file
// system does not tell the two apart. It is asked by the list of the directory, for some (FUSE)
// give each spelling a number of its own.
func (d *Dir) Respells(name string, to *Dir, newName string) bool {
	if name == newName || !sameName(name, newName) {
		return false
	}
	a, errA := d.Info()
	b, errB := to.Info()
	if errA != nil || errB != nil || a.ID != b.ID {
		return false
	}
	if _, err := to.Lstat(newName); err != nil {
		return false
	}
	names, err := d.Names(-1)
	return err == nil && slices.Contains(names, name) && !slices.Contains(names, newName)
}

// sameName compares as a volume that folds case does.
func sameName(a, b string) bool {
	fold := cases.Fold()
	return norm.NFD.String(fold.String(norm.NFD.String(a))) == norm.NFD.String(fold.String(norm.NFD.String(b)))
}
