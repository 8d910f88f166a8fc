package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/agent"
	"piwork/app/agent/agenttest"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/task"
	"piwork/pack/guest/agentkit"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

var update = flag.Bool("update", false, "write what the tests compare with")

// bench is a real pi with a scripted model.
type bench struct {
	t      *testing.T
	ctx    context.Context
	model  *gatewaytest.Server
	root   string // has state and folder
	launch agent.Launch
	ask    vmhost.AskFunc
	allow  func(ctx context.Context, command string) bool // in the place of the host; nil allows
	host   *httptest.Server

	s    *agent.Session
	proc *agenttest.Process

	mu      sync.Mutex
	more    *sync.Cond
	entries []agent.Entry
	lines   [][]byte
	at      int // entries that until has passed
	known   agent.Presences
}

const sessionTask = "0190c0de-0000-7000-8000-000000000001"

func newBench(t *testing.T, script ...gatewaytest.Turn) *bench {
	node, main := agenttest.RealPi(t)
	b := &bench{t: t, root: t.TempDir(), known: agent.Presences{}, model: gatewaytest.New("worthless", script...)}
	t.Cleanup(b.model.Close)
	b.more = sync.NewCond(&b.mu)
	b.host = httptest.NewServer(http.HandlerFunc(b.command))
	t.Cleanup(b.host.Close)
	var cancel context.CancelFunc
	b.ctx, cancel = context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	folder := filepath.Join(b.root, "folder")
	for _, d := range []string{folder, filepath.Join(b.root, "state")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.write("notes.txt", "one\ntwo\nthree\n")
	var err error
	b.launch, err = agent.Command(agent.Config{
		Task: sessionTask, Model: "test/scripted", Models: b.models(), Thinking: "low",
		Init: vmhost.InitData{Runtime: "vm", OS: "linux", Cwd: folder, Network: vmhost.NetworkDeny,
			Folders: []vmhost.FolderInView{{Path: folder}}},
		Places: agent.Places{Node: node, Main: main, State: filepath.Join(b.root, "state")},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.reach(b.host)
	return b
}

// reach has the extensions reach a host in the place of the machine's own address.
func (b *bench) reach(host *httptest.Server) {
	for i, f := range b.launch.Files {
		if strings.HasSuffix(f.Path, ".cjs") {
			b.launch.Files[i].Data = bytes.ReplaceAll(f.Data, []byte(wire.GatewayAddr), []byte(host.Listener.Addr().String()))
		}
	}
}

// command runs a command as the host does (app), in the folder.
func (b *bench) command(w http.ResponseWriter, r *http.Request) {
	say := json.NewEncoder(w)
	var asked agentkit.CommandRequest
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != agentkit.PathCommand {
		b.t.Errorf("%s: %v", r.URL, err)
	}
	if b.allow != nil && !b.allow(r.Context(), asked.Command) {
		w.WriteHeader(http.StatusForbidden)
		_ = say.Encode(agentkit.CommandAnswer{Error: &agentkit.CommandError{Message: "The person did not allow this command."}})
		return
	}
	cmd := exec.CommandContext(r.Context(), "bash", "-c", asked.Command)
	cmd.Dir, cmd.WaitDelay = filepath.Join(b.root, "folder"), time.Second
	out, err := cmd.CombinedOutput()
	_ = say.Encode(agentkit.CommandAnswer{Data: out})
	code := cmd.ProcessState.ExitCode()
	if err != nil && code <= 0 {
		return // it was ended
	}
	_ = say.Encode(agentkit.CommandAnswer{Exit: &code})
}

// models is a models.json with the scripted model, by two protocols and under
// several names.
func (b *bench) models(names ...string) []byte {
	provider := func(api, url string, names ...string) map[string]any {
		var models []any
		for _, n := range names {
			models = append(models, map[string]any{"id": n, "name": n, "reasoning": true, "input": []string{"text", "image"},
				"contextWindow": 128000, "maxTokens": 4096,
				"cost": map[string]any{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}})
		}
		return map[string]any{"baseUrl": url, "api": api, "apiKey": "worthless", "models": models}
	}
	data, err := json.Marshal(map[string]any{"providers": map[string]any{
		"test":   provider("openai-completions", b.model.URL+"/v1", append(names, "scripted", "other")...),
		"claude": provider("anthropic-messages", b.model.URL, gatewaytest.AnthropicModel)}})
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

func (b *bench) write(name, text string) {
	if err := os.WriteFile(filepath.Join(b.root, "folder", name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	data, err := os.ReadFile(filepath.Join(b.root, "folder", name))
	if err != nil {
		return ""
	}
	return string(data)
}

// start starts pi, or starts it again.
func (b *bench) start() agent.Resumed {
	b.t.Helper()
	root, err := os.OpenRoot(filepath.Join(b.root, "state"))
	if err != nil {
		b.t.Fatal(err)
	}
	defer root.Close()
	if err := b.launch.Lay(root); err != nil {
		b.t.Fatal(err)
	}
	b.proc = agenttest.StartProcess(b.t, b.launch.Argv, b.launch.Env, b.launch.Dir)
	b.s = agent.New(agent.Options{Task: sessionTask, Ask: b.ask, Known: b.known.Of,
		Record: func(line []byte) int64 {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.lines = append(b.lines, slices.Clone(line))
			return int64(len(b.lines))
		},
		Emit: func(e agent.Entry) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.entries = append(b.entries, e)
			b.more.Broadcast()
		}})
	r, err := b.s.Start(b.ctx, agent.Transport{In: b.proc.In, Out: b.proc.Out})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// until waits for an entry after those it returned before.
func (b *bench) until(what string, is func(agent.Entry) bool) agent.Entry {
	b.t.Helper()
	stop := context.AfterFunc(b.ctx, b.more.Broadcast)
	defer stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for b.at < len(b.entries) {
			e := b.entries[b.at]
			b.at++
			if is(e) {
				return e
			}
		}
		if b.ctx.Err() != nil {
			b.t.Fatalf("no %s; got %s", what, describe(b.entries))
		}
		b.more.Wait()
	}
}

func kind(k task.EventKind) func(agent.Entry) bool {
	return func(e agent.Entry) bool { return e.Kind == k }
}

func (b *bench) settled() agent.Outcome {
	b.t.Helper()
	o, err := b.s.Wait(b.ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

func (b *bench) wait(c <-chan struct{}) {
	b.t.Helper()
	select {
	case <-c:
	case <-b.ctx.Done():
		b.t.Fatalf("waited too long; got %s", describe(b.entries))
	}
}

func (b *bench) do(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// stop lets pi end by itself and returns what it said since the last stop.
func (b *bench) stop() [][]byte {
	b.t.Helper()
	b.do(b.s.Close(b.ctx))
	return b.taken()
}

func (b *bench) taken() [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.entries {
		if e.Stored {
			b.known.Add(e.Data)
		}
	}
	lines := b.lines
	b.lines = nil
	return lines
}

func describe(entries []agent.Entry) string {
	var s strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&s, "\n%s %+v", e.Kind, e.Data)
	}
	return s.String()
}

// startsAgainQuietly starts pi once more: the timeline has everything.
func (b *bench) startsAgainQuietly() {
	b.t.Helper()
	b.taken()
	before := len(b.entries)
	r := b.start()
	if b.known.Of(r.LastUser) != agent.Whole {
		b.t.Errorf("resumed %+v, whose last message the timeline does not have", r)
	}
	b.stop()
	for _, e := range b.entries[before:] {
		n, _ := e.Data.(task.NoticeData)
		if e.Kind != task.EventQueue && n.Code != agent.NoticeResumed {
			b.t.Errorf("said again after a restart: %s %+v", e.Kind, e.Data)
		}
	}
}

// TestRealPi runs every scenario with the real pi and compares the shapes of
// what it says with those of the recordings; with -update it records anew.
func TestRealPi(t *testing.T) {
	got, ran := shapes{}, 0
	all := scenarios()
	for _, sc := range all {
		t.Run(sc.name, func(t *testing.T) {
			b := newBench(t, sc.replies...)
			recordings := sc.run(t, b)
			if t.Failed() {
				t.Fatal(describe(b.entries))
			}
			// Each is two starts of pi: tools, an end by force and a summary hold it by default.
			if tier.All || sc.name == "tools" || sc.name == "abort" || sc.name == "compact" {
				b.startsAgainQuietly()
			}
			ran++
			n := newNormaliser(b.root, b.model.URL)
			for i, lines := range recordings {
				lines = n.lines(lines)
				for _, l := range lines {
					got.add(l)
				}
				if *update {
					file := recording(sc.name, i+1)
					if err := os.WriteFile(file, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
	if ran > 0 && !*update {
		got.compare(t, recordedShapes(t), ran == len(all))
	}
}
