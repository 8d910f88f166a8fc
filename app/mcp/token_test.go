package mcp_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/access"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/audit/audittest"
	"piwork/app/client"
	"piwork/app/mcp"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost"
)

// owned is a controller with tokens.
type owned struct {
	*apitest.Fake
	list *access.TokenList
}

func (o owned) OwnToken(ctx context.Context) (access.Token, error) { return o.list.OwnToken(ctx) }

// On a network a program comes by a name of the certificate, with a token of its own; the person has
// none there.
func TestNetwork(t *testing.T) {
	list, err := access.OpenTokens(t.TempDir(), audittest.Open(t), nil, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := list.CreateToken(t.Context(), access.TokenRequest{Name: "tools", Scopes: []access.Scope{access.Tools}})
	if err != nil {
		t.Fatal(err)
	}
	h := api.New(api.Options{Service: owned{apitest.New(apitest.Script{}), list}, Clients: list}).Handler()
	log := slog.New(slog.DiscardHandler)
	d, err := mcp.Open(client.New(client.InProcess(h), log), mcp.Options{Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := api.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	of := httptest.NewTLSServer(nil) // has a certificate, and a client that knows it
	defer of.Close()
	over, url := make(chan error, 1), "https://"+ln.Addr().String()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		over <- d.Serve(ctx, tls.NewListener(ln, &tls.Config{Certificates: of.TLS.Certificates, MinVersion: tls.VersionTLS12}), api.Guard{Names: of.Certificate().VerifyHostname}, func(secret string) mcp.TokenService {
			return client.New(bearer{secret, client.InProcess(h)}, log)
		})
	}()
	known := of.Client().Transport
	for name, tt := range map[string]struct {
		secret, host string
		status       int
	}{
		"no token": {"", "", 401}, "an invented one": {"piwork_wrong", "", 401}, "another host": {made.Secret, "evil.example", 403}, "a name of it": {made.Secret, "example.com", 200},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tt.host
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		res, err := (bearer{tt.secret, known}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != tt.status {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{made.Secret, known}}, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_tasks", Arguments: in{}}); err != nil || r.IsError {
		t.Errorf("%+v, %v", r, err)
	}
	_ = c.Close()
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// A program over HTTP comes with a token of its own: it has the folders and the scopes of that one,
// not those of the door, a door of its own, and nothing when the token is revoked.
func TestProgramsWithTokens(t *testing.T) {
	list, err := access.OpenTokens(t.TempDir(), audittest.Open(t), nil, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := memdir.Disk(t)
	secrets := map[string]string{}
	for name, scopes := range map[string][]access.Scope{"tools": {access.Tools}, "ai": {access.Tools, access.AI}} {
		folder := filepath.Join(dir, name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		made, err := list.CreateToken(t.Context(), access.TokenRequest{Name: name, Scopes: scopes, Folders: []task.FolderRequest{{Path: folder}}})
		if err != nil {
			t.Fatal(err)
		}
		secrets[name] = made.Secret
	}
	fake := apitest.New(apitest.Script{})
	h := api.New(api.Options{Service: owned{fake, list}, Clients: list}).Handler()
	log := slog.New(slog.DiscardHandler)
	mine := t.TempDir()
	d, err := mcp.Open(client.New(client.InProcess(h), log), mcp.Options{
		Version: "1", Folders: []task.FolderRequest{{Path: mine}},
		Network: task.NetworkOn, Machine: tasks.MachineChoice{Runtime: vmhost.KindSandbox}, // which these tokens may not choose
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := api.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		over <- d.Serve(ctx, ln, api.Guard{Token: "person"}, func(secret string) mcp.TokenService {
			return client.New(bearer{secret, client.InProcess(h)}, log)
		})
	}()
	url := "http://" + ln.Addr().String()
	connect := func(secret string) (*sdk.ClientSession, error) {
		return sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
			Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{secret, http.DefaultTransport}}, MaxRetries: -1}, nil)
	}
	hash := func(c *sdk.ClientSession, folder string) string {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "file_hash", Arguments: in{"in": []string{"/folders/" + folder + "/a"}}})
		switch {
		case err != nil:
			return err.Error()
		case r.IsError:
			return r.Content[0].(*sdk.TextContent).Text
		}
		return ""
	}
	for _, wrong := range []string{"piwork_wrong", secrets["ai"] + "x"} {
		if c, err := connect(wrong); err == nil {
			t.Errorf("%q is let in", wrong)
			_ = c.Close()
		}
	}
	all := map[string]*sdk.ClientSession{}
	for name := range secrets {
		c, err := connect(secrets[name])
		if err != nil {
			t.Fatal(err)
		}
		all[name] = c
		tools, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if ai := slices.ContainsFunc(tools.Tools, func(of *sdk.Tool) bool { return of.Name == "ask_ai" }); ai != (name == "ai") {
			t.Errorf("%s may start AI tasks: %v", name, ai)
		}
		for folder, there := range map[string]bool{name: true, filepath.Base(mine): false, "": false} {
			if why := hash(c, folder); (why == "") != there {
				t.Errorf("%s on %q: %s", name, folder, why)
			}
		}
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_command", Arguments: in{"command": "ls"}})
		if err != nil || !r.IsError {
			t.Errorf("%s runs a command, %v", name, err)
		}
		r, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_tasks", Arguments: in{}})
		if err != nil || strings.Count(r.Content[0].(*sdk.TextContent).Text, `"task":`) != 1 {
			t.Errorf("tasks of %s: %+v, %v", name, r.Content[0], err)
		}
	}
	tasks, err := fake.FindTasks(t.Context(), task.Filter{})
	if err != nil || len(tasks) != 2 || !strings.Contains(tasks[0].Client+tasks[1].Client, "tools@") || !strings.Contains(tasks[0].Client+tasks[1].Client, "ai@") {
		t.Errorf("%d tasks, %v: %+v", len(tasks), err, tasks)
	}
	if err := list.RevokeToken(t.Context(), "ai"); err != nil {
		t.Fatal(err)
	}
	if why := hash(all["ai"], "ai"); why == "" {
		t.Error("it goes on when it is revoked")
	}
	if why := hash(all["tools"], "tools"); why != "" {
		t.Errorf("the other one does not: %s", why)
	}
	for _, c := range all {
		_ = c.Close()
	}
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
}
