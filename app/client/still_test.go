package client_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
)

// A change is done while the record is what was read, and nothing of it is done later.
func TestWhileStill(t *testing.T) {
	f := full()
	id := over(t, f).ID
	each(t, f, func(t *testing.T, c *client.Client) {
		read := func() client.Record[task.Task] {
			t.Helper()
			seen, err := client.Read(t.Context(), func(ctx context.Context) (task.Task, error) { return c.Task(ctx, id) })
			if err != nil || seen.Value.ID != id {
				t.Fatalf("%v %+v", err, seen)
			}
			return seen
		}
		seen := read()
		for _, tt := range []struct {
			name, title string
			seen        client.Seen
			want        string // code
		}{
			{"as it was read", "a", seen, ""},
			{"once more", "b", seen, problem.CodeChanged},
			{"read again", "c", read(), problem.CodeChanged}, // before the first of these
			{"never read", "d", client.Record[task.Task]{}, problem.CodeChanged},
			{"read as another record", "e", client.Record[string]{Value: "x", ETag: `"x"`}, problem.CodeChanged},
		} {
			got, err := client.WhileStill(c, tt.seen).RenameTask(t.Context(), id, tasks.RenameRequest{Title: tt.title})
			if no, is := errors.AsType[*problem.Problem](err); tt.want == "" && (err != nil || got.Title != tt.title) || tt.want != "" && (!is || no.Code != tt.want) {
				t.Errorf("%s: %v %q", tt.name, err, got.Title)
			}
		}
		now := read()
		if now.Value.Title != "a" {
			t.Errorf("it is called %q", now.Value.Title)
		}
		if _, err := c.RenameTask(t.Context(), id, tasks.RenameRequest{Title: "f"}); err != nil {
			t.Errorf("the client itself depends on nothing: %v", err)
		}
		if got, err := client.WhileStill(c, now).Task(t.Context(), id); err != nil || got.Title != "f" {
			t.Errorf("to read depends on nothing: %v %q", err, got.Title)
		}
		if _, err := client.Read(t.Context(), c.Tasks); err == nil {
			t.Error("a list has an ETag")
		}
		if _, err := client.Read(t.Context(), func(ctx context.Context) (task.Task, error) { return c.Task(ctx, "none") }); !errors.As(err, new(*problem.Problem)) {
			t.Error(err)
		}
	})
}

// What a client without a record sends has no If-Match, and one with a record has it of changes alone.
func TestIfMatchIsOfChanges(t *testing.T) {
	sent := map[string]string{}
	a := api.New(api.Options{Service: apitest.New(apitest.Script{})})
	t.Cleanup(a.Close)
	c := client.New(client.InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent[r.Method] = r.Header.Get("If-Match")
		a.Handler().ServeHTTP(w, r)
	})), nil)
	for want, c := range map[string]*client.Client{"": c, `"x"`: client.WhileStill(c, client.Record[int]{ETag: `"x"`})} {
		_, _ = c.RenameTask(t.Context(), "none", tasks.RenameRequest{})
		_, _ = c.Task(t.Context(), "none")
		if sent[http.MethodPatch] != want || sent[http.MethodGet] != "" {
			t.Errorf("%q, want %q", sent, want)
		}
	}
}
