//go:build unix

package review

import (
	"testing"

	"piwork/vmhost/share/journal"
)

// A change says what its content takes of the folder's disk: without holes, once for all names of
// a file, and what it grows by in its place.
func TestRoomOfChanges(t *testing.T) {
	w, _ := start(t, "a", "b", "old")
	for name, size := range map[string]int{"n": 100_000, "holes": 0} {
		f, _, err := w.s.Create(name, 0o644)
		w.check(err)
		_, err = f.WriteAt(make([]byte, size), 0)
		w.check(err)
		if size == 0 {
			w.check(f.Truncate(1 << 40))
		}
		w.check(f.Close())
	}
	_, err := w.s.Link("n", "again")
	w.check(err)
	_, err = w.s.Link("old", "linked")
	w.check(err)
	w.check(w.s.Rename("b", "c", false))
	f, before, err := w.s.Open("a", true)
	w.check(err)
	_, err = f.WriteAt(make([]byte, 10), before.Size)
	w.check(err)
	w.check(f.Close())
	list, err := w.l.Changes(t.Context())
	w.check(err)
	rooms := map[string]*journal.DiskRoom{}
	for _, c := range list {
		rooms[c.Path] = c.Room
	}
	if len(rooms) != 6 || rooms["c"] != nil || rooms["linked"] != nil || rooms["n"] == nil || rooms["n"] != rooms["again"] {
		t.Fatalf("%v", rooms)
	}
	if rooms["n"].Bytes != 100_000 || rooms["a"].Bytes != 10 {
		t.Errorf("%d and %d", rooms["n"].Bytes, rooms["a"].Bytes)
	}
	if got := rooms["holes"].Bytes; got > 1<<20 {
		t.Errorf("what is empty takes %d", got)
	}
	if disk := rooms["n"].Disk; disk == 0 || rooms["a"].Disk != disk {
		t.Errorf("the disk is %d and %d", disk, rooms["a"].Disk)
	}
}
