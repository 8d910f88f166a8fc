package api_test

import (
	"encoding/base64"
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
