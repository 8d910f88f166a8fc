package api_test

import (
	"context"
	"net"
	"net/http"
	"testing"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/task"
	"piwork/app/tasks"
)

// starts notes which request a task was started for.
type starts struct {
	*apitest.Fake
	ids, doors []string
}

func (s *starts) StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error) {
	s.ids, s.doors = append(s.ids, task.RequestID(ctx)), append(s.doors, task.DoorOf(ctx))
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

// The door of a request is what its program says where it comes by the socket, and nothing else
// than http by an address.
func TestDoorOfTasks(t *testing.T) {
	s := &starts{Fake: apitest.New(apitest.Script{})}
	a := api.New(api.Options{Service: s})
	t.Cleanup(a.Close)
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}
	guarded, err := a.Guarded(api.Guard{Token: "secret", Addr: addr})
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"kind":"chore","chore":"pictures-to-pdf","folders":[],"door":"window"}`
	for i, x := range []struct {
		h          http.Handler
		said, want string
	}{
		{a.Handler(), "mcp", "mcp"}, {a.Handler(), "window", "window"}, {a.Handler(), "", ""}, {a.Handler(), "ci@9f2c01aa", ""},
		{guarded, "window", "http"}, {guarded, "", "http"},
	} {
		res := ask(t, x.h, "POST", "http://"+addr.String()+"/v1/tasks", body, "Content-Type", "application/json", "Authorization", "Bearer secret", api.ClientHeader, x.said)
		if res.StatusCode != http.StatusCreated || len(s.doors) != i+1 || s.doors[i] != x.want {
			t.Errorf("%q: %d %s, by %q", x.said, res.StatusCode, res.raw, s.doors)
		}
	}
}
