//go:build vm

package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/task"
	"piwork/app/tasks"
)

// A folder is added to a program that runs, seen by it within a second, written to and
// taken away again; undo brings it back.
func TestRealFolderAddedAndRemoved(t *testing.T) { overEachWay(t, realFolderAdded) }

// The program looks for the folder ten times a second, so that its kernel has every
// chance to remember that it is not there. It tells what it sees in the folder First.
const folderScript = `
cd /folders/First
grep -o '/folders [a-z0-9]*' /proc/mounts > how.part && mv how.part how
until cat /folders/Second/x > seen.part 2>/dev/null; do sleep 0.1; done
ls /folders > list
mv seen.part seen
exec 3>>/folders/Second/open
echo changed > /folders/Second/x && echo more >&3 && rm /folders/Second/gone && mkdir /folders/Second/dir && echo made > /folders/Second/dir/new
touch written
while touch /folders/Second/late 2>/dev/null; do sleep 0.1; done
echo late >&3 && touch open-was-written
cat /folders/Second/x && touch read-after
sleep 1.2
ls /folders > after
touch /folders/Second/late 2> why
touch refused
until cat /folders/Second/x > again.part 2>/dev/null; do sleep 0.1; done
mv again.part again
`

func realFolderAdded(t *testing.T, kind machines.ShareKind) {
	c := openReal(t, warmOptions(t))
	if _, err := c.SetMachines(t.Context(), machines.Settings{Share: kind, Instant: true}); err != nil {
		t.Fatal(err)
	}
	if m, err := c.PrepareMachines(t.Context()); err != nil || m.Share.Kind != kind {
		t.Fatalf("%+v, %v", m.Share, err)
	}
	base := t.TempDir()
	first, second := filepath.Join(base, "First"), filepath.Join(base, "Second")
	before := map[string]string{"x": "before x", "gone": "before gone", "open": "before open\n"}
	for _, dir := range []string{first, second} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range before {
		if err := os.WriteFile(filepath.Join(second, name), []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	began, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindExec, Argv: []string{"sh", "-c", folderScript}, Folders: []task.FolderRequest{{Path: first, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	told := func(name string) string {
		t.Helper()
		for limit := time.Now().Add(3 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
			data, err := os.ReadFile(filepath.Join(first, name))
			if err == nil {
				return strings.TrimSpace(string(data))
			}
			if now, terr := c.Task(t.Context(), began.ID); terr != nil || now.State.Final() || time.Now().After(limit) {
				t.Fatalf("no %s: %v, the task is %s %+v", name, err, now.State, now.Error)
			}
		}
	}
	if got := told("how"); got != "/folders "+string(kind) {
		t.Errorf("folders are %q", got)
	}
	time.Sleep(2 * time.Second) // it looks for the folder meanwhile
	asked := time.Now()
	if _, err := c.AddFolder(t.Context(), began.ID, task.FolderRequest{Path: second, Mode: task.ModeReadWrite}); err != nil {
		t.Fatal(err)
	}
	got := told("seen")
	took := time.Since(asked)
	t.Logf("seen after %v", took)
	if got != "before x" || told("list") != "First\nSecond" || took > time.Minute {
		t.Errorf("%q, %q after %v", got, told("list"), took)
	}
	told("written")
	asked = time.Now()
	if _, err := c.RemoveFolder(t.Context(), began.ID, "f2"); err != nil {
		t.Fatal(err)
	}
	t.Logf("removed after %v", time.Since(asked))
	told("refused")
	if why := told("why"); why == "" || told("after") != "First" {
		t.Errorf("after it was removed: %q, %q", why, told("after"))
	}
	for _, name := range []string{"open-was-written", "read-after"} {
		if _, err := os.Lstat(filepath.Join(first, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.AddFolder(t.Context(), began.ID, task.FolderRequest{Path: second, Mode: task.ModeReadOnly}); err != nil {
		t.Fatal(err)
	}
	if got := told("again"); got != "changed" {
		t.Errorf("added again: %q", got)
	}
	if end := ended(t, c, began.ID); end.State != task.StateDone || len(end.Folders) != 2 {
		t.Errorf("%+v", end)
	}
	list, err := c.Changes(t.Context(), began.ID)
	var ids, paths []string
	for _, ch := range list {
		if ch.Folder == "f2" {
			ids, paths = append(ids, ch.ID), append(paths, string(ch.Effect)+" "+ch.Path)
		}
	}
	slices.Sort(paths)
	late := slices.Contains(paths, "create late") // it may have come before the folder was removed
	want := []string{"change open", "change x", "create dir", "create dir/new", "delete gone"}
	if late {
		want = []string{"change open", "change x", "create dir", "create dir/new", "create late", "delete gone"}
	}
	if err != nil || !slices.Equal(paths, want) {
		t.Errorf("%q, %v", paths, err)
	}
	if rep, err := c.Undo(t.Context(), began.ID, history.UndoRequest{IDs: ids}); err != nil || len(rep.Undone) != len(ids) || len(rep.Conflicts) != 0 {
		t.Errorf("%+v, %v", rep, err)
	}
	if got := names(t, second); !slices.Equal(got, []string{"gone", "open", "x"}) {
		t.Errorf("%q", got)
	}
	for name, content := range before {
		if data, err := os.ReadFile(filepath.Join(second, name)); err != nil || string(data) != content {
			t.Errorf("%s is %q, %v", name, data, err)
		}
	}
}
