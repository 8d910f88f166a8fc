package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/client"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/vmhost"
)

// mcp starts a door for a client.
func (p *apiRoom) mcp(args ...string) *sdk.ClientSession {
	cmd := exec.CommandContext(p.ctx, p.file, append([]string{"mcp"}, args...)...)
	cmd.Env, cmd.Stderr = append(os.Environ(), p.env()...), os.Stderr
	return must(sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(p.ctx, &sdk.CommandTransport{Command: cmd}, nil))
}

// calls measures a call of a tool.
func (p *apiRoom) calls(s *sdk.ClientSession, tool string, in map[string]any) func() time.Duration {
	return func() time.Duration {
		return timed(func() {
			if r := must(s.CallTool(p.ctx, &sdk.CallToolParams{Name: tool, Arguments: in})); r.IsError {
				failf("%+v", r.Content[0])
			}
		})
	}
}

// mcpTool measures what the Model Context Protocol takes of a call that has a large answer, beside
// the same question over the socket; assistant has an operation that works.
func (p *apiRoom) mcpTool() {
	p.run(p.piwork, func(s *process) {
		door := p.mcp("--folder", must(os.MkdirTemp(p.dir, "asked")))
		defer p.end(door.Close)
		rt := client.Socket(s.socket)
		defer rt.(*http.Transport).CloseIdleConnections()
		ours := p.calls(door, "list_chores", map[string]any{})
		theirs := func() time.Duration { return timed(func() { getWith(rt, "/v1/chores") }) }
		ours() // warm
		theirs()
		p.compare("api/mcp/tool", "GET /v1/chores over the socket, on a connection that is kept", ours, theirs)
	})
}

// assistant measures an operation over the Model Context Protocol, to its end, beside the same
// task over the socket.
func (p *apiRoom) assistant(cl *client.Client) {
	dir := must(os.MkdirTemp(p.dir, "assistant"))
	file := filepath.Join(dir, "a.txt")
	check(os.WriteFile(file, []byte("a"), 0o600))
	s := p.mcp("--runtime", vmhost.KindSandbox, "--folder", dir)
	defer p.end(s.Close)
	ours := p.calls(s, "file_hash", map[string]any{"in": []string{"/folders/" + filepath.Base(dir) + "/a.txt"}})
	theirs := func() time.Duration {
		params, folders, err := toolcall.Call{Op: "file.hash", In: []string{file}}.Request()
		check(err)
		_, end := p.done(cl, tasks.StartRequest{Kind: task.KindTool, Tool: &params, Folders: folders, MachineChoice: tasks.MachineChoice{Runtime: vmhost.KindSandbox}})
		return end
	}
	ours()
	p.compare("exec/mcp/tool", "the same operation as a task over the socket, in a sandbox, too", ours, theirs)
}
