package mcpservers

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"

	"piwork/app/problem"
	"piwork/app/services"
)

// What a server may connect to is changed without adding it anew: its tools stay allowed, one
// that runs starts again with its new reach, and a yes for longer than once does not hold for that.
func TestReachIsChanged(t *testing.T) {
	w := newWorld(t, map[string]behaviour{"weather": weather})
	w.allowed(t, Addition{Name: "weather"})
	p := &person{always: true}
	u := w.use(t, p)
	call := func() int {
		code, _ := do(t, u, "weather__today", "{}")
		return code
	}
	for range 2 {
		if code := call(); code != http.StatusOK || len(p.asked) != 1 {
			t.Fatalf("%d, asked %d times", code, len(p.asked))
		}
	}
	v, err := w.SetMCPServerReach(t.Context(), "weather", Reach{Hosts: []string{"api.weather.gov", "api.weather.gov"}, Services: []string{"hub"}})
	if err != nil || !slices.Equal(v.Hosts, []string{"api.weather.gov"}) || !slices.Equal(v.Services, []string{"hub"}) || v.Tools[1].State != ToolOn {
		t.Fatalf("%+v %v", v, err)
	}
	if call() != http.StatusOK || len(p.asked) != 2 || p.topics[0] == p.topics[1] || p.asked[1].Text.Params["hosts"] != "api.weather.gov, api.hub.example" {
		t.Errorf("asked %+v about %v", p.asked, p.topics)
	}
	now := w.programs.started[len(w.programs.started)-1]
	if len(w.programs.started) != 3 || w.programs.open != 1 || now.Hosts[0] != "api.weather.gov" || now.Services[0] != "hub" || !now.Networked() {
		t.Errorf("%d started, %d open, the last with %+v", len(w.programs.started), w.programs.open, now)
	}
	// The same again is no change.
	if v, err = w.SetMCPServerReach(t.Context(), "weather", Reach{v.Hosts, v.Services}); err != nil || v.Turn != 1 || call() != http.StatusOK || len(w.programs.started) != 3 {
		t.Errorf("%+v %v", v, err)
	}
	p.always, p.rules = false, nil
	p.meanwhile = func() {
		if _, err := w.SetMCPServerReach(t.Context(), "weather", Reach{Hosts: []string{"other.example"}}); err != nil {
			t.Error(err)
		}
	}
	if code := call(); code != http.StatusConflict || len(w.programs.started) != 3 {
		t.Errorf("what was shown is not what the server could reach: %d, %d started", code, len(w.programs.started))
	}
}

// A service of a server that is changed is another reach, though the server names the same: it is
// asked again. With a new secret of it the server starts again, and what was allowed stays so.
func TestServiceOfAServerIsChanged(t *testing.T) {
	w := newWorld(t, map[string]behaviour{"weather": weather})
	w.allowed(t, Addition{Name: "weather", Services: []string{"hub"}})
	p := &person{always: true}
	u := w.use(t, p)
	call := func(code, asked, started int) {
		t.Helper()
		got, a := do(t, u, "weather__today", "{}")
		if got != code || len(p.asked) != asked || len(w.programs.started)-1 != started || w.programs.open > 1 {
			t.Errorf("%d %+v, asked %d times, started %d times, %d open", got, a, len(p.asked), len(w.programs.started)-1, w.programs.open)
		}
	}
	call(http.StatusOK, 1, 1)
	call(http.StatusOK, 1, 1)
	w.terms.Ended++ // a new secret
	call(http.StatusOK, 1, 2)
	w.terms = services.Terms{Digest: "more", Ended: 2}
	call(http.StatusOK, 2, 3)
	call(http.StatusOK, 2, 3)
	p.always, p.rules = false, nil
	p.meanwhile = func() { w.terms = services.Terms{Digest: "most", Ended: 3} }
	call(http.StatusConflict, 3, 3)
	p.meanwhile = nil
	call(http.StatusOK, 4, 4)
	w.terms.Ended++
	w.programs.do["weather"] = func(p Program, in io.Reader, out io.Writer) {
		w.programs.do["weather"] = weather
		w.terms.Ended++ // while it starts
		weather(p, in, out)
	}
	call(http.StatusConflict, 5, 5)
	call(http.StatusOK, 6, 6)
}

func TestReachRefuses(t *testing.T) {
	w := newWorld(t, nil)
	for _, a := range []Addition{{Name: "here", Command: "node"}, {Name: "far", URL: "https://mcp.example/"}} {
		if _, err := w.AddMCPServer(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		server string
		r      Reach
		want   string
	}{
		"everything": {"here", Reach{Hosts: []string{"*"}}, problem.CodeBadRequest},
		"no host":    {"here", Reach{Hosts: []string{"a b"}}, problem.CodeBadRequest},
		"many":       {"here", Reach{Hosts: numbered("h%d.example", maxHosts+1)}, problem.CodeBadRequest},
		"no service": {"here", Reach{Services: []string{"none"}}, problem.CodeNotFound},
		"remote":     {"far", Reach{Hosts: []string{"a.example"}}, problem.CodeBadRequest},
		"none such":  {"other", Reach{}, problem.CodeNotFound},
	} {
		var p *problem.Problem
		if _, err := w.SetMCPServerReach(t.Context(), tt.server, tt.r); !errors.As(err, &p) || p.Code != tt.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.AddMCPServer(t.Context(), Addition{Name: "x", Command: "node", Services: []string{"none"}}); err == nil {
		t.Error("a service that there is not")
	}
	if _, err := w.AddMCPServer(t.Context(), Addition{Name: "x", URL: "https://mcp.example/", Services: []string{"hub"}}); err == nil {
		t.Error("a remote server has a service")
	}
}

// A server that something else would have to fetch says so, and one of a file has its hosts.
func TestFetchedServers(t *testing.T) {
	w := newWorld(t, map[string]behaviour{})
	all, err := w.ImportMCPServers(t.Context(), Import{Hosts: []string{"api.example"}, Config: `{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x"]}, "b": {"command": "/usr/bin/node"}, "c": {"url": "https://mcp.example/"}}}`})
	if err != nil || !all[0].Fetches() || all[1].Fetches() || all[2].Fetches() || all[1].Hosts[0] != "api.example" || len(all[2].Hosts) > 0 {
		t.Fatalf("%+v %v", all, err)
	}
	for _, command := range []string{"uvx", "C:\\Program Files\\nodejs\\npx.cmd", "/usr/local/bin/docker"} {
		if !(Server{Command: command}).Fetches() {
			t.Errorf("%s is there", command)
		}
	}
	var p *problem.Problem
	if _, err := w.CheckMCPServer(t.Context(), "a"); !errors.As(err, &p) || p.Cause != "fetches" || p.Params["program"] != "npx" {
		t.Errorf("%v", err)
	}
	if len(w.programs.started) > 0 || (Server{Command: "npm", Args: []string{"--prefix", "/x", "start"}}).Fetches() || !(Server{Command: "npm", Args: []string{"exec", "x"}}).Fetches() {
		t.Errorf("it was started: %+v", w.programs.started)
	}
	if _, err := w.CheckMCPServer(t.Context(), "b"); !errors.As(err, &p) || p.Cause != "" {
		t.Errorf("%v", err)
	}
}
