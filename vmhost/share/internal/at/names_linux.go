package at

import (
	"path"
	"slices"
	"strings"
)

// systemName accepts every name: here they are bytes.
func systemName(string) bool { return true }

// ownName differs from name on file systems of Windows only (vfat, CIFS): there a file
// is found by its short name (8.3) too, which no directory lists.
func ownName(d *Dir, name string) string {
	if !isShort(name) {
		return name
	}
	info, err := d.Lstat(name)
	if err != nil {
		return name
	}
	names, err := d.Names(-1)
	if err != nil || slices.Contains(names, name) {
		return name
	}
	for _, n := range names {
		if i, err := d.Lstat(n); err == nil && i.ID == info.ID {
			return n
		}
	}
	return name
}

// isShort reports whether a name has the form of a short one: up to eight
// characters with a "~" and a digit, and up to three after a dot.
func isShort(name string) bool {
	ext := path.Ext(name)
	base := strings.TrimSuffix(name, ext)
	i := strings.LastIndexByte(base, '~')
	return i >= 0 && i+1 < len(base) && base[i+1] >= '0' && base[i+1] <= '9' && len(base) <= 8 && len(ext) <= 4
}
