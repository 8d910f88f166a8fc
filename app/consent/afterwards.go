package consent

import (
	"context"
	"path/filepath"
	"strings"

	"piwork/app/history"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// Undo, redo and the Apply of a review change files as tasks do, and written rules are asked
// about them before anything is done. It is the person or the program with a token that asks who
// acts, not the AI of the task; the place is that of the task, whose changes they are, so that a
// rule which lets files change in some places only does not keep its changes from being taken
// back. What comes or changes is a write, what goes a delete; what it is for stands in
// context.about. A rule that asks is answered by who asks where that is the person, and refuses
// a program: nobody is asked.

// afterwards implements history.Rules.
type afterwards struct{ c *Consent }

// Afterwards are the rules about what is done with changes of tasks.
func (c *Consent) Afterwards() history.Rules { return afterwards{c} }

// Concerned implements history.Rules.
func (a afterwards) Concerned() bool { return a.c.written.Rules().Alters() }

// alteration is a path that would be another one.
type alteration struct {
	action policy.Action
	path   string // in the folder
	whole  bool   // and everything below it
}

// alterations are those of a change. back is that it is taken back.
func alterations(c journal.Change, back bool) []alteration {
	tree := c.Kind == "dir"
	switch {
	case c.Effect == journal.EffectMove && back:
		return []alteration{{policy.Delete, c.Path, tree}, {policy.Write, c.From, tree}}
	case c.Effect == journal.EffectMove:
		return []alteration{{policy.Delete, c.From, tree}, {policy.Write, c.Path, tree}}
	case c.Effect == journal.EffectCreate && back, c.Effect == journal.EffectDelete && !back:
		return []alteration{{policy.Delete, c.Path, tree}}
	}
	return []alteration{{policy.Write, c.Path, false}}
}

// MayChange implements history.Rules.
func (a afterwards) MayChange(ctx context.Context, t *task.Task, how string, list []journal.Change) error {
	rules := a.c.written.Rules()
	r := policy.Request{}
	r.Task, r.Kind, r.Network, r.Runtime, r.About, r.Files = t.ID, t.Kind, t.Network, t.Runtime, how, int64(len(list))
	r.Client, _, _ = strings.Cut(task.ClientOf(ctx), "@")
	r.Door = task.DoorOf(ctx)
	program := r.Client != "" || r.Door == task.DoorMCP // a model asks there
	batch := rules.Batch(a.c.o.Now())
	for _, c := range list {
		root, ok := folderOf(t, c.Folder)
		for _, one := range alterations(c, how == history.ByUndo) {
			r.Action, r.Path = one.action, filepath.Join(root, filepath.FromSlash(one.path))
			if !ok { // of no folder that is known: no rule could be about it
				return a.refused(ctx, t, policy.Decision{Effect: policy.Deny}, r)
			}
			paths := []string{r.Path}
			if one.whole {
				paths = append(paths, rules.Below(r.Path)...)
			}
			for _, r.Path = range paths {
				d := batch.Decide(r)
				if d.Effect == policy.Deny || d.Effect == policy.Ask && d.Written() && program {
					return a.refused(ctx, t, d, r)
				}
			}
		}
	}
	return nil
}

// folderOf is where a folder of a task is on this computer.
func folderOf(t *task.Task, id string) (string, bool) {
	for _, f := range t.Folders {
		if f.ID == id || id == "" && len(t.Folders) == 1 {
			return f.Path, true
		}
	}
	return "", false
}

// refused is the problem of what the rules refuse, which the audit log has then.
func (a afterwards) refused(ctx context.Context, t *task.Task, d policy.Decision, r policy.Request) error {
	if err := a.c.o.Audit.Append(a.c.ruled(WhoOf(ctx), t.ID, d.Name(), r, vmhost.AnswerDeny)); err != nil {
		return problem.NotRecorded(err)
	}
	return RuleDenied(d, r)
}
