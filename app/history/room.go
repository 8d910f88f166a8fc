package history

import (
	"context"
	"time"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// diskTime is how long the system may take to say what is free.
const diskTime = 5 * time.Second

// hasRoom refuses changes that would fill the disk of a folder of their task, as a task is stopped
// before it does (vmhost.SpaceReserve). A disk that does not say what is free is tried.
func (h *History) hasRoom(ctx context.Context, t *task.Task, list []journal.Change) error {
	for _, f := range t.Folders {
		var need int64
		for _, c := range list {
			if c.Folder != f.ID || c.After == nil {
				continue
			}
			grows := c.After.Size
			if c.Before != nil { // it is moved, or changed, and if it is large in its place
				grows = max(0, grows-c.Before.Size)
			}
			need += grows
		}
		if need == 0 {
			continue
		}
		asked, cancel := context.WithTimeout(ctx, diskTime)
		mib, err := h.o.DiskFree(asked, f.Path)
		cancel()
		if err != nil {
			continue
		}
		if need >= vmhost.SpaceStep {
			need += vmhost.SpaceReserve
		}
		if free := int64(mib) << 20; free < need {
			return problem.New(problem.CodeDiskFull).With("path", f.Path).With("needBytes", need).With("freeBytes", free)
		}
	}
	return nil
}
