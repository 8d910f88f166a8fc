package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
)

func newAPI(t *testing.T, f api.Service, o api.Options) *api.API {
	t.Helper()
	o.Service = f
	a := api.New(o)
	t.Cleanup(a.Close)
	return a
}

// reply is a response and its JSON body.
type reply struct {
	*http.Response
	body map[string]any
	raw  []byte
}

func ask(t *testing.T, h http.Handler, method, path, body string, header ...string) reply {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body == "" {
		r.Body = http.NoBody
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	res := reply{Response: w.Result(), raw: w.Body.Bytes()}
	_ = json.Unmarshal(res.raw, &res.body) // not every answer is an object
	return res
}

// Every answer has a request id, is not stored, and is JSON without null where
// the document promises a list.
func TestAnswers(t *testing.T) {
	f := apitest.New(apitest.Script{})
	h := newAPI(t, f, api.Options{Version: "1.2.3"}).Handler()
	for path, want := range map[string]string{
		"/v1/packs":        "[]",
		"/v1/tasks":        "[]",
		"/v1/audit/verify": `{"ok":false,"records":0}`,
		"/_health":         `"status":"ok"`,
		"/_manifest":       `"version":"1.2.3"`,
		"/v1/status":       `"checks":[],"problems":[]`,
		"/v1/chores":       `"needs":[]`,
		"/v1/update":       `"settings":{"auto":false,"urls":[]}`,
		"/v1/addons":       "[]",
	} {
		res := ask(t, h, "GET", path, "", "X-Request-Id", "abc-1")
		if res.StatusCode != http.StatusOK || !strings.Contains(string(res.raw), want) {
			t.Errorf("GET %s: %d %s, want %s", path, res.StatusCode, res.raw, want)
		}
		if got := res.Header.Get("X-Request-Id"); got != "abc-1" {
			t.Errorf("GET %s: x-request-id %q", path, got)
		}
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("GET %s: cache-control %q", path, got)
		}
	}
	res := ask(t, h, "GET", "/_health", "", "X-Request-Id", "bad id\x00")
	if id := res.Header.Get("X-Request-Id"); id == "" || strings.ContainsAny(id, " \x00") {
		t.Errorf("a bad request id was answered by %q", id)
	}
}

// What goes wrong is problem+json with the code, the class's status and the
// members of the Problem.
func TestErrors(t *testing.T) {
	blocked := &problem.Problem{Code: problem.CodePackMissing, Severity: problem.Blocking, Cause: "x",
		Fix: []problem.Fix{{Kind: problem.FixAction, Code: problem.FixInstallPack}}, Params: map[string]any{"a": "b"}, Details: "evidence"}
	for _, tt := range []struct {
		name, method, path, body string
		fake                     *apitest.Fake
		status                   int
		code                     string
	}{
		{"no such route", "GET", "/v1/nothing", "", apitest.New(apitest.Script{}), 404, "not-found"},
		{"wrong method", "PUT", "/v1/tasks", "", apitest.New(apitest.Script{}), 404, "not-found"},
		{"no such task", "GET", "/v1/tasks/0195", "", apitest.New(apitest.Script{}), 404, "not-found"},
		{"id with a path in it", "GET", "/v1/tasks/..%2F..%2Fetc", "", apitest.New(apitest.Script{}), 422, "bad-request"},
		{"not JSON", "POST", "/v1/tasks", "{", apitest.New(apitest.Script{}), 400, "bad-request"},
		{"unknown member", "POST", "/v1/tasks", `{"kind":"chore","folders":[],"readOnly":true}`, apitest.New(apitest.Script{}), 422, "bad-request"},
		{"unknown parameter", "POST", "/v1/tasks/0195/resume?detach=true", "", apitest.New(apitest.Script{}), 422, "bad-request"},
		{"parameter in other letters", "POST", "/v1/tasks/0195/cancel?Held=true", "", apitest.New(apitest.Script{}), 422, "bad-request"},
		{"unknown parameter of an operation on files", "POST", convert + "?quality=80", `{"in":["/a"],"params":{"format":"pdf"}}`, apitest.New(apitest.Script{}), 422, "bad-request"},
		{"a stream that would hold nothing", "GET", "/v1/events?hold=true", "", apitest.New(apitest.Script{}), 422, "bad-request"},
		{"a stream that would hear nothing", "GET", "/v1/events?kind=typo", "", apitest.New(apitest.Script{}), 422, "bad-request"},
		{"unknown kind", "POST", "/v1/tasks", `{"kind":"magic","folders":[]}`, apitest.New(apitest.Script{}), 422, "bad-request"},
		{"unknown mode", "POST", "/v1/tasks", `{"kind":"chore","folders":[{"path":"/a","mode":"all"}]}`, apitest.New(apitest.Script{}), 422, "bad-request"},
		{"body over the limit", "POST", "/v1/packs/install", `{"file":"` + strings.Repeat("x", 2<<20) + `"}`, apitest.New(apitest.Script{}), 413, "too-large"},
		{"Last-Event-ID is no number", "GET", "/v1/events", "", apitest.New(apitest.Script{}), 400, "bad-request"},
		{"not ready", "POST", "/v1/tasks", `{"kind":"chore","folders":[]}`, apitest.New(apitest.Script{Refuse: map[string]error{"StartTask": blocked}}), 503, "pack-missing"},
		{"verification", "POST", "/v1/packs/verify", `{"file":"/a"}`,
			apitest.New(apitest.Script{Refuse: map[string]error{"VerifyPack": &problem.Problem{Code: problem.CodePackInvalid, Severity: problem.Failed}}}), 422, "pack-invalid"},
		{"wrapped problem", "GET", "/v1/packs", "",
			apitest.New(apitest.Script{Refuse: map[string]error{"Packs": errors.Join(errors.New("while"), blocked)}}), 503, "pack-missing"},
		{"an error nobody knows", "GET", "/v1/packs", "", apitest.New(apitest.Script{Refuse: map[string]error{"Packs": io.ErrClosedPipe}}), 500, "unknown"},
		{"a version with a path in it", "DELETE", "/v1/packs/..%2F..%2Fetc", "", apitest.New(apitest.Script{}), 422, "bad-request"},
		{"an add-on with a path in it", "POST", "/v1/addons/..%2Fx", "", apitest.New(apitest.Script{}), 422, "bad-request"},
		{"unknown setting", "POST", "/v1/settings/updates", `{"auto":true,"urls":[],"insecure":true}`, apitest.New(apitest.Script{}), 422, "bad-request"},
		{"nothing to go back to", "POST", "/v1/packs/rollback", "", apitest.New(apitest.Script{}), 409, "no-previous"},
		{"metadata that does not verify", "POST", "/v1/update/check", "",
			apitest.New(apitest.Script{Refuse: map[string]error{"CheckUpdate": problem.New(problem.CodeUpdateInvalid)}}), 422, "update-invalid"},
		{"no window", "POST", "/v1/native/pick-folder", "", apitest.New(apitest.Script{}), 501, "no-window"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newAPI(t, tt.fake, api.Options{}).Handler()
			res := ask(t, h, tt.method, tt.path, tt.body, "Last-Event-ID", "x")
			if res.StatusCode != tt.status || res.body["code"] != tt.code {
				t.Fatalf("got %d %s, want %d %s", res.StatusCode, res.raw, tt.status, tt.code)
			}
			if got := res.Header.Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("content type %q", got)
			}
			if got := res.body["instance"]; got != "urn:piwork:request:"+res.Header.Get("X-Request-Id") {
				t.Errorf("instance %v", got)
			}
			if _, ok := res.body["fix"].([]any); !ok || res.body["status"] != float64(tt.status) {
				t.Errorf("members are missing in %s", res.raw)
			}
			if tt.code == "pack-missing" && (res.body["details"] != "evidence" || res.body["cause"] != "x" || res.body["severity"] != "blocking") {
				t.Errorf("the problem is not whole: %s", res.raw)
			}
		})
	}
}

// A panic of the service is an answer with the request's id, not a cut line.
func TestPanic(t *testing.T) {
	a := api.New(api.Options{Service: panics{}})
	res := ask(t, a.Handler(), "GET", "/v1/tasks", "")
	if res.StatusCode != 500 || res.body["code"] != "unknown" || strings.Contains(string(res.raw), "secret") {
		t.Fatalf("got %d %s", res.StatusCode, res.raw)
	}
}

type panics struct{ api.Service }

func (panics) FindTasks(context.Context, task.Filter) ([]task.Task, error) { panic("secret") }

// A result comes with its type, its name, ranges and no power: it must never
// run as a page of piwork.
func TestResults(t *testing.T) {
	f := apitest.New(apitest.Script{Results: []apitest.ResultFile{
		{Result: task.Result{Path: "in/Ünïcode \"1\".pdf", Size: 5}, Data: []byte("%PDF-")},
		{Result: task.Result{Path: "evil.html", Size: 6}, Data: []byte("<html>")},
		{Result: task.Result{Path: "evil.svg", Size: 5}, Data: []byte("<svg>")},
	}})
	h := newAPI(t, f, api.Options{}).Handler()
	id := startDone(t, f, h)
	for i, want := range []struct{ kind, disposition string }{
		{"application/pdf", "inline"},
		{"application/octet-stream", "attachment"},
		{"application/octet-stream", "attachment"},
	} {
		res := ask(t, h, "GET", "/v1/tasks/"+id+"/results/"+string(rune('0'+i)), "")
		if res.StatusCode != 200 || !bytes.Equal(res.raw, f.Results[i].Data) {
			t.Fatalf("result %d: %d %s", i, res.StatusCode, res.raw)
		}
		if got := res.Header.Get("Content-Type"); got != want.kind {
			t.Errorf("result %d: type %q", i, got)
		}
		if got := res.Header.Get("Content-Disposition"); !strings.HasPrefix(got, want.disposition) {
			t.Errorf("result %d: disposition %q", i, got)
		}
		if got := res.Header.Get("Content-Security-Policy"); !strings.Contains(got, "sandbox") {
			t.Errorf("result %d: policy %q", i, got)
		}
	}
	// A file with everything of a task is called as the person knows the task.
	f.Export = []byte("zip")
	exported := ask(t, h, "GET", "/v1/tasks/"+id+"/export", "", "Accept-Language", "de")
	if _, p, err := mime.ParseMediaType(exported.Header.Get("Content-Disposition")); err != nil || !strings.Contains(p["filename"], "Bilder → PDF") || strings.Contains(p["filename"], "pictures-to-pdf") {
		t.Errorf("exported as %q %v", p["filename"], err)
	}
	res := ask(t, h, "GET", "/v1/tasks/"+id+"/results/0", "", "Range", "bytes=1-3", "If-None-Match", "*", "If-Modified-Since", time.Now().Format(http.TimeFormat))
	if res.StatusCode != http.StatusPartialContent || string(res.raw) != "PDF" {
		t.Errorf("range: %d %q", res.StatusCode, res.raw)
	}
	if res := ask(t, h, "GET", "/v1/tasks/"+id+"/results/9", ""); res.StatusCode != 404 {
		t.Errorf("a result that is not there: %d", res.StatusCode)
	}
	for _, index := range []string{"-1", "x", "99999999999"} {
		if res := ask(t, h, "GET", "/v1/tasks/"+id+"/results/"+index, ""); res.StatusCode != 422 && res.StatusCode != 400 {
			t.Errorf("result %s: %d", index, res.StatusCode)
		}
	}
}

// Parts of a result are of one file: its ETag is another when its bytes are, and none is a 304.
func TestResultETag(t *testing.T) {
	f := apitest.New(apitest.Script{Results: []apitest.ResultFile{{Result: task.Result{Path: "a.txt", Size: 5, SHA256: "1"}, Data: []byte("01234")}}})
	h := newAPI(t, f, api.Options{}).Handler()
	at := "/v1/tasks/" + startDone(t, f, h) + "/results/0"
	tag := ask(t, h, "GET", at, "").Header.Get("ETag")
	if tag == "" {
		t.Fatal("a result has no ETag")
	}
	for _, header := range []string{"If-Range", "If-Match"} {
		if res := ask(t, h, "GET", at, "", "Range", "bytes=3-", header, tag); res.StatusCode != http.StatusPartialContent || string(res.raw) != "34" || res.Header.Get("ETag") != tag {
			t.Errorf("%s: %d %q", header, res.StatusCode, res.raw)
		}
	}
	for _, wrong := range []string{"bytes=9-", "bytes=x"} {
		res := ask(t, h, "GET", at, "", "Range", wrong)
		if res.StatusCode != http.StatusRequestedRangeNotSatisfiable || res.body["type"] != "urn:piwork:problem:bad-request" || res.Header.Get("Content-Type") != "application/problem+json" || res.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: %d %v %s", wrong, res.StatusCode, res.Header, res.raw)
		}
	}
	if res := ask(t, h, "GET", at, "", "If-None-Match", tag); res.StatusCode != http.StatusOK {
		t.Errorf("a 304 hangs WebView2: %d", res.StatusCode)
	}
	f.Results[0].SHA256, f.Results[0].Data = "2", []byte("abcde")
	if res := ask(t, h, "GET", at, "", "Range", "bytes=3-", "If-Range", tag); res.StatusCode != http.StatusOK || string(res.raw) != "abcde" || res.Header.Get("ETag") == tag {
		t.Errorf("another file: %d %q", res.StatusCode, res.raw)
	}
	if res := ask(t, h, "GET", at, "", "Range", "bytes=3-", "If-Match", tag); res.StatusCode != http.StatusPreconditionFailed || res.body["code"] != problem.CodeChanged {
		t.Errorf("another file: %d %q", res.StatusCode, res.raw)
	}
}

// Who follows the header Link of a page of the audit log comes to its end.
func TestAuditLink(t *testing.T) {
	for before, want := range map[int64]string{41: `</v1/audit?before=41&event=end&limit=2>; rel="next"`, 0: ""} {
		f := apitest.New(apitest.Script{Has: []any{audit.Page{Records: []audit.Record{}, Before: before}}})
		res := ask(t, newAPI(t, f, api.Options{}).Handler(), "GET", "/v1/audit?before=90&limit=2&event=end", "")
		if got := res.Header.Get("Link"); res.StatusCode != http.StatusOK || got != want {
			t.Errorf("%d %q, want %q", res.StatusCode, got, want)
		}
	}
}

// startDone runs a task to its end and returns its id.
func startDone(t *testing.T, f *apitest.Fake, h http.Handler) string {
	t.Helper()
	res := ask(t, h, "POST", "/v1/tasks", `{"kind":"chore","chore":"pictures-to-pdf","folders":[{"path":"/p"}],"accept":true,"detached":true}`)
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("start: %d %s", res.StatusCode, res.raw)
	}
	id, _ := res.body["id"].(string)
	await(t, func() bool {
		got, err := f.Task(t.Context(), id)
		return err == nil && got.State.Final()
	})
	return id
}

// await waits for what another goroutine does.
func await(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(end) {
			t.Fatal("it did not happen within a minute")
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Requests that may come without a body do.
func TestWithoutBody(t *testing.T) {
	h := newAPI(t, apitest.New(apitest.Script{}), api.Options{}).Handler()
	for _, path := range []string{"/v1/update/start", "/v1/packs/repair", "/v1/update/pause"} {
		if res := ask(t, h, "POST", path, ""); res.StatusCode != http.StatusOK {
			t.Errorf("POST %s: %d %s", path, res.StatusCode, res.raw)
		}
	}
	for _, path := range []string{"/v1/packs/1.2.3-rc.1+b", "/v1/addons/media"} {
		if res := ask(t, h, "DELETE", path, ""); res.StatusCode != http.StatusNoContent {
			t.Errorf("DELETE %s: %d %s", path, res.StatusCode, res.raw)
		}
	}
}

// A client that saw a record is told when it is the same, and changes nothing else; a window is
// never answered by a 304.
func TestConditions(t *testing.T) {
	f := apitest.New(apitest.Script{})
	one, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	h := newAPI(t, f, api.Options{}).Handler()
	path := "/v1/tasks/" + one.ID
	await(t, func() bool { rec, _ := f.Task(t.Context(), one.ID); return rec.State.Final() })
	tag := ask(t, h, "GET", path, "").Header.Get("ETag")
	if res := ask(t, h, "GET", path, "", "If-None-Match", tag); tag == "" || res.StatusCode != http.StatusNotModified || len(res.raw) != 0 {
		t.Errorf("%q: %d %s", tag, res.StatusCode, res.raw)
	}
	if res := ask(t, h, "PATCH", path, `{"title":"a"}`, "If-Match", tag); res.StatusCode != http.StatusOK {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	if res := ask(t, h, "PATCH", path, `{"title":"b"}`, "If-Match", tag); res.StatusCode != http.StatusPreconditionFailed || res.body["code"] != problem.CodeChanged {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	if res := ask(t, h, "PATCH", "/v1/tasks/none", `{"title":"b"}`, "If-Match", tag); res.StatusCode != http.StatusNotFound {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	if rec, _ := f.Task(t.Context(), one.ID); rec.Title != "a" {
		t.Error(rec.Title)
	}
	tag = ask(t, h, "GET", path, "").Header.Get("ETag") // an undo is about the task, and not about what is kept for it
	if res := ask(t, h, "POST", path+"/undo", `{}`, "If-Match", tag); res.StatusCode != http.StatusOK {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	if res := ask(t, h, "POST", path+"/undo", `{}`, "If-Match", `"x"`); res.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	if res := ask(t, h, "POST", convert, `{"in":["/a"]}`, "If-Match", `"x"`); res.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	// Two narrowings of one decision that began from the same record: one is done.
	wide, less := approval.Rule{ID: "r1", Topic: "git", Answer: "allow"}, approval.Rule{ID: "r1", Topic: "git", Answer: "allow", Task: one.ID}
	ruled := apitest.New(apitest.Script{Has: []any{wide, wide, wide, less}})
	h = newAPI(t, ruled, api.Options{}).Handler()
	tag = ask(t, h, "GET", "/v1/rules/r1", "").Header.Get("ETag")
	if res := ask(t, h, "PUT", "/v1/rules/r1/scope", `{"task":"`+one.ID+`"}`, "If-Match", tag); tag == "" || res.StatusCode != http.StatusOK {
		t.Errorf("%q: %d %s", tag, res.StatusCode, res.raw)
	}
	if res := ask(t, h, "PUT", "/v1/rules/r1/scope", `{"folder":"/a"}`, "If-Match", tag); res.StatusCode != http.StatusPreconditionFailed || res.body["code"] != problem.CodeChanged {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	ruled = apitest.New(apitest.Script{Refuse: map[string]error{"NarrowRule": problem.New(problem.CodeChanged)}})
	if res := ask(t, newAPI(t, ruled, api.Options{}).Handler(), "PUT", "/v1/rules/r1/scope", `{"folder":"/a"}`); res.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	inside := newAPI(t, f, api.Options{Window: &window{}}).Handler()
	if res := ask(t, inside, "GET", path, "", "If-None-Match", "*"); res.StatusCode != http.StatusOK {
		t.Errorf("the window: %d", res.StatusCode)
	}
}
