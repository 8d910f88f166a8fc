package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/api/toolroute"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/task"
	"piwork/pack/spec"
	"piwork/pack/tools"
)

// place is a folder with a picture, and where uploads are kept.
func place(t *testing.T) (picture, uploads string) {
	t.Helper()
	dir := t.TempDir()
	picture, uploads = filepath.Join(dir, "a.jpg"), filepath.Join(dir, "data", "uploads")
	if err := os.WriteFile(picture, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return picture, uploads
}

// empty fails when something that a request brought is still there.
func empty(t *testing.T, uploads string) {
	t.Helper()
	list, err := os.ReadDir(uploads)
	if err != nil && !os.IsNotExist(err) || len(list) != 0 {
		t.Errorf("left: %v, %v", list, err)
	}
}

const convert = "/v1/tools/image.convert"

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

// What an operation answers of files that lie on this computer.
func TestToolJSON(t *testing.T) {
	picture, _ := place(t)
	f := apitest.New(apitest.Script{
		Has: []any{app100()}, Problems: []problem.Problem{*problem.New(problem.CodeInputBroken).With("path", "/folders/folder1/b.jpg")},
		Run: apitest.Run{Info: []any{map[string]any{"path": "/folders/folder1/a.jpg", "format": "jpeg", "width": 4, "height": 3}, "what is this"}},
		Results: []apitest.ResultFile{
			{Result: task.Result{Folder: "f1", Path: "sub/a.pdf", Size: 4, SHA256: "00"}},
			{Result: task.Result{Path: "x.bin", Size: 1, SHA256: "01"}},
		},
	})
	h := newAPI(t, f, api.Options{}).Handler()
	res := ask(t, h, "POST", convert, `{"in":[`+quoted(picture)+`],"params":{"format":"pdf","quality":80},"runtime":"sandbox"}`, "Content-Type", "application/json")
	var got toolroute.Answer
	if err := json.Unmarshal(res.raw, &got); err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Location") != "/v1/tasks/"+got.Task {
		t.Fatalf("%d %s %v", res.StatusCode, res.raw, err)
	}
	folder := filepath.Dir(picture)
	want := []toolroute.File{
		{Name: "a.pdf", Size: 4, SHA256: "00", Type: "application/pdf", URL: "/v1/tasks/" + got.Task + "/results/0", Path: filepath.Join(folder, "sub", "a.pdf")},
		{Name: "x.bin", Size: 1, SHA256: "01", Type: "application/octet-stream", URL: "/v1/tasks/" + got.Task + "/results/1"},
	}
	if !slices.Equal(got.Files, want) {
		t.Errorf("files %+v", got.Files)
	}
	info, _ := got.Info[0].(map[string]any)
	if len(got.Info) != 1 || info["path"] != picture || info["width"] != 4.0 || info["sha256"] != "" {
		t.Errorf("info %+v", got.Info)
	}
	if len(got.Problems) != 2 || got.Problems[0].Params["path"] != filepath.Join(folder, "b.jpg") || got.Problems[1].Code != problem.CodeToolFailed {
		t.Errorf("problems %+v", got.Problems)
	}
	if got.Versions["imagemagick"] != "7" || len(got.Versions) != 1 {
		t.Errorf("versions %v", got.Versions)
	}
	started := f.Started()[0]
	if started.Detached || started.Runtime != "sandbox" || len(started.Folders) != 1 || started.Folders[0].Mode != task.ModeReadOnly || started.Tool.Op != "image.convert" || started.Tool.Out != "/work/out/a.pdf" {
		t.Errorf("started %+v %+v", started, started.Tool)
	}
}

// What does not fit is said before anything is started, and where it stands.
func TestToolRefuses(t *testing.T) {
	picture, uploads := place(t)
	in := `"in":[` + quoted(picture) + `]`
	many := `"in":[` + strings.TrimSuffix(strings.Repeat(quoted(picture)+",", 1001), ",") + `]`
	for _, tt := range []struct {
		name, path, kind, body string
		status                 int
		where                  string // of what does not fit
	}{
		{"no such operation", "/v1/tools/no.such", "application/json", "{}", 404, ""},
		{"no operation", "/v1/tools/", "application/json", "{}", 404, ""},
		{"not JSON", convert, "application/json", "{", 400, ""},
		{"too many lists", convert, "application/json", `{"in":[` + strings.Repeat("[],", 1<<16) + "[]]}", 400, ""},
		{"more than JSON", convert, "application/json", "{} {}", 400, ""},
		{"a list", convert, "application/json", "[]", 422, "body"},
		{"null", convert, "application/json", "null", 422, "body"},
		{"no files", convert, "application/json", `{"params":{"format":"pdf"}}`, 422, "body"},
		{"an empty list of files", convert, "application/json", `{"in":[],"params":{"format":"pdf"}}`, 422, "body.in"},
		{"too many files", convert, "application/json", `{` + many + `,"params":{"format":"pdf"}}`, 422, "body.in"},
		{"a number for a file", convert, "application/json", `{"in":[1],"params":{"format":"pdf"}}`, 422, "body.in[0]"},
		{"a relative path", convert, "application/json", `{"in":["a.jpg"],"params":{"format":"pdf"}}`, 422, "body.in"},
		{"a file that is gone", convert, "application/json", `{"in":[` + quoted(picture+"x") + `],"params":{"format":"pdf"}}`, 422, ""},
		{"no parameters", convert, "application/json", `{` + in + `}`, 422, "body"},
		{"a parameter is missing", convert, "application/json", `{` + in + `,"params":{}}`, 422, "body.params"},
		{"not one of the choices", convert, "application/json", `{` + in + `,"params":{"format":"bmp"}}`, 422, "body.params.format"},
		{"a text for a number", convert, "application/json", `{` + in + `,"params":{"format":"pdf","quality":"80"}}`, 422, "body.params.quality"},
		{"half a number", convert, "application/json", `{` + in + `,"params":{"format":"pdf","quality":80.5}}`, 422, "body.params.quality"},
		{"out of bounds", convert, "application/json", `{` + in + `,"params":{"format":"pdf","quality":101}}`, 422, "body.params.quality"},
		{"a misspelt parameter", convert, "application/json", `{` + in + `,"params":{"format":"pdf","qualty":80}}`, 422, "body.params.qualty"},
		{"a misspelt member", convert, "application/json", `{` + in + `,"output":"/x","params":{"format":"pdf"}}`, 422, "body.output"},
		{"parameters that do not go together", "/v1/tools/image.resize", "application/json", `{` + in + `}`, 422, "body.params.width"},
		{"the result is an input", convert, "application/json", `{` + in + `,"out":` + quoted(picture) + `,"params":{"format":"pdf"}}`, 422, "body.out"},
		{"a result where none is", "/v1/tools/image.info", "application/json", `{` + in + `,"out":"/x"}`, 422, "body.out"},
		{"a place of any length", convert, "application/json", `{` + in + `,"params":{"format":"pdf"},"runtime":"` + strings.Repeat("x", 65) + `"}`, 422, "body.runtime"},
		{"another type", convert, "text/plain", "x", 415, ""},
		{"a form of the other kind", convert, "application/x-www-form-urlencoded", "format=pdf", 415, ""},
		{"a type that is none", convert, "application/", "{}", 415, ""},
		{"files for what changes them", "/v1/tools/file.remove", "multipart/form-data; boundary=x", "--x--\r\n", 415, ""},
		{"JSON beyond its bound", convert, "application/json", strings.Repeat(" ", 16<<20+1), 413, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := apitest.New(apitest.Script{UploadDir: uploads})
			res := ask(t, newAPI(t, f, api.Options{}).Handler(), "POST", tt.path, tt.body, "Content-Type", tt.kind)
			refused(t, f, res, tt.status, tt.where)
		})
	}
	empty(t, uploads)
}

// refused checks an answer that says no, and that nothing was begun.
func refused(t *testing.T, f *apitest.Fake, res reply, status int, where string) {
	t.Helper()
	if res.StatusCode != status || res.Header.Get("Content-Type") != "application/problem+json" || res.body["code"] == nil {
		t.Fatalf("%d %.500s, want %d", res.StatusCode, res.raw, status)
	}
	if len(f.Started()) != 0 {
		t.Error("something was started")
	}
	list, _ := res.body["errors"].([]any)
	if where == "" {
		return
	}
	for _, e := range list {
		if d, _ := e.(map[string]any); d["location"] == where && d["message"] != "" {
			return
		}
	}
	t.Errorf("nothing is said of %s: %s", where, res.raw)
}

// Parameters of a password are in no answer.
func TestToolSecrets(t *testing.T) {
	picture, _ := place(t)
	f := apitest.New(apitest.Script{})
	h := newAPI(t, f, api.Options{}).Handler()
	for _, params := range []string{`{"password":["hunter2"]}`, `{"password":"hunter2` + strings.Repeat("x", 500) + `"}`, `{"password":"hunter2\u0000"}`} {
		res := ask(t, h, "POST", "/v1/tools/pdf.protect", `{"in":[`+quoted(picture)+`],"params":`+params+`}`, "Content-Type", "application/json")
		if res.StatusCode != 422 || strings.Contains(string(res.raw), "hunter2") {
			t.Errorf("%d %s", res.StatusCode, res.raw)
		}
	}
}

// Who does not want to wait gets the task, which goes on alone; the files stay for
// as long as it works.
func TestToolAsync(t *testing.T) {
	_, uploads := place(t)
	f := apitest.New(apitest.Script{UploadDir: uploads, Endless: true})
	h := newAPI(t, f, api.Options{}).Handler()
	body, kind := form(t, part{"in", "a.jpg", "x"}, part{"format", "", "pdf"})
	res := ask(t, h, "POST", convert, body, "Content-Type", kind, "Prefer", "return=minimal, Respond-Async; wait=10")
	id, _ := res.body["id"].(string)
	if res.StatusCode != http.StatusAccepted || res.Header.Get("Location") != "/v1/tasks/"+id || res.Header.Get("Preference-Applied") != "respond-async" || !f.Started()[0].Detached {
		t.Fatalf("%d %s", res.StatusCode, res.raw)
	}
	if list, _ := os.ReadDir(uploads); len(list) != 1 {
		t.Errorf("the files are gone: %v", list)
	}
	if res := ask(t, h, "POST", "/v1/tasks/"+id+"/cancel", ""); res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", res.StatusCode, res.raw)
	}
	empty(t, uploads)
}

// A stream has every event of the task and ends with the result or the problem.
func TestToolStream(t *testing.T) {
	picture, _ := place(t)
	failed := problem.New(problem.CodeOutOfMemory).With("path", "/folders/folder1/a.jpg")
	for name, tt := range map[string]struct {
		f    *apitest.Fake
		last string
		want string
	}{
		"done":   {apitest.New(apitest.Script{Results: []apitest.ResultFile{{Result: task.Result{Path: "a.pdf"}}}}), "event: result", `"url":"/v1/tasks/`},
		"failed": {apitest.New(apitest.Script{TaskErr: failed}), "event: problem", quoted(picture)},
	} {
		t.Run(name, func(t *testing.T) {
			res := ask(t, newAPI(t, tt.f, api.Options{}).Handler(), "POST", convert, `{"in":[`+quoted(picture)+`],"params":{"format":"pdf"}}`, "Content-Type", "application/json", "Accept", "text/event-stream")
			if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
				t.Fatalf("%d %s", res.StatusCode, res.raw)
			}
			messages := strings.Split(strings.TrimSpace(string(res.raw)), "\n\n")
			last := messages[len(messages)-1]
			if !strings.HasPrefix(last, tt.last+"\ndata: {") || !strings.Contains(last, tt.want) {
				t.Errorf("the last is %s", last)
			}
			for _, kind := range []string{`"kind":"progress"`, `"state":"running"`} {
				if !strings.Contains(string(res.raw), kind) {
					t.Errorf("no %s in %s", kind, res.raw)
				}
			}
		})
	}
	res := ask(t, newAPI(t, apitest.New(apitest.Script{}), api.Options{}).Handler(), "POST", convert, `{}`, "Content-Type", "application/json", "Accept", "text/event-stream")
	if res.StatusCode != 422 {
		t.Errorf("what does not fit: %d %s", res.StatusCode, res.raw)
	}
}

// How a task ended is the answer: the problem as it is, never a fault of the server.
func TestToolEnds(t *testing.T) {
	picture, _ := place(t)
	for code, status := range map[string]int{
		problem.CodeAddOnMissing: 409, problem.CodeOutputExists: 409, problem.CodeInputBroken: 422, problem.CodeTimeout: 422, problem.CodeOutOfMemory: 422,
		problem.CodeToolFailed: 422, problem.CodeDiskFull: 422, problem.CodeNothingLeft: 422, problem.CodePackMissing: 503,
	} {
		f := apitest.New(apitest.Script{TaskErr: problem.New(code).With("name", "x")})
		res := ask(t, newAPI(t, f, api.Options{}).Handler(), "POST", convert, `{"in":[`+quoted(picture)+`],"params":{"format":"pdf"}}`, "X-Request-Id", "mine-1")
		if res.StatusCode != status || res.body["code"] != code || res.Header.Get("Location") == "" || res.Header.Get("X-Request-Id") != "mine-1" {
			t.Errorf("%s: %d %s", code, res.StatusCode, res.raw)
		}
	}
}

// A stream of events that the service ends because it was slow is taken up again.
func TestToolSlowReader(t *testing.T) {
	picture, _ := place(t)
	f := apitest.New(apitest.Script{Endless: true})
	h := newAPI(t, f, api.Options{}).Handler()
	got := make(chan reply, 1)
	go func() {
		got <- ask(t, h, "POST", convert, `{"in":[`+quoted(picture)+`],"params":{"format":"pdf"}}`)
	}()
	await(t, func() bool { all, _ := f.Tasks(t.Context()); return len(all) == 1 && all[0].State == task.StateRunning })
	f.Hangup()
	await(t, func() bool { return f.Subscribers() == 1 })
	all, _ := f.Tasks(t.Context())
	if _, err := f.CancelTask(t.Context(), all[0].ID); err != nil {
		t.Fatal(err)
	}
	if res := <-got; res.StatusCode != http.StatusConflict || res.body["code"] != problem.CodeCancelled {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	if n := f.Subscribers(); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// The health of the program is said while everything else is stuck.
func TestHealthUnderLoad(t *testing.T) {
	picture, uploads := place(t)
	f := apitest.New(apitest.Script{Endless: true, UploadDir: uploads})
	srv := httptest.NewServer(newAPI(t, f, api.Options{}).Handler())
	defer srv.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for range 64 {
		go func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+convert, strings.NewReader(`{"in":[`+quoted(picture)+`],"params":{"format":"pdf"}}`))
			if err != nil {
				return
			}
			req.Header.Set("Content-Type", "application/json")
			if res, err := srv.Client().Do(req); err == nil {
				_ = res.Body.Close()
			}
		}()
	}
	await(t, func() bool { return len(f.Started()) == 64 })
	for range 20 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/_health", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := srv.Client().Do(req)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res, err)
		}
		_ = res.Body.Close()
	}
}

// The manifest says what the operations work with; without a pack it still says
// what the program is.
func TestManifest(t *testing.T) {
	addOns := []runtimepack.AddOn{
		{Name: "media", Usable: true, Tools: []spec.Tool{{Name: "ffmpeg", Version: "7.1", Operations: []string{"audio.convert"}}}},
		{Name: "office", Tools: []spec.Tool{{Name: "libreoffice", Version: "25"}}},
	}
	f := apitest.New(apitest.Script{Has: []any{app100(), addOns}})
	res := ask(t, newAPI(t, f, api.Options{Version: "9"}).Handler(), "GET", "/_manifest", "")
	got, _ := res.body["pack"].(map[string]any)
	if got["version"] != "1.0.0" || got["checksum"] != "00ff" || !strings.Contains(string(res.raw), `{"name":"imagemagick","version":"7","operations":["image.convert"]}`) {
		t.Errorf("%s", res.raw)
	}
	if said := string(res.raw); !strings.Contains(said, `{"name":"ffmpeg"`) || strings.Contains(said, "libreoffice") {
		t.Errorf("of add-ons: %s", res.raw)
	}
	f = apitest.New(apitest.Script{Refuse: map[string]error{"Packs": io.ErrUnexpectedEOF}})
	res = ask(t, newAPI(t, f, api.Options{Version: "9"}).Handler(), "GET", "/_manifest", "")
	if res.StatusCode != http.StatusOK || res.body["pack"] != nil || res.body["version"] != "9" {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
}

// The list of operations is the catalogue.
func TestToolList(t *testing.T) {
	res := ask(t, newAPI(t, apitest.New(apitest.Script{}), api.Options{}).Handler(), "GET", "/v1/tools", "")
	var got []tools.Description
	if err := json.Unmarshal(res.raw, &got); err != nil || len(got) != len(tools.Catalogue()) || got[0].Name != tools.Catalogue()[0].Name {
		t.Errorf("%d %v", len(got), err)
	}
}

func app100() (p runtimepack.Info) {
	p.Version, p.Current, p.Checksum = "1.0.0", true, "00ff"
	p.Tools = []spec.Tool{{Name: "imagemagick", Version: "7", Operations: []string{"image.convert"}}, {Name: "tesseract", Version: "5"}}
	return p
}
