package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/task"
	"piwork/app/tasks"
)

func runCommand(e *env) *cobra.Command {
	var folders, set []string
	var planOnly, noAI bool
	var model, wish string
	var room flags.Machine
	var bounds flags.Bounds
	var background detach
	cmd := &cobra.Command{Use: "run CHORE --folder PATH[:ro|:rw|:review]...", Args: cobra.ExactArgs(1)}
	f := cmd.Flags()
	f.StringArrayVarP(&folders, "folder", "f", nil, "")
	f.StringArrayVar(&set, "set", nil, "")
	f.BoolVar(&planOnly, "plan", false, "")
	f.BoolVar(&noAI, "no-ai", false, "")
	f.StringVar(&model, "model", "", "")
	f.StringVar(&wish, "wish", "", "")
	room.Add(cmd)
	bounds.Add(cmd)
	background.add(cmd)
	cmd.RunE = command.Do(func(ctx context.Context, args []string) error {
		if len(folders) == 0 {
			return flags.Usage("which-folder")
		}
		chosen, err := e.Paths(ctx).Folders(folders)
		if err != nil {
			return err
		}
		params, err := flags.ParseSet(set)
		if err != nil {
			return err
		}
		req := tasks.StartRequest{
			Kind: task.KindChore, Chore: args[0], Params: params, Folders: chosen,
			Accept: e.Yes && !planOnly, PlanOnly: planOnly, MachineChoice: tasks.MachineChoice{Accel: e.Accel},
		}
		if err := errors.Join(room.Fill(&req), bounds.Fill(&req)); err != nil {
			return err
		}
		return e.With(ctx, func(ctx context.Context, s *session) error {
			info, err := findChore(ctx, s, args[0])
			if err == nil {
				err = flags.KnownSet(req.Params, info.Name, parameters(info))
			}
			if err == nil {
				err = knownChoices(info, req.Params)
			}
			if err == nil {
				err = askPasswords(ctx, e, info, req.Params)
			}
			if err != nil {
				return err
			}
			if info.AI == nil && (model != "" || wish != "") {
				return flags.Usage("chore-no-ai", "name", info.Name)
			}
			if info.AI != nil && !noAI {
				if model == "" {
					if models, err := s.Models(ctx); err == nil { // without, it says itself what is missing
						model = models.Default
					}
				}
				if model != "" {
					req.Kind, req.Model, req.Prompt = task.KindAI, model, wish
				}
			}
			return background.startTask(ctx, s, req)
		})
	})
	return cmd
}
