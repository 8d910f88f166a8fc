package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/task"
)

// modelCommand shows or changes which model works on a task.
func (e *env) modelCommand() *cobra.Command {
	var thinking string
	cmd := &cobra.Command{
		Use:   "model ID [MODEL]",
		Short: "Show or change the model of an AI task, also while it works",
		Long: `Show or change the model of an AI task, <service>/<model>, and how long it thinks.
It changes from the next answer on, and holds whenever the task goes on. A model of
another service can be chosen when the task is over. The budget stays as it is.`,
		Args: cobra.RangeArgs(1, 2),
	}
	cmd.Flags().StringVar(&thinking, "thinking", "", "how long the model thinks: off, minimal, low, medium or high")
	cmd.RunE = do(func(ctx context.Context, args []string) error {
		return e.with(ctx, func(ctx context.Context, s *session) error {
			id, err := findTask(ctx, s, args[0])
			if err != nil {
				return err
			}
			r := app.TaskModelRequest{Thinking: thinking}
			if len(args) == 2 {
				if r.Model = args[1]; r.Model == "" {
					return usage("the name of the model is empty")
				}
			}
			var t task.Task
			if r == (app.TaskModelRequest{}) {
				t, err = s.Task(ctx, id)
			} else {
				t, err = s.SetTaskModel(ctx, id, r)
			}
			if err != nil {
				return err
			}
			if t.AI == nil {
				return usage("%s is no AI task", args[0])
			}
			e.answer(t, func() { e.say("%s", modelLine(t.AI.Model, t.AI.Thinking)) })
			return nil
		})
	})
	return cmd
}

// modelLine names a model and how long it thinks, where that was chosen.
func modelLine(model, thinking string) string {
	var parts []string
	if model != "" {
		parts = append(parts, printable(model))
	}
	if thinking != "" {
		parts = append(parts, fmt.Sprintf("thinking %s", printable(thinking)))
	}
	return strings.Join(parts, ", ")
}
