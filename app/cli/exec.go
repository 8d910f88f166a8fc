package cli

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/interact"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

func execCommand(e *env) *cobra.Command {
	var folders, env []string
	var cwd string
	var bounds flags.Bounds
	var stdin, tty bool
	var background detach
	var room flags.Machine
	cmd := &cobra.Command{Use: "exec [--folder PATH[:ro|:rw|:review]]... -- CMD ARG...", Args: cobra.MinimumNArgs(1)}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringArrayVarP(&folders, "folder", "f", nil, "")
	f.StringVar(&cwd, "cwd", "", "")
	f.BoolVarP(&stdin, "stdin", "i", false, "")
	f.BoolVarP(&tty, "tty", "t", false, "")
	background.add(cmd)
	f.StringArrayVarP(&env, "env", "e", nil, "")
	room.Add(cmd)
	room.AddCache(cmd)
	room.AddServices(cmd)
	bounds.Add(cmd)
	cmd.RunE = command.Do(func(ctx context.Context, args []string) error {
		chosen, err := e.Paths(ctx).Folders(folders)
		if err != nil {
			return err
		}
		req := tasks.StartRequest{Kind: task.KindExec, Argv: args, Cwd: cwd, Folders: chosen, Accept: e.Yes, Detached: background.on, StreamsRequest: tasks.StreamsRequest{Attached: !background.on, Interactive: stdin}, MachineChoice: tasks.MachineChoice{Accel: e.Accel}}
		if req.Env, err = flags.ParseEnv(env); err != nil {
			return err
		}
		if err := errors.Join(flags.Cwd(cwd), room.Fill(&req), bounds.Fill(&req)); err != nil {
			return err
		}
		if tty {
			if err := onTerminal(e, &req); err != nil {
				return err
			}
		}
		return e.With(ctx, func(ctx context.Context, s *session) error {
			if background.on {
				return background.startTask(ctx, s, req)
			}
			err := startAttached(ctx, s, req)
			if name := room.MeantAsCache(cmd, args); name != "" && mayLackCache(err) {
				e.HintText("cache-name", "name", name)
			}
			return err
		})
	})
	return cmd
}

// mayLackCache reports whether a command failed as one does whose program was to be the name of
// a cache: there is no such program, or the cache has no name.
func mayLackCache(err error) bool {
	var ended *command.Ended
	var p *problem.Problem
	return errors.As(err, &ended) && ended.Code == command.ExitMissing || errors.As(err, &p) && p.Params["field"] == "cache"
}

// onTerminal asks for a terminal like that of this program.
func onTerminal(e *env, req *tasks.StartRequest) error {
	if e.JSON && !req.Detached {
		return flags.Usage("exclude", "one", "--tty", "other", "--json")
	}
	if !req.Detached && !e.IsTerminal(e.Stdin) {
		return flags.Usage("no-terminal")
	}
	req.Terminal = &wire.TerminalSize{Columns: 80, Rows: 24}
	if f, ok := e.Stdout.(*os.File); ok {
		if s, ok := interact.Size(f); ok {
			req.Terminal = &s
		}
	}
	if kind := os.Getenv("TERM"); kind != "" && req.Env["TERM"] == "" {
		if req.Env == nil {
			req.Env = map[string]string{}
		}
		req.Env["TERM"] = kind
	}
	return nil
}
