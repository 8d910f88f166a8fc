package ledger

import (
	"maps"
	"slices"
)

// Resolution is a person's answer to a conflict.
type Resolution string

// Resolutions of a conflict.
const (
	Keep    Resolution = "keep"    // what is there now
	Restore Resolution = "restore" // what was before; what is there now can be brought back with Redo
	Both    Resolution = "both"    // what was before comes beside what is there now, under a name of its own
)

// UndoOptions say how to undo. The zero value leaves conflicts alone.
type UndoOptions struct {
	// Resolve answers conflicts, by the id of the change. Where there is no
	// conflict only Keep has a meaning.
	Resolve map[string]Resolution
	// Label is put into the names of what Both leaves: "report (LABEL).txt".
	// It should name the task; "" is "before".
	Label string
	// May hears of all changes that would be taken back, before the first is: its error ends the undo.
	May May
}

// May says why changes are not taken back, made again or applied; nil lets them be.
type May func([]Change) error

// Ask asks, where there is somebody to ask.
func (m May) Ask(list []Change) error {
	if m == nil || len(list) == 0 {
		return nil
	}
	return m(list)
}

// Records are what an undo that is interrupted goes on with.
func (o UndoOptions) Records() []Record {
	recs := []Record{answersRecord{}}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(o.Resolve)), 1000) {
		r := answersRecord{Label: o.Label, Resolve: map[string]Resolution{}}
		for _, id := range part {
			r.Resolve[id] = o.Resolve[id]
		}
		recs = append(recs, r)
	}
	return recs
}
