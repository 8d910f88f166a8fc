package tasks

import (
	"slices"
	"testing"
)

// What is written beside the work is whole and in order, and nothing of it is left
// to write when the task is over.
func TestNotesAreInOrder(t *testing.T) {
	var n notes
	n.wait()
	var got []int
	for i := range 1000 {
		n.add(func() { got = append(got, i) })
		if i%100 == 0 {
			n.wait()
			if len(got) != i+1 {
				t.Fatalf("%d of %d", len(got), i+1)
			}
		}
	}
	n.wait()
	if !slices.IsSorted(got) || len(got) != 1000 {
		t.Errorf("%d notes", len(got))
	}
}
