package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/api"
	"piwork/app/chore/choretest"
	"piwork/app/client"
	"piwork/app/consent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/telemetry"
	"piwork/app/telemetry/telemetrytest"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// marked stands for names and contents.
const marked = "qzmarkqz"

// Traces of real tasks have a parent each, from the client on, and neither they nor the metrics
// have a name or a content of anything.
func TestTelemetryNamesNothing(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared
	to := telemetrytest.New()
	defer to.Close()
	server := gatewaytest.New(testKey)
	server.Reply(func(gatewaytest.Question) gatewaytest.Turn {
		return gatewaytest.Turn{Raw: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"`+marked+`"}}],"usage":{"prompt_tokens":11,"completion_tokens":5}}`)
		}}
	})
	defer server.Close()
	w := aiWorld(t, "", server.URL)
	if err := w.keys.Set(t.Context(), keys.Credential{
		Provider: marked, Kind: keys.KindKey, Key: keys.NewSecret(testKey), BaseURL: server.URL + "/v1", Protocol: "openai", Models: []string{marked}, Private: true,
	}); err != nil {
		t.Fatal(err)
	}
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(_ context.Context, p wire.ExecParams, out func(wire.ExecOutput)) (wire.ExecResult, error) {
			out(wire.ExecOutput{Stream: wire.Stdout, Data: []byte(marked)})
			if err := rt.Files.Write("/folders/"+marked+"/"+marked+".txt", []byte(marked)); err != nil {
				return wire.ExecResult{}, err
			}
			if p.Argv[1] == "hung" {
				return wire.ExecResult{}, &vmhost.FailedError{Runtime: "vm", Reason: vmhost.ReasonHung, Err: fmt.Errorf("%s", marked)}
			}
			return wire.ExecResult{WallMS: 1 << 60}, nil // more than it took
		}
		return nil
	}
	c := openPi(t, w, nil)
	a := api.New(api.Options{Service: c, Telemetry: c.Counting()})
	defer a.Close()
	ask := client.New(client.InProcess(a.Handler()), nil)
	if _, err := ask.SetTelemetry(t.Context(), telemetry.Settings{Endpoint: to.URL}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	ctx, command := telemetry.BeginCommand(t.Context())
	dir := filepath.Join(w.base, marked)
	if err := os.CopyFS(dir, os.DirFS(w.pictures(marked+".png"))); err != nil {
		t.Fatal(err)
	}
	wait := w.listen(c)
	run := func(r tasks.StartRequest, want task.State) string {
		t.Helper()
		r.Detached, r.Title = true, marked
		r.Folders = append(r.Folders, task.FolderRequest{Path: dir, Mode: task.ModeReadWrite})
		rec, err := ask.StartTask(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		wait(rec.ID, want)
		return rec.ID
	}
	exec := run(tasks.StartRequest{Kind: task.KindExec, Argv: []string{marked, marked}, Env: map[string]string{marked: marked}, Cwd: "/folders/" + marked}, task.StateDone)
	run(tasks.StartRequest{Kind: task.KindExec, Argv: []string{marked, "hung"}}, task.StateFailed)
	run(tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Params: map[string]any{"name": marked + ".pdf"}}, task.StateDone)
	run(tasks.StartRequest{Kind: task.KindTool, Tool: &wire.ToolParams{Op: "image.info", In: []string{"/folders/" + marked + "/" + marked + ".png"}}}, task.StateDone)
	run(tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: marked, Model: marked + "/" + marked}, Network: task.NetworkOff}, task.StateDone)
	_, _ = ask.AddNetworkRule(ctx, consent.NetworkRuleRequest{Host: marked + ".example", Answer: vmhost.AnswerAllow})
	for _, path := range []string{"/" + marked, "/v1/tasks/" + marked, "/v1/logs/" + marked} {
		res, err := client.Send(ctx, ask, http.MethodGet, path, http.Header{"X-Request-Id": {marked}, "Tracestate": {marked + "=1"}, "Baggage": {marked + "=1"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
	}
	if !command.Traced() {
		t.Error("the command does not know that it is traced")
	}
	if _, err := ask.EndCommand(ctx, command); err != nil {
		t.Fatal(err)
	}
	text, err := ask.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask.SetTelemetry(t.Context(), telemetry.Settings{}); err != nil { // what waits is sent
		t.Fatal(err)
	}

	raw, bad := to.Raw()
	if len(bad) > 0 {
		t.Errorf("%q", bad)
	}
	for what, data := range map[string][]byte{"what was sent": raw, "the metrics": text} {
		if at := bytes.Index(bytes.ToLower(data), []byte(marked)); at >= 0 || bytes.Contains(data, []byte(testKey)) {
			t.Errorf("%s has a name: %q", what, data[max(0, at-100):min(len(data), at+100)])
		}
		if bytes.Contains(data, []byte(w.base)) || bytes.Contains(data, []byte("127.0.0.1")) && what == "the metrics" {
			t.Errorf("%s has a place", what)
		}
	}
	for _, want := range []string{
		`piwork_tasks_total{kind="exec",outcome="done"} 1`, `piwork_tasks_total{kind="exec",outcome="failed"} 1`, `piwork_tasks_total{kind="ai",outcome="done"} 1`,
		`piwork_execution_duration_seconds_count{action="tool",operation="image.info",outcome="ok",runtime="vm"}`, `piwork_share_calls_total{class="write"} `, `piwork_share_bytes_total{direction="write"} `,
		`piwork_gateway_tokens_total{gen_ai_provider_name="other",gen_ai_request_model="other",gen_ai_token_type="input"} 11`, `piwork_api_request_duration_seconds_count{operation="startTask",status="2xx"} 5`,
		`piwork_start_duration_seconds_count{outcome="ok",runtime="vm",way="plain"}`, `piwork_queue_length{queue="machines"} 0`, "piwork_journal_bytes_total ",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	spans := to.Spans()
	byID := map[string]telemetrytest.Span{}
	for _, s := range spans {
		byID[s.ID] = s
	}
	way := func(s telemetrytest.Span) (names []string) {
		for ; s.ID != ""; s = byID[s.Parent] {
			if names = append(names, s.Name); s.Parent == "b7ad6b7169203331" && s.Trace == "0af7651916cd43dd8448eb211c80319c" {
				return append(names, "caller")
			}
		}
		return names
	}
	for name, want := range map[string]string{
		"execute": "execute task startTask command caller", "start": "start task startTask command caller", "share": "share task startTask command caller",
		"image.info": "image.info task startTask command caller", "chat": "chat task startTask command caller",
	} {
		found := false
		for _, s := range spans {
			if s.Name == name {
				found = true
				if got := strings.Join(way(s), " "); got != want {
					t.Errorf("%s: %s", name, got)
				}
			}
		}
		if !found {
			t.Errorf("no span %s among %d", name, len(spans))
		}
	}
	i := slices.IndexFunc(spans, func(s telemetrytest.Span) bool { return s.Name == "task" && s.Attributes["piwork.task.id"] == exec })
	if i < 0 || spans[i].Attributes["kind"] != "exec" || spans[i].Attributes["outcome"] != "done" || spans[i].Attributes["runtime"] != "vm" {
		t.Errorf("%+v", spans)
	}
	for _, s := range spans {
		if inside, ok := s.Attributes["piwork.inside.ms"].(int64); ok && inside > int64(s.End-s.Start)/1e6+1 {
			t.Errorf("a machine is believed %d ms: %+v", inside, s)
		}
	}
}
