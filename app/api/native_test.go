package api_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

// shell records what a window was asked for.
type shell struct{ did []string }

func (s *shell) PickFolder(_ context.Context, title string) (string, error) {
	s.did = append(s.did, "pick "+title)
	return "/picked", nil
}
func (s *shell) PickFile(context.Context, string, []string) (string, error) { return "", nil }
func (s *shell) PickFiles(_ context.Context, title string, patterns []string) ([]string, error) {
	if title == "" {
		return nil, nil // given up
	}
	s.did = append(s.did, fmt.Sprint("pick ", title, patterns))
	return []string{"/a", "/b"}, nil
}
func (s *shell) OpenFile(_ context.Context, p string) error {
	s.did = append(s.did, "open "+p)
	return nil
}
func (s *shell) RevealFile(_ context.Context, p string) error {
	s.did = append(s.did, "reveal "+p)
	return nil
}

// The guest chooses the names of results: what could run something when it is
// opened is only shown in its folder.
func TestNative(t *testing.T) {
	folder := t.TempDir()
	names := []string{"a/Pictures.PDF", "evil.desktop", "page.html", "x.svg", "run.sh", "doc.pdf.exe", "noext"}
	f := apitest.New(apitest.Script{})
	for _, n := range names {
		f.Results = append(f.Results, apitest.ResultFile{Result: task.Result{Folder: "f1", Path: n}})
	}
	sh := &shell{}
	h := newAPI(t, f, api.Options{Shell: sh}).Handler()
	res := ask(t, h, "POST", "/v1/tasks", `{"kind":"chore","folders":[{"path":"`+folder+`"}],"accept":true,"detached":true}`)
	id, _ := res.body["id"].(string)
	await(t, func() bool { got, _ := f.Task(t.Context(), id); return got.State.Final() })
	var want []string
	for i, n := range names {
		how := "reveal"
		if i == 0 {
			how = "open"
		}
		want = append(want, how+" "+filepath.Join(folder, n))
		res := ask(t, h, "POST", "/v1/native/open", `{"task":"`+id+`","index":`+string(rune('0'+i))+`}`)
		if res.StatusCode != 200 {
			t.Fatalf("%s: %d %s", n, res.StatusCode, res.raw)
		}
	}
	if !slices.Equal(sh.did, want) {
		t.Errorf("got  %q\nwant %q", sh.did, want)
	}
	sh.did = nil
	if res := ask(t, h, "POST", "/v1/native/open", `{"task":"`+id+`","index":0,"reveal":true}`); res.body["how"] != "revealed" ||
		!slices.Equal(sh.did, []string{"reveal " + filepath.Join(folder, names[0])}) {
		t.Errorf("shown in its folder: %d %s %q", res.StatusCode, res.raw, sh.did)
	}
	sh.did = nil
	if res := ask(t, h, "POST", "/v1/native/pick-folder", `{"title":"Choose"}`); res.body["path"] != "/picked" || !slices.Equal(sh.did, []string{"pick Choose"}) {
		t.Errorf("%s %q", res.raw, sh.did)
	}
	sh.did = nil
	if res := ask(t, h, "POST", "/v1/native/pick-files", `{"title":"Choose","patterns":["*.png"]}`); fmt.Sprint(res.body["paths"]) != "[/a /b]" || !slices.Equal(sh.did, []string{"pick Choose[*.png]"}) {
		t.Errorf("%d %s %q", res.StatusCode, res.raw, sh.did)
	}
	if res := ask(t, h, "POST", "/v1/native/pick-files", ""); res.StatusCode != 200 || fmt.Sprint(res.body["paths"]) != "[]" {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	sh.did = nil
	if res := ask(t, h, "POST", "/v1/native/pick-file", ""); res.StatusCode != 200 || res.body["path"] != "" {
		t.Errorf("nothing chosen: %d %s", res.StatusCode, res.raw)
	}
}

// What waits in front of its folder is not the older file that lies there, and what is in no
// folder is opened, too: as a copy that nobody writes, and that goes with the window.
func TestOpenedCopies(t *testing.T) {
	folder, base := t.TempDir(), filepath.Join(t.TempDir(), "opened")
	if err := os.WriteFile(filepath.Join(folder, "waits.pdf"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link.pdf": "run.sh", "sub": "real"} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"applied.pdf", "run.sh", "real/a.pdf"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700), os.WriteFile(filepath.Join(folder, name), nil, 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	f := apitest.New(apitest.Script{Results: []apitest.ResultFile{
		{Result: task.Result{Folder: "f1", Path: "waits.pdf", Size: 3}, Data: []byte("new")},
		{Result: task.Result{Folder: "f1", Path: "applied.pdf"}},
		{Result: task.Result{Path: "out/letters.pdf", Size: 4}, Data: []byte("dear")},
		{Result: task.Result{Path: ".pdf"}},
		{Result: task.Result{Path: "run.sh", Size: 2}, Data: []byte("#!")},
		{Result: task.Result{Folder: "f1", Path: "link.pdf", Size: 2}, Data: []byte("#!")},
		{Result: task.Result{Folder: "f1", Path: "sub/a.pdf", Size: 1}, Data: []byte("a")},
	}, Changed: apitest.Changed{List: []journal.Change{{Folder: "f1", Path: "waits.pdf", Staged: true}, {Folder: "f1", Path: "applied.pdf"}}}})
	sh, copies := &shell{}, api.NewCopies(base)
	a := newAPI(t, f, api.Options{Shell: sh, Copies: copies})
	h := a.Handler()
	res := ask(t, h, "POST", "/v1/tasks", `{"kind":"chore","folders":[{"path":"`+folder+`","mode":"review"}],"accept":true,"detached":true}`)
	id, _ := res.body["id"].(string)
	await(t, func() bool { got, _ := f.Task(t.Context(), id); return got.State.Final() })
	open := func(index int, reveal bool) (how, file string) {
		t.Helper()
		sh.did = nil
		res := ask(t, h, "POST", "/v1/native/open", fmt.Sprintf(`{"task":%q,"index":%d,"reveal":%t}`, id, index, reveal))
		if res.StatusCode != 200 || len(sh.did) != 1 {
			t.Fatalf("result %d: %d %s %q", index, res.StatusCode, res.raw, sh.did)
		}
		how, file, _ = strings.Cut(sh.did[0], " ")
		return how, file
	}
	holds := func(file, want string) {
		t.Helper()
		if data, err := os.ReadFile(file); err != nil || string(data) != want || !strings.HasPrefix(file, base) {
			t.Errorf("%s: %q %v", file, data, err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o333 != 0 {
			t.Errorf("%s: %v %v", file, info, err)
		}
	}
	if how, file := open(1, false); how != "open" || file != filepath.Join(folder, "applied.pdf") {
		t.Errorf("what was applied: %s %s", how, file)
	}
	how, first := open(0, false)
	holds(first, "new")
	if how != "open" || filepath.Base(first) != "waits.pdf" {
		t.Errorf("what waits: %s %s", how, first)
	}
	how, again := open(0, true)
	holds(again, "new")
	holds(first, "new") // a program may be about to read it
	if how != "reveal" {
		t.Error(how)
	}
	for range 2 {
		_, again = open(0, false)
	}
	holds(again, "new")
	if _, err := os.Stat(first); err == nil {
		t.Error("the first of many copies is still there")
	}
	_, file := open(2, false)
	holds(file, "dear")
	if filepath.Base(file) != "letters.pdf" {
		t.Error(file)
	}
	if how, file = open(3, false); how != "open" || filepath.Base(file) != "file.pdf" {
		t.Errorf("a name that hides it: %s %s", how, file)
	}
	how, file = open(4, false)
	holds(file, "#!")
	if how != "reveal" {
		t.Error("a program was opened")
	}

	_, file = open(5, false) // the system would follow the link, and run it
	holds(file, "#!")
	if filepath.Base(file) != "link.pdf" {
		t.Error(file)
	}
	_, file = open(6, false)
	holds(file, "a")

	// Another window takes away what one left that was killed, and nothing of this one.
	left := filepath.Join(base, "left")
	if err := os.MkdirAll(filepath.Join(left, "copy-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	others := api.NewCopies(base)
	other := api.New(api.Options{Service: f, Shell: &shell{}, Copies: others})
	if _, err := os.Stat(left); err == nil {
		t.Error("what a window left that was killed is still there")
	}
	if res := ask(t, other.Handler(), "POST", "/v1/native/open", fmt.Sprintf(`{"task":%q,"index":2}`, id)); res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, res.raw)
	}
	holds(file, "a")
	others.Close()
	holds(file, "a")
	a.Close() // the window talks to another controller from now on
	holds(file, "a")
	copies.Close()
	if res := ask(t, h, "POST", "/v1/native/open", fmt.Sprintf(`{"task":%q,"index":2}`, id)); res.body["code"] != problem.CodeShuttingDown {
		t.Errorf("after the end: %s", res.raw)
	}
	if dirs, err := os.ReadDir(base); err != nil || len(dirs) != 1 || dirs[0].IsDir() {
		t.Errorf("the windows are closed: %v %v", dirs, err)
	}
}
