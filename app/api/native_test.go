package api_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/task"
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
