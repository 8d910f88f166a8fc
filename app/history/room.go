package history

import (
	"context"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
)

// hasRoom refuses changes that would fill the disk of a folder of their task, as a task is stopped
// before it does (vmhost.SpaceReserve). A disk that does not say what is free is tried.
func (h *History) hasRoom(ctx context.Context, t *task.Task, list []journal.Change) error {
	type place struct {
		disk   uint64
		folder string // where the disk is not known
	}
	needs, of, seen := map[place]int64{}, map[string]place{}, map[*journal.DiskRoom]bool{}
	for _, c := range list {
		if c.Room == nil || seen[c.Room] {
			continue
		}
		seen[c.Room] = true
		on := place{disk: c.Room.Disk}
		if on.disk == 0 {
			on.folder = c.Folder
		}
		of[c.Folder] = on
		needs[on] = guard.Sum(needs[on], c.Room.Bytes)
	}
	for _, f := range t.Folders {
		need := needs[of[f.ID]]
		delete(needs, of[f.ID]) // of the other folders on the disk, too
		if need == 0 {
			continue
		}
		mib, err := drive.Await(ctx, f.Path, func() (int, error) { return h.o.DiskFree(ctx, f.Path) }, nil)
		if err != nil {
			continue
		}
		if need >= vmhost.SpaceStep {
			need = guard.Sum(need, vmhost.SpaceReserve)
		}
		if free := int64(mib) << 20; free < need {
			return problem.New(problem.CodeDiskFull).With("path", f.Path).With("needBytes", need).With("freeBytes", free)
		}
	}
	return nil
}
