package agent_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"piwork/app/agent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/task"
	"piwork/pack/guest/agentkit"
)

// The real pi offers the tools for the web to the model, has the host read, without
// a question of its own, and tells the model; and only where the task has them.
func TestRealPiReadsTheWeb(t *testing.T) {
	asked := make(chan string, 4)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- r.URL.Path + " " + string(body)
		io.WriteString(w, `{"url":"https://example.org/","status":200,"type":"text/html","title":"Weather","text":"It rains in Bremen."}`)
	}))
	t.Cleanup(host.Close)
	b := newBench(t, call(agent.WebTools[0], args{"url": "https://example.org/"}), says("It rains."), says("Again."))
	b.allow = decides(t)
	without := slices.Clone(b.launch.Argv)
	i := slices.Index(b.launch.Argv, "--tools") + 1
	b.launch.Argv[i] += "," + strings.Join(agent.WebTools, ",")
	b.launch.Argv = append(b.launch.Argv, "--extension", strings.Replace(b.launch.Argv[slices.Index(b.launch.Argv, "--extension")+1], agentkit.Main, agentkit.Web, 1))
	for i, f := range b.launch.Files {
		b.launch.Files[i].Data = bytes.ReplaceAll(f.Data, []byte(b.host.Listener.Addr().String()), []byte(host.Listener.Addr().String()))
	}
	b.start()
	b.do(b.s.Prompt(b.ctx, "How is the weather?"))
	b.settled()
	b.stop()
	if got := <-asked; got != `/piwork/fetch {"url":"https://example.org/"}` {
		t.Errorf("the host was asked %s", got)
	}
	q := b.model.Questions()
	if len(q) != 2 || !offered(q[0], "web_fetch") || !offered(q[0], "web_search") || !bytes.Contains(q[1].Body, []byte(`It rains in Bremen.`)) {
		t.Fatalf("%d questions to the model, the last %s", len(q), q[len(q)-1].Body)
	}
	opened := func(e agent.Entry) bool {
		d, ok := e.Data.(task.ToolData)
		return ok && d.Verb == "fetch" && d.Target == "https://example.org/" && d.State == agent.ToolDone && strings.Contains(d.Output, "It rains")
	}
	if !slices.ContainsFunc(b.entries, opened) {
		t.Errorf("the timeline does not say so:%s", describe(b.entries))
	}

	b.launch.Argv = without
	b.start()
	b.do(b.s.Prompt(b.ctx, "And now?"))
	b.settled()
	b.stop()
	if last := b.model.Questions()[2]; offered(last, "web_fetch") || !offered(last, "read") {
		t.Errorf("offered without being asked for: %s", last.Body)
	}
}

// offered reports whether the model may use a tool.
func offered(q gatewaytest.Question, tool string) bool {
	return bytes.Contains(q.Body, []byte(`"name":"`+tool+`","description"`))
}
