// Package licences knows what this program is made of: Go modules and packages of
// the window's pages, each with its licence. The list is collected by
// scripts/licences from the sources that the build uses, and embedded; a test fails
// when it does not fit go.mod and package-lock.json any more.
package licences

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

// Where a part belongs to.
const (
	OfProgram = "program"
	OfWindow  = "window"
)

// Part is one thing that the program is made of.
type Part struct {
	Name    string
	Version string
	Licence string // names of SPDX, "" where none is known; the text decides
	Of      string // OfProgram or OfWindow
	Text    string // of its licence and notices
}

// List is the form of the embedded file: texts that are the same stand in it once.
type List struct {
	Parts []Entry  `json:"parts"`
	Texts []string `json:"texts"`
}

// Entry is a part in the embedded file.
type Entry struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Licence string `json:"licence"`
	Of      string `json:"of"`
	Text    int    `json:"text"` // in Texts
}

//go:embed program.json
var embedded []byte

var program = sync.OnceValues(func() ([]Part, error) {
	var l List
	if err := json.Unmarshal(embedded, &l); err != nil {
		return nil, fmt.Errorf("read the embedded licences: %w", err)
	}
	out := make([]Part, 0, len(l.Parts))
	for _, e := range l.Parts {
		if e.Text < 0 || e.Text >= len(l.Texts) {
			return nil, fmt.Errorf("the embedded licences have no text %d", e.Text)
		}
		out = append(out, Part{Name: e.Name, Version: e.Version, Licence: e.Licence, Of: e.Of, Text: l.Texts[e.Text]})
	}
	return out, nil
})

// Program lists the parts of this program, sorted by where they belong to and name.
// The list is shared: it must not be changed.
func Program() ([]Part, error) { return program() }
