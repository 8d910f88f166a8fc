package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"piwork/pack/guest/agentkit"
	"piwork/pack/lazyregexp"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Places of pi and what it is started with. The zero value is the guest of the
// runtime pack (pack/image/programs.go).
type Places struct {
	Node  string // "node"
	Main  string // agentkit.Program
	State string // "/state": where the task's state directory is for pi
	Agent string // agentkit.AgentDir; with a State of its own, the directory "pi" there
}

func (p Places) orGuest() Places {
	p.Node = cmp.Or(p.Node, "node")
	p.Main = cmp.Or(p.Main, agentkit.Program)
	switch {
	case p.Agent != "":
	case p.State == "":
		p.Agent = agentkit.AgentDir
	default:
		p.Agent = path.Join(p.State, agentDir)
	}
	if p.State == "" {
		p.State = path.Dir(agentkit.StateDir)
	}
	return p
}

// Consent says when the person is asked about commands, for the prompt: who asks is
// the host, which runs them.
type Consent string

// When the person is asked.
const (
	ConsentAsk  Consent = "ask"  // before commands that do more than read
	ConsentAuto Consent = "auto" // never
)

// Config is what pi is started with.
type Config struct {
	Task     string                // its id, which is the session's id too
	Init     vmhost.InitData       // where it works; stable for a task
	Model    string                // "<provider>/<model>", as in Models
	Thinking string                // as in task.AI; "" is pi's own: medium, of a model that thinks
	Models   []byte                // content of models.json, made by the gateway; no key is in it
	Consent  Consent               // "" is ConsentAsk
	Tools    []string              // some of Tools; nil is all
	Web      []string              // some of WebTools, which the host serves where pi has the model from
	Folders  bool                  // it may ask for more folders (agentkit.ToolFolder)
	Servers  []agentkit.ServerTool // tools of the person's MCP servers
	Places   Places
}

// Launch is how pi is started.
type Launch struct {
	Argv  []string
	Env   []string // name=value, beside those of every program in the guest
	Dir   string   // pi finds its session again only from the same directory
	Files []File   // to be there before the start
	Empty []string // not to be there but for Files, as File.Path
}

// File is a file of the task's state directory.
type File struct {
	Path string // relative to the state directory, slash-separated
	Data []byte
}

// Tools are those that pi is given: all of its own that run on Linux.
var Tools = []string{"read", "bash", "edit", "write", "grep", "find", "ls"}

// WebTools are those by which the host reads the web for pi.
var WebTools = []string{agentkit.ToolFetch, agentkit.ToolSearch}

// sessionID is what pi accepts (docs/cli.md, --session-id).
var sessionID = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$`)

// Places below the state directory.
const (
	agentDir   = "pi"
	sessionDir = agentDir + "/sessions"
	promptFile = agentDir + "/system.md"
	extensions = agentDir + "/extensions"
)

// Command says how pi is started. It is pure, and what it returns for the same
// Config is the same byte for byte: the system prompt is a part of what the
// provider keeps in its cache.
//
// Only what is named here is loaded: no extension, skill, template, context file
// or setting that lies in a folder, or that the guest put into the state
// directory before.
func Command(c Config) (Launch, error) {
	if !sessionID().MatchString(c.Task) {
		return Launch{}, fmt.Errorf("the task's id %q is none that pi takes for a session", c.Task)
	}
	provider, model, ok := strings.Cut(c.Model, "/")
	if !ok || provider == "" || model == "" {
		return Launch{}, fmt.Errorf("the model %q is not <provider>/<model>", c.Model)
	}
	if !json.Valid(c.Models) {
		return Launch{}, errors.New("the list of models is not JSON")
	}
	switch c.Consent {
	case "":
		c.Consent = ConsentAsk
	case ConsentAsk, ConsentAuto:
	default:
		return Launch{}, fmt.Errorf("unknown consent %q", c.Consent)
	}
	settings, err := json.MarshalIndent(settings(), "", "  ")
	if err != nil {
		return Launch{}, fmt.Errorf("write pi's settings: %w", err)
	}
	tools := c.Tools
	if tools == nil {
		tools = Tools
	}
	for _, t := range tools {
		if !slices.Contains(Tools, t) {
			return Launch{}, fmt.Errorf("pi has no tool %q", t)
		}
	}
	for _, t := range c.Web {
		if !slices.Contains(WebTools, t) {
			return Launch{}, fmt.Errorf("there is no tool for the web %q", t)
		}
	}
	offered := slices.Concat(tools, c.Web)
	if c.Folders {
		offered = append(offered, agentkit.ToolFolder)
	}
	for _, t := range c.Servers {
		if !strings.Contains(t.Name, agentkit.ServerSeparator) || slices.Contains(offered, t.Name) {
			return Launch{}, fmt.Errorf("%q cannot be the name of a server's tool", t.Name)
		}
		offered = append(offered, t.Name)
	}
	p := c.Places.orGuest()
	at := func(name string) string { return path.Join(p.State, name) }
	l := Launch{
		Argv: []string{p.Node, p.Main, "--mode", "rpc",
			"--session-dir", at(sessionDir), "--session-id", c.Task,
			"--provider", provider, "--model", model,
			"--system-prompt", at(promptFile),
			"--tools", strings.Join(offered, ","),
			"--no-extensions", "--extension", at(path.Join(extensions, agentkit.Main)),
			"--no-skills", "--no-prompt-templates", "--no-themes", "--no-context-files", "--no-mcp",
			"--no-approve", "--offline"},
		Env: append(agentkit.Env(p.Agent), "PATH="+wire.SystemPath), // it starts some unasked
		Dir: c.Init.Cwd,
		Files: []File{
			{agentDir + "/settings.json", append(settings, '\n')},
			{agentDir + "/models.json", c.Models},
			{promptFile, []byte(systemPrompt(c))},
		},
	}
	if len(c.Web) > 0 {
		l.Argv = append(l.Argv, "--extension", at(path.Join(extensions, agentkit.Web)))
	}
	if c.Folders {
		l.Argv = append(l.Argv, "--extension", at(path.Join(extensions, agentkit.Ask)))
	}
	if len(c.Servers) > 0 {
		list, err := json.Marshal(c.Servers)
		if err != nil {
			return Launch{}, fmt.Errorf("write the tools of servers: %w", err)
		}
		l.Argv = append(l.Argv, "--extension", at(path.Join(extensions, agentkit.Servers)))
		l.Files = append(l.Files, File{path.Join(extensions, agentkit.ServersList), list})
	}
	if c.Thinking != "" {
		l.Argv = append(l.Argv, "--thinking", c.Thinking)
	}
	for _, f := range agentkit.Files() {
		l.Files = append(l.Files, File{path.Join(extensions, f.Name), f.Data})
	}
	return l, nil
}

// settings is pi's settings.json (docs/settings.md): nothing that is sent
// anywhere, nothing that costs tokens nobody asked for, no time limit on a model
// that thinks.
func settings() map[string]any {
	return map[string]any{
		"enableInstallTelemetry": false,
		"enableAnalytics":        false,
		"defaultProjectTrust":    "never",
		"quietStartup":           true,
		"cacheWarming":           "off",
		"httpIdleTimeoutMs":      "disabled",
		"transport":              "sse", // the gateway has no WebSockets
		"packages":               []string{},
	}
}

// Lay puts the files of l below the state directory. The guest may have been
// there before: root keeps every step below it, and what stands in the way of a
// file is replaced, not followed.
func (l Launch) Lay(root *os.Root) error {
	for _, name := range l.Empty {
		if err := errors.Join(layParents(root, name), root.RemoveAll(name)); err != nil {
			return fmt.Errorf("empty %s for the agent: %w", name, err)
		}
	}
	for _, f := range l.Files {
		if err := layFile(root, f); err != nil {
			return fmt.Errorf("lay down %s for pi: %w", f.Path, err)
		}
	}
	return nil
}

// layParents makes the directories of a path. A link is none.
func layParents(root *os.Root, name string) error {
	for _, dir := range parents(name) {
		st, err := root.Lstat(dir)
		if err == nil && !st.IsDir() {
			err = root.RemoveAll(dir)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

func layFile(root *os.Root, f File) error {
	if err := errors.Join(layParents(root, f.Path), root.RemoveAll(f.Path)); err != nil {
		return err
	}
	w, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = w.Write(f.Data)
	return errors.Join(err, w.Close())
}

// parents are the directories of a path, outermost first.
func parents(name string) []string {
	var out []string
	for i, c := range name {
		if c == '/' {
			out = append(out, name[:i])
		}
	}
	return out
}
