package api_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/problem"
	"piwork/vmhost/wire"
)

// A file that is not as it was expected is a failed precondition, which says what it has;
// what is larger than a write may be, and bounds that are none, reach no task.
func TestWriteFile(t *testing.T) {
	f := apitest.New(apitest.Script{})
	h := newAPI(t, f, api.Options{}).Handler()
	id := startDone(t, f, h)
	route := "/v1/tasks/" + id + "/files/"
	f.Refuse = map[string]error{"WriteFile": problem.New(problem.CodeFileChanged).With("sha256", "absent")}
	if a := ask(t, h, "POST", route+"write", `{"path":"/work/a","data":"eA==","expect":"absent"}`); a.StatusCode != http.StatusPreconditionFailed || !strings.Contains(string(a.raw), `"sha256":"absent"`) {
		t.Errorf("%d %s", a.StatusCode, string(a.raw))
	}
	f.Refuse = nil
	large := base64.StdEncoding.EncodeToString(make([]byte, wire.MaxFileData))
	for body, want := range map[string]int{
		`{"path":"/work/a","data":"eA=="}`:                            http.StatusOK,
		`{"path":"/work/a","data":"` + large + `"}`:                   http.StatusOK,
		`{"path":"/work/a","data":"` + large + large + `"}`:           http.StatusRequestEntityTooLarge,
		`{"path":"","data":"eA=="}`:                                   http.StatusUnprocessableEntity,
		`{"path":"/work/a","data":"eA==","expect":"x"}`:               http.StatusUnprocessableEntity,
		`{"path":"/work/a","data":"eA==","expect":"ABSENT"}`:          http.StatusUnprocessableEntity,
		`{"path":"` + strings.Repeat("/x", 3000) + `","data":"eA=="}`: http.StatusUnprocessableEntity,
	} {
		if a := ask(t, h, "POST", route+"write", body); a.StatusCode != want {
			t.Errorf("%.80s: %d %.200s, not %d", body, a.StatusCode, string(a.raw), want)
		}
	}
	for body, want := range map[string]int{
		`{"path":"/work","depth":65}`: http.StatusUnprocessableEntity, `{"path":"/work","limit":10001}`: http.StatusUnprocessableEntity, `{"path":"/work","depth":64,"limit":10000}`: http.StatusOK,
	} {
		if a := ask(t, h, "POST", route+"list", body); a.StatusCode != want {
			t.Errorf("%s: %d %.200s", body, a.StatusCode, string(a.raw))
		}
	}
}

// Who comes back to what an agent says gets what was kept since; who comes back to a watch hears
// that it does not know what changed in between.
func TestStreamsAfterABreak(t *testing.T) {
	f := apitest.New(apitest.Script{})
	f.Agent.Lines = map[int64]json.RawMessage{1: json.RawMessage(`"one"`), 2: json.RawMessage(`"two"`)}
	h := newAPI(t, f, api.Options{}).Handler()
	route := "/v1/tasks/" + startDone(t, f, h)
	const one, two, over = "id: 1\nevent: agent.event\ndata: \"one\"\n\n", "id: 2\nevent: agent.event\ndata: \"two\"\n\n", "event: agent.over\ndata: {}\n\n"
	for last, want := range map[string]string{"": one + two + over, "0": one + two + over, "1": two + over, "7": over} {
		if a := ask(t, h, "GET", route+"/agent", "", "Last-Event-ID", last); string(a.raw) != ":\n\n"+want {
			t.Errorf("after %q: %q", last, a.raw)
		}
	}
	if a := ask(t, h, "GET", route+"/agent", "", "Last-Event-ID", "x"); a.StatusCode != http.StatusBadRequest {
		t.Errorf("%d %s", a.StatusCode, a.raw)
	}
	const ready, lost = `{"what":"ready","path":"/work"}`, `{"what":"lost","path":"/work"}`
	for last, want := range map[string]string{
		"":  "id: 1\nevent: file.change\ndata: " + ready + "\n\n",
		"9": "id: 1\nevent: file.change\ndata: " + lost + "\n\nid: 2\nevent: file.change\ndata: " + ready + "\n\n",
	} {
		if a := ask(t, h, "GET", route+"/files/watch?path=/work", "", "Last-Event-ID", last); string(a.raw) != ":\n\n"+want+"event: file.over\ndata: {}\n\n" {
			t.Errorf("after %q: %q", last, a.raw)
		}
	}
}
