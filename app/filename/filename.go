// Package filename makes names of files from names that strangers chose: a guest, a
// program, a title. What comes out is one part of a path and leads nowhere.
package filename

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Plain is a name that a stranger chose where every system takes it for one
// of an ordinary file, else another.
func Plain(name, otherwise string) string {
	fine := func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) || r == 0x7f {
			return '_'
		}
		return r
	}
	name = strings.TrimRight(strings.Map(fine, strings.ToValidUTF8(name, "_")), ". ")
	if len(name) > 200 || strings.HasPrefix(name, ".") || !filepath.IsLocal(name) {
		return otherwise
	}
	return name
}

// Numbered is a name for the one of several files called name that has n before it.
func Numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	return strconv.Itoa(n+1) + " " + name
}

// PortablePath makes every part of a slash-separated path a name on every system.
func PortablePath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = Portable(parts[i], "file")
	}
	return path.Join(parts...)
}

// devices are names that Windows keeps for itself, with any extension; see "Naming
// Files, Paths, and Namespaces" in its documentation.
var devices = []string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}

// Portable is Plain for systems other than this one, too.
func Portable(name, otherwise string) string {
	name = Plain(name, otherwise)
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	stem = strings.TrimRight(stem, " ")
	numbered := len([]rune(stem)) == 4 && strings.ContainsRune("0123456789¹²³", []rune(stem)[3]) &&
		(strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT"))
	if numbered || slices.Contains(devices, stem) {
		return "_" + name
	}
	return name
}

// Fold is what two names have in common that some system takes for one.
func Fold(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}
