// Package mcpserver has the commands about the person's own MCP servers.
package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/session"
	"piwork/app/cli/terminal"
	"piwork/app/mcpservers"
	"piwork/app/problem"
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
		reach(e),
		e.Command("login NAME", cobra.ExactArgs(1), login),
		e.EachCommand("logout NAME...", logout),
		e.EachCommand("remove NAME...", func(ctx context.Context, s *command.Session, name string) error {
			return s.Reply(struct{}{}, s.RemoveMCPServer(ctx, name), func() { s.PrintText("mcp-server-removed", "name", name) })
		}),
	)
}

// add adds a server.
func add(e *command.Env) *cobra.Command {
	var a mcpservers.Addition
	var folders, secrets, headers []string
	var clientSecret string
	count := func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("url") {
			return cobra.ExactArgs(1)(cmd, args)
		}
		return cobra.MinimumNArgs(2)(cmd, args)
	}
	cmd := e.Command("add NAME [--folder PATH]... [--host HOST]... [--service NAME]... [--env-secret NAME=env:VAR]... -- PROGRAM [ARGUMENT]... | NAME --url URL", count,
		func(ctx context.Context, s *command.Session, args []string) (err error) {
			if a.Name = args[0]; len(args) > 1 {
				a.Command, a.Args = args[1], args[2:]
			}
			if a.Env, err = values(secrets); err != nil {
				return err
			}
			if a.Headers, err = values(headers); err != nil {
				return err
			}
			if a.Folders, err = absolute(s.Paths(ctx), folders); err != nil {
				return err
			}
			if clientSecret != "" {
				one, err := values([]string{"SECRET=" + clientSecret})
				if err != nil {
					return err
				}
				a.ClientSecret = one["SECRET"]
			}
			made, err := s.AddMCPServer(ctx, a)
			return s.Reply(made, err, func() { added(s, made) })
		})
	f := cmd.Flags()
	f.StringArrayVarP(&folders, "folder", "f", nil, "")
	f.StringSliceVar(&a.Hosts, "host", nil, "")
	f.StringSliceVar(&a.Services, "service", nil, "")
	f.StringArrayVar(&secrets, "env-secret", nil, "")
	f.StringVar(&a.URL, "url", "", "")
	f.StringArrayVar(&headers, "header-secret", nil, "")
	f.StringVar(&a.Client, "client", "", "")
	f.StringVar(&clientSecret, "client-secret", "", "")
	return cmd
}

// values are what references to secrets stand for.
func values(given []string) (map[string]string, error) {
	all, err := session.Secrets(given)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	out := map[string]string{}
	for name, value := range all {
		out[name] = string(value)
	}
	return out, nil
}

// load adds the servers of a file as other programs have it.
func load(e *command.Env) *cobra.Command {
	var i mcpservers.Import
	var folders []string
	cmd := e.Command("import FILE", cobra.ExactArgs(1), func(ctx context.Context, s *command.Session, args []string) error {
		data, err := read(ctx, s, args[0])
		if err != nil {
			return err
		}
		i.Config = data
		if i.Folders, err = absolute(s.Paths(ctx), folders); err != nil {
			return err
		}
		made, err := s.ImportMCPServers(ctx, i)
		return s.Reply(made, err, func() {
			for _, v := range made {
				added(s, v)
			}
		})
	})
	cmd.Flags().StringArrayVarP(&folders, "folder", "f", nil, "")
	cmd.Flags().StringSliceVar(&i.Hosts, "host", nil, "")
	return cmd
}

// added says that a server was added, and what it lacks.
func added(s *command.Session, v mcpservers.Server) {
	s.PrintText("mcp-server-added", "name", v.Name)
	switch {
	case v.Fetches():
		s.HintText("mcp-server-fetches", "name", v.Name, "program", v.Command)
	case v.Command != "" && len(v.Hosts)+len(v.Services) == 0:
		s.HintText("mcp-server-no-network", "name", v.Name)
	case len(v.Env) > 0 && len(v.Hosts) > 0 && len(v.Services) == 0:
		s.HintText("mcp-server-secret", "name", v.Name, "env", strings.Join(v.Env, ", "))
	}
}

// reach changes what a server may connect to: a flag replaces what was named with it before.
func reach(e *command.Env) *cobra.Command {
	var given mcpservers.Reach
	var nothing bool
	var cmd *cobra.Command
	cmd = e.Command("reach NAME [--host HOST]... [--service NAME]...", cobra.ExactArgs(1), func(ctx context.Context, s *command.Session, args []string) error {
		hosts, services := cmd.Flags().Changed("host"), cmd.Flags().Changed("service")
		if nothing == (hosts || services) {
			return flags.Usage("mcp-server-reach")
		}
		all, err := s.MCPServers(ctx)
		if err != nil {
			return err
		}
		var r mcpservers.Reach
		if i := slices.IndexFunc(all, func(v mcpservers.Server) bool { return v.Name == args[0] }); i >= 0 && !nothing {
			r = mcpservers.Reach{Hosts: all[i].Hosts, Services: all[i].Services}
		}
		if hosts {
			r.Hosts = given.Hosts
		}
		if services {
			r.Services = given.Services
		}
		v, err := s.SetMCPServerReach(ctx, args[0], r)
		return s.Reply(v, err, func() { show(s, v) })
	})
	f := cmd.Flags()
	f.StringSliceVar(&given.Hosts, "host", nil, "")
	f.StringSliceVar(&given.Services, "service", nil, "")
	f.BoolVar(&nothing, "none", false, "")
	return cmd
}

// read reads a file, or the standard input for "-". One byte too many is left to be refused.
func read(ctx context.Context, s *command.Session, name string) (string, error) {
	in := s.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", flags.Usage("read-file", "path", name)
		}
		defer f.Close()
		in = f
	}
	data, err := flags.ReadUpTo(ctx, in, maxConfig+1)
	if ctx.Err() != nil {
		return "", err
	}
	if err != nil {
		return "", flags.Usage("read-file", "path", name)
	}
	return string(data), nil
}

func absolute(paths flags.Paths, folders []string) ([]string, error) {
	var out []string
	for _, f := range folders {
		abs, err := paths.Abs(f)
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
			return []any{v.Name, cmp.Or(v.Command, v.URL), len(v.Tools), count(v, mcpservers.ToolOn), count(v, mcpservers.ToolChanged), len(v.Hosts), len(v.Folders)}
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
	s.Print("%s  %s", v.Name, words.Printable(cmp.Or(v.Command, v.URL)))
	s.Print("  %s", terminal.Text("mcp-server-reach", "hosts", strings.Join(v.Hosts, ", "), "services", strings.Join(v.Services, ", "), "folders", terminal.Some(len(v.Folders)), "url", v.URL, "signedIn", v.SignedIn))
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

func logout(ctx context.Context, s *command.Session, name string) error {
	before, err := s.MCPServers(ctx)
	if err != nil {
		return err
	}
	signedIn := slices.ContainsFunc(before, func(v mcpservers.Server) bool { return v.Name == name && v.SignedIn })
	l, err := s.LogoutMCPServer(ctx, name)
	return s.Reply(l, err, func() {
		if l.State == mcpservers.LoginDone {
			s.PrintText("mcp-server-login-left", "name", name)
			return
		}
		s.PrintText("mcp-server-logged-out", "name", name)
		if signedIn && !l.Revoked {
			s.HintText("mcp-server-not-told", "name", name)
		}
	})
}

// login signs in: the person opens an address, and agrees to each other host that takes part.
func login(ctx context.Context, s *command.Session, args []string) error {
	var r mcpservers.LoginRequest
	for {
		l, err := s.LoginMCPServer(ctx, args[0], r)
		if p, is := errors.AsType[*problem.Problem](err); is && p.Cause == mcpservers.CauseHost {
			host, _ := p.Params["host"].(string)
			if s.Yes || !s.CanAsk() || !s.Ask(ctx, terminal.Text("mcp-server-host", "name", args[0], "host", host)) { // a yes to whatever comes is none to a host
				return cmp.Or(context.Cause(ctx), err)
			}
			r.Confirm = append(r.Confirm, host)
			continue
		}
		if err != nil {
			return err
		}
		return await(ctx, s, args[0], l)
	}
}

// lookEvery is how often it is asked how a sign-in stands.
const lookEvery = 500 * time.Millisecond

// await waits for the person to sign in.
func await(ctx context.Context, s *command.Session, name string, l mcpservers.Login) (err error) {
	if l.State == mcpservers.LoginWaiting {
		if s.JSON {
			s.JSONLine(l)
		} else {
			s.Instruct("%s\n\n  %s\n", terminal.Text("login-open"), words.Printable(l.Address))
		}
	}
	for l.State == mcpservers.LoginWaiting {
		select {
		case <-ctx.Done():
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_, _ = s.LogoutMCPServer(end, name) // nobody else knows of it
			return ctx.Err()
		case <-time.After(lookEvery):
		}
		if l, err = s.MCPServerLogin(ctx, name); err != nil {
			return err
		}
	}
	if l.Problem != nil {
		return l.Problem
	}
	return s.Reply(l, nil, func() { s.PrintText("mcp-server-logged-in", "name", name) })
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
