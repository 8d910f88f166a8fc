package execution

import (
	"slices"
	"strings"
)

// Kit is what a Node that waits has loaded already, for the one program that it
// can become: of a large program most of the start is reading and compiling.
//
// What is loaded runs before the program's order is known. So it must be what the
// program runs whenever it starts, it must draw nothing that two machines must not
// share, and what it finds in its surroundings must be what the program will find:
// the variables are compared word by word, and where one differs, the program is
// started plainly.
type Kit struct {
	Main string   // the program's script, as it is called
	Load []byte   // CommonJS; process.argv[1] is a link to Main
	Env  []string // variables of the program beside those of most programs, NAME=VALUE
}

// kitReadLater are variables that nothing reads while it is loaded: the directory
// comes with the order, and the time zone is followed.
var kitReadLater = []string{"PWD", "TZ"}

// once reports whether a variable is read before the order is known.
func (k *Kit) once(name string) bool {
	if k == nil {
		return !slices.Contains(readLater, name) && slices.ContainsFunc(readOnce, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	return !slices.Contains(kitReadLater, name)
}

// fits reports whether the order is for what is loaded.
func (k *Kit) fits(o nodeOrder) bool {
	return k == nil || (o.Mode == nodeScript && o.Script == k.Main)
}
