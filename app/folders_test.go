package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hugelgupf/p9/linux"

	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/wire"
)

// program is a controller over the real file server and journal with a program at
// work, which does what the test sends until the test closes do.
type program struct {
	*world
	c    *Controller
	id   string
	wait func(id string, s task.State) task.Task
	do   chan func(choretest.Files)
}

func runProgram(t *testing.T, folders ...task.FolderRequest) *program {
	t.Helper()
	return runProgramWith(t, func(*choretest.Runtime) {}, folders...)
}

// runProgramWith is runProgram in a machine that is changed first.
func runProgramWith(t *testing.T, change func(*choretest.Runtime), folders ...task.FolderRequest) *program {
	t.Helper()
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	s := &program{world: newWorld(t), do: make(chan func(choretest.Files))}
	begun := make(chan struct{})
	s.onMachine = func(rt *choretest.Runtime) error {
		change(rt)
		rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			close(begun)
			for f := range s.do {
				f(rt.Files)
			}
			return wire.ExecResult{}, nil
		}
		return nil
	}
	c, err := open(t.Context(), s.options(), realShares(s.world))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	s.c, s.wait = c, s.listen(c)
	s.id = s.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"x"}, Folders: folders}).ID
	<-begun
	return s
}

// guest does something as the program, and waits until it is done.
func (s *program) guest(f func(choretest.Files)) {
	done := make(chan struct{})
	s.do <- func(files choretest.Files) { defer close(done); f(files) }
	<-done
}

func (s *program) end() task.Task {
	close(s.do)
	return s.wait(s.id, task.StateDone)
}

func (s *program) folder(name, file, content string) string {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), name)
	err := os.Mkdir(dir, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return dir
}

func (s *program) add(path string, mode task.Mode) task.Task {
	s.t.Helper()
	t, err := s.c.AddFolder(s.t.Context(), s.id, task.FolderRequest{Path: path, Mode: mode})
	if err != nil {
		s.t.Fatal(err)
	}
	return t
}

func (s *program) remove(id string) task.Task {
	s.t.Helper()
	t, err := s.c.RemoveFolder(s.t.Context(), s.id, id)
	if err != nil {
		s.t.Fatal(err)
	}
	return t
}

// A program that was started without a folder gets one, changes it, and loses it. Its
// changes stay listed and can be undone; what the person did after that is theirs.
func TestFolderAddedAndRemoved(t *testing.T) {
	s := runProgram(t)
	dir := s.folder("Letters", "old.txt", "old")
	got := s.add(dir, task.ModeReadWrite)
	if want := (task.Folder{ID: "f1", Path: dir, Name: "Letters", Mode: task.ModeReadWrite}); len(got.Folders) != 1 || got.Folders[0] != want {
		t.Fatalf("%+v", got.Folders)
	}
	s.guest(func(files choretest.Files) {
		if data, err := files.Read("/folders/Letters/old.txt"); err != nil || string(data) != "old" {
			t.Errorf("%q %v", data, err)
		}
		err := errors.Join(files.(*mounted).overwrite("/folders/Letters/old.txt", []byte("new")), files.Write("/folders/Letters/made.txt", []byte("made")))
		if err != nil {
			t.Error(err)
		}
	})
	if list, err := s.c.Changes(t.Context(), s.id); err != nil || len(list) != 2 || list[0].Folder != "f1" {
		t.Errorf("%+v %v", list, err)
	}
	if got = s.remove("f1"); got.Folders[0].Removed == nil || len(got.Shared()) != 0 {
		t.Errorf("%+v", got.Folders)
	}
	s.guest(func(files choretest.Files) {
		if _, err := files.Read("/folders/Letters/old.txt"); !errors.Is(err, linux.ENOENT) && !errors.Is(err, linux.ESTALE) {
			t.Errorf("what was removed is read: %v", err)
		}
		if err := files.Write("/folders/Letters/more.txt", nil); err == nil {
			t.Error("what was removed is written to")
		}
	})
	if err := os.WriteFile(filepath.Join(dir, "made.txt"), []byte("the person's"), 0o644); err != nil {
		t.Fatal(err)
	}
	end := s.end()
	if len(end.Folders) != 1 || end.Folders[0].Removed == nil {
		t.Errorf("%+v", end.Folders)
	}
	if kinds := s.kinds(s.c, s.id); strings.Count(strings.Join(kinds, " "), "folder") != 2 {
		t.Errorf("%q", kinds)
	}
	var said []string
	for _, r := range s.audit(s.c) {
		if r.Event == audit.EventFolder {
			said = append(said, fmt.Sprint(r.Topic, " ", r.Folder, " ", r.Mode, " ", r.By))
		}
	}
	if want := []string{fmt.Sprint("added ", s.c.audit.Digest(dir), " rw person"), fmt.Sprint("removed ", s.c.audit.Digest(dir), " rw person")}; !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
	rep, err := s.c.Undo(t.Context(), s.id, history.UndoRequest{})
	if err != nil || len(rep.Undone) != 1 || len(rep.Conflicts) != 1 || rep.Conflicts[0].Change.Path != "made.txt" {
		t.Errorf("%+v %v", rep, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "old.txt")); err != nil || string(data) != "old" {
		t.Errorf("%q %v", data, err)
	}
}

// A folder that was removed and is added again is the same one, also in another mode:
// what waited in front of it waits on. Its task started again has what it had last.
func TestRemovedFolderAddedAgain(t *testing.T) {
	s := runProgram(t)
	dir, other := s.folder("Letters", "old.txt", "old"), s.folder("Letters", "b.txt", "b")
	s.add(dir, task.ModeReview)
	s.guest(func(files choretest.Files) {
		if err := files.Write("/folders/Letters/waits.txt", []byte("x")); err != nil {
			t.Error(err)
		}
	})
	s.remove("f1")
	if got := s.add(other, ""); got.Folders[1].Name != "Letters (2)" || got.Folders[1].Mode != task.ModeReadOnly {
		t.Errorf("%+v", got.Folders)
	}
	got := s.add(dir, task.ModeReadWrite)
	if f := got.Folders[0]; len(got.Folders) != 2 || f.ID != "f1" || f.Name != "Letters" || f.Mode != task.ModeReadWrite || f.Removed != nil {
		t.Errorf("%+v", got.Folders)
	}
	s.guest(func(files choretest.Files) {
		err := files.Write("/folders/Letters/direct.txt", []byte("y"))
		if data, rerr := files.Read("/folders/Letters (2)/b.txt"); err != nil || rerr != nil || string(data) != "b" {
			t.Errorf("%q %v", data, errors.Join(err, rerr))
		}
		if err := files.Write("/folders/Letters (2)/c.txt", nil); err == nil {
			t.Error("a read-only folder was written to")
		}
	})
	s.remove("f2")
	s.end()
	list, err := s.c.Changes(t.Context(), s.id)
	if err != nil || len(list) != 2 || list[0].Staged || !list[1].Staged || list[1].Path != "waits.txt" {
		t.Fatalf("%+v %v", list, err)
	}
	if rep, err := s.c.Apply(t.Context(), s.id, history.ApplyRequest{}); err != nil || len(rep.Applied) != 1 {
		t.Errorf("%+v %v", rep, err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"direct.txt", "old.txt", "waits.txt"}) {
		t.Errorf("%q", got)
	}
	old, err := s.c.Task(t.Context(), s.id)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.c.SameRequest(old); err != nil || !slices.Equal(r.Folders, []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite, Exact: true}}) {
		t.Errorf("%+v %v", r.Folders, err)
	}
}

// What ends the program leaves the folder in the record, and its undo whole.
func TestFolderAddedSurvivesACrash(t *testing.T) {
	s := runProgram(t)
	dir := s.folder("Letters", "old.txt", "old")
	s.add(dir, task.ModeReadWrite)
	s.guest(func(files choretest.Files) {
		if err := files.(*mounted).overwrite("/folders/Letters/old.txt", []byte("new")); err != nil {
			t.Error(err)
		}
	})
	o, base := s.options(), t.TempDir()
	o.DataDir, o.ConfigDir, o.CacheDir = filepath.Join(base, "data"), filepath.Join(base, "config"), filepath.Join(base, "cache")
	if err := os.CopyFS(filepath.Join(o.DataDir, "tasks"), os.DirFS(filepath.Join(s.options().DataDir, "tasks"))); err != nil {
		t.Fatal(err)
	}
	s.end()
	c, err := open(t.Context(), o, realShares(s.world))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	if rep, err := c.Undo(t.Context(), s.id, history.UndoRequest{}); err != nil || len(rep.Undone) != 1 || len(rep.Conflicts) != 0 {
		t.Errorf("%+v %v", rep, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "old.txt")); err != nil || string(data) != "old" {
		t.Errorf("%q %v", data, err)
	}
}

// Folders that a task cannot have are refused as at its start, and change nothing.
func TestAddedFolderIsChecked(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	first := filepath.Join(t.TempDir(), "Trip")
	if err := os.MkdirAll(filepath.Join(first, "Day"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := runProgram(t, task.FolderRequest{Path: first})
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	gone := s.folder("Gone", "x", "")
	s.add(gone, task.ModeReadWrite)
	s.remove("f2")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(first, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, path string
		mode       task.Mode
		code       string
	}{
		{"the same", first, "", problem.CodeFolderOverlap},
		{"by a link", link, "", problem.CodeFolderOverlap},
		{"inside", filepath.Join(first, "Day"), "", problem.CodeFolderOverlap},
		{"around", filepath.Dir(first), "", problem.CodeFolderOverlap},
		{"around one whose changes are kept", filepath.Dir(gone), "", problem.CodeFolderOverlap},
		{"missing", filepath.Join(first, "no"), "", problem.CodeFolderRefused},
		{"home", home, "", problem.CodeFolderRefused},
		{"of the system", "/etc", "", problem.CodeFolderRefused},
		{"of piwork", s.options().DataDir, "", problem.CodeFolderRefused},
		{"no path", "Trip", "", problem.CodeBadRequest},
		{"no mode", t.TempDir(), "x", problem.CodeBadRequest},
	} {
		if _, err := s.c.AddFolder(t.Context(), s.id, task.FolderRequest{Path: tt.path, Mode: tt.mode}); codeOf(err) != tt.code {
			t.Errorf("%s: %v instead of %s", tt.name, err, tt.code)
		}
	}
	for _, id := range []string{"f2", "f3", ""} {
		if _, err := s.c.RemoveFolder(t.Context(), s.id, id); codeOf(err) != problem.CodeNotFound {
			t.Errorf("%q is removed: %v", id, err)
		}
	}
	if got, err := s.c.Task(t.Context(), s.id); err != nil || len(got.Folders) != 2 || len(got.Shared()) != 1 {
		t.Errorf("%+v %v", got.Folders, err)
	}
	for len(s.last().Shared()) < tasks.MaxFolders {
		s.add(t.TempDir(), "")
	}
	if _, err := s.c.AddFolder(t.Context(), s.id, task.FolderRequest{Path: t.TempDir()}); codeOf(err) != problem.CodeBadRequest {
		t.Errorf("%d folders: %v", tasks.MaxFolders+1, err)
	}
	s.end()
	_, err = s.c.AddFolder(t.Context(), s.id, task.FolderRequest{Path: t.TempDir()})
	_, rerr := s.c.RemoveFolder(t.Context(), s.id, "f1")
	if codeOf(err) != problem.CodeFoldersFixed || codeOf(rerr) != problem.CodeFoldersFixed {
		t.Errorf("of a task that is over: %v, %v", err, rerr)
	}
	if _, err := s.c.AddFolder(t.Context(), "0195", task.FolderRequest{Path: first}); codeOf(err) != problem.CodeNotFound {
		t.Errorf("of no task: %v", err)
	}
}

func (s *program) last() task.Task { return *s.c.Live(s.id).Last() }

// A task that does not run yet has its folders when it does; a chore takes none.
func TestFolderAddedBeforeTheMachine(t *testing.T) {
	w := newWorld(t)
	waits := make(chan struct{})
	w.onProve = func(context.Context) error { <-waits; return nil }
	c := w.open()
	wait := w.listen(c)
	one, two := t.TempDir(), t.TempDir()
	id := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Folders: []task.FolderRequest{{Path: one}}}).ID
	wait(id, task.StatePreparing)
	if _, err := c.AddFolder(t.Context(), id, task.FolderRequest{Path: two, Mode: task.ModeReadWrite}); err != nil {
		t.Error(err)
	}
	if _, err := c.RemoveFolder(t.Context(), id, "f1"); err != nil {
		t.Error(err)
	}
	chore := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: w.pictures("1.png")}}}).ID
	if _, err := c.AddFolder(t.Context(), chore, task.FolderRequest{Path: two}); codeOf(err) != problem.CodeFoldersFixed {
		t.Errorf("a chore: %v", err)
	}
	close(waits)
	wait(id, task.StateDone)
	machines := w.all()
	i := slices.IndexFunc(machines, func(m *machine) bool { return len(m.spec.Env.WritableRoots) > 0 })
	if i < 0 || len(machines[i].spec.Env.ReadOnlyRoots) != 0 || machines[i].spec.Env.WritableRoots[0] != two {
		t.Errorf("no machine of %d has the folder alone", len(machines))
	}
}

// A folder that cannot be shared is not the task's.
func TestFolderThatCannotBeAdded(t *testing.T) {
	s := runProgram(t)
	dir := s.folder("Letters", "x", "")
	s.c.s.checkFolder = func(string, []string) error { return os.RemoveAll(dir) } // gone, once it was looked at
	if _, err := s.c.AddFolder(t.Context(), s.id, task.FolderRequest{Path: dir}); codeOf(err) != problem.CodeFolderRefused {
		t.Errorf("it was added, or %v", err)
	}
	if got := s.end(); len(got.Folders) != 0 {
		t.Errorf("%+v", got.Folders)
	}
}
