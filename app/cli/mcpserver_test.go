//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"piwork/app/mcpservers"
)

// Who adds a server hears what it lacks; what it may connect to is changed by what is named.
func TestReachOfMCPServers(t *testing.T) {
	one := mcpservers.Server{Name: "git", Command: "uvx", Hosts: []string{"a.example"}, Services: []string{"hub"}}
	for args, tt := range map[string]struct {
		made mcpservers.Server
		errs string
		sent any
	}{
		"add git -- uvx mcp-server-git":      {one, "uvx would download it each time", mcpservers.Addition{Name: "git", Command: "uvx", Args: []string{"mcp-server-git"}}},
		"add git --service hub -- node x":    {mcpservers.Server{Name: "git", Command: "node"}, "piwork mcp-server reach git --host HOST", mcpservers.Addition{Name: "git", Command: "node", Args: []string{"x"}, Services: []string{"hub"}}},
		"add git --host b.example -- node y": {mcpservers.Server{Name: "git", Command: "node", Env: []string{"MODE", "TOKEN"}, Hosts: []string{"b.example"}}, "git gets the values of its variables (MODE, TOKEN)", mcpservers.Addition{Name: "git", Command: "node", Args: []string{"y"}, Hosts: []string{"b.example"}}},
		"reach git --host b.example":         {one, "", mcpservers.Reach{Hosts: []string{"b.example"}, Services: []string{"hub"}}},
		"reach git --service lab":            {one, "", mcpservers.Reach{Hosts: []string{"a.example"}, Services: []string{"lab"}}},
		"reach git --none":                   {one, "", mcpservers.Reach{}},
	} {
		f, _ := inBackground(t)
		f.Has = append(f.Has, []mcpservers.Server{one}, tt.made)
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"mcp-server"}, strings.Fields(args)...), Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Open: f.held})
		if code != 0 || !strings.Contains(errs.String(), tt.errs) || !slices.ContainsFunc(f.Wishes(), func(w any) bool { return fmt.Sprintf("%+v", w) == fmt.Sprintf("%+v", tt.sent) }) {
			t.Errorf("%s: exit %d, %q, %q, %+v", args, code, out.String(), errs.String(), f.Wishes())
		}
	}
}

// The secret of a client is a reference, and no argument; who signs out hears whether the service
// was told.
func TestSignInsToMCPServers(t *testing.T) {
	t.Setenv("PIWORK_TEST_SECRET", "canary-1")
	far := mcpservers.Server{Name: "far", URL: "https://mcp.example/", SignedIn: true}
	for name, tt := range map[string]struct {
		args      []string
		left      mcpservers.Logout
		code      int
		out, errs string
	}{
		"add":            {[]string{"add", "far", "--url", far.URL, "--client", "app-1", "--client-secret", "env:PIWORK_TEST_SECRET"}, mcpservers.Logout{}, 0, "far", ""},
		"no such secret": {[]string{"add", "far", "--url", far.URL, "--client", "app-1", "--client-secret", "env:PIWORK_NO_SUCH"}, mcpservers.Logout{}, 2, "", "there is no secret"},
		"a secret":       {[]string{"add", "far", "--url", far.URL, "--client", "app-1", "--client-secret", "canary-1"}, mcpservers.Logout{}, 2, "", "needs a reference"},
		"told":           {[]string{"logout", "far"}, mcpservers.Logout{State: mcpservers.LoginNone, Revoked: true}, 0, "Signed out of far.\n", ""},
		"not told":       {[]string{"logout", "far"}, mcpservers.Logout{State: mcpservers.LoginNone}, 0, "Signed out of far.\n", "remove piwork in your account"},
		"broken off":     {[]string{"logout", "far"}, mcpservers.Logout{State: mcpservers.LoginDone}, 0, "still signed in", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := inBackground(t)
			f.Has = append(f.Has, []mcpservers.Server{far}, far, tt.left)
			var out, errs bytes.Buffer
			code := run(t.Context(), append([]string{"mcp-server"}, tt.args...), Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Open: f.held})
			if code != tt.code || !strings.Contains(out.String(), tt.out) || !strings.Contains(errs.String(), tt.errs) || tt.errs == "" && errs.Len() > 0 || strings.Contains(out.String()+errs.String(), "canary") {
				t.Errorf("exit %d, %q, %q", code, out.String(), errs.String())
			}
			added := slices.ContainsFunc(f.Wishes(), func(w any) bool {
				a, is := w.(mcpservers.Addition)
				return is && a.Client == "app-1" && a.ClientSecret == "canary-1"
			})
			if added != (name == "add") {
				t.Errorf("%+v", f.Wishes())
			}
		})
	}
}

// Where to sign in is said to a person who wants no hints, too: the command waits for that.
func TestQuietLoginOfMCPServer(t *testing.T) {
	f, _ := inBackground(t)
	f.Has = append(f.Has, mcpservers.Login{State: mcpservers.LoginWaiting, Address: "https://login.example/begin"}, mcpservers.Login{State: mcpservers.LoginDone})
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"--quiet", "mcp-server", "login", "git"}, Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Open: f.held})
	if code != 0 || !strings.Contains(errs.String(), "https://login.example/begin") {
		t.Errorf("exit %d, %q, %q", code, out.String(), errs.String())
	}
}
