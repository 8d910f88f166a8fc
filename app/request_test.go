package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
)

func TestRequests(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	file := filepath.Join(dir, "1.png")
	exec := tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}
	chore := tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: dir}}}
	with := func(r tasks.StartRequest, change func(*tasks.StartRequest)) tasks.StartRequest { change(&r); return r }
	folders := func(paths ...string) func(*tasks.StartRequest) {
		return func(r *tasks.StartRequest) {
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
		r    tasks.StartRequest
		code string
	}{
		{"nothing", tasks.StartRequest{}, problem.CodeBadRequest},
		{"unknown kind", tasks.StartRequest{Kind: "x"}, problem.CodeBadRequest},
		{"AI without a model", tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "x"}}, problem.CodeNoModel},
		{"unknown chore", tasks.StartRequest{Kind: task.KindChore, Chore: "x"}, problem.CodeUnknownChore},
		{"chore without a folder", with(chore, folders()), problem.CodeBadRequest},
		{"bad parameter", with(chore, func(r *tasks.StartRequest) { r.Params = map[string]any{"page": "a0"} }), problem.CodeBadRequest},
		{"no program", with(exec, func(r *tasks.StartRequest) { r.Argv = nil }), problem.CodeBadRequest},
		{"empty program", with(exec, func(r *tasks.StartRequest) { r.Argv = []string{""} }), problem.CodeBadRequest},
		{"NUL in an argument", with(exec, func(r *tasks.StartRequest) { r.Argv = []string{"a", "\x00"} }), problem.CodeBadRequest},
		{"argument that is not UTF-8", with(exec, func(r *tasks.StartRequest) { r.Argv = []string{"a", "\xff"} }), problem.CodeBadRequest},
		{"relative directory", with(exec, func(r *tasks.StartRequest) { r.Cwd = "x" }), problem.CodeBadRequest},
		{"no tool", tasks.StartRequest{Kind: task.KindTool}, problem.CodeBadRequest},
		{"network", with(exec, func(r *tasks.StartRequest) { r.Network = "all" }), problem.CodeBadRequest},
		{"accelerator", with(exec, func(r *tasks.StartRequest) { r.Accel = "kvm" }), problem.CodeBadRequest},
		{"mode", with(exec, func(r *tasks.StartRequest) { r.Folders = []task.FolderRequest{{Path: dir, Mode: "x"}} }), problem.CodeBadRequest},

		{"relative folder", with(exec, folders("x")), problem.CodeBadRequest},
		{"empty folder path", with(exec, folders("")), problem.CodeBadRequest},
		{"folder that is not UTF-8", with(exec, folders("/\xff")), problem.CodeBadRequest},
		{"a file", with(exec, folders(file)), problem.CodeUnknown},
		{"gone", with(exec, folders(filepath.Join(dir, "gone"))), problem.CodeFolderRefused},
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
	got, err := c.FoldersOf(tasks.StartRequest{Kind: task.KindExec, Folders: []task.FolderRequest{
		{Path: mk("Fotos")}, {Path: mk("Fotos") + "/", Mode: task.ModeReadWrite}, {Path: mk("Fotos (2)")}, {Path: link},
		{Path: mk("写真 'x'") + "/../写真 'x'"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]string{link: problem.CodeFolderRefused, filepath.Join(link, "..", "Shown"): problem.CodeFolderRefused, got[0].Path + "/": ""} {
		_, err := c.FoldersOf(tasks.StartRequest{Kind: task.KindExec, Folders: []task.FolderRequest{{Path: path, Exact: true}}})
		if codeOf(err) != code {
			t.Errorf("%s, exactly: %v", path, err)
		}
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
