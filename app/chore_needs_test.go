package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/app/tasks"
)

// needy is a chore that needs add-ons: one to plan at all, and one that its plan
// finds out.
type needy struct{ info, plan []string }

func (n needy) Info() chore.Info { return chore.Info{Name: "needy", Needs: n.info} }

func (n needy) Plan(context.Context, chore.Env) (chore.Plan, error) {
	return chore.Plan{V: chore.PlanVersion, Chore: "needy", Operations: []chore.Operation{}, Needs: n.plan}, nil
}

func (needy) Run(context.Context, chore.Env, chore.Plan) (chore.Outcome, error) {
	return chore.Outcome{}, nil
}

// TestNeeds: what a chore needs is there when it starts, or it does not start and
// says what to install.
func TestNeeds(t *testing.T) {
	s := newPackWorld(t, "1.0.0")
	s.publish("1.0.0")
	c := s.open()
	s.update(c, updater.Request{})
	dir := filepath.Join(t.TempDir(), "Trip")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	find := tasks.FindChore
	t.Cleanup(func() { tasks.FindChore = find })
	wait := s.listen(c)
	run := func(n needy, planOnly bool, want task.State) task.Task {
		t.Helper()
		tasks.FindChore = func(string) (chore.Chore, bool) { return n, true }
		return wait(s.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "needy", Folders: []task.FolderRequest{{Path: dir}}, Accept: true, PlanOnly: planOnly}).ID, want)
	}
	media := []string{"media"}
	missing := func(got task.Task) {
		t.Helper()
		p := got.Error
		if p == nil || p.Code != problem.CodeAddOnMissing || p.Params["name"] != "media" || len(p.Fix) == 0 || p.Fix[0].Code != problem.FixInstallAddOn {
			t.Errorf("%+v", p)
		}
	}
	tried := len(s.all())
	missing(run(needy{info: media}, false, task.StateFailed))
	missing(run(needy{info: media}, true, task.StateFailed)) // planning needs it, too
	missing(run(needy{plan: media}, false, task.StateFailed))
	if n := len(s.all()) - tried; n != 0 {
		t.Errorf("%d machines", n)
	}
	run(needy{plan: media}, true, task.StateDone) // a plan may be looked at
	run(needy{}, false, task.StateDone)
	s.update(c, updater.Request{AddOns: media})
	run(needy{info: media, plan: media}, false, task.StateDone)
	got := run(needy{info: []string{"media", "office"}}, false, task.StateFailed)
	if p := got.Error; p == nil || p.Code != problem.CodeAddOnMissing || p.Params["name"] != "office" {
		t.Errorf("%+v", p)
	}
}
