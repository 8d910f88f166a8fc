package history

import (
	"context"
	"errors"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// What is applied leaves the disk of its folder the room that the person's programs need; what is
// small is applied on a disk that was nearly full before.
func TestApplyLeavesRoom(t *testing.T) {
	const mib = 1 << 20
	full := &task.Task{Folders: []task.Folder{{ID: "f1", Path: "/one"}, {ID: "f2", Path: "/full"}}}
	of := func(folder string, size int64) journal.Change {
		return journal.Change{Folder: folder, After: &journal.FileState{Size: size}}
	}
	gone := journal.Change{Folder: "f2", Before: &journal.FileState{Size: 1 << 40}}
	image := journal.Change{Folder: "f2", Before: &journal.FileState{Size: 1 << 40}, After: &journal.FileState{Size: 1<<40 + 1}}
	for _, row := range []struct {
		free int
		list []journal.Change
		fits bool
	}{
		{0, nil, true}, {0, []journal.Change{gone}, true}, {1, []journal.Change{image}, true}, {0, []journal.Change{image}, false}, {0, []journal.Change{of("f1", 5000*mib)}, true}, {0, []journal.Change{of("f2", 1)}, false},
		{100, []journal.Change{of("f2", 60*mib), of("f2", 40*mib)}, true}, {100, []journal.Change{of("f2", 60*mib), of("f2", 41*mib)}, false},
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
