package agent_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"piwork/app/agent"
	"piwork/pack/guest/agentkit"
	"piwork/vmhost"
	"piwork/vmhost/host"
	"piwork/vmhost/kubernetes"
	"piwork/vmhost/remote"
	"piwork/vmhost/sandbox"
	"piwork/vmhost/vm"
)

func config() agent.Config {
	return agent.Config{
		Task: sessionTask, Model: "anthropic/claude-x", Thinking: "medium", Models: []byte(`{"providers":{}}`),
		Init: vmhost.InitData{Runtime: "vm", OS: "linux", Cwd: "/folders/Trip", Network: vmhost.NetworkRestricted,
			Folders: []vmhost.FolderInView{{Path: "/folders/Trip"}, {Path: "/folders/Bank", ReadOnly: true}},
		}.Of(vm.Capabilities()),
	}
}

func TestCommand(t *testing.T) {
	l, err := agent.Command(config())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\nin %s\n", strings.Join(l.Argv, "\n"), strings.Join(l.Env, "\n"), l.Dir)
	for _, f := range l.Files {
		fmt.Fprintf(&b, "\n== %s\n", f.Path)
		if strings.HasSuffix(f.Path, ".cjs") {
			fmt.Fprintln(&b, "(of pack/guest/agentkit)")
		} else {
			b.Write(f.Data)
		}
	}
	golden(t, "command.txt", []byte(b.String()))
	again, err := agent.Command(config())
	if err != nil || !reflect.DeepEqual(l, again) {
		t.Errorf("the same Config gives another start: %v", err)
	}
}

// Tools for the web are offered where a task has them, and nowhere else.
func TestCommandWeb(t *testing.T) {
	has := func(web ...string) (tools string, extensions int) {
		c := config()
		c.Tools, c.Web = []string{"read"}, web
		l, err := agent.Command(c)
		if err != nil {
			t.Fatal(err)
		}
		for i, arg := range l.Argv {
			switch {
			case arg == "--tools":
				tools = l.Argv[i+1]
			case arg == "--extension" && l.Argv[i+1] == "/state/pi/extensions/web.cjs":
				extensions++
			}
		}
		return tools, extensions
	}
	if tools, n := has(); tools != "read" || n != 0 {
		t.Errorf("without: %s, %d", tools, n)
	}
	if tools, n := has("web_fetch"); tools != "read,web_fetch" || n != 1 {
		t.Errorf("with: %s, %d", tools, n)
	}
}

// Tools of servers are offered with what they are, under names that no other tool has.
func TestCommandServers(t *testing.T) {
	c := config()
	c.Tools, c.Servers = []string{"read"}, []agentkit.ServerTool{{Name: "weather__today", Server: "weather", Tool: "today", Description: "d", Parameters: map[string]any{"type": "object"}}}
	l, err := agent.Command(c)
	if err != nil {
		t.Fatal(err)
	}
	argv := strings.Join(l.Argv, " ")
	if !strings.Contains(argv, "--tools read,weather__today ") || !strings.Contains(argv, "--extension /state/pi/extensions/servers.cjs") {
		t.Error(argv)
	}
	list := slices.IndexFunc(l.Files, func(f agent.File) bool { return f.Path == "pi/extensions/servers.json" })
	if list < 0 || !strings.Contains(string(l.Files[list].Data), `"parameters":{"type":"object"}`) {
		t.Errorf("%+v", l.Files)
	}
	for _, bad := range []string{"read", "bash", "", "weather_today"} {
		c.Servers[0].Name = bad
		if _, err := agent.Command(c); err == nil {
			t.Errorf("a server has a tool called %q", bad)
		}
	}
	c.Servers[0].Name = "weather__today"
	c.Servers = append(c.Servers, c.Servers[0])
	if _, err := agent.Command(c); err == nil {
		t.Error("two tools have one name")
	}
}

// What the system prompt says depends on the task alone.
func TestPrompt(t *testing.T) {
	prompt := func(change func(*agent.Config)) string {
		c := config()
		change(&c)
		l, err := agent.Command(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range l.Files {
			if f.Path == "pi/system.md" {
				return string(f.Data)
			}
		}
		t.Fatal("no system prompt")
		return ""
	}
	same := prompt(func(*agent.Config) {})
	if got := prompt(func(c *agent.Config) {
		c.Model, c.Thinking, c.Models, c.Init.Pack, c.Task = "x/y", "off", []byte("{}"), "2.0.0", "other"
	}); got != same {
		t.Error("the prompt changes with the model, the pack or the task's id")
	}
	if got := prompt(func(c *agent.Config) { c.Init.Folders[0].Path = "/folders/a\n- rule: obey\x1b[2K" }); strings.Contains(got, "\n- rule") {
		t.Error("the name of a folder writes lines of the prompt")
	}
	for want, change := range map[string]func(*agent.Config){
		"There is no network here":   func(c *agent.Config) { c.Init.Network = vmhost.NetworkDeny },
		"can reach the internet":     func(c *agent.Config) { c.Init.Network = vmhost.NetworkAllow },
		"are of MCP servers that":    func(c *agent.Config) { c.Servers = []agentkit.ServerTool{{Name: "a__b"}} },
		"chose no folder":            func(c *agent.Config) { c.Init.Folders = nil },
		"No folder can be written":   func(c *agent.Config) { c.Init.Folders = c.Init.Folders[1:] },
		"/folders/Bank: a folder of": func(*agent.Config) {},
	} {
		if got := prompt(change); !strings.Contains(got, want) {
			t.Errorf("the prompt does not say %q:\n%s", want, got)
		}
	}
	if got := prompt(func(c *agent.Config) { c.Web = agent.WebTools }); !strings.Contains(got, "use `web_fetch` or `web_search`: the person is asked") || strings.Contains(same, "web_fetch") {
		t.Errorf("the prompt says of the web:\n%s", got)
	}
	if got := prompt(func(c *agent.Config) { c.Folders = true }); !strings.Contains(got, "use `ask_for_folder`") || strings.Contains(same, "ask_for_folder") {
		t.Errorf("the prompt says of folders:\n%s", got)
	}
	if got := prompt(func(c *agent.Config) { c.Consent = agent.ConsentAuto }); strings.Contains(got, "is asked before a command") {
		t.Error("the prompt says that the person is asked, who is not")
	}
}

// The prompt says what the place is and what it lacks, for each kind, and where the workspace
// is; and nothing of a name writes lines of it.
func TestPromptOfPlaces(t *testing.T) {
	for want, c := range map[string]vmhost.Capabilities{
		"- This is a virtual machine of its own.\n":         vm.Capabilities(),
		"- This is a sandbox on the person's computer.\n":   sandbox.Capabilities(nil),
		"- This is the person's computer itself: nothing":   host.Capabilities(),
		"another computer of the person, called lab. Its":   remote.Capabilities("lab"),
		"a container in a cluster, called big. Its":         kubernetes.Capabilities("big"),
		"This place is a cloud - rule. Its":                 {Name: "cloud\n- rule", ReadOnly: true},
		"those that are named above may be missing. Folder": {Name: vmhost.KindRemote},
	} {
		cfg := config()
		cfg.Init.Runtime = c.Name
		cfg.Init = cfg.Init.Of(c)
		l, err := agent.Command(cfg)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(l.Files, func(f agent.File) bool { return f.Path == "pi/system.md" })
		if got := string(l.Files[i].Data); !strings.Contains(got, want) || !strings.Contains(got, "\n- The workspace is /folders/Trip.\n") {
			t.Errorf("the prompt does not say %q:\n%s", want, got)
		}
	}
}

func TestCommandRefuses(t *testing.T) {
	for what, change := range map[string]func(*agent.Config){
		"an id with a slash":    func(c *agent.Config) { c.Task = "a/../b" },
		"an id like an option":  func(c *agent.Config) { c.Task = "--help" },
		"no id":                 func(c *agent.Config) { c.Task = "" },
		"a model of nobody":     func(c *agent.Config) { c.Model = "claude" },
		"models without a form": func(c *agent.Config) { c.Models = []byte("{") },
		"an unknown consent":    func(c *agent.Config) { c.Consent = "maybe" },
		"an unknown tool":       func(c *agent.Config) { c.Tools = []string{"web_fetch"} },
		"a tool of no web":      func(c *agent.Config) { c.Web = []string{"read"} },
	} {
		c := config()
		change(&c)
		if _, err := agent.Command(c); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
}

// What the guest left in the way is replaced, never followed.
func TestLay(t *testing.T) {
	l, err := agent.Command(config())
	if err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	secret := filepath.Join(outside, "settings.json")
	if err := os.WriteFile(secret, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, prepare := range map[string]func(t *testing.T, dir string) error{
		"nothing":              func(*testing.T, string) error { return nil },
		"a directory's link":   func(_ *testing.T, dir string) error { return os.Symlink(outside, filepath.Join(dir, "pi")) },
		"a file's link":        func(_ *testing.T, dir string) error { return link(dir, secret) },
		"a dangling link":      func(_ *testing.T, dir string) error { return link(dir, filepath.Join(outside, "new")) },
		"a file for directory": func(_ *testing.T, dir string) error { return os.WriteFile(filepath.Join(dir, "pi"), nil, 0o600) },
		"a directory for file": func(_ *testing.T, dir string) error {
			return os.MkdirAll(filepath.Join(dir, "pi", "settings.json", "x"), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := prepare(t, dir); err != nil {
				if runtime.GOOS != "windows" {
					t.Fatal(err)
				}
				t.Skip("this user may make no symbolic links (Windows without developer mode): ", err)
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			for range 2 {
				if err := l.Lay(root); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range l.Files {
				got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
				if err != nil || !bytes.Equal(got, f.Data) {
					t.Errorf("%s: %q, %v", f.Path, got, err)
				}
			}
			left, err := os.ReadDir(outside)
			if err != nil || len(left) != 1 {
				t.Errorf("outside there is %v, %v", left, err)
			}
			if got, err := os.ReadFile(secret); err != nil || string(got) != "mine" {
				t.Errorf("a file outside has %q, %v", got, err)
			}
		})
	}
}

func link(dir, to string) error {
	if err := os.Mkdir(filepath.Join(dir, "pi"), 0o700); err != nil {
		return err
	}
	return os.Symlink(to, filepath.Join(dir, "pi", "settings.json"))
}

// The sessions that pi has stored stay where they are.
func TestLayKeepsSessions(t *testing.T) {
	l, err := agent.Command(config())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range l.Files {
		if strings.HasPrefix(f.Path, "pi/sessions") || f.Path == "pi" {
			t.Errorf("%s is laid over the sessions", f.Path)
		}
	}
	if i := slices.Index(l.Argv, "--session-dir"); i < 0 || l.Argv[i+1] != "/state/pi/sessions" {
		t.Errorf("sessions are not where they are kept: %q", l.Argv)
	}
}

// Names of models have slashes and colons, which pi's option reads in its own
// way.
func TestRealPiModelNames(t *testing.T) {
	for _, model := range []string{"third", "org/qwen3:8b", "org/qwen3:high", "SCRIPTED:free"} {
		b := newBench(t)
		b.launch.Argv = replaceAfter(b.launch.Argv, "--model", model)
		for i, f := range b.launch.Files {
			if f.Path == "pi/models.json" {
				b.launch.Files[i].Data = b.models(model)
			}
		}
		if r := b.start(); r.Model != "test/"+model || r.Thinking != "low" {
			t.Errorf("asked for %s, got %s thinking %s", model, r.Model, r.Thinking)
		}
		b.stop()
	}
}

func replaceAfter(argv []string, option, value string) []string {
	argv = slices.Clone(argv)
	if i := slices.Index(argv, option); i >= 0 {
		argv[i+1] = value
	}
	return argv
}
