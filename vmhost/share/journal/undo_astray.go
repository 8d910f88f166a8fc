package journal

import (
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// astray reports whether what the task made in dir, which is not where the task left it, may
// still exist: a person renamed the directory, or moved it away. The outermost directory that
// is missing decides. One of the person's may be anywhere; one that the task made was removed
// with everything in it unless it is somewhere else in the folder.
func (u *guards) astray(dir *ledger.Object) bool {
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
			return !dir.Made || u.elsewhere(dir)
		}
		dir = up
	}
}

// elsewhere reports whether a directory that the task made is anywhere in its folder. All of
// the folder is read for the first that is missing.
func (u *guards) elsewhere(o *ledger.Object) bool {
	seen := u.made[o.Folder]
	if seen == nil {
		seen = map[*ledger.Object]bool{}
		if root, err := u.dir(o.Folder.Root); err == nil {
			u.findMade(root, seen, ledger.MaxPathLen/2)
			root.Close()
		}
		u.made[o.Folder] = seen
	}
	return seen[o]
}

// findMade notes the directories below d that the task made.
func (u *guards) findMade(d *at.Dir, seen map[*ledger.Object]bool, depth int) {
	names, err := d.Names(-1)
	if err != nil || depth == 0 {
		return
	}
	for _, name := range names {
		info, err := d.Lstat(name)
		if err != nil || info.Kind != at.Directory {
			continue
		}
		u.j.Mu.Lock()
		o := u.j.Tables.Inodes[info.ID]
		u.j.Mu.Unlock()
		if o != nil && o.Made {
			seen[o] = true
		}
		if sub, err := d.Sub(name); err == nil {
			u.findMade(sub, seen, depth-1)
			sub.Close()
		}
	}
}
