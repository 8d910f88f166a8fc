package history

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// What is applied leaves the disk of its folder the room that the person's programs need; what is
// small is applied on a disk that was nearly full before.
func TestApplyLeavesRoom(t *testing.T) {
	const mib = 1 << 20
	full := &task.Task{Folders: []task.Folder{{ID: "f1", Path: "/one"}, {ID: "f2", Path: "/full"}, {ID: "f3", Path: "/full/too"}}}
	on := func(folder string, size int64, disk uint64) journal.Change {
		return journal.Change{Folder: folder, Room: &journal.DiskRoom{Bytes: size, Disk: disk}}
	}
	of := func(folder string, size int64) journal.Change { return on(folder, size, 0) }
	gone := journal.Change{Folder: "f2", Before: &journal.FileState{Size: 1 << 40}}
	linked := of("f2", 60*mib)
	for _, row := range []struct {
		free int
		list []journal.Change
		fits bool
	}{
		{0, nil, true}, {0, []journal.Change{gone}, true}, {0, []journal.Change{of("f1", 5000*mib)}, true}, {0, []journal.Change{of("f2", 1)}, false},
		{100, []journal.Change{of("f2", 60*mib), of("f2", 40*mib)}, true}, {100, []journal.Change{of("f2", 60*mib), of("f2", 41*mib)}, false},
		{100, []journal.Change{linked, linked}, true}, {100, []journal.Change{of("f2", math.MaxInt64), of("f2", 1)}, false},
		{100, []journal.Change{on("f2", 60*mib, 7), on("f3", 60*mib, 8)}, true}, {100, []journal.Change{on("f2", 60*mib, 7), on("f3", 60*mib, 7)}, false},
		{1300, []journal.Change{of("f2", vmhost.SpaceStep)}, true}, {1200, []journal.Change{of("f2", vmhost.SpaceStep)}, false},
	} {
		h := &History{o: Options{DiskFree: func(_ context.Context, dir string) (int, error) {
			if dir == "/one" {
				return 0, errors.New("unknown")
			}
			return row.free, nil
		}}}
		err := h.hasRoom(t.Context(), full, row.list)
		if row.fits != (err == nil) || err != nil && problem.From(err).Code != problem.CodeDiskFull {
			t.Errorf("%d MiB free, %d changes: %v", row.free, len(row.list), err)
		}
	}
}

// A system that never says what is free holds up nobody who gives up.
func TestApplyDoesNotWaitForADisk(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	h := &History{o: Options{DiskFree: func(context.Context, string) (int, error) { <-never; return 0, nil }}}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	asked := &task.Task{Folders: []task.Folder{{ID: "f", Path: t.TempDir()}}}
	if err := h.hasRoom(ctx, asked, []journal.Change{{Folder: "f", Room: &journal.DiskRoom{Bytes: 1}}}); err != nil {
		t.Error(err)
	}
}
