package flags

import (
	"errors"
	"slices"

	"github.com/spf13/pflag"
)

// Words is the value of a flag that is one of some words, or not given.
type Words struct {
	Known []string
	to    *string
}

// OneWord adds such a flag.
func OneWord(f *pflag.FlagSet, to *string, name string, known ...string) {
	f.Var(&Words{known, to}, name, "")
}

// Networks and Efforts are words of --network and --thinking.
var (
	Networks = []string{"off", "restricted", "on"}
	Efforts  = []string{"off", "minimal", "low", "medium", "high"}
)

func (w *Words) String() string {
	if w.to == nil {
		return ""
	}
	return *w.to
}

// Type implements [pflag.Value].
func (w *Words) Type() string { return "string" }

// Set implements [pflag.Value].
func (w *Words) Set(s string) error {
	if s != "" && !slices.Contains(w.Known, s) {
		return errors.New("it is none of the words")
	}
	*w.to = s
	return nil
}
