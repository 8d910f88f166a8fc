// Package mcpserver has the commands about the person's own MCP servers.
package mcpserver

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/session"
	"piwork/app/cli/terminal"
	"piwork/app/mcpservers"
	"piwork/app/words"
)

// maxConfig is how long a file with servers may be.
const maxConfig = 256 << 10

// Command is the group of these commands.
func Command(e *command.Env) *cobra.Command {
	return command.Group("mcp-server",
		add(e), load(e),
		e.Command("list", cobra.NoArgs, list),
		e.EachCommand("check NAME...", check),
		allow(e, "allow", true), allow(e, "deny", false),
		e.EachCommand("remove NAME...", func(ctx context.Context, s *command.Session, name string) error {
			return s.Reply(struct{}{}, s.RemoveMCPServer(ctx, name), func() { s.PrintText("mcp-server-removed", "name", name) })
		}),
	)
}

// add adds a server.
func add(e *command.Env) *cobra.Command {
	var a mcpservers.Addition
	var folders, secrets []string
	cmd := e.Command("add NAME [--folder PATH]... [--host HOST]... [--env-secret NAME=env:VAR]... -- PROGRAM [ARGUMENT]...", cobra.MinimumNArgs(2),
		func(ctx context.Context, s *command.Session, args []string) error {
			a.Name, a.Command, a.Args = args[0], args[1], args[2:]
			given, err := session.Secrets(secrets)
			if err != nil {
				return err
			}
			for name, value := range given {
				if a.Env == nil {
					a.Env = map[string]string{}
				}
				a.Env[name] = string(value)
			}
			if a.Folders, err = absolute(folders); err != nil {
				return err
			}
			made, err := s.AddMCPServer(ctx, a)
			return s.Reply(made, err, func() { s.PrintText("mcp-server-added", "name", made.Name) })
		})
	f := cmd.Flags()
	f.StringArrayVarP(&folders, "folder", "f", nil, "")
	f.StringSliceVar(&a.Hosts, "host", nil, "")
	f.StringArrayVar(&secrets, "env-secret", nil, "")
	return cmd
}

// load adds the servers of a file as other programs have it.
func load(e *command.Env) *cobra.Command {
	var i mcpservers.Import
	var folders []string
	cmd := e.Command("import FILE", cobra.ExactArgs(1), func(ctx context.Context, s *command.Session, args []string) error {
		data, err := read(s, args[0])
		if err != nil {
			return err
		}
		i.Config = data
		if i.Folders, err = absolute(folders); err != nil {
			return err
		}
		made, err := s.ImportMCPServers(ctx, i)
		return s.Reply(made, err, func() {
			for _, v := range made {
				s.PrintText("mcp-server-added", "name", v.Name)
			}
		})
	})
	cmd.Flags().StringArrayVarP(&folders, "folder", "f", nil, "")
	return cmd
}

// read reads a file, or the standard input for "-". One byte too many is left to be refused.
func read(s *command.Session, name string) (string, error) {
	in := s.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", flags.Usage("read-file", "path", name)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxConfig+1))
	if err != nil {
		return "", flags.Usage("read-file", "path", name)
	}
	return string(data), nil
}

func absolute(folders []string) ([]string, error) {
	var out []string
	for _, f := range folders {
		abs, err := filepath.Abs(f)
		if err != nil {
			return nil, err
		}
		out = append(out, abs)
	}
	return out, nil
}

func list(ctx context.Context, s *command.Session, _ []string) error {
	all, err := s.MCPServers(ctx)
	return s.Reply(all, err, func() {
		if command.Wide(s, all, "NAME PROGRAM TOOLS ALLOWED CHANGED HOSTS FOLDERS", func(v mcpservers.Server) []any {
			return []any{v.Name, v.Command, len(v.Tools), count(v, mcpservers.ToolOn), count(v, mcpservers.ToolChanged), len(v.Hosts), len(v.Folders)}
		}) {
			return
		}
		if len(all) == 0 {
			s.PrintText("mcp-server-none")
		}
		for _, v := range all {
			show(s, v)
		}
	})
}

// count is how many tools of a server are in a state.
func count(v mcpservers.Server, state mcpservers.ToolState) (n int) {
	for _, t := range v.Tools {
		if t.State == state {
			n++
		}
	}
	return n
}

// show shows a server and its tools, in its own words where they are.
func show(s *command.Session, v mcpservers.Server) {
	s.Print("%s  %s", v.Name, words.Printable(v.Command))
	s.Print("  %s", terminal.Text("mcp-server-reach", "hosts", strings.Join(v.Hosts, ", "), "folders", len(v.Folders)))
	if v.Checked == nil {
		s.Print("  %s", terminal.Text("mcp-server-unchecked", "name", v.Name))
	}
	for _, t := range v.Tools {
		s.Print("  %-28s %s", words.Printable(t.Name), terminal.Texts().First(nil, "mcp-tool."+string(t.State)+"."+t.Reason, "mcp-tool."+string(t.State)))
		if !s.Verbose {
			continue
		}
		for line := range strings.Lines(t.Description) { // none passes for one of piwork's own
			s.Print("    > %s", words.Printable(strings.TrimRight(line, "\r\n")))
		}
	}
}

func check(ctx context.Context, s *command.Session, name string) error {
	bar := s.StartProgress(terminal.Text("progress-mcp-server"))
	v, err := s.CheckMCPServer(ctx, name)
	bar.Stop()
	return s.Reply(v, err, func() {
		verbose := s.Verbose
		s.Verbose = true // who allows something has read what it is
		show(s, v)
		s.Verbose = verbose
		if count(v, mcpservers.ToolOn) < len(v.Tools) {
			s.HintText("mcp-server-allow", "name", v.Name)
		}
	})
}

// allow allows tools as they stand in the list, or not any more.
func allow(e *command.Env, use string, yes bool) *cobra.Command {
	all := false
	args := func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("all") {
			return cobra.ExactArgs(1)(cmd, args)
		}
		return cobra.MinimumNArgs(2)(cmd, args)
	}
	cmd := e.Command(use+" NAME TOOL...", args, func(ctx context.Context, s *command.Session, args []string) error {
		known, err := s.MCPServers(ctx)
		if err != nil {
			return err
		}
		var now mcpservers.Server
		if i := slices.IndexFunc(known, func(v mcpservers.Server) bool { return v.Name == args[0] }); i >= 0 {
			now = known[i]
		}
		tools := args[1:]
		if all {
			for _, t := range now.Tools {
				if t.State != mcpservers.ToolUnfit {
					tools = append(tools, t.Name)
				}
			}
		}
		for _, tool := range tools {
			c := mcpservers.ToolChoice{Tool: tool, Allow: yes}
			if i := slices.IndexFunc(now.Tools, func(t mcpservers.Tool) bool { return t.Name == tool }); i >= 0 {
				c.Hash = now.Tools[i].Hash
			}
			if now, err = s.AllowMCPTool(ctx, args[0], c); err != nil {
				return err
			}
		}
		return s.Reply(now, nil, func() { show(s, now) })
	})
	cmd.Flags().BoolVar(&all, "all", false, "")
	return cmd
}
