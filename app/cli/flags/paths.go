package flags

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Paths makes the paths that a person types absolute. The zero value is for those of this
// computer.
type Paths struct {
	name string
	home func() (string, error) // of the person on the other computer; nil for this one
}

// PathsThere is for paths of another computer, which are never looked at or made absolute
// here. home is asked for when a path begins with ~.
func PathsThere(name string, home func() (string, error)) Paths { return Paths{name, home} }

// There reports whether the paths are those of another computer.
func (p Paths) There() bool { return p.home != nil }

// Abs makes a path absolute. One of another computer has to begin with / or ~/: nobody has a
// working directory there. One below the home of this computer was most likely typed as ~ and
// made that by the shell, so that it is refused where the home there is another.
func (p Paths) Abs(given string) (string, error) {
	if p.home == nil {
		return filepath.Abs(given)
	}
	below, tilde := strings.CutPrefix(given, "~")
	switch {
	case tilde && (below == "" || below[0] == '/'):
		home, err := p.home()
		return path.Join(home, below), err
	case !strings.HasPrefix(given, "/") || strings.ContainsRune(given, 0):
		return "", Usage("on-path", "path", given, "name", p.name)
	}
	clean := path.Clean(given)
	if here, err := os.UserHomeDir(); err == nil && here != "/" && isBelow(clean, filepath.ToSlash(here)) {
		home, err := p.home()
		if err != nil {
			return "", err
		}
		if !isBelow(clean, home) {
			return "", Usage("on-home", "path", given, "name", p.name, "home", home, "meant", "~"+strings.TrimPrefix(clean, filepath.ToSlash(here)))
		}
	}
	return clean, nil
}

// File is Abs of a file, which has a name.
func (p Paths) File(given string) (string, error) {
	if given == "" {
		return "", Usage("file-empty")
	}
	return p.Abs(given)
}

// isBelow reports whether a path is dir, or in it.
func isBelow(p, dir string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == '/')
}
