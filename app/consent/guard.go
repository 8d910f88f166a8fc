package consent

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/wire"
)

// Guard makes the guard of the task's folders: what it may change without a
// person being asked.
func (g *Gate) Guard() *guard.Guard {
	policy := g.policy()
	if g.c.o.Writes != nil {
		policy = policy.Writing(g.c.o.Writes())
	}
	files := guard.New(policy, guard.Options{Task: g.id, Ask: g.Ask, Used: g.byRule, Space: g.space(), Over: changes{g}})
	g.guard.Store(files) // before the rules are read: one that changes meanwhile is given to it after them
	g.follow(func(*guard.Guard) {})
	return files
}

// diskTime is how long the system may take to say what is free.
const diskTime = 5 * time.Second

// space is the disk of the task's folders, and that of what undoes its changes. A task that
// would fill one is over: its next change would fail as well.
func (g *Gate) space() guard.Space {
	if g.c.o.DiskFree == nil {
		return guard.Space{}
	}
	free := func(dir string) (int64, error) {
		ctx, cancel := context.WithTimeout(g.task.Context(), diskTime)
		defer cancel()
		mib, err := g.c.o.DiskFree(ctx, dir)
		return int64(mib) << 20, err
	}
	return guard.Space{
		Free: func(id string) (int64, error) {
			all := g.last().Folders
			i := slices.IndexFunc(all, func(f task.Folder) bool { return f.ID == id })
			if i < 0 {
				return 0, errUnknownFolder
			}
			there, err := free(all[i].Path)
			if err != nil {
				return 0, err
			}
			if here, err := free(g.c.o.DataDir); err == nil {
				there = min(there, here)
			}
			return there, nil
		},
		Full: func(left int64) {
			g.task.Cancel(problem.New(problem.CodeDiskFull).By(fullFolder).With("freeBytes", left))
		},
	}
}

// fullFolder is the cause of problem.CodeDiskFull for a task that was stopped before it filled
// the disk of its folders.
const fullFolder = "folder-disk-full"

var errUnknownFolder = errors.New("the task has no such folder")

func (g *Gate) policy() guard.Policy {
	switch {
	case g.kind == task.KindChore:
		return guard.ForPlan(g.granted, g.writes, g.fetches)
	case g.kind == task.KindAI || g.last().Agent:
		return guard.ForAgents
	default:
		return guard.ForCommands
	}
}

// Grants are the changes that a plan says, by the folders of its task.
func Grants(plan chore.Plan, folders []task.Folder) []guard.Grant {
	at := func(guest string) (id, rel string, ok bool) {
		for _, f := range folders {
			if rel, ok = strings.CutPrefix(path.Clean(guest), wire.FoldersDir+"/"+f.Name+"/"); ok {
				return f.ID, rel, true
			}
		}
		return "", "", false
	}
	var out []guard.Grant
	for _, op := range plan.Operations {
		id, rel, ok := at(op.Out)
		switch op.Effect {
		case chore.EffectCreate, chore.EffectChange:
			if ok {
				out = append(out, guard.Grant{Folder: id, Path: rel, Effect: guard.Create})
			}
			if ok && op.Effect == chore.EffectChange {
				out = append(out, guard.Grant{Folder: id, Path: rel, Effect: guard.Change})
			}
		case chore.EffectMove, chore.EffectDelete:
			for _, in := range op.In {
				from, old, inside := at(in.Path)
				switch {
				case !inside:
				case op.Effect == chore.EffectDelete:
					out = append(out, guard.Grant{Folder: from, Path: old, Effect: guard.Delete})
				case ok && from == id:
					out = append(out, guard.Grant{Folder: id, Path: old, To: rel, Effect: guard.Move})
				case ok: // copied there, and removed here
					out = append(out, guard.Grant{Folder: from, Path: old, Effect: guard.Delete},
						guard.Grant{Folder: id, Path: rel, Effect: guard.Create})
				}
			}
		}
	}
	return out
}
