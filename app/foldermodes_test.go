package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/saved"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
)

// An AI task gets a folder for review unless the person chose otherwise for this
// folder. What they chose holds for the tasks after it, also of a piwork that was
// started again, and for no other folder.
func TestAITaskBeginsWithReview(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w, _, dir := aided(t, func(gatewaytest.Question) gatewaytest.Turn {
		return gatewaytest.Turn{Parts: []string{"Done."}}
	})
	other := filepath.Join(filepath.Dir(dir), "Other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	c := openPi(t, w, nil)
	wait := w.listen(c)
	begin := func(mode task.Mode, path string) task.Task {
		t.Helper()
		began := w.start(c, tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Tidy up"}, Network: task.NetworkOff, Detached: true,
			Folders: []task.FolderRequest{{Path: path, Mode: mode}}})
		return wait(began.ID, task.StateDone)
	}
	first := begin("", dir)
	if got := first.Folders[0].Mode; got != task.ModeReview {
		t.Errorf("the first task has the folder as %q", got)
	}
	if chosen, err := c.FolderChoices(t.Context()); err != nil || len(chosen) != 0 {
		t.Errorf("nothing was chosen, and %v is remembered, %v", chosen, err)
	}
	if got := begin(task.ModeReadWrite, dir).Folders[0].Mode; got != task.ModeReadWrite {
		t.Errorf("what was chosen became %q", got)
	}
	if got := begin("", dir).Folders[0].Mode; got != task.ModeReadWrite {
		t.Errorf("after the choice the folder is %q", got)
	}
	if got := begin("", other).Folders[0].Mode; got != task.ModeReview {
		t.Errorf("another folder is %q", got)
	}
	again, err := c.StartAgain(t.Context(), first.ID, tasks.AgainRequest{Detached: true})
	if err != nil || wait(again.ID, task.StateDone).Folders[0].Mode != task.ModeReview {
		t.Errorf("the same once more: %+v, %v", again.Folders, err)
	}
	want := []saved.FolderChoice{{Path: dir, Mode: task.ModeReadWrite}}
	if chosen, err := c.FolderChoices(t.Context()); err != nil || !slices.Equal(chosen, want) {
		t.Errorf("%v is remembered, %v; want %v", chosen, err, want)
	}
	reopened, err := saved.OpenFolderModes(c.o.ConfigDir, c.log, nil)
	if err != nil || reopened.Of(dir) != task.ModeReadWrite || reopened.Of(other) != task.ModeReview {
		t.Errorf("read again: %+v, %v", reopened, err)
	}
}
