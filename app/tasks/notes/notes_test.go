package notes

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
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

// Who waits for what was added before does not wait for what a machine goes on to say.
func TestWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Notes
		over := false
		var chatty func()
		chatty = func() { // there is always more to write
			if !over {
				n.Add(chatty)
			}
		}
		written := false
		n.Add(func() { written = true; chatty() })
		n.Wait()
		if !written {
			t.Error("it is not written")
		}
		n.Add(func() { over = true })
		n.Wait()
	})
}

// Who notes what a hostile machine says waits for the disk, and no longer than they want to.
func TestNotesThatComeTooFastWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Notes
		disk := make(chan struct{})
		for range backlog + 1 { // the first is being written
			if err := n.Room(t.Context()); err != nil {
				t.Fatal(err)
			}
			n.Add(func() { <-disk })
			synctest.Wait()
		}
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		room := make(chan error, 2)
		go func() { room <- n.Room(ctx) }()
		go func() { room <- n.Room(t.Context()) }()
		synctest.Wait()
		cancel(gone)
		if err := <-room; !errors.Is(err, gone) {
			t.Error(err)
		}
		synctest.Wait()
		if len(room) != 0 {
			t.Error("there is room while nothing is written")
		}
		disk <- struct{}{}
		if err := <-room; err != nil {
			t.Error(err)
		}
		close(disk)
		n.Wait()
	})
}
