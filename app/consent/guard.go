package consent

import (
	"path"
	"piwork/app/chore"
	"piwork/app/task"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/wire"
	"strings"
)

// Guard makes the guard of the task's folders: what it may change without a
// person being asked.
func (g *Gate) Guard() *guard.Guard {
	files := guard.New(g.policy(), guard.Options{Task: g.id, Ask: g.Ask, Used: g.byRule})
	files.SetStanding(g.Standing())
	g.guard.Store(files)
	return files
}

func (g *Gate) policy() guard.Policy {
	switch {
	case g.kind == task.KindChore:
		return guard.ForPlan(g.granted)
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
