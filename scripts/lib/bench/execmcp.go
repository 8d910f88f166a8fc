package main

import (
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

// assistant measures an operation over the Model Context Protocol, to its end, beside the same
// task over the socket.
func (p *apiRoom) assistant(cl *client.Client) {
	dir := must(os.MkdirTemp(p.dir, "assistant"))
	file := filepath.Join(dir, "a.txt")
	check(os.WriteFile(file, []byte("a"), 0o600))
	cmd := exec.CommandContext(p.ctx, p.file, "mcp", "--runtime", vmhost.KindSandbox, "--folder", dir)
	cmd.Env, cmd.Stderr = append(os.Environ(), p.env()...), os.Stderr
	s := must(sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(p.ctx, &sdk.CommandTransport{Command: cmd}, nil))
	defer p.end(s.Close)
	ours := func() time.Duration {
		return timed(func() {
			in := map[string]any{"in": []string{"/folders/" + filepath.Base(dir) + "/a.txt"}}
			if r := must(s.CallTool(p.ctx, &sdk.CallToolParams{Name: "file_hash", Arguments: in})); r.IsError {
				failf("%+v", r.Content[0])
			}
		})
	}
	theirs := func() time.Duration {
		params, folders, err := toolcall.Call{Op: "file.hash", In: []string{file}}.Request()
		check(err)
		_, end := p.done(cl, tasks.StartRequest{Kind: task.KindTool, Tool: &params, Folders: folders, MachineChoice: tasks.MachineChoice{Runtime: vmhost.KindSandbox}})
		return end
	}
	ours()
	p.compare("exec/mcp/tool", "the same operation as a task over the socket, in a sandbox, too", ours, theirs)
}
