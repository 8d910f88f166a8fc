package ledger

import "slices"

// Undone is a change that was taken back.
type Undone struct {
	Change Change
	Marks  Marks
}

// Marks are the numbers that an undone change has in the journal of undos: of the objects that it was
// about, and of the names of what undo made.
type Marks struct {
	Entries []uint32 `json:"es,omitempty"`
	Objects []uint32 `json:"os,omitempty"`
}

// Has reports whether a step of the journal of undos is about one of them.
func (m Marks) Has(n *Step) bool {
	if n.Object != nil {
		return slices.Contains(m.Objects, n.Object.ID)
	}
	return slices.Contains(m.Entries, n.Entry.ID)
}
