package notes

import (
	"slices"
	"testing"
)

// What is written beside the work is whole and in order, and nothing of it is left
// to write when the task is over.
func TestNotesAreInOrder(t *testing.T) {
	var n Notes
	n.Wait()
	var got []int
	for i := range 1000 {
		n.Add(func() { got = append(got, i) })
		if i%100 == 0 {
			n.Wait()
			if len(got) != i+1 {
				t.Fatalf("%d of %d", len(got), i+1)
			}
		}
	}
	n.Wait()
	if !slices.IsSorted(got) || len(got) != 1000 {
		t.Errorf("%d notes", len(got))
	}
}
