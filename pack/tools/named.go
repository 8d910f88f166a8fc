package tools

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// FileName reports whether a name is one of a file in a folder, and of no file
// elsewhere.
func FileName(n string) bool {
	return n != "" && n != "." && n != ".." && len(n) <= maxName && !strings.ContainsAny(n, "/\x00")
}

// maxName is NAME_MAX of Linux, in bytes.
const maxName = 255

// Numbered is the nth name of something: of a, .txt and 2, "a (2).txt". It is as short
// as a name has to be.
func Numbered(stem string, n int, ext string) string {
	const sensible = 100
	if len(ext) > sensible { // what is behind the only dot of a sentence
		stem, ext = stem+ext, ""
	}
	tail := fmt.Sprintf(" (%d)%s", n, ext)
	for len(stem)+len(tail) > maxName {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	return stem + tail
}

// furtherSuffix is one that names of files in a format have, besides the format's own
// and [Suffix].
var furtherSuffix = map[string]string{"tar.gz": "tgz", "tar.zst": "tzst", "html": "htm", "md": "markdown"}

// FormatOf is the parameter that says in which format an operation makes its
// result, and its value as the name of the result says it: of photo.png, format
// and png. It is not ok where the operation has no such parameter, or the name has
// no suffix of what it makes.
func (o Operation) FormatOf(name string) (param, value string, ok bool) {
	list, err := rules(reflect.TypeOf(o.params()).Elem())
	if err != nil {
		return "", "", false // a mistake that Decode says
	}
	name = strings.ToLower(name)
	for _, r := range list {
		if !r.byName {
			continue
		}
		i := slices.IndexFunc(r.enum, func(format string) bool {
			return format != FormatSame && slices.ContainsFunc([]string{format, Suffix(format), furtherSuffix[format]}, func(s string) bool {
				return s != "" && strings.HasSuffix(name, "."+s)
			})
		})
		if i >= 0 {
			return r.name, r.enum[i], true
		}
	}
	return "", "", false
}
