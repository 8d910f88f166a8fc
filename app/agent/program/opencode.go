package program

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"piwork/app/agent"
	"piwork/pack/guest/agentkit"
	"piwork/vmhost/wire"
)

// Places of opencode below the task's state directory.
const (
	openCodeDir     = "opencode"
	openCodeConfig  = openCodeDir + "/config.json"
	openCodePrompt  = openCodeDir + "/instructions.md"
	openCodeFresh   = openCodeDir + "/fresh"             // emptied before each start
	openCodeData    = openCodeDir + "/home/data"         // has its sessions
	openCodeOwn     = openCodeFresh + "/config/opencode" // its directory of settings
	openCodePlugins = "@opencode-ai/plugin"              // what it would install there
	openCodeServers = openCodeDir + "/servers"           // has what asks the host to call tools of MCP servers
)

// openCodeEmpty is where it would find something to run, or to be configured with, that its tools
// or a command of the task wrote: it merges settings from its home and its directory of settings,
// and from addresses that its keys name, and it runs programs that lie where it would install them.
var openCodeEmpty = []string{
	openCodeFresh,
	openCodeData + "/opencode/auth.json", openCodeData + "/opencode/mcp-auth.json",
	openCodeData + "/bin", openCodeData + "/opencode/bin", openCodeData + "/opencode/plugin", openCodeData + "/opencode/snapshot", openCodeData + "/opencode/worktree",
}

// openCodeModel is what opencode calls a model: its providers are the gateway's, under names that
// none of its own has, for which it would do things of its own.
func openCodeModel(model string) string { return agentkit.OpenCodeProvider + model }

// openCode says how opencode is started.
func openCode(c Config) (agent.Launch, error) {
	provider, model, ok := strings.Cut(c.Model, "/")
	if !ok || provider == "" || model == "" {
		return agent.Launch{}, fmt.Errorf("the model %q is not <provider>/<model>", c.Model)
	}
	var providers map[string]json.RawMessage
	if err := json.Unmarshal(c.Models, &providers); err != nil {
		return agent.Launch{}, fmt.Errorf("the list of models: %w", err)
	}
	if c.Secret == "" {
		return agent.Launch{}, errors.New("there is no secret for its address")
	}
	state := cmp.Or(c.Places.State, wire.StateDir)
	at := func(name string) string { return path.Join(state, name) }
	servers, err := openCodeServerFiles(c.Servers)
	if err != nil {
		return agent.Launch{}, err
	}
	config, err := json.MarshalIndent(openCodeSettings(c, slices.Sorted(maps.Keys(providers)), at), "", "  ")
	if err != nil {
		return agent.Launch{}, fmt.Errorf("write its settings: %w", err)
	}
	main := cmp.Or(c.Places.Main, agentkit.OpenCodeProgram)
	home := at(openCodeFresh)
	return agent.Launch{
		Argv: []string{main, "acp", "--pure", "--cwd", c.Init.Cwd},
		Env: []string{
			"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/config", "XDG_DATA_HOME=" + at(openCodeData), "XDG_STATE_HOME=" + home + "/state",
			"XDG_CACHE_HOME=" + home + "/cache", "OPENCODE_CONFIG=" + at(openCodeConfig), "OPENCODE_SERVER_PASSWORD=" + c.Secret,
			"OPENCODE_DISABLE_PROJECT_CONFIG=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
			"OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_SHARE=1", "OPENCODE_DISABLE_CLAUDE_CODE=1", "OPENCODE_DISABLE_EXTERNAL_SKILLS=1",
			"OPENCODE_DISABLE_EMBEDDED_WEB_UI=1", "npm_config_offline=true",
		},
		Dir:   c.Init.Cwd,
		Empty: openCodeEmpty,
		Files: append([]agent.File{
			{Path: openCodeConfig, Data: append(config, '\n')},
			{Path: openCodePrompt, Data: []byte(agent.Prompt(c.Config))},
			// As if it had installed this: it asks a registry for it at each start otherwise.
			{Path: openCodeOwn + "/node_modules/.keep"},
			{Path: openCodeOwn + "/package-lock.json", Data: []byte(`{"packages":{"":{"dependencies":{"` + openCodePlugins + `":"*"}}}}` + "\n")},
		}, servers...),
	}, nil
}

// openCodeServerFiles are those by which it has tools of MCP servers.
func openCodeServerFiles(tools []agentkit.ServerTool) (out []agent.File, err error) {
	if len(tools) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(tools)
	if err != nil {
		return nil, fmt.Errorf("write the tools of servers: %w", err)
	}
	out = []agent.File{{Path: path.Join(openCodeServers, agentkit.ServersList), Data: list}}
	for _, f := range agentkit.ServerFiles() {
		out = append(out, agent.File{Path: path.Join(openCodeServers, f.Name), Data: f.Data})
	}
	return out, nil
}

// openCodeCallWithin is how long opencode waits for a call, in milliseconds: a person who is asked
// about it may be away for days.
const openCodeCallWithin = 7 * 24 * 60 * 60 * 1000

// openCodeSettings are its settings (https://opencode.ai/config.json): nothing that is sent
// anywhere, nothing that costs tokens nobody asked for, and no tool that reaches past the task.
func openCodeSettings(c Config, providers []string, at func(string) string) map[string]any {
	// Its edits are matched by their paths from where its project is. The last that fits counts, and
	// they are written in the order of their bytes.
	own := strings.Trim(at(openCodeDir), "/") + "/*"
	edit := map[string]string{"*": "allow", "../*" + own: "deny", "/" + own: "deny", own: "deny"}
	permission := map[string]any{
		"*": "ask", "read": "allow", "edit": edit, "glob": "allow", "grep": "allow", "list": "allow", "todowrite": "allow", "todoread": "allow",
		"external_directory": "allow", // the task's other folders; what is not the task's is not in the machine
		"bash":               "allow", // the host asks about what it runs
		"webfetch":           "deny", "websearch": "deny", "codesearch": "deny", "task": "deny", "skill": "deny", "lsp": "deny", "question": "deny",
		"doom_loop": "ask",
	}
	mcp := map[string]any{}
	for _, t := range c.Servers { // the name that opencode gives a tool is the server's, "_", and the tool's
		mcp[t.Server] = map[string]any{
			"type": "local", "enabled": true, "timeout": openCodeCallWithin,
			"command": []string{agentkit.OpenCodeNode, at(path.Join(openCodeServers, agentkit.MCP)), t.Server},
		}
		permission[t.Name] = "allow" // the host asks about each call
	}
	model := openCodeModel(c.Model)
	return map[string]any{
		"$schema": "https://opencode.ai/config.json", "autoupdate": false, "share": "disabled", "snapshot": false, "lsp": false, "formatter": false,
		"model": model, "small_model": model, "provider": json.RawMessage(c.Models),
		"enabled_providers": providers, // else it lists what its makers sell, too
		"shell":             agentkit.OpenCodeShell, "instructions": []string{at(openCodePrompt)},
		"permission": permission, "agent": map[string]any{"title": map[string]any{"disable": true}}, "plugin": []string{}, "mcp": mcp,
	}
}
