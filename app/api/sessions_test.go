package api_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/attach"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
)

// Who attaches without a WebSocket is told so as of everything else.
func TestAttachNeedsAWebSocket(t *testing.T) {
	f := apitest.New(apitest.Script{Endless: true})
	program, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"sh"}, Detached: true, StreamsRequest: tasks.StreamsRequest{Interactive: true}})
	if err != nil {
		t.Fatal(err)
	}
	s := serveLimited(t, f, api.Limited, api.Options{})
	got := s.hear(s.dial("GET /v1/tasks/"+program.ID+"/attach HTTP/1.1", host, "", ""))
	if got.status != http.StatusUpgradeRequired || got.Code != problem.CodeBadRequest || got.header.Get("X-Request-Id") == "" {
		t.Errorf("%+v", got)
	}
}

// What a page asks of a session is bounded before it reaches one; that another one types is a
// conflict.
func TestSessionWithoutAConnection(t *testing.T) {
	f := apitest.New(apitest.Script{})
	h := newAPI(t, f, api.Options{}).Handler()
	const client = "aaaaaaaaaaaaaaaa"
	for query, want := range map[string]int{
		"client=" + client: http.StatusOK,
		"client=" + client + "&from=9000000000000000&seen=7&waitMs=25000": http.StatusOK,
		"":                                      http.StatusUnprocessableEntity, // no name
		"client=short":                          http.StatusUnprocessableEntity,
		"client=" + strings.Repeat("a", 65):     http.StatusUnprocessableEntity,
		"client=aaaaaaaaaaaaaaaa%0a":            http.StatusUnprocessableEntity,
		"client=aaaaaaaa-aaaaaaaa":              http.StatusUnprocessableEntity,
		"client=" + client + "&from=-1":         http.StatusUnprocessableEntity,
		"client=" + client + "&from=1e3":        http.StatusUnprocessableEntity,
		"client=" + client + "&seen=-1":         http.StatusUnprocessableEntity,
		"client=" + client + "&waitMs=25001":    http.StatusUnprocessableEntity,
		"client=" + client + "&waitMs=-1":       http.StatusUnprocessableEntity,
		"client=" + client + "&from=" + big:     http.StatusUnprocessableEntity,
		"client=" + client + "&waitMs=0&seen=x": http.StatusUnprocessableEntity,
	} {
		if a := ask(t, h, "GET", "/v1/sessions/s1/output?"+query, ""); a.StatusCode != want {
			t.Errorf("%s: %d %.300s, not %d", query, a.StatusCode, string(a.raw), want)
		}
	}
	most := base64.StdEncoding.EncodeToString(make([]byte, attach.Room))
	input := func(data string) string { return `{"client":"` + client + `","data":"` + data + `"}` }
	for body, want := range map[string]int{
		`{"client":"` + client + `","take":true}`: http.StatusOK,
		input("eA=="):                              http.StatusOK,
		input(most):                                http.StatusOK,
		input(most + "AAA="):                       http.StatusUnprocessableEntity,
		input("no base64!"):                        http.StatusUnprocessableEntity,
		input(strings.Repeat(most, 16)):            http.StatusRequestEntityTooLarge,
		`{"client":"x","data":"eA=="}`:             http.StatusUnprocessableEntity,
		`{"data":"eA=="}`:                          http.StatusUnprocessableEntity,
		`{"client":"` + client + `","take":"yes"}`: http.StatusUnprocessableEntity,
		`[]`: http.StatusUnprocessableEntity,
		`{`:  http.StatusBadRequest,
		``:   http.StatusBadRequest,
	} {
		if a := ask(t, h, "POST", "/v1/sessions/s1/input", body); a.StatusCode != want {
			t.Errorf("%.80s: %d %.300s, not %d", body, a.StatusCode, string(a.raw), want)
		}
	}
	f.Refuse = map[string]error{
		"WriteSession": problem.New(problem.CodeSessionBusy).With("session", "s1").By("writer"),
		"ReadSession":  problem.New(problem.CodeNotFound).With("session", "s1"),
	}
	if a := ask(t, h, "POST", "/v1/sessions/s1/input", input("eA==")); a.StatusCode != http.StatusConflict || !strings.Contains(string(a.raw), `"cause":"writer"`) {
		t.Errorf("%d %s", a.StatusCode, string(a.raw))
	}
	if a := ask(t, h, "GET", "/v1/sessions/s1/output?client="+client, ""); a.StatusCode != http.StatusNotFound {
		t.Errorf("%d %s", a.StatusCode, string(a.raw))
	}
}

const big = "99999999999999999999"
