package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piwork/app/api/apifuzz"
	"piwork/app/api/apitest"
	"piwork/app/changes"
	"piwork/app/consent"
	"piwork/app/machines"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/journal"
)

// TestAnyRequest makes requests for every operation, over an invented controller that
// they have for themselves. -tags long takes longer.
func TestAnyRequest(t *testing.T) {
	tier.Flag(t, "rapid.checks", tier.Pick("40", "40", "100"))
	f := newFuzz(t)
	routes := f.Routes()
	reached := 0
	for _, r := range routes {
		t.Run(r.Method+r.Path, func(t *testing.T) {
			uploads := over(t, r)
			for range fuzzRounds {
				rapid.Check(t, func(t *rapid.T) {
					r.Check(t)
					nothingIn(t, uploads)
				})
			}
			if r.Fine {
				reached++
			} else {
				t.Log("no request was answered by a success")
			}
		})
	}
	t.Logf("%d operations, %d of them with a success, %d requests", len(routes), reached, f.Requests())
	// A fuzzer that is refused everywhere proves nothing, nor does one that knows no
	// route of an operation on files.
	if n := len(tools.Catalogue()); len(routes) <= n {
		t.Errorf("only %d operations, %d of them on files", len(routes), n)
	}
	if n := len(routes); reached < n*4/5 {
		t.Errorf("only %d of %d operations ever succeeded", reached, n)
	}
}

func newFuzz(t *testing.T) *apifuzz.Fuzz {
	t.Helper()
	doc, err := json.Marshal(New(Options{}).OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"a.jpg", "b c.pdf", "-d.csv"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	f, err := apifuzz.New(doc, files)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// over sends the requests of an operation to a service of its own, in which there is
// something, and returns where that puts what is uploaded.
func over(t *testing.T, r *apifuzz.Route) (uploads string) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	uploads = filepath.Join(t.TempDir(), "uploads")
	fake := apitest.New(apitest.Script{
		Has:       []any{updater.State{Phase: updater.PhaseUpToDate}, machines.WarmStart{State: machines.WarmReady}, consent.Explanation{Decision: policy.Decision{Effect: policy.Allow}, Matches: []policy.RuleMatch{}}},
		UploadDir: uploads, Problems: []problem.Problem{*problem.New(problem.CodeInputBroken)},
		Run:     apitest.Run{Info: []any{map[string]any{"path": "/folders/files/a.jpg", "x": 1}, 7}},
		Results: []apitest.ResultFile{{Result: task.Result{Path: "a.pdf", Size: 4}, Data: []byte("%PDF")}},
		Changed: apitest.Changed{
			List:     []journal.Change{{ID: "1", Folder: "f1", Path: "x", Kind: "file", Effect: journal.EffectChange, Undone: &now}},
			Contents: map[string]map[changes.Which][]byte{"1": {changes.Before: []byte("a"), changes.After: []byte("b")}},
		},
	})
	a := New(Options{Service: fake, Shell: fuzzShell{}, Window: fuzzShell{}, HoldGrace: time.Hour})
	t.Cleanup(a.Close)
	handler := a.Handler()
	r.Send = func(req *http.Request) (*http.Response, []byte, error) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		return w.Result(), w.Body.Bytes(), nil
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/tasks", strings.NewReader(`{"kind":"exec","argv":["x"],"folders":[]}`)))
	var rec task.Task
	if err := json.Unmarshal(w.Body.Bytes(), &rec); err != nil || rec.ID == "" {
		t.Fatalf("%s %v", w.Body, err)
	}
	for !rec.State.Final() { // the fake's own pace
		rec, _ = fake.Task(t.Context(), rec.ID)
	}
	r.Known = map[string]string{"id": rec.ID, "change": "1", "index": "0"}
	return uploads
}

// nothingIn waits until a directory is empty: a task that nobody waits for may still work.
func nothingIn(t *rapid.T, dir string) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		list, err := os.ReadDir(dir)
		if err != nil || len(list) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left %v", list)
		}
	}
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
func (fuzzShell) Drawn(context.Context, bool) error                             { return nil }
func (fuzzShell) Notify(context.Context, Notice) error                          { return nil }
func (fuzzShell) SaveFile(context.Context, string, string) (string, error)      { return "", nil }
