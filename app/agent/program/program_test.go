package program

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/agent"
	"piwork/pack/guest/agentkit"
	"piwork/vmhost"
)

var update = flag.Bool("update", false, "write the golden file anew")

func config() Config {
	return Config{Secret: "secret-of-the-run", Config: agent.Config{
		Task: "task", Model: "own/m1", Models: []byte(`{"piwork-own":{"npm":"@ai-sdk/openai-compatible"}}`),
		Init: vmhost.InitData{Runtime: "vm", Cwd: "/folders/Trip", Folders: []vmhost.FolderInView{{Path: "/folders/Trip"}}},
	}}
}

// What opencode is started with is in testdata/opencode.txt: a change of it is looked at.
func TestOpenCodeCommand(t *testing.T) {
	p, _ := Find(OpenCode)
	l, err := p.Command(config())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(strings.Join(l.Argv, " ") + "\nin " + l.Dir + "\n" + strings.Join(l.Env, "\n") + "\n")
	for _, f := range l.Files {
		if f.Path == openCodePrompt {
			f.Data = f.Data[:min(len(f.Data), 60)]
		}
		b.WriteString("\n== " + f.Path + "\n" + string(f.Data))
	}
	golden := filepath.Join("testdata", "opencode.txt")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(golden, []byte(b.String()), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != b.String() {
		t.Errorf("%v: it is started with\n%s", err, b.String())
	}
	again, _ := p.Command(config())
	if !slices.Equal(again.Env, l.Env) || len(again.Files) != len(l.Files) {
		t.Error("the same is not the same again")
	}
}

// TestOpenCodeStaysInside holds what is off: nothing that asks the network by itself, no tool that
// reaches past the task, nothing that a folder could configure, and no key.
func TestOpenCodeStaysInside(t *testing.T) {
	p, _ := Find(OpenCode)
	l, err := p.Command(config())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"OPENCODE_DISABLE_PROJECT_CONFIG=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_SHARE=1", "npm_config_offline=true", "OPENCODE_SERVER_PASSWORD=secret-of-the-run"} {
		if !slices.Contains(l.Env, v) {
			t.Errorf("it is started without %s", v)
		}
	}
	var s struct {
		AutoUpdate       *bool
		Share, Shell     string
		Model            string
		SmallModel       string `json:"small_model"`
		LSP, Formatter   *bool
		Permission       map[string]any
		Provider, Plugin json.RawMessage
		MCP              json.RawMessage
		Enabled          []string `json:"enabled_providers"`
	}
	i := slices.IndexFunc(l.Files, func(f agent.File) bool { return f.Path == openCodeConfig })
	if err := json.Unmarshal(l.Files[i].Data, &s); err != nil {
		t.Fatal(err)
	}
	if s.AutoUpdate == nil || *s.AutoUpdate || s.Share != "disabled" || s.LSP == nil || *s.LSP || s.Formatter == nil || *s.Formatter || string(s.Plugin) != "[]" || string(s.MCP) != "{}" {
		t.Errorf("settings %s", l.Files[i].Data)
	}
	if !slices.Equal(s.Enabled, []string{"piwork-own"}) {
		t.Errorf("it offers models of %q", s.Enabled)
	}
	if s.Shell != "/opt/piwork/opencode/piwork-shell" || s.Model != "piwork-own/m1" || s.SmallModel != s.Model {
		t.Errorf("settings %s", l.Files[i].Data)
	}
	for tool, want := range map[string]string{"*": "ask", "webfetch": "deny", "websearch": "deny", "task": "deny", "skill": "deny"} {
		if s.Permission[tool] != want {
			t.Errorf("%s is %q", tool, s.Permission[tool])
		}
	}
	edit, _ := s.Permission["edit"].(map[string]any)
	for _, p := range []string{"/state/opencode/*", "state/opencode/*", "../*state/opencode/*"} {
		if edit["*"] != "allow" || edit[p] != "deny" {
			t.Errorf("edits are %v", edit)
		}
	}
	// Arguments are seen by every program of the machine.
	if strings.Contains(strings.Join(l.Argv, " "), "secret") {
		t.Errorf("the secret is an argument: %q", l.Argv)
	}
}

// It has the tools of MCP servers that the person allowed, and no others, under the names that pi
// has them by; the host asks about each call, so it asks about none itself.
func TestOpenCodeServers(t *testing.T) {
	p, _ := Find(OpenCode)
	c := config()
	for _, name := range []string{"weather__today", "weather__week", "mail__find"} {
		server, tool, _ := strings.Cut(name, "__")
		c.Servers = append(c.Servers, agentkit.ServerTool{Name: name, Server: server, Tool: tool, Parameters: map[string]any{"type": "object"}})
	}
	l, err := p.Command(c)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range l.Files {
		files[f.Path] = string(f.Data)
	}
	var s struct {
		MCP map[string]struct {
			Type    string
			Command []string
			Timeout int
		}
		Permission map[string]any
	}
	if err := json.Unmarshal([]byte(files[openCodeConfig]), &s); err != nil {
		t.Fatal(err)
	}
	w := s.MCP["weather"]
	if len(s.MCP) != 2 || w.Type != "local" || !slices.Equal(w.Command, []string{"/usr/bin/node", "/state/opencode/servers/mcp.cjs", "weather"}) || w.Timeout < 24*60*60*1000 {
		t.Errorf("%+v", s.MCP)
	}
	if s.Permission["weather__today"] != "allow" || s.Permission["mail__find"] != "allow" || s.Permission["weather__other"] != nil || s.Permission["*"] != "ask" {
		t.Errorf("%+v", s.Permission)
	}
	for _, name := range []string{"mcp.cjs", "servers.cjs", "web.cjs", "servers.json"} {
		if files["opencode/servers/"+name] == "" {
			t.Errorf("%s is not laid down", name)
		}
	}
	if !strings.Contains(files[openCodePrompt], "MCP servers that the person added") {
		t.Error("the prompt does not say whose tools these are")
	}
}

func TestOpenCodeRefuses(t *testing.T) {
	p, _ := Find(OpenCode)
	for name, change := range map[string]func(*Config){
		"a model without a provider": func(c *Config) { c.Model = "m1" }, "no model": func(c *Config) { c.Model = "own/" },
		"no list": func(c *Config) { c.Models = []byte("{") }, "no secret": func(c *Config) { c.Secret = "" },
	} {
		c := config()
		change(&c)
		if _, err := p.Command(c); err == nil {
			t.Errorf("%s: it starts", name)
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{"": Pi, "pi": Pi, "opencode": OpenCode, "codex": "", "../pi": "", "OpenCode": ""} {
		if p, ok := Find(name); p.Name != want || ok != (want != "") {
			t.Errorf("%q is %+v", name, p)
		}
	}
	if got := AddOns("opencode"); !slices.Equal(got, []string{"opencode"}) || AddOns("") != nil || AddOns("x") != nil {
		t.Errorf("add-ons %q", got)
	}
}

// A list says what is here, and whose models each program can use.
func TestAgentList(t *testing.T) {
	here, broken := false, error(nil)
	c := NewAgentList(Sources{
		Usable: func(_ context.Context, name string) (bool, error) { return here && name == "opencode", broken },
		Providers: func(_ context.Context, plain bool) ([]string, error) {
			if plain {
				return []string{"own"}, nil
			}
			return []string{"github-copilot", "own"}, nil
		},
	})
	for _, here = range []bool{false, true} {
		list, err := c.Programs(t.Context())
		if err != nil || len(list) != 2 || !list[0].Installed || list[0].Name != Pi || len(list[0].Providers) != 2 || list[1].Installed != here || !slices.Equal(list[1].Providers, []string{"own"}) {
			t.Errorf("%+v %v", list, err)
		}
	}
	broken = errors.New("broken")
	if _, err := c.Programs(t.Context()); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// What a task could leave for the next start, to be run or read as settings, is gone before it:
// behind links too, of which none leads anywhere else. Its sessions stay.
func TestOpenCodeStartsClean(t *testing.T) {
	p, _ := Find(OpenCode)
	l, err := p.Command(config())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range l.Env { // all its homes but that of its sessions are emptied
		name, at, _ := strings.Cut(v, "=")
		if name != "HOME" && (!strings.HasPrefix(name, "XDG_") || name == "XDG_DATA_HOME") {
			continue
		}
		if at = strings.TrimPrefix(at, "/state/"); at != openCodeFresh && !strings.HasPrefix(at, openCodeFresh+"/") {
			t.Errorf("%s stays", v)
		}
	}
	planted := []string{
		openCodeOwn + "/opencode.json", openCodeFresh + "/.opencode/opencode.json", openCodeFresh + "/cache/opencode/bin/rg", openCodeFresh + "/.npmrc",
		openCodeData + "/opencode/bin/rg", openCodeData + "/opencode/auth.json",
	}
	const session = openCodeData + "/opencode/opencode.db"
	for _, links := range []bool{false, true} {
		dir := t.TempDir()
		other := filepath.Join(dir, "results", "config", "mine")
		put := func(name string) {
			t.Helper()
			at := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte("planted"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		put("results/config/mine")
		if links {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, openCodeDir), 0o700), os.Symlink("../results", filepath.Join(dir, filepath.FromSlash(openCodeFresh)))); err != nil {
				t.Fatal(err) // on Windows, links need its developer mode
			}
		} else {
			for _, name := range planted {
				put(name)
			}
			put(session)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(l.Lay(root), root.Close()); err != nil {
			t.Fatal(err)
		}
		for _, name := range planted {
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s stays (%v)", name, err)
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(session))); !links && err != nil {
			t.Errorf("its sessions are lost: %v", err)
		}
		if _, err := os.Lstat(other); err != nil {
			t.Errorf("a link was followed: %v", err)
		}
		for _, f := range l.Files {
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
				t.Errorf("%s is not there: %v", f.Path, err)
			}
		}
	}
}
