package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/wording"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/words"
)

// modelSaidCommand says what a model of a service of one's own can do.
func modelSaidCommand(e *env) *cobra.Command {
	var pictures, thinking string
	var tokens int64
	cmd := &cobra.Command{Use: "model PROVIDER/MODEL", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringVar(&pictures, "pictures", "", "")
	cmd.Flags().StringVar(&thinking, "thinking", "", "")
	cmd.Flags().Int64Var(&tokens, "context", 0, "")
	cmd.RunE = e.Connected(func(ctx context.Context, s *session, args []string) error {
		m, err := s.Models(ctx)
		if err != nil {
			return err
		}
		r := models.OverrideRequest{Model: args[0]}
		if i := slices.IndexFunc(m.List, func(i models.Model) bool { return i.ID == args[0] }); i >= 0 && m.List[i].Said != nil {
			r.Override = *m.List[i].Said
		}
		if err := errors.Join(yesOrNo("--pictures", pictures, &r.Images), yesOrNo("--thinking", thinking, &r.Thinks)); err != nil {
			return err
		}
		if cmd.Flags().Changed("context") {
			r.Context = tokens
		}
		changes := pictures != "" || thinking != "" || cmd.Flags().Changed("context")
		if changes {
			if m, err = s.OverrideModel(ctx, r); err != nil {
				return err
			}
		}
		now := models.Model{ID: r.Model, Images: r.Images, Thinks: r.Thinks, Context: r.Context}
		if i := slices.IndexFunc(m.List, func(i models.Model) bool { return i.ID == r.Model }); i >= 0 {
			now = m.List[i]
		} else if !changes {
			return problem.New(problem.CodeUnknownModel).With("model", r.Model)
		}
		return e.Reply(now, nil, func() { e.Print("%s%s", words.Printable(now.ID), wording.AbleLine(now)) })
	})
	return cmd
}

// yesOrNo reads a flag that was given: yes, no, or auto for neither.
func yesOrNo(flag, value string, to **bool) error {
	yes := value == "yes"
	switch value {
	case "":
	case "yes", "no":
		*to = &yes
	case "auto":
		*to = nil
	default:
		return flags.Usage("one-of", "flag", flag, "value", value, "choices", []string{"yes", "no", "auto"})
	}
	return nil
}
