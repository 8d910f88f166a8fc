package door

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"piwork/app/acp"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
)

// ACP serves an editor that speaks the Agent Client Protocol, on standard input and output.
func ACP(e *command.Env) *cobra.Command {
	var folders []string
	var network, budget string
	var room flags.Machine
	o := acp.Options{Version: e.Version}
	cmd := &cobra.Command{Use: "acp [--folder PATH[:ro|:rw|:review]]... [--model MODEL] [--agent NAME]", Args: cobra.NoArgs}
	f := cmd.Flags()
	f.StringArrayVarP(&folders, "folder", "f", nil, "")
	f.StringVar(&o.Model, "model", "", "")
	f.StringVar(&o.Agent, "agent", "", "")
	flags.OneWord(f, &network, "network", flags.Networks...)
	f.StringVar(&budget, "budget", "", "")
	room.Add(cmd)
	cmd.RunE = command.Do(func(ctx context.Context, _ []string) error {
		var r tasks.StartRequest
		var err error
		if o.Folders, err = e.Paths(ctx).Folders(folders); err != nil {
			return err
		}
		if o.Budget, err = flags.ParseBudget(budget); err != nil {
			return err
		}
		if err := room.Fill(&r); err != nil {
			return err
		}
		r.Accel = e.Accel
		o.Network, o.Machine, o.Words = task.Network(network), r.MachineChoice, words.ForTerminal(os.Getenv, words.SystemLanguages())
		e.Door = task.DoorACP
		return e.With(ctx, func(ctx context.Context, s *command.Session) error {
			d, err := acp.Open(s.Client, o)
			if err != nil {
				return err
			}
			if e.IsTerminal(e.Stdin) {
				e.HintText("acp-typed")
			}
			return d.Run(ctx, e.Stdin, e.Stdout)
		})
	})
	return cmd
}
