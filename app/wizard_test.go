package app

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/setup/wizard"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
)

// The whole way, with a program that is closed and opened after every step.
func TestWizardGoesOnAfterARestart(t *testing.T) {
	w := newWorld(t)
	w.packErr = runtimepack.ErrNoPack
	c := w.open()
	at := func(want wizard.ID, again bool) wizard.Wizard {
		t.Helper()
		if _, err := c.Status(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		got, err := c.Wizard(t.Context())
		if err != nil || got.Now() != want || got.Again != again || got.Done != (want == "") {
			t.Fatalf("%+v %v, want %s", got, err, want)
		}
		return got
	}
	do := func(step wizard.ID, act wizard.Act) {
		t.Helper()
		if _, err := c.WizardAct(t.Context(), step, wizard.ActRequest{Act: act}); err != nil {
			t.Fatal(err)
		}
	}
	restart := func() {
		t.Helper()
		if err := c.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		c = w.open()
	}
	if got, err := c.Wizard(t.Context()); err != nil || got.Now() != wizard.Welcome {
		t.Fatalf("before the first look: %+v %v", got, err)
	}
	at(wizard.Welcome, false)
	restart()
	at(wizard.Welcome, false)
	do(wizard.Welcome, wizard.ActDone)
	restart()
	at(wizard.Runtime, false)
	restart()
	w.set(func() { w.packErr = nil })
	at(wizard.First, false)
	do(wizard.First, wizard.ActSkip)
	restart()
	at("", false)
	w.set(func() { w.packErr = runtimepack.ErrNoPack })
	at(wizard.Runtime, true)
	restart()
	at(wizard.Runtime, true)
	w.set(func() { w.packErr = nil })
	at("", false)

	for step, want := range map[wizard.ID]string{"nobody": problem.CodeNotFound, wizard.Runtime: problem.CodeBadRequest} {
		if _, err := c.WizardAct(t.Context(), step, wizard.ActRequest{Act: wizard.ActDone}); codeOf(err) != want {
			t.Errorf("%s: %v", step, err)
		}
	}
}

// A chore that is done is what the wizard waits for in the end. A task may have the
// folder of samples, and nothing else in the places of piwork.
func TestFirstChoreOnSamples(t *testing.T) {
	tier.Unraced(t)
	w := newWorld(t)
	c := w.open()
	if _, err := c.Status(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WizardAct(t.Context(), wizard.Welcome, wizard.ActRequest{Act: wizard.ActDone}); err != nil {
		t.Fatal(err)
	}
	made, err := c.Samples(t.Context(), samples.FolderRequest{Language: samples.German})
	if err != nil || made.Files != 5 || filepath.Base(made.Path) != "Beispielbilder" {
		t.Fatalf("%+v %v", made, err)
	}
	left := filepath.Join(made.Path, "left.txt")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wait := w.listen(c)
	waiting := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: made.Path}}, Detached: true})
	wait(waiting.ID, task.StateWaiting)
	if again, err := c.Samples(t.Context(), samples.FolderRequest{Language: samples.German}); err != nil || again != made {
		t.Errorf("%+v %v", again, err)
	}
	if _, err := os.Stat(left); err != nil {
		t.Error("the folder was made anew under a task")
	}
	if got, err := c.Wizard(t.Context()); err != nil || got.Now() != wizard.First {
		t.Fatalf("%+v %v", got, err)
	}
	if _, err := c.AcceptPlan(t.Context(), waiting.ID); err != nil {
		t.Fatal(err)
	}
	wait(waiting.ID, task.StateDone)
	if got, err := c.Wizard(t.Context()); err != nil || !got.Done {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := c.Samples(t.Context(), samples.FolderRequest{Language: samples.German}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the folder is not fresh: %v", err)
	}

	for _, p := range []string{filepath.Dir(made.Path), c.o.CacheDir, c.o.DataDir, filepath.Join(c.o.CacheDir, samples.Dir, "other")} {
		if err := os.MkdirAll(p, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ResolveFolder(p); codeOf(err) != problem.CodeFolderRefused {
			t.Errorf("%s may be shared: %v", p, err)
		}
	}
	// A link in its place leads nowhere.
	if err := os.RemoveAll(made.Path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(c.o.DataDir, made.Path); err != nil {
		t.Skip("no links here:", err)
	}
	if got, err := c.ResolveFolder(made.Path); codeOf(err) != problem.CodeFolderRefused {
		t.Errorf("a link to piwork's data is %q: %v", got, err)
	}
	if _, err := c.Samples(t.Context(), samples.FolderRequest{Language: samples.German}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.o.DataDir, tasksDir)); err != nil {
		t.Error("a link was followed when the folder was removed")
	}
}

func TestSavedChores(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	folder := w.pictures("a.jpg")
	wait := w.listen(c)
	one := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Params: map[string]any{"name": "Sea"}, PlanOnly: true, MachineChoice: tasks.MachineChoice{Runtime: vmhost.KindVM},
		Folders: []task.FolderRequest{{Path: folder, Mode: task.ModeReview}}, Detached: true})
	wait(one.ID, task.StateDone)
	monthly, err := c.SaveChore(t.Context(), saved.SaveChoreRequest{Name: "  Every month\n", Task: one.ID})
	if err != nil || monthly.Name != "Every month" || monthly.Chore != "pictures-to-pdf" || monthly.Params["name"] != "Sea" || monthly.Runtime != vmhost.KindVM || len(monthly.Folders) != 1 {
		t.Fatalf("%+v %v", monthly, err)
	}
	secret, err := c.SaveChore(t.Context(), saved.SaveChoreRequest{Name: "Letters", Chore: "unlock-pdf", Params: map[string]any{"password": "x", "recursive": true, "new": 1}})
	if err != nil || !reflect.DeepEqual(secret.Params, map[string]any{"recursive": true}) {
		t.Errorf("%+v %v", secret, err)
	}
	if _, err := c.SaveChore(t.Context(), saved.SaveChoreRequest{Name: "every MONTH", Chore: "find-duplicates", Runtime: "remote:away"}); err != nil {
		t.Error(err)
	}
	ci := task.WithClient(t.Context(), "ci@12345678") // a program has a name of its own, and replaces nothing
	if _, err := c.SaveChore(ci, saved.SaveChoreRequest{Name: "EVERY month", Chore: "pictures-to-pdf"}); problem.From(err).Class() != problem.ClassConflict {
		t.Errorf("a program replaces a chore: %v", err)
	}
	for _, r := range []saved.SaveChoreRequest{{Name: " ", Chore: "pictures-to-pdf"}, {Name: "x", Chore: "nothing"}, {Name: "x", Task: "nobody"}, {Name: "x", Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: "here"}}}} {
		if got, err := c.SaveChore(t.Context(), r); err == nil {
			t.Errorf("%+v is %+v", r, got)
		}
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = w.open()
	list, err := c.SavedChores(t.Context())
	if err != nil || len(list) != 2 || list[0].Chore != "find-duplicates" || list[0].Runtime != "remote:away" || list[1].Name != "Letters" {
		t.Fatalf("%+v %v", list, err)
	}
	if err := c.RemoveSavedChore(t.Context(), list[0].ID); err != nil {
		t.Error(err)
	}
	if err := c.RemoveSavedChore(t.Context(), list[0].ID); codeOf(err) != problem.CodeNotFound {
		t.Error(err)
	}
	if list, err = c.SavedChores(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%+v %v", list, err)
	}
}
