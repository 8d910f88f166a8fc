// Package natural takes names as people read them. It sorts "IMG_2" before "IMG_10": chores
// show files in this order, and number them in it. And it folds those into one that some file
// system takes for one.
package natural

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Folded is what two names have in common that some file system takes for one.
func Folded(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}

// Sort sorts by paths as a person reads them: IMG_2 before IMG_10, letters by the
// alphabet whatever their case or composition, a folder's own files before those of
// the folders in it. The order is total: equal only are equal bytes.
func Sort[T any](files []T, pathOf func(T) string) {
	type keyed struct {
		file T
		path string
		dirs []key
		stem key
	}
	k := newKeyer()
	list := make([]keyed, len(files))
	for i, f := range files {
		p := pathOf(f)
		parts := strings.Split(p, "/")
		base := parts[len(parts)-1]
		list[i] = keyed{file: f, path: p, stem: k.key(strings.TrimSuffix(base, path.Ext(base)))}
		for _, d := range parts[:len(parts)-1] {
			list[i].dirs = append(list[i].dirs, k.key(d))
		}
	}
	slices.SortFunc(list, func(a, b keyed) int {
		for i := range min(len(a.dirs), len(b.dirs)) {
			if c := a.dirs[i].compare(b.dirs[i]); c != 0 {
				return c
			}
		}
		return cmp.Or(
			cmp.Compare(len(a.dirs), len(b.dirs)),
			a.stem.compare(b.stem),
			strings.Compare(a.path, b.path),
		)
	})
	for i := range list {
		files[i] = list[i].file
	}
}

// key is a name cut into text and numbers, in turn.
type key []chunk

// chunk is a text's collation key, or the digits of a number without leading
// zeros.
type chunk struct {
	number bool
	data   []byte
}

func (a key) compare(b key) int {
	return slices.CompareFunc(a, b, func(x, y chunk) int {
		switch {
		case x.number && y.number:
			return cmp.Or(cmp.Compare(len(x.data), len(y.data)), bytes.Compare(x.data, y.data))
		case x.number != y.number:
			if x.number {
				return -1
			}
			return 1
		default:
			return bytes.Compare(x.data, y.data)
		}
	})
}

// keyer makes keys, each name's once. Numbers are cut out here because
// collate.Numeric takes 0 for the largest number.
type keyer struct {
	col  *collate.Collator
	buf  collate.Buffer
	seen map[string]key
}

func newKeyer() *keyer {
	return &keyer{col: collate.New(language.Und, collate.Loose), seen: map[string]key{}}
}

func (k *keyer) key(name string) key {
	if made, ok := k.seen[name]; ok {
		return made
	}
	const digits = "0123456789"
	var out key
	for rest := name; rest != ""; {
		text := rest[:indexAny(rest, digits)]
		rest = rest[len(text):]
		if text != "" {
			out = append(out, chunk{data: bytes.Clone(k.col.KeyFromString(&k.buf, text))})
			k.buf.Reset()
		}
		if tail := strings.TrimLeft(rest, digits); len(tail) < len(rest) {
			number := strings.TrimLeft(rest[:len(rest)-len(tail)], "0")
			out = append(out, chunk{number: true, data: []byte(number)})
			rest = tail
		}
	}
	k.seen[name] = out
	return out
}

// indexAny is strings.IndexAny with the length of s where nothing is found.
func indexAny(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}
