package mcpservers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/network/policy"
)

// outlets are ways to the internet as the program makes them, and what was dialled.
type outlets struct {
	mu      sync.Mutex
	dialled []string
	open    int
	names   map[string]string // what names lead to
}

func (o *outlets) make(p Program, rules []policy.Rule) (Outlet, error) {
	n, err := network.New(network.Config{
		Task: p.Task, Policy: vmhost.NetworkAllow, Rules: rules, Resolver: o, Own: func() policy.Own { return policy.Own{} },
		Dial: func(ctx context.Context, kind, address string) (net.Conn, error) {
			o.mu.Lock()
			o.dialled = append(o.dialled, address)
			o.mu.Unlock()
			return new(net.Dialer).DialContext(ctx, kind, address)
		},
	})
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.open++
	o.mu.Unlock()
	return &outlet{n, o}, nil
}

// LookupNetIP implements network.Resolver.
func (o *outlets) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a := o.names[strings.TrimSuffix(host, ".")]; a != "" {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

type outlet struct {
	*network.Network
	o *outlets
}

func (w *outlet) Close() error {
	w.o.mu.Lock()
	w.o.open--
	w.o.mu.Unlock()
	return w.Network.Close()
}

// newRemote is a room with a way to the internet.
func newRemote(t *testing.T, names map[string]string) (*world, *outlets) {
	t.Helper()
	o := &outlets{names: names}
	w := newWorld(t, nil)
	w.outlets = o
	w.open(t)
	t.Cleanup(func() {
		w.Servers.Close()
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.open != 0 {
			t.Errorf("%d ways to the internet are left", o.open)
		}
	})
	return w, o
}

// far is a remote MCP server. What it was sent is in heads.
type far struct {
	*httptest.Server
	mu    sync.Mutex
	heads []http.Header
	guard func(w http.ResponseWriter, r *http.Request) (handled bool) // before it answers; may be nil
}

func newFar(t *testing.T) *far {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	tool(s, "look", "Looks from afar.", object, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return says("seen, by s3cr3t-s3cr3t"+r.Extra.Header.Get("Authorization"))(ctx, r)
	})
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	f := &far{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.heads = append(f.heads, r.Header.Clone())
		guard := f.guard
		f.mu.Unlock()
		if guard == nil || !guard(w, r) {
			h.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

// A remote server is checked and called by the host, with its headers, which reach nobody else;
// the person sees where what is sent goes.
func TestRemoteServer(t *testing.T) {
	w, _ := newRemote(t, nil)
	f := newFar(t)
	v := w.allowed(t, Addition{Name: "far", URL: f.URL + "/mcp", Headers: map[string]string{"X-Key": "s3cr3t-s3cr3t"}})
	if len(v.Tools) != 1 || v.Headers[0] != "X-Key" || v.Command != "" {
		t.Fatalf("%+v", v)
	}
	p := &person{}
	code, a := do(t, w.use(t, p), "far__look", `{}`)
	if code != http.StatusOK || a.Text != "seen, by *************" {
		t.Errorf("%d %+v", code, a)
	}
	if at := p.asked[0].Text.Params["address"]; at != strings.TrimPrefix(f.URL, "http://") {
		t.Errorf("asked %+v", p.asked)
	}
	for _, h := range f.heads {
		if h.Get("X-Key") != "s3cr3t-s3cr3t" {
			t.Errorf("a request came with %v", h)
		}
	}
	if kept, err := os.ReadFile(filepath.Join(w.dir, listName)); err != nil || strings.Contains(string(kept), "s3cr3t") {
		t.Errorf("%s %v", kept, err)
	}
}

// Remote servers that are hostile: they reach nothing of this computer or its network, and break
// no bound.
func TestHostileRemotes(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("something inside was reached: %s %s", r.Method, r.URL)
	}))
	t.Cleanup(inside.Close)
	answer := func(body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			data, _ := io.ReadAll(r.Body)
			if json.Unmarshal(data, &m); m.Method != "tools/list" {
				r.Body = io.NopCloser(strings.NewReader(string(data)))
				return false
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", string(m.ID)))
			return true
		}
	}
	for name, guard := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"it redirects to this computer": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
			return true
		},
		"it redirects to a cloud's metadata": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusTemporaryRedirect)
			return true
		},
		"it redirects to itself": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, r.URL.String(), http.StatusTemporaryRedirect)
			return true
		},
		"it wants a sign-in inside": func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+inside.URL+`/x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		},
		"an event without an end": answer("data: " + strings.Repeat("x", maxLine+1<<20) + "\n\n"),
		"notices without an end":  answer(strings.Repeat("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}}\n\n", 5*maxSaid)),
		"an answer that is huge": func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"x":"`+strings.Repeat("x", maxLine+1<<20)+`"}`)
			return true
		},
		"a page": func(w http.ResponseWriter, _ *http.Request) bool { _, _ = io.WriteString(w, "<html>"); return true },
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := newRemote(t, nil)
			f := newFar(t)
			f.guard = guard
			if _, err := w.AddMCPServer(t.Context(), Addition{Name: "far", URL: f.URL + "/mcp"}); err != nil {
				t.Fatal(err)
			}
			var p *problem.Problem
			if _, err := w.CheckMCPServer(t.Context(), "far"); !errors.As(err, &p) || p.Code != problem.CodeMCPServer || len(p.Details) > 2*maxTail {
				t.Errorf("%v", err)
			}
			if _, err := w.LoginMCPServer(t.Context(), "far", LoginRequest{}); err == nil && name == "it wants a sign-in inside" {
				t.Error("it signs in there")
			}
		})
	}
	// A name that leads inside, whatever the server has in its certificate.
	w, o := newRemote(t, map[string]string{"rebound.example": "127.0.0.1", "cloud.example": "169.254.169.254", "home.example": "192.168.1.1"})
	for name := range o.names {
		if _, err := w.AddMCPServer(t.Context(), Addition{Name: plainName(name), URL: "https://" + name + "/mcp"}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.CheckMCPServer(t.Context(), plainName(name)); err == nil {
			t.Errorf("%s was reached", name)
		}
	}
	if len(o.dialled) > 0 {
		t.Errorf("%v were dialled", o.dialled)
	}
}

// Addresses that are secrets themselves, as services hand them out, are in no error that an AI or
// the log has.
func TestAddressIsInNoError(t *testing.T) {
	w, _ := newRemote(t, nil)
	f := newFar(t)
	w.allowed(t, Addition{Name: "far", URL: f.URL + "/mcp/s/0123456789abcdef-s3cr3t?apiKey=hunter2-hunter2"})
	u := w.use(t, &person{})
	f.Close()
	code, a := do(t, u, "far__look", "{}")
	if code != http.StatusBadGateway || a.Error == nil || strings.Contains(a.Error.Message, "s3cr3t") || strings.Contains(a.Error.Message, "hunter2") {
		t.Errorf("%d %+v", code, a.Error)
	}
	_, err := w.CheckMCPServer(t.Context(), "far")
	if p, is := errors.AsType[*problem.Problem](err); !is || strings.Contains(p.Details, "s3cr3t") || strings.Contains(p.Details, "hunter2") {
		t.Errorf("%v", err)
	}
}

// A task that ends, and a person who removes the server, do not wait for a remote server that keeps
// its greeting, its list or an answer to itself.
func TestEndOfSilentRemotes(t *testing.T) {
	for _, how := range []string{"end initialize", "end tools/list", "end tools/call", "remove initialize", "remove tools/list", "remove tools/call"} {
		what, silent, _ := strings.Cut(how, " ")
		t.Run(how, func(t *testing.T) {
			w, _ := newRemote(t, nil)
			f := newFar(t)
			w.allowed(t, Addition{Name: "far", URL: f.URL + "/mcp"})
			asked, over := make(chan struct{}, 1), make(chan struct{})
			t.Cleanup(func() { close(over) })
			f.mu.Lock()
			f.guard = func(_ http.ResponseWriter, r *http.Request) bool {
				data, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(strings.NewReader(string(data)))
				if !strings.Contains(string(data), `"`+silent+`"`) {
					return false
				}
				asked <- struct{}{}
				<-over
				return true
			}
			f.mu.Unlock()
			u := w.use(t, &person{})
			go do(t, u, "far__look", "{}")
			<-asked
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				if what == "end" {
					u.Close()
				} else if err := w.RemoveMCPServer(t.Context(), "far"); err != nil {
					t.Error(err)
				}
			}()
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Errorf("to %s waits for the server", what)
			}
		})
	}
}

// Addresses that a server can have.
func TestRemoteAdditions(t *testing.T) {
	w, _ := newRemote(t, nil)
	for name, a := range map[string]Addition{
		"http":                  {Name: "a", URL: "http://example.org/mcp"},
		"http to a name":        {Name: "a", URL: "http://localhost/mcp"},
		"http to the network":   {Name: "a", URL: "http://192.168.1.1/mcp"},
		"a file":                {Name: "a", URL: "file:///etc/passwd"},
		"a password":            {Name: "a", URL: "https://me:pw@example.org/mcp"},
		"no host":               {Name: "a", URL: "https:///mcp"},
		"a fragment":            {Name: "a", URL: "https://example.org/#x"},
		"no address":            {Name: "a", URL: "://"},
		"a program, too":        {Name: "a", URL: "https://example.org", Command: "node"},
		"folders":               {Name: "a", URL: "https://example.org", Folders: []string{"/x"}},
		"a header that ends":    {Name: "a", URL: "https://example.org", Headers: map[string]string{"X": "a\r\nHost: b"}},
		"a header that is none": {Name: "a", URL: "https://example.org", Headers: map[string]string{"X Y": "a"}},
		"long headers together": {Name: "a", URL: "https://example.org", Headers: map[string]string{"X": strings.Repeat("x", maxValue), "Y": strings.Repeat("x", maxValue)}},
		"a long secret":         {Name: "a", URL: "https://example.org", Client: "x", ClientSecret: strings.Repeat("x", maxValue+1)},
		"a program's header":    {Name: "a", Command: "node", Headers: map[string]string{"X": "a"}},
	} {
		var p *problem.Problem
		if _, err := w.AddMCPServer(t.Context(), a); !errors.As(err, &p) || p.Code != problem.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, err := w.ImportMCPServers(t.Context(), Import{Config: `{"mcpServers": {"far": {"type": "http", "url": "https://mcp.example.org/mcp", "headers": {"Authorization": "Bearer x"}}}}`})
	if err != nil || got[0].URL != "https://mcp.example.org/mcp" || got[0].Headers[0] != "Authorization" {
		t.Errorf("%+v %v", got, err)
	}
	got, err = w.ImportMCPServers(t.Context(), Import{Folders: []string{"/srv"}, Config: `{"mcpServers": {"both-far": {"url": "https://x.example/mcp"}, "both-near": {"command": "node"}}}`})
	if err != nil || len(got) != 2 || len(got[0].Folders) != 0 || len(got[1].Folders) != 1 {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := w.LoginMCPServer(t.Context(), "far", LoginRequest{Confirm: []string{"https://x/"}}); err == nil {
		t.Error("a host that is none was agreed to")
	}
}
