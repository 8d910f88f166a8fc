package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/capacity"
	"piwork/app/chore/choretest"
	"piwork/app/consent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/mcpservers"
	"piwork/app/mcpservers/place"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// serverMachine is a machine in which the program of an MCP server runs: one with the tool
// "look", which says what it was sent and its variable TOKEN; with the argument "die" it ends.
type serverMachine struct {
	*choretest.Runtime
	spec vm.Config
	all  *serverMachines
}

// serverMachines are all of a test.
type serverMachines struct {
	mu       sync.Mutex
	list     []*serverMachine
	execs    []wire.ExecParams
	networks []network.Config // that were made
}

// Execute implements vmhost.Runtime.
func (m *serverMachine) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if a.Exec == nil || a.Input == nil || a.Exec.Argv[0] != "node" {
		return m.Runtime.Execute(ctx, a)
	}
	if err := a.Exec.Validate(); err != nil {
		return vmhost.Observation{}, err
	}
	m.all.mu.Lock()
	m.all.execs = append(m.all.execs, *a.Exec)
	m.all.mu.Unlock()
	ctx, end := context.WithCancel(ctx)
	defer end()
	s := mcp.NewServer(&mcp.Implementation{Name: "x", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "look", Description: "Looks.", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if strings.Contains(string(r.Params.Arguments), "die") {
			end()
			return nil, errors.New("dying")
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "saw " + string(r.Params.Arguments) + " with " + a.Exec.Env["TOKEN"]}}}, nil
	})
	a.OnOutput(wire.ExecOutput{ID: a.Exec.ID, Stream: wire.Stderr, Data: []byte("started with " + a.Exec.Env["TOKEN"])})
	go func() { <-ctx.Done(); _ = a.Input.Close() }()
	_ = s.Run(ctx, &mcp.IOTransport{Reader: a.Input, Writer: outputOf(a)})
	return vmhost.Observation{Exec: &wire.ExecResult{ID: a.Exec.ID}}, nil
}

// outputOf writes what an action's program says.
func outputOf(a vmhost.Action) io.WriteCloser { return actionOutput{a} }

type actionOutput struct{ a vmhost.Action }

func (o actionOutput) Write(p []byte) (int, error) {
	o.a.OnOutput(wire.ExecOutput{ID: o.a.Exec.ID, Stream: wire.Stdout, Data: append([]byte{}, p...)})
	return len(p), nil
}

func (actionOutput) Close() error { return nil }

// openServers opens a controller whose machines without a way to models are those of servers.
func openServers(t *testing.T, w *world, all *serverMachines) *Controller {
	t.Helper()
	c, err := open(t.Context(), w.options(), func(ctx context.Context, o Options) (seams, error) {
		s, err := withPi(w)(ctx, o)
		machine := s.machine
		s.machine = func(spec vm.Config) (vmhost.Runtime, error) {
			rt, err := machine(spec)
			plain, is := rt.(*choretest.Runtime)
			if err != nil || !is {
				return rt, err
			}
			m := &serverMachine{plain, spec, all}
			all.mu.Lock()
			defer all.mu.Unlock()
			all.list = append(all.list, m)
			return m, nil
		}
		s.network = func(cfg network.Config) (*network.Network, error) {
			all.mu.Lock()
			all.networks = append(all.networks, cfg)
			all.mu.Unlock()
			return network.New(cfg)
		}
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

const serverSecret = "hunter2-hunter2"

// An AI task uses a tool of a server that the person allowed: the server runs in a machine of
// its own, with its own folders and network; each call is asked about, whatever was said
// beforehand; the secret reaches its program and is in no file and no answer; and all of it
// ends with the task.
func TestServersOfAnAITask(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	server := gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	calls := []gatewaytest.Tool{
		{Name: "eyes__look", Input: map[string]any{"at": "moon"}}, {Name: "eyes__look", Input: map[string]any{"at": "secrets"}},
		{Name: "eyes__look", Input: map[string]any{"at": "sun"}}, {Name: "eyes__look", Input: map[string]any{"at": "die"}}, {Name: "eyes__other", Input: map[string]any{}},
	}
	heard := ""
	server.Reply(func(q gatewaytest.Question) gatewaytest.Turn {
		if n := results(q); n < len(calls) {
			return gatewaytest.Turn{Tools: calls[n : n+1]}
		}
		heard = string(q.Body)
		return gatewaytest.Turn{Parts: []string{"Done."}}
	})
	w, all := aiWorld(t, "", server.URL), &serverMachines{}
	code := filepath.Join(w.base, "mcp")
	if err := errors.Join(os.MkdirAll(filepath.Join(w.base, "Notes"), 0o755), os.MkdirAll(code, 0o755), os.WriteFile(filepath.Join(code, "eyes.js"), []byte("//"), 0o644)); err != nil {
		t.Fatal(err)
	}
	c := openServers(t, w, all)
	if _, err := c.AddNetworkRule(t.Context(), consent.NetworkRuleRequest{Host: "evil.example", Answer: vmhost.AnswerAllow}); err != nil { // of tasks
		t.Fatal(err)
	}
	add := func(a mcpservers.Addition) {
		t.Helper()
		if _, err := c.AddMCPServer(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		v, err := c.CheckMCPServer(t.Context(), a.Name)
		if err != nil || len(v.Tools) != 1 || v.Tools[0].State != mcpservers.ToolOff {
			t.Fatalf("%+v %v", v, err)
		}
	}
	add(mcpservers.Addition{Name: "eyes", Command: "node", Args: []string{filepath.Join(code, "eyes.js")}, Folders: []string{code}, Hosts: []string{"api.example.org"}, Env: map[string]string{"TOKEN": serverSecret}})
	add(mcpservers.Addition{Name: "blind", Command: "node"})
	servers, err := c.MCPServers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.AllowMCPTool(t.Context(), "eyes", mcpservers.ToolChoice{Tool: "look", Hash: servers[1].Tools[0].Hash, Allow: true}); err != nil {
		t.Fatal(err)
	}
	var asked []vmhost.Question
	events, stop := c.Subscribe(task.EventFilter{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range events {
			q, ok := e.Data.(vmhost.Question)
			if !ok {
				continue
			}
			asked = append(asked, q)
			a := consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}
			switch text, _ := q.Text.Params["arguments"].(string); {
			case strings.Contains(text, "secrets"):
				a.Answer = vmhost.AnswerDeny
			case strings.Contains(text, "sun"):
				a.Scope = vmhost.ScopeAlways
			}
			if _, err := c.Answer(context.Background(), q.Task, q.ID, a); err != nil {
				t.Error(err)
			}
		}
	}()
	wait := w.listen(c)
	r := aiTask(w.base)
	r.Accept, r.Network = true, task.NetworkOn
	id := wait(w.start(c, r).ID, task.StateDone).ID
	stop()
	<-done

	if len(asked) != 3 || asked[0].Kind != vmhost.AskServer || asked[0].Text.Code != mcpservers.AskCall || asked[0].Text.Params["hosts"] != "api.example.org" || asked[0].Risk != "high" {
		t.Errorf("asked %+v", asked)
	}
	for _, want := range []string{`saw {\"at\":\"moon\"} with ***************`, `saw {\"at\":\"sun\"}`, "The person did not allow this call.", "There is no such tool"} {
		if !strings.Contains(heard, want) {
			t.Errorf("the model did not hear %q", want)
		}
	}
	if !strings.Contains(heard, "dying") && !strings.Contains(heard, "The MCP server did not do it") { // its answer and its end cross
		t.Error("the model did not hear that the server died")
	}
	if strings.Contains(heard, serverSecret) {
		t.Errorf("the model heard %s", heard)
	}

	// Where it ran: the checks of two servers, and one machine of the task.
	if len(all.list) != 3 || len(all.execs) != 3 {
		t.Fatalf("%d machines, %d programs", len(all.list), len(all.execs))
	}
	blind, used := all.list[1], all.list[2]
	if blind.spec.NIC != nil || blind.spec.Env.Network != vmhost.NetworkDeny || blind.spec.ServeFS != nil || len(blind.Folders) != 0 {
		t.Errorf("a server that was given nothing has %+v", blind.spec.Env)
	}
	if e := used.spec.Env; used.spec.NIC == nil || e.Network != vmhost.NetworkRestricted || len(e.WritableRoots) > 0 || len(e.ReadOnlyRoots) != 1 || used.spec.ServeNet != nil {
		t.Errorf("the server has %+v", e)
	}
	if x := all.execs[2]; strings.Join(x.Argv, " ") != "node /folders/mcp/eyes.js" || x.Env["TOKEN"] != serverSecret {
		t.Errorf("%+v", x)
	}
	for _, n := range all.networks {
		if n.Task == id { // the task's own
			continue
		}
		set := policy.Set{Policy: n.Policy, Rules: n.Rules}
		for host, want := range map[string]policy.Answer{"api.example.org": policy.Allow, "evil.example": policy.Ask} {
			if got := set.Decide(policy.Target{Name: host, Port: 443}).Answer; got != want || n.Ask != nil { // what is asked about, and nobody is there, is refused
				t.Errorf("%s: %v", host, got)
			}
		}
	}
	for _, m := range all.list {
		if m.Closed() == 0 {
			t.Error("a machine is left")
		}
	}
	if held, waiting := c.Fleet.Queue.Counts(); held != 0 || waiting != 0 {
		t.Errorf("%d machines have room, %d wait", held, waiting)
	}
	if left, err := filepath.Glob(filepath.Join(c.o.DataDir, machineDir, "*-mcp*")); err != nil || len(left) > 0 {
		t.Errorf("%v are left", left)
	}

	// What was written: that it ran, and no secret.
	found := 0
	err = filepath.WalkDir(w.base, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), serverSecret) {
			t.Errorf("%s has the secret", path)
		}
		for line := range strings.Lines(string(data)) {
			var r struct {
				Program  string
				EnvNames []string `json:"envNames"`
				Task     string
			}
			if strings.Contains(path, "audit") && json.Unmarshal([]byte(line), &r) == nil && r.Program == "node" && len(r.EnvNames) == 1 && r.EnvNames[0] == "TOKEN" && r.Task == id {
				found++
			}
		}
		return err
	})
	if err != nil || found != 1 {
		t.Errorf("%d records of the server, %v", found, err)
	}
	rules, err := c.Rules(t.Context())
	if err != nil || len(rules) != 2 || !strings.HasPrefix(rules[1].Topic, "server/eyes/look/") {
		t.Errorf("%+v %v", rules, err)
	}
}

// A server for which this computer has no room, or that does not start, is the failure of that
// tool or of its check, and leaves nothing.
func TestServerDoesNotStart(t *testing.T) {
	w, all := newWorld(t), &serverMachines{}
	c := openServers(t, w, all)
	if _, err := c.AddMCPServer(t.Context(), mcpservers.Addition{Name: "none", Command: "no-such-program"}); err != nil {
		t.Fatal(err)
	}
	var p *problem.Problem
	if _, err := c.CheckMCPServer(t.Context(), "none"); !errors.As(err, &p) || p.Code != problem.CodeMCPServer || p.Params["name"] != "none" {
		t.Errorf("%v", err)
	}
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.OnConnect = func(context.Context) error { return errors.New("it does not boot") }
		return nil
	}
	if _, err := c.CheckMCPServer(t.Context(), "none"); !errors.As(err, &p) {
		t.Errorf("%v", err)
	}
	if _, err := c.CheckMCPServer(t.Context(), "other"); !errors.As(err, &p) || p.Code != problem.CodeNotFound {
		t.Errorf("%v", err)
	}
	for _, m := range all.list {
		if m.Closed() == 0 {
			t.Error("a machine is left")
		}
	}
	// Tasks have all the room, perhaps the very one that the server is for.
	host, err := w.lookAtHost(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	busy := c.Fleet.Queue.Request("a", capacity.Size{MemoryMB: capacity.Budget(host, capacity.Choice{}) - 256, CPUs: 1})
	few := place.New(place.Options{
		Machines: t.TempDir(), Health: c.Health, Fleet: c.Fleet, Consent: c.Consent, Audit: c.audit, Log: c.log, Kinds: tasks.Kinds{Chooser: c.Chooser}, RoomWithin: time.Millisecond,
	})
	if _, err := few.Start(t.Context(), mcpservers.Program{Server: "none", Argv: []string{"true"}}); codeOf(err) != problem.CodeNoRoom || problem.From(err).Cause != "turn" {
		t.Errorf("%v", err)
	}
	busy.Release()
	if held, waiting := c.Fleet.Queue.Counts(); held != 0 || waiting != 0 || w.leases != 0 {
		t.Errorf("%d machines have room, %d wait, %d leases", held, waiting, w.leases)
	}
}
