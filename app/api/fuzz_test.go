package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"piwork/app"
	"piwork/app/api/apitest"
	"piwork/app/changes"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/vmhost/share/journal"
)

// TestAnyRequest makes requests from the document, for every path and method: ones
// that fit, ones that nearly do, and ones that do not. Whatever comes, an answer
// comes, it is as the document says, and it is no fault of the server. rapid says
// how a failure is repeated (-rapid.seed, -rapid.failfile). -tags long takes
// longer.
func TestAnyRequest(t *testing.T) {
	f := newFuzz(t)
	var reached, all atomic.Int64
	for _, path := range slices.Sorted(maps.Keys(f.gen.doc["paths"].(map[string]any))) {
		item, _ := f.gen.doc["paths"].(map[string]any)[path].(map[string]any)
		for method, op := range item {
			t.Run(strings.ToUpper(method)+path, func(t *testing.T) {
				r := f.route(t, strings.ToUpper(method), path, op.(map[string]any))
				for range fuzzRounds {
					rapid.Check(t, r.check)
				}
				all.Add(1)
				if r.fine {
					reached.Add(1)
				} else {
					t.Log("no request was answered by a success")
				}
			})
		}
	}
	t.Logf("%d operations, %d of them with a success, %d requests", all.Load(), reached.Load(), f.requests.Load())
	// A fuzzer that is refused everywhere proves nothing, nor does one that knows no
	// route of an operation on files.
	if n := int64(len(tools.Catalogue())); all.Load() <= n {
		t.Errorf("only %d operations, %d of them on files", all.Load(), n)
	}
	if n := all.Load(); reached.Load() < n*4/5 {
		t.Errorf("only %d of %d operations ever succeeded", reached.Load(), n)
	}
}

// fuzz is what all routes have in common.
type fuzz struct {
	gen      generator
	schemas  *jsonschema.Compiler
	dir      string
	requests atomic.Int64
}

const docURL = "piwork.json"

func newFuzz(t *testing.T) *fuzz {
	t.Helper()
	data, err := json.Marshal(New(Options{}).huma.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	f := &fuzz{schemas: jsonschema.NewCompiler(), dir: t.TempDir()}
	f.schemas.DefaultDraft(jsonschema.Draft2020)
	if err := f.schemas.AddResource(docURL, doc); err != nil {
		t.Fatal(err)
	}
	var plain map[string]any
	if err := json.Unmarshal(data, &plain); err != nil {
		t.Fatal(err)
	}
	f.gen = generator{doc: plain}
	for _, name := range []string{"a.jpg", "b c.pdf", "-d.csv"} {
		file := filepath.Join(f.dir, name)
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		f.gen.files = append(f.gen.files, file)
	}
	return f
}

// fuzzRoute is one operation of the document.
type fuzzRoute struct {
	*fuzz
	gen     generator
	handler http.Handler
	method  string
	path    string
	op      map[string]any
	uploads string
	fine    bool // some request was answered by a success
}

// route is an operation over a service of its own, in which there is something.
func (f *fuzz) route(t *testing.T, method, path string, op map[string]any) *fuzzRoute {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := &fuzzRoute{fuzz: f, gen: f.gen, method: method, path: path, op: op, uploads: filepath.Join(t.TempDir(), "uploads")}
	fake := &apitest.Fake{
		Updates: apitest.Updates{State: app.UpdateState{Phase: app.UpdateUpToDate}}, Machinery: apitest.Machinery{Instant: app.Instant{State: app.InstantReady}},
		UploadDir: r.uploads, Problems: []problem.Problem{*problem.New(problem.CodeInputBroken)},
		Info:    []any{map[string]any{"path": "/folders/files/a.jpg", "x": 1}, 7},
		Results: []apitest.ResultFile{{Result: task.Result{Path: "a.pdf", Size: 4}, Data: []byte("%PDF")}},
		Changed: apitest.Changed{
			List:     []journal.Change{{ID: "1", Folder: "f1", Path: "x", Kind: "file", Effect: journal.EffectChange, Undone: &now}},
			Contents: map[string]map[changes.Which][]byte{"1": {changes.Before: []byte("a"), changes.After: []byte("b")}},
		},
	}
	a := New(Options{Service: fake, Shell: fuzzShell{}, Window: fuzzShell{}, HoldGrace: time.Hour})
	t.Cleanup(a.Close)
	r.handler = a.Handler()
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/tasks", strings.NewReader(`{"kind":"exec","argv":["x"],"folders":[]}`)))
	var rec task.Task
	if err := json.Unmarshal(w.Body.Bytes(), &rec); err != nil || rec.ID == "" {
		t.Fatalf("%s %v", w.Body, err)
	}
	for !rec.State.Final() { // the fake's own pace
		rec, _ = fake.Task(t.Context(), rec.ID)
	}
	r.gen.known = map[string]string{"id": rec.ID, "change": "1", "index": "0"}
	return r
}

// fuzzShell is a person who chooses nothing.
type fuzzShell struct{}

func (fuzzShell) PickFolder(context.Context, string) (string, error)            { return "", nil }
func (fuzzShell) PickFile(context.Context, string, []string) (string, error)    { return "", nil }
func (fuzzShell) PickFiles(context.Context, string, []string) ([]string, error) { return nil, nil }
func (fuzzShell) OpenFile(context.Context, string) error                        { return nil }
func (fuzzShell) RevealFile(context.Context, string) error                      { return nil }
func (fuzzShell) Ready(context.Context) (WindowState, error)                    { return WindowState{}, nil }
func (fuzzShell) Close(context.Context, CloseRequest) error                     { return nil }
func (fuzzShell) New(context.Context, string) error                             { return nil }
func (fuzzShell) Notify(context.Context, Notice) error                          { return nil }
func (fuzzShell) SaveFile(context.Context, string, string) (string, error)      { return "", nil }

// kinds of requests.
const (
	fits = iota
	nearlyFits
	fitsNot
)

// check makes one request and judges the answer.
func (r *fuzzRoute) check(t *rapid.T) {
	how := rapid.SampledFrom([]int{fits, fits, nearlyFits, nearlyFits, fitsNot}).Draw(t, "request")
	endless := r.path == "/api/events"
	within := 20 * time.Second // far beyond what a fake takes
	if endless {
		within = 20 * time.Millisecond
	}
	ctx, stop := context.WithTimeout(context.Background(), within)
	defer stop()
	req := r.request(t, how).WithContext(ctx)
	r.requests.Add(1)
	w := httptest.NewRecorder()
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.handler.ServeHTTP(w, req)
	}()
	select {
	case <-over:
	case <-time.After(time.Minute):
		t.Fatalf("no answer to %s %s", req.Method, req.URL)
	}
	if ctx.Err() != nil && !endless {
		t.Fatalf("%s %s was answered only when the caller went away", req.Method, req.URL)
	}
	res := w.Result()
	defer res.Body.Close()
	said := fmt.Sprintf("%s %s: %d %.2000s", req.Method, req.URL, res.StatusCode, w.Body)
	if id := res.Header.Get("X-Request-Id"); !requestIDPattern.MatchString(id) {
		t.Fatalf("%s: request id %q", said, id)
	}
	if res.StatusCode >= http.StatusInternalServerError {
		t.Fatalf("a fault of the server: %s", said)
	}
	if res.StatusCode < 300 {
		r.fine = true
	}
	if req.Method != r.method { // of another route, or of none
		return
	}
	if err := r.judge(res, w.Body.Bytes()); err != nil {
		t.Fatalf("%s\n%v", said, err)
	}
	// A task that nobody waits for may still work.
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		list, err := os.ReadDir(r.uploads)
		if err != nil || len(list) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: left %v", said, list)
		}
	}
}

// request makes a request.
func (r *fuzzRoute) request(t *rapid.T, how int) *http.Request {
	path, query := r.path, url.Values{}
	header := http.Header{}
	list, _ := r.op["parameters"].([]any)
	for _, p := range list {
		param := p.(map[string]any)
		name, _ := param["name"].(string)
		value := fmt.Sprint(r.gen.value(t, param["schema"].(map[string]any), 0))
		if known, is := r.gen.known[name]; is && rapid.IntRange(0, 3).Draw(t, "known") > 0 {
			value = known
		}
		if how == fitsNot && rapid.Bool().Draw(t, "wrong") {
			value = rapid.SampledFrom([]string{"..", "%2e%2e", "-1", "99999999999999999999", "x y", "\u2028", strings.Repeat("a", 3000), "NaN", "a/../b"}).Draw(t, "value")
		}
		switch param["in"] {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
		case "query":
			if param["required"] == true || rapid.Bool().Draw(t, "has "+name) {
				query.Set(name, value)
			}
		case "header":
			if rapid.IntRange(0, 4).Draw(t, "has "+name) == 0 {
				header.Set(name, strings.Map(func(c rune) rune {
					if c < ' ' || c > '~' {
						return -1
					}
					return c
				}, value))
			}
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "async") == 0 {
		header.Set("Prefer", "respond-async")
	}
	if accept := rapid.SampledFrom([]string{"", "", "*/*", "application/json", "text/event-stream", "image/png", ";;;", "application/json;q=x"}).Draw(t, "accept"); accept != "" {
		header.Set("Accept", accept)
	}
	if how == fitsNot {
		header.Set(requestIDHeader, rapid.SampledFrom([]string{"", "ok-1", strings.Repeat("i", 5000), "a b", "<script>"}).Draw(t, "id"))
	}
	body, kind := r.body(t, how)
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	method := r.method
	if how == fitsNot && rapid.IntRange(0, 5).Draw(t, "other method") == 0 {
		method = rapid.SampledFrom([]string{"PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "X"}).Draw(t, "method")
	}
	target := path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req := httptest.NewRequest(method, "http://piwork"+target, bytes.NewReader(body))
	req.Header = header
	return req
}

// body makes the body of a request, and its type.
func (r *fuzzRoute) body(t *rapid.T, how int) (data []byte, kind string) {
	described, _ := r.op["requestBody"].(map[string]any)
	content, _ := described["content"].(map[string]any)
	if len(content) == 0 {
		if how == fitsNot {
			return junk(t), "application/json"
		}
		return nil, ""
	}
	kind = rapid.SampledFrom(slices.Sorted(maps.Keys(content))).Draw(t, "type")
	media, _ := content[kind].(map[string]any)
	s, _ := media["schema"].(map[string]any)
	if how == fitsNot {
		other := rapid.SampledFrom([]string{kind, kind, "", "text/plain", "multipart/form-data", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "\xff"}).Draw(t, "other type")
		return junk(t), other
	}
	v := r.gen.value(t, s, 0)
	if how == nearlyFits {
		v = bent(t, v)
	}
	if kind == "multipart/form-data" {
		return r.gen.form(t, s, v)
	}
	return marshalled(t, v), kind
}

// judge compares an answer with the document.
func (r *fuzzRoute) judge(res *http.Response, data []byte) error {
	status := fmt.Sprint(res.StatusCode)
	responses, _ := r.op["responses"].(map[string]any)
	if responses[status] == nil {
		if res.StatusCode < 400 && res.StatusCode != http.StatusPartialContent {
			return fmt.Errorf("the status is not in the document")
		}
		if status = "default"; res.StatusCode == http.StatusPartialContent {
			status = "200"
		}
	}
	described, _ := responses[status].(map[string]any)
	content, _ := described["content"].(map[string]any)
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if len(content) == 0 {
		if len(data) > 0 {
			return fmt.Errorf("a body, and none is in the document")
		}
		return nil
	}
	if content[kind] == nil {
		for _, wide := range []string{"*/*", "application/octet-stream"} { // bytes: the type is the file's
			if media, is := content[wide].(map[string]any); is && media["schema"].(map[string]any)["format"] == "binary" {
				return nil
			}
		}
		return fmt.Errorf("the type %s is not in the document", kind)
	}
	at := []string{"paths", r.path, strings.ToLower(r.method), "responses", status, "content", kind, "schema"}
	switch kind {
	case "application/json", problemJSON:
		return r.valid(at, data)
	case "text/event-stream":
		for message := range strings.SplitSeq(string(data), "\n\n") {
			for line := range strings.SplitSeq(message, "\n") {
				if text, is := strings.CutPrefix(line, "data: "); is {
					if err := r.valid(at, []byte(text)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// valid checks JSON against the schema at a place of the document.
func (f *fuzz) valid(at []string, data []byte) error {
	place := docURL + "#"
	for _, token := range at {
		place += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	s, err := f.schemas.Compile(place)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	return s.Validate(v)
}
