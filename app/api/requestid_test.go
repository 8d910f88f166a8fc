package api_test

import (
	"context"
	"net/http"
	"testing"

	"piwork/app/tasks"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/task"
)

// starts notes which request a task was started for.
type starts struct {
	*apitest.Fake
	ids []string
}

func (s *starts) StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error) {
	s.ids = append(s.ids, task.RequestID(ctx))
	return s.Fake.StartTask(ctx, r)
}

// The task that a request starts knows its id, however long it lives.
func TestRequestIDOfTasks(t *testing.T) {
	s := &starts{Fake: apitest.New(apitest.Script{})}
	a := api.New(api.Options{Service: s})
	t.Cleanup(a.Close)
	for i, body := range []string{
		`{"kind":"chore","chore":"pictures-to-pdf","folders":[]}`, `{"kind":"chore","chore":"pictures-to-pdf","folders":[],"detached":true}`,
	} {
		res := ask(t, a.Handler(), "POST", "/v1/tasks", body, "X-Request-Id", "abc-1", "Content-Type", "application/json")
		if res.StatusCode != http.StatusCreated || len(s.ids) != i+1 || s.ids[i] != "abc-1" {
			t.Errorf("%d %s, started for %q", res.StatusCode, res.raw, s.ids)
		}
	}
	if res := ask(t, a.Handler(), "POST", "/v1/tasks", `{"kind":"chore","chore":"pictures-to-pdf","folders":[]}`, "Content-Type", "application/json"); s.ids[2] == "" || s.ids[2] != res.Header.Get("X-Request-Id") {
		t.Errorf("started for %q, answered %q", s.ids, res.Header.Get("X-Request-Id"))
	}
}
