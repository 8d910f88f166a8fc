// Package door has the commands that open piwork to other programs.
package door

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"piwork/app/access"
	"piwork/app/api"
	"piwork/app/chore"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/mcp"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
)

// MCP serves assistants that speak the Model Context Protocol: on its standard input and
// output, or over HTTP.
func MCP(e *command.Env) *cobra.Command {
	var folders []string
	var network, budget string
	var at command.Address
	var ai bool
	var room flags.Machine
	cmd := &cobra.Command{Use: "mcp [--folder PATH[:ro|:rw|:review]]... [--http 127.0.0.1:0 [--cert FILE --key FILE]]", Args: cobra.NoArgs}
	f := cmd.Flags()
	f.StringArrayVarP(&folders, "folder", "f", nil, "")
	at.Add(cmd)
	f.BoolVar(&ai, "ai", false, "")
	f.StringVar(&budget, "budget", "", "")
	flags.OneWord(f, &network, "network", flags.Networks...)
	room.Add(cmd)
	cmd.RunE = command.Do(func(ctx context.Context, _ []string) error {
		var r tasks.StartRequest
		var err error
		if r.Folders, err = e.Paths(ctx).Folders(folders); err != nil {
			return err
		}
		if err := room.Fill(&r); err != nil {
			return err
		}
		r.Accel = e.Accel
		o := mcp.Options{
			Version: e.Version, Folders: r.Folders, Network: task.Network(network), Machine: r.MachineChoice, AI: ai, PlanLines: func(p chore.Plan) []string { return wording.PlanLines(p, false) },
			Title: terminal.Text("mcp-task"), Words: words.ForTerminal(os.Getenv, words.SystemLanguages()),
		}
		if o.Budget, err = flags.ParseBudget(budget); err != nil {
			return err
		}
		if err := at.Check(); err != nil {
			return err
		}
		e.Door = task.DoorMCP
		return e.With(ctx, func(ctx context.Context, s *command.Session) error {
			d, err := mcp.Open(s.Client, o)
			if err != nil {
				return err
			}
			if at.HTTP == "" {
				if e.IsTerminal(e.Stdin) {
					e.HintText("mcp-typed")
				}
				return d.Run(ctx, e.Stdin, e.Stdout)
			}
			return serve(ctx, e, s, d, at)
		})
	})
	return cmd
}

// served is where a door is open.
type served struct {
	URL   string `json:"url"`
	Token string `json:"token,omitempty"` // bearer token for it, of the person; on loopback
}

// serve opens a door over HTTP: on loopback to the person and to programs with a token, with TLS
// to the latter alone.
func serve(ctx context.Context, e *command.Env, s *command.Session, d *mcp.Door, at command.Address) error {
	ln, names, err := at.Listen()
	if err != nil {
		d.Close()
		return at.Refused(err)
	}
	where := served{URL: at.URL(ln)}
	if names == nil {
		where.Token = access.NewSecret()
	}
	e.Show(where, func() {
		if names == nil {
			e.PrintText("mcp-served", "url", where.URL, "token", where.Token)
		} else {
			e.PrintText("serve-address", "address", where.URL)
			if all, err := s.Tokens(ctx); err == nil && len(all) == 0 {
				e.HintText("serve-no-token")
			}
		}
		e.HintText("serve-end")
	})
	return d.Serve(ctx, ln, api.Guard{Token: where.Token, Names: names}, func(secret string) mcp.TokenService { return s.As(secret) })
}
