package mcpservers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/audit/audittest"
	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/app/services"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/network/policy"
)

// behaviour is what a server's program does with its input and output, until its input ends or
// it returns.
type behaviour func(p Program, in io.Reader, out io.Writer)

// programs starts behaviours in place of programs, by the name of the server.
type programs struct {
	t  *testing.T
	mu sync.Mutex

	do      map[string]behaviour
	started []Program
	running sync.WaitGroup
	open    int // places that were not closed
}

func (s *programs) Start(ctx context.Context, p Program) (Running, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do := s.do[p.Server]
	if do == nil {
		return nil, errors.New("no such program: " + p.Argv[0])
	}
	s.started = append(s.started, p)
	s.open++
	in, input := io.Pipe()
	out, w := io.Pipe()
	r := &process{s: s, Reader: out, Writer: input}
	r.close = sync.OnceFunc(func() {
		_ = errors.Join(input.Close(), out.Close())
		s.mu.Lock()
		s.open--
		s.mu.Unlock()
	})
	s.running.Go(func() {
		do(p, in, w)
		_ = errors.Join(w.Close(), in.Close())
	})
	context.AfterFunc(ctx, func() { _ = r.Close() })
	return r, nil
}

type process struct {
	io.Reader
	io.Writer
	s     *programs
	close func()
}

func (p *process) Close() error { p.close(); return nil }

func (p *process) Tail() string { return "the program prints its token: hunter2-hunter2" }

// speaks is a server of the SDK with tools.
func speaks(add func(*mcp.Server)) behaviour {
	return func(_ Program, in io.Reader, out io.Writer) {
		s := mcp.NewServer(&mcp.Implementation{Name: "x", Version: "1"}, nil)
		add(s)
		_ = s.Run(context.Background(), &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}})
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

var object = map[string]any{"type": "object"}

// tool adds one that does what f says.
func tool(s *mcp.Server, name, description string, schema any, f func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
	s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: schema}, f)
}

func says(text string) func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
}

// raw answers each request by hand: f has the method, and returns what is the result. What else
// it writes comes before.
func raw(f func(method string, params json.RawMessage, out io.Writer) any) behaviour {
	return func(_ Program, in io.Reader, out io.Writer) {
		d := json.NewDecoder(in)
		for {
			var m struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
				Params json.RawMessage `json:"params"`
			}
			if d.Decode(&m) != nil {
				return
			}
			if m.ID == nil {
				continue
			}
			var result any
			if m.Method == "initialize" {
				result = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "x", "version": "1"}}
			} else if result = f(m.Method, m.Params, out); result == nil {
				return // it dies
			}
			as := "result"
			if _, bad := result.(*jsonrpc.Error); bad {
				as = "error"
			}
			line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, as: result})
			if _, err := out.Write(append(line, '\n')); err != nil {
				return
			}
		}
	}
}

// world is a room with servers that are invented.
type world struct {
	*Servers
	programs *programs
	outlets  *outlets // nil without
	secrets  *keys.Memory
	terms    services.Terms // of every service, without hosts
	dir      string
	log      *audit.Log
}

func newWorld(t *testing.T, do map[string]behaviour) *world {
	t.Helper()
	w := &world{programs: &programs{t: t, do: do}, secrets: &keys.Memory{}, dir: t.TempDir(), log: audittest.Open(t)}
	w.open(t)
	t.Cleanup(func() {
		w.programs.running.Wait()
		if w.programs.open != 0 {
			t.Errorf("%d places are left", w.programs.open)
		}
	})
	return w
}

// open reads the list anew, as the next program does.
func (w *world) open(t *testing.T) {
	t.Helper()
	var err error
	if w.Servers != nil {
		w.Servers.Close()
	}
	w.Servers, err = New(Options{
		Outlet:    func(p Program, rules []policy.Rule) (Outlet, error) { return w.outlets.make(p, rules) },
		ConfigDir: w.dir, Secrets: w.secrets, Audit: w.log, Start: w.programs, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Unix(1700000000, 0) },
		Services: func(names []string) (services.Terms, error) {
			t := w.terms
			for _, name := range names {
				if name == "none" {
					return t, problem.New(problem.CodeNotFound).With("service", name)
				}
				t.Hosts = append(t.Hosts, "api."+name+".example")
			}
			return t, nil
		},
		Folder: func(p string) (string, error) {
			if p == "/forbidden" {
				return "", errors.New("refused")
			}
			return filepath.Clean(p), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// allowed adds a server, checks it, and allows all of its tools.
func (w *world) allowed(t *testing.T, a Addition) Server {
	t.Helper()
	if a.Command == "" && a.URL == "" {
		a.Command = "node"
	}
	if _, err := w.AddMCPServer(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return w.checked(t, a.Name)
}

// checked checks a server, and allows all of its tools.
func (w *world) checked(t *testing.T, name string) Server {
	t.Helper()
	v, err := w.CheckMCPServer(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range v.Tools {
		if one.State == ToolOff {
			if v, err = w.AllowMCPTool(t.Context(), name, ToolChoice{Tool: one.Name, Hash: one.Hash, Allow: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return v
}

// person is a Gate that answers as told.
type person struct {
	mu        sync.Mutex
	say       string // "" is allow
	always    bool
	meanwhile func() // happens while they think
	asked     []vmhost.Question
	topics    []string
	rules     map[string]approval.Rule
	client    string
	blocked   bool // nobody answers
}

func (p *person) Unasked(q vmhost.Question, topic string) (vmhost.Decision, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.rules[topic]
	return vmhost.Decision{ID: q.ID, Answer: r.Answer}, ok, nil
}

func (p *person) AskOne(ctx context.Context, q vmhost.Question, topic string) (vmhost.Decision, error) {
	if p.blocked {
		<-ctx.Done()
		return vmhost.Decision{}, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked, p.topics = append(p.asked, q), append(p.topics, topic)
	if p.meanwhile != nil {
		p.meanwhile()
	}
	d := vmhost.Decision{ID: q.ID, Answer: p.say}
	d.Answer = cmp.Or(d.Answer, vmhost.AnswerAllow)
	if p.always {
		if p.rules == nil {
			p.rules = map[string]approval.Rule{}
		}
		p.rules[topic] = approval.Rule{Topic: topic, Answer: d.Answer}
	}
	return d, nil
}

func (p *person) Beforehand() approval.Who { return approval.Who{Client: p.client} }

var aiTask = task.Task{ID: "t1", Kind: task.KindAI, AI: &task.AI{Servers: true}}

// use is what a task has, until the test ends.
func (w *world) use(t *testing.T, p *person) *Use {
	t.Helper()
	u := w.Use(t.Context(), aiTask, p)
	if u == nil {
		t.Fatal("the task has no servers")
	}
	t.Cleanup(u.Close)
	return u
}

func numbered(format string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf(format, i))
	}
	return out
}
