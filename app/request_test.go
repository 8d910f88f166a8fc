package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/wire"
)

func TestRequests(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	file := filepath.Join(dir, "1.png")
	exec := StartRequest{Kind: task.KindExec, Argv: []string{"true"}}
	chore := StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: dir}}}
	with := func(r StartRequest, change func(*StartRequest)) StartRequest { change(&r); return r }
	folders := func(paths ...string) func(*StartRequest) {
		return func(r *StartRequest) {
			r.Folders = nil
			for _, p := range paths {
				r.Folders = append(r.Folders, task.FolderRequest{Path: p})
			}
		}
	}
	c := w.open()
	link := filepath.Join(w.base, "link")
	if err := os.Symlink(c.o.DataDir, link); err != nil {
		t.Skip("this user may make no symbolic links (Windows without developer mode): ", err)
	}
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	w.refuse = func(p string) error {
		if p == file {
			return errors.New("not a folder")
		}
		return nil
	}
	rows := []struct {
		name string
		r    StartRequest
		code string
	}{
		{"nothing", StartRequest{}, problem.CodeBadRequest},
		{"unknown kind", StartRequest{Kind: "x"}, problem.CodeBadRequest},
		{"AI without a model", StartRequest{Kind: task.KindAI, Prompt: "x"}, problem.CodeNoModel},
		{"unknown chore", StartRequest{Kind: task.KindChore, Chore: "x"}, problem.CodeUnknownChore},
		{"chore without a folder", with(chore, folders()), problem.CodeBadRequest},
		{"bad parameter", with(chore, func(r *StartRequest) { r.Params = map[string]any{"page": "a0"} }), problem.CodeBadRequest},
		{"no program", with(exec, func(r *StartRequest) { r.Argv = nil }), problem.CodeBadRequest},
		{"empty program", with(exec, func(r *StartRequest) { r.Argv = []string{""} }), problem.CodeBadRequest},
		{"NUL in an argument", with(exec, func(r *StartRequest) { r.Argv = []string{"a", "\x00"} }), problem.CodeBadRequest},
		{"argument that is not UTF-8", with(exec, func(r *StartRequest) { r.Argv = []string{"a", "\xff"} }), problem.CodeBadRequest},
		{"relative directory", with(exec, func(r *StartRequest) { r.Cwd = "x" }), problem.CodeBadRequest},
		{"no tool", StartRequest{Kind: task.KindTool}, problem.CodeBadRequest},
		{"network", with(exec, func(r *StartRequest) { r.Network = "all" }), problem.CodeBadRequest},
		{"accelerator", with(exec, func(r *StartRequest) { r.Accel = "kvm" }), problem.CodeBadRequest},
		{"mode", with(exec, func(r *StartRequest) { r.Folders = []task.FolderRequest{{Path: dir, Mode: "x"}} }), problem.CodeBadRequest},

		{"relative folder", with(exec, folders("x")), problem.CodeBadRequest},
		{"empty folder path", with(exec, folders("")), problem.CodeBadRequest},
		{"folder that is not UTF-8", with(exec, folders("/\xff")), problem.CodeBadRequest},
		{"a file", with(exec, folders(file)), problem.CodeUnknown},
		{"gone", with(exec, folders(filepath.Join(dir, "gone"))), problem.CodeUnknown},
		{"piwork's own data", with(exec, folders(c.o.DataDir)), problem.CodeFolderRefused},
		{"above piwork's own data", with(exec, folders(w.base)), problem.CodeFolderRefused},
		{"a link to piwork's own data", with(exec, folders(link)), problem.CodeFolderRefused},
		{"in piwork's settings", with(exec, folders(c.o.ConfigDir)), problem.CodeFolderRefused},
		{"the same folder twice", with(exec, folders(dir, dir)), problem.CodeFolderOverlap},
		{"a folder in another", with(exec, folders(dir, sub)), problem.CodeFolderOverlap},
		{"a folder around another", with(exec, folders(sub, dir)), problem.CodeFolderOverlap},
		{"too many folders", with(exec, folders(slices.Repeat([]string{dir}, 99)...)), problem.CodeBadRequest},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if got, err := c.StartTask(t.Context(), r.r); codeOf(err) != r.code {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if list, err := c.Tasks(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("refused requests left %v, %v", list, err)
	}
}

func TestFolderNames(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	mk := func(p ...string) string {
		dir := filepath.Join(append([]string{t.TempDir()}, p...)...)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	real := mk("real")
	link := filepath.Join(t.TempDir(), "Shown")
	if err := os.Symlink(real, link); err != nil {
		t.Skip("this user may make no symbolic links (Windows without developer mode): ", err)
	}
	got, err := c.folders(StartRequest{Kind: task.KindExec, Folders: []task.FolderRequest{
		{Path: mk("Fotos")}, {Path: mk("Fotos") + "/", Mode: task.ModeReadWrite}, {Path: mk("Fotos (2)")}, {Path: link},
		{Path: mk("写真 'x'") + "/../写真 'x'"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range got {
		names = append(names, f.ID+"="+f.Name+"/"+string(f.Mode))
	}
	want := []string{"f1=Fotos/ro", "f2=Fotos (2)/rw", "f3=Fotos (2) (2)/ro", "f4=Shown/ro", "f5=写真 'x'/ro"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	if resolved, err := filepath.EvalSymlinks(real); err != nil || got[3].Path != resolved {
		t.Errorf("%s, %v", got[3].Path, err)
	}
}

func TestTitles(t *testing.T) {
	long := strings.Repeat("ä", 500)
	rows := []struct {
		t    task.Task
		want string
	}{
		{task.Task{Kind: task.KindExec, Argv: []string{"/usr/bin/ls", "-l", "a\nb"}}, "ls -l a b"},
		{task.Task{Kind: task.KindChore, Chore: "c"}, "c: F"},
		{task.Task{Kind: task.KindTool, Params: map[string]any{"op": "o"}}, "o: F"},
		{task.Task{Kind: task.KindTool, Params: map[string]any{"op": "o"}, Asked: &task.Asked{Lost: lostFiles}}, "o"},
		{task.Task{Kind: task.KindAI, Asked: &task.Asked{Prompt: "\n say this\nand that"}}, "say this"},
		{task.Task{Kind: task.KindAI}, ""}, // older than what was asked is kept
		{task.Task{Kind: task.KindExec, Argv: []string{long}}, strings.Repeat("ä", 199) + "…"},
	}
	for _, r := range rows {
		r.t.Folders = []task.Folder{{Name: "F"}}
		if got := madeTitle(r.t); got != r.want {
			t.Errorf("%q, want %q", got, r.want)
		}
	}
	if got := task.TitleOf(" mine \n now"); got != "mine now" {
		t.Errorf("%q", got)
	}
}

// A password is in no record of a task.
func TestSecretsAreNotRecorded(t *testing.T) {
	given := map[string]any{"password": "hunter2", "replace": true}
	rec := task.Task{ID: "t1", Network: task.NetworkOff}
	err := toolRequest(&rec, StartRequest{Tool: &wire.ToolParams{Op: "pdf.protect", In: []string{"/folders/a/b.pdf"}, Out: "/work/out/c.pdf", Params: given}})
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprint(rec); strings.Contains(said, "hunter2") {
		t.Errorf("recorded %s", said)
	}
	if given["password"] != "hunter2" {
		t.Error("the request lost it")
	}
}
