package app_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app"
	"piwork/app/api" //nolint:depguard // the test comes from outside, as programs do; the controller does not
	"piwork/app/gateway/gatewaytest"
	"piwork/app/task"
	"piwork/app/tasks"
)

// What pi says in the workroom comes out of GET /v1/tasks/{id}/agent as it said it:
// every line, in its order, byte by byte, until the task is over.
func TestAgentLinesWholePath(t *testing.T) {
	var mu sync.Mutex
	var said []string
	mark := -1 // lines that were said when the model was asked
	asked, followed := make(chan struct{}), make(chan struct{})
	const odd = "Größe <b> & \u2028 \"\\ 🙂 \r\n\tdata: x\nevent: agent.over"
	c := app.PiOutside(t, func(gatewaytest.Question) gatewaytest.Turn {
		mu.Lock()
		mark = len(said)
		mu.Unlock()
		close(asked)
		<-followed
		return gatewaytest.Turn{Parts: []string{odd, " end"}}
	}, func(line []byte) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, strings.TrimSuffix(string(line), "\n"))
	})
	srv := httptest.NewServer(api.New(api.Options{Service: c}).Handler())
	t.Cleanup(srv.Close)
	begun, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Say it."}, Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/v1/tasks/"+begun.ID+"/agent", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for !app.Followed(c, begun.ID) {
		time.Sleep(time.Millisecond)
	}
	close(followed)
	var got []string
	over, event := false, ""
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if name, is := strings.CutPrefix(line, "event: "); is {
			event = name
		}
		data, is := strings.CutPrefix(line, "data: ")
		switch {
		case is && event == api.AgentEvent:
			got = append(got, data)
		case is && event == api.AgentOver:
			over = true
		}
	}
	if err := lines.Err(); err != nil || !over {
		t.Fatalf("ended without an end: %v, %q", err, got)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(got) < len(said)-mark || len(got) > len(said) || len(said)-mark < 4 || !slices.Equal(got, said[len(said)-len(got):]) {
		t.Errorf("of %d lines, %d of them before:\n got %q\nsaid %q", len(said), mark, got, said)
	}
	if all := strings.Join(got, "\n"); !strings.Contains(all, `"text_delta"`) || !strings.Contains(all, `\u003cb\u003e`) || !strings.Contains(all, `"agent_settled"`) {
		t.Errorf("not what was said: %s", all)
	}
}
