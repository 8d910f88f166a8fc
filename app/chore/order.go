package chore

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// sortNatural sorts paths as a person reads them: IMG_2 before IMG_10, letters
// by the alphabet whatever their case or composition, a folder's own files
// before those of the folders in it. The order is total: equal only are equal
// bytes.
func sortNatural(entries []Entry) {
	type keyed struct {
		Entry
		dirs [][]byte
		base []byte
	}
	col := collate.New(language.Und, collate.Numeric)
	var buf collate.Buffer
	key := func(s string) []byte {
		k := bytes.Clone(col.KeyFromString(&buf, s))
		buf.Reset()
		return k
	}
	seen := map[string][]byte{} // keys of directories
	list := make([]keyed, len(entries))
	for i, e := range entries {
		parts := strings.Split(e.Path, "/")
		k := keyed{Entry: e, base: key(parts[len(parts)-1])}
		for _, d := range parts[:len(parts)-1] {
			if seen[d] == nil {
				seen[d] = key(d)
			}
			k.dirs = append(k.dirs, seen[d])
		}
		list[i] = k
	}
	slices.SortFunc(list, func(a, b keyed) int {
		for i := range min(len(a.dirs), len(b.dirs)) {
			if c := bytes.Compare(a.dirs[i], b.dirs[i]); c != 0 {
				return c
			}
		}
		return cmp.Or(
			cmp.Compare(len(a.dirs), len(b.dirs)),
			bytes.Compare(a.base, b.base),
			strings.Compare(a.Path, b.Path),
		)
	})
	for i := range list {
		entries[i] = list[i].Entry
	}
}
