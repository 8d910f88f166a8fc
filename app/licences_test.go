package app

import (
	"slices"
	"testing"

	"piwork/app/licences"
	"piwork/app/upkeep"
)

// The parts of the program come with their texts, those of the runtime with where
// the text lies.
func TestLicences(t *testing.T) {
	w := newWorld(t)
	got, err := w.open().Licences(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(got.Items, func(l upkeep.Licence) bool { return l.Name == "github.com/spf13/cobra" })
	if at < 0 || got.Items[at].Of != licences.OfProgram || got.Items[at].Text == "" {
		t.Errorf("%d items, cobra at %d", len(got.Items), at)
	}
}
