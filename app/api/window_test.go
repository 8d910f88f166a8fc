package api_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/upkeep"
)

// window notes what it was asked for.
type window struct {
	did  []string
	path string // that is chosen to save to
}

func (w *window) Ready(context.Context) (api.WindowState, error) {
	return api.WindowState{}, nil
}
func (w *window) Drawn(_ context.Context, drawn bool) error {
	w.did = append(w.did, fmt.Sprint("drawn ", drawn))
	return nil
}
func (w *window) Close(_ context.Context, r api.CloseRequest) error {
	w.did = append(w.did, "close "+r.Answer)
	return nil
}
func (w *window) New(_ context.Context, id string) error {
	w.did = append(w.did, "new "+id)
	return nil
}
func (w *window) Notify(_ context.Context, n api.Notice) error {
	w.did = append(w.did, "notify "+n.Title)
	return nil
}
func (w *window) SaveFile(_ context.Context, _, name string) (string, error) {
	w.did = append(w.did, "save "+name)
	return w.path, nil
}

func TestWindow(t *testing.T) {
	f := apitest.New(apitest.Script{})
	w := &window{}
	h := newAPI(t, f, api.Options{Window: w}).Handler()
	if res := ask(t, h, "POST", "/v1/window/ready", ""); res.StatusCode != 200 || !strings.Contains(string(res.raw), `"open":[]`) {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	for _, tt := range []struct {
		path, body string
		status     int
	}{
		{"/v1/window/drawn", `{"drawn":true}`, 204},
		{"/v1/window/drawn", `{"drawn":false}`, 204},
		{"/v1/window/drawn", `{}`, 422},
		{"/v1/window/close", `{"answer":"stop","remember":true}`, 204},
		{"/v1/window/close", `{"answer":"explode"}`, 422},
		{"/v1/window/new", "", 204},
		{"/v1/window/new", `{"task":"none"}`, 404},
		{"/v1/window/new", `{"task":"../x"}`, 422},
		{"/v1/native/notify", `{"title":"Done"}`, 200},
		{"/v1/native/notify", `{"title":""}`, 422},
		{"/v1/native/save-as", `{"name":"a.pdf"}`, 200},
		{"/v1/native/save-as", `{"name":"../a.pdf"}`, 422},
		{"/v1/native/save-as", `{"name":"a","from":"/v1/keys"}`, 422},
		{"/v1/native/save-as", `{"name":"a","from":"/v1/tasks/1/../../keys"}`, 422},
		{"/v1/native/save-as", `{"name":"a","from":"http://x/"}`, 422},
	} {
		if res := ask(t, h, "POST", tt.path, tt.body); res.StatusCode != tt.status && (tt.status != 422 || res.StatusCode != 400) {
			t.Errorf("%s %s: %d %s", tt.path, tt.body, res.StatusCode, res.raw)
		}
	}
	if want := []string{"drawn true", "drawn false", "close stop", "new ", "notify Done", "save a.pdf"}; !reflect.DeepEqual(w.did, want) {
		t.Errorf("%q", w.did)
	}
	if res := ask(t, h, "PUT", "/v1/settings/window", `{"close":"stop","notify":false}`); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	w.did = nil
	if res := ask(t, h, "POST", "/v1/native/notify", `{"title":"Done"}`); res.body["shown"] != false || len(w.did) != 0 {
		t.Errorf("a message for somebody who wants none: %s %q", res.raw, w.did)
	}
	none := newAPI(t, f, api.Options{}).Handler()
	for _, path := range []string{"/v1/window/ready", "/v1/window/new"} {
		if res := ask(t, none, "POST", path, ""); res.StatusCode != 501 {
			t.Errorf("%s without a window: %d", path, res.StatusCode)
		}
	}
}

// A result is saved where the person chose, whole or not at all.
func TestSaveAs(t *testing.T) {
	f := apitest.New(apitest.Script{Results: []apitest.ResultFile{{Result: task.Result{Path: "r.txt", Size: 5}, Data: []byte("hello")}}})
	dir := t.TempDir()
	w := &window{path: filepath.Join(dir, "out.txt")}
	h := newAPI(t, f, api.Options{Window: w}).Handler()
	res := ask(t, h, "POST", "/v1/tasks", `{"kind":"chore","folders":[{"path":"/a"}],"accept":true,"detached":true}`)
	id, _ := res.body["id"].(string)
	await(t, func() bool { got, _ := f.Task(t.Context(), id); return got.State.Final() })
	if err := os.WriteFile(w.path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if res := ask(t, h, "POST", "/v1/native/save-as", `{"name":"r.txt","from":"/v1/tasks/`+id+`/results/7"}`); res.StatusCode < 400 {
		t.Errorf("a result that is not there: %d %s", res.StatusCode, res.raw)
	}
	if data, _ := os.ReadFile(w.path); string(data) != "old" {
		t.Errorf("%q", data)
	}
	if res := ask(t, h, "POST", "/v1/native/save-as", `{"name":"r.txt","from":"/v1/tasks/`+id+`/results/0"}`); res.StatusCode != 200 || res.body["path"] != w.path {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	if data, _ := os.ReadFile(w.path); string(data) != "hello" {
		t.Errorf("%q", data)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
}

// torn is a service whose exports end in the middle.
type torn struct{ *apitest.Fake }

func (torn) ExportTask(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(io.MultiReader(strings.NewReader("PK half"), iotest.ErrReader(errors.New("the disk is gone")))), nil
}

// What is cut off on its way replaces nothing and leaves nothing behind.
func TestSaveAsIsWholeOrNot(t *testing.T) {
	f := apitest.New(apitest.Script{})
	dir := t.TempDir()
	w := &window{path: filepath.Join(dir, "out.zip")}
	a := api.New(api.Options{Service: torn{f}, Window: w})
	t.Cleanup(a.Close)
	h := a.Handler()
	res := ask(t, h, "POST", "/v1/tasks", `{"kind":"chore","folders":[{"path":"/a"}],"accept":true,"detached":true}`)
	id, _ := res.body["id"].(string)
	await(t, func() bool { got, _ := f.Task(t.Context(), id); return got.State.Final() })
	if res := ask(t, h, "POST", "/v1/native/save-as", `{"name":"x.zip","from":"/v1/tasks/`+id+`/export"}`); res.body["code"] != problem.CodeDownloadFailed || res.body["cause"] != "cut" {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}

// What never ends is not saved, and where nothing can be saved is said.
func TestSaveAsRefuses(t *testing.T) {
	f := apitest.New(apitest.Script{Endless: true, Export: []byte("PK")})
	dir := t.TempDir()
	w := &window{path: filepath.Join(dir, "out.zip")}
	h := newAPI(t, f, api.Options{Window: w}).Handler()
	res := ask(t, h, "POST", "/v1/tasks", `{"kind":"chore","folders":[{"path":"/a"}],"accept":true,"detached":true}`)
	id, _ := res.body["id"].(string)
	for _, tt := range []struct{ path, from, code, cause string }{
		{"", "agent", problem.CodeBadRequest, ""},
		{"", "files/watch", problem.CodeBadRequest, ""},
		{"", "attach", problem.CodeBadRequest, ""},
		{dir, "export", problem.CodeOutputExists, "kind"},
		{filepath.Join(dir, "none", "out.zip"), "export", problem.CodeOutputDenied, "missing"},
	} {
		w.path = cmp.Or(tt.path, filepath.Join(dir, "out.zip"))
		res := ask(t, h, "POST", "/v1/native/save-as", `{"name":"x.zip","from":"/v1/tasks/`+id+`/`+tt.from+`"}`)
		if res.body["code"] != tt.code || res.body["cause"] != tt.cause {
			t.Errorf("%s to %s: %d %s", tt.from, w.path, res.StatusCode, res.raw)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}

// What the program says of itself comes through unharmed, and health is all of it.
func TestDesk(t *testing.T) {
	f := apitest.New(apitest.Script{})
	f.LogText = map[string]string{"qemu.log": "a\xffb"}
	h := newAPI(t, f, api.Options{}).Handler()
	if res := ask(t, h, "GET", "/v1/logs/qemu.log?tail=2", ""); string(res.raw) != "\uFFFDb" || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("%q %v", res.raw, res.Header)
	}
	for _, path := range []string{"/v1/logs/none.log", "/v1/logs/..%2fx.log", "/v1/logs/qemu.log?tail=-1"} {
		if res := ask(t, h, "GET", path, ""); res.StatusCode < 400 {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.raw)
		}
	}
	f.Refuse = map[string]error{"Machines": os.ErrPermission}
	res := ask(t, h, "GET", "/v1/health", "")
	if problems, _ := res.body["problems"].([]any); res.body["status"] == nil || res.body["audit"] == nil || res.body["machines"] != nil || len(problems) != 1 {
		t.Errorf("%s", res.raw)
	}
	if got := f.Wishes(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if res := ask(t, h, "POST", "/v1/storage/clean", `{"what":["logs"]}`); res.StatusCode != 200 || !reflect.DeepEqual(f.Wishes(), []any{upkeep.CleanRequest{What: []upkeep.StorageKind{upkeep.StorageLogs}}}) {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	for _, body := range []string{`{"what":["/"]}`, `{"what":[]}`, `{}`} {
		if res := ask(t, h, "POST", "/v1/storage/clean", body); res.StatusCode < 400 {
			t.Errorf("%s: %d", body, res.StatusCode)
		}
	}
}
