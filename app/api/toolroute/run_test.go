package toolroute

import (
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/api/apitest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/tools"
)

// A task that takes longer than it may, to begin or to end, is cancelled, and its
// caller is told.
func TestFollowGivesUp(t *testing.T) {
	for name, tt := range map[string]struct {
		f            *apitest.Fake
		r            tasks.StartRequest
		start, limit time.Duration
	}{
		"it does not begin": {apitest.New(apitest.Script{}), tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf"}, time.Millisecond, time.Hour},
		"it does not end":   {apitest.New(apitest.Script{Endless: true}), tasks.StartRequest{Kind: task.KindTool}, time.Hour, time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Server{Service: tt.f, Heartbeat: time.Hour}
			f := &follower{s: s, start: tt.start, limit: tt.limit}
			f.events, f.leave = tt.f.Subscribe(task.EventFilter{After: task.OnlyNew})
			rec, err := tt.f.StartTask(t.Context(), tt.r)
			if err != nil {
				t.Fatal(err)
			}
			f.id = rec.ID
			_, err = f.follow(t.Context())
			if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != problem.CodeTimeout {
				t.Errorf("%v", err)
			}
			if rec, err = tt.f.Task(t.Context(), rec.ID); err != nil || rec.State != task.StateCancelled {
				t.Errorf("%s, %v", rec.State, err)
			}
			f.leave()
		})
	}
}

// Every operation has the type of its reports; no part of a form has two meanings.
func TestRoutes(t *testing.T) {
	for _, d := range tools.Catalogue() {
		r := newRoute(huma.NewMapRegistry(SchemaPrefix, huma.DefaultSchemaNamer), d.Name)
		if d.Out == tools.OutNone && r.info == nil {
			t.Errorf("%s only reports, and of no type", d.Name)
		}
		if r.info != nil && r.info.Kind() != reflect.Struct {
			t.Errorf("%s reports %s, and is no object", d.Name, r.info)
		}
		for _, name := range []string{formFiles, formName} {
			if r.params.Properties[name] != nil {
				t.Errorf("%s: the parameter %s is taken for files", d.Name, name)
			}
		}
		if r.takesForm() == d.Changes || (r.document().RequestBody.Content["multipart/form-data"] != nil) == d.Changes {
			t.Errorf("%s: its files can be brought and changed, or neither", d.Name)
		}
	}
}

// What is preferred and accepted, as headers say it.
func TestToolHeaders(t *testing.T) {
	for value, want := range map[string]bool{
		"respond-async": true, "wait=3, Respond-Async": true, "respond-async; x=1": true, " respond-async ": true,
		"": false, "respond-sync": false, "x=respond-async": false, ";": false,
	} {
		if got := prefersAsync(http.Header{"Prefer": {value}}); got != want {
			t.Errorf("Prefer %q: %v", value, got)
		}
	}
	for value, want := range map[string]bool{
		"application/json": true, "text/html, application/json;q=0.5": true, "APPLICATION/JSON": true,
		"": false, "*/*": false, "application/*": false, "application/jsonx": false, ";;,": false,
	} {
		if got := accepts(http.Header{"Accept": {value}}, "application/json"); got != want {
			t.Errorf("Accept %q: %v", value, got)
		}
	}
}
