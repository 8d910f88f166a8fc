package api_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
)

// What an operation names as problems of its own has words, stands once, and is in the document
// and in the reference.
func TestProblemsOfOperations(t *testing.T) {
	known := words.ProblemCodes(words.For("en"))
	a := newAPI(t, apitest.New(apitest.Script{}), api.Options{Pages: pages})
	doc := a.OpenAPI()
	every, _ := doc.Extensions["x-problems"].([]string)
	if len(every) < 10 {
		t.Fatalf("of each: %q", every)
	}
	page := string(ask(t, a.Handler(), "GET", "/docs", "").raw)
	for _, o := range api.Operations() {
		for i, code := range o.Problems {
			switch {
			case !slices.Contains(known, code):
				t.Errorf("%s: %s has no words", o.ID, code)
			case i > 0 && o.Problems[i-1] == code:
				t.Errorf("%s: %s stands twice", o.ID, code)
			case slices.Contains(every, code) && code != problem.CodeNotFound:
				t.Errorf("%s: %s may come from each", o.ID, code)
			}
		}
	}
	if !strings.Contains(page, `Problems of its own: <a href="#problem-not-found"><code>not-found</code></a> <a href="#problem-record-damaged">`) {
		t.Error("the reference does not name them")
	}
	if said := doc.Paths["/v1/tasks/{id}/accept"]; said == nil || !strings.Contains(said.Post.Responses["default"].Description, "task-not-waiting (409)") {
		t.Errorf("the document does not name them: %+v", said)
	}
}

// unforeseen fails with a problem that no operation names.
type unforeseen struct{ *apitest.Fake }

func (unforeseen) Task(context.Context, string) (task.Task, error) {
	return task.Task{}, problem.New(problem.CodeWindowBlank)
}

// A problem that its operation does not name is answered all the same, and logged.
func TestProblemThatIsNotInTheTable(t *testing.T) {
	var log bytes.Buffer
	a := newAPI(t, unforeseen{apitest.New(apitest.Script{})}, api.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if res := ask(t, a.Handler(), "GET", "/v1/tasks/x", ""); res.body["code"] != problem.CodeWindowBlank {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	if !strings.Contains(log.String(), fmt.Sprintf("operation=getTask code=%s", problem.CodeWindowBlank)) {
		t.Errorf("the log: %s", &log)
	}
}
