package parity

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

// lists are what is known of the cases.
type lists struct {
	golden      map[string]Result // what the machine gave, by the name of the case
	differences []Difference
	lacks       []Lack
}

// Difference is what a kind of runtime does otherwise than the machine, and why.
type Difference struct {
	Case   string `json:"case"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	// Want are the members that differ, as they are in this kind; the others are the machine's.
	// In a text "…" is the part of a line that another computer has otherwise.
	Want map[string]any `json:"want"`
}

// Lack is what a kind of runtime does not claim to have, so that it cannot play the cases
// that need it, and why.
type Lack struct {
	Kind   string `json:"kind"`
	Lacks  string `json:"lacks"` // as player.cannot says it
	Reason string `json:"reason"`
}

func readLists() (l lists, err error) {
	for name, into := range map[string]any{"golden": &l.golden, "differences": &l.differences, "lacks": &l.lacks} {
		b, err := corpus.ReadFile("corpus/" + name + ".json")
		if err == nil {
			err = json.Unmarshal(b, into)
		}
		if err != nil {
			return l, fmt.Errorf("%s: %w", name, err)
		}
	}
	return l, nil
}

// difference is the one that is known of a case: of this very kind, or of its family.
func (l lists) difference(kind, name string) (found *Difference) {
	for i, d := range l.differences {
		if d.Case == name && of(kind, d.Kind) && (found == nil || d.Kind == kind) {
			found = &l.differences[i]
		}
	}
	return found
}

// of reports whether a kind is that one, or one of its family: "kubernetes:podman" is of "kubernetes".
func of(kind, family string) bool {
	return kind == family || strings.HasPrefix(kind, family+":")
}

// Digest is one of the corpus and all that is known of it.
func Digest() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(corpus, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := corpus.ReadFile(name)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(b), b)
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}
