package journal

import (
	"context"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// astray reports whether what the task made in dir, which is not where the task left it, may
// still exist: a person renamed the directory, or moved it away. The outermost directory that
// is missing decides. One of the person's may be anywhere; one that the task made was removed
// with everything in it unless it is somewhere else in the folder.
func (u *guards) astray(ctx context.Context, dir *ledger.Object) bool {
	for {
		up, _, ok := u.j.Spot(dir)
		if !ok {
			return false // the task left it nowhere
		}
		d, err := u.dir(up)
		if err == nil {
			d.Close()
		}
		if !recorder.IsMissing(err) {
			return !dir.Made || u.elsewhere(ctx, dir)
		}
		dir = up
	}
}

// elsewhere reports whether a directory that the task made is anywhere in its folder. All of
// the folder is read for the first that is missing; when ctx ends before that, nobody knows.
func (u *guards) elsewhere(ctx context.Context, o *ledger.Object) bool {
	if seen := u.made[o.Folder]; seen != nil {
		return seen[o]
	}
	root, err := u.dir(o.Folder.Root)
	if err != nil {
		return false
	}
	defer root.Close()
	seen := map[*ledger.Object]bool{}
	if err := walk(ctx, root, ".", func(_ string, info at.Info) error {
		if info.Kind != at.Directory {
			return nil
		}
		u.j.Mu.Lock()
		defer u.j.Mu.Unlock()
		if made := u.j.Tables.Inodes[info.ID]; made != nil && made.Made {
			seen[made] = true
		}
		return nil
	}); err != nil {
		return true
	}
	u.made[o.Folder] = seen
	return seen[o]
}
