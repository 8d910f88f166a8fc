package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/models"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

// modelSaidCommand says what a model of a service of one's own can do.
func modelSaidCommand(e *env) *cobra.Command {
	var pictures, thinking string
	var tokens int64
	cmd := &cobra.Command{
		Use:   "model PROVIDER/MODEL",
		Short: "Describe a model of your own service",
		Long: "Says what a model of a service of your own can do, where the service does not: a model\n" +
			"that is not known to look at pictures gets none, and one that is not known to think\n" +
			"is not told for how long. auto takes back what was said.",
		Example: "  piwork key model ollama/my-model --pictures yes --thinking no",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&pictures, "pictures", "", "whether it looks at pictures: yes, no or auto")
	cmd.Flags().StringVar(&thinking, "thinking", "", "whether it thinks for as long as it is told to: yes, no or auto")
	cmd.Flags().Int64Var(&tokens, "context", 0, "how many tokens it reads at once; 0 takes it back")
	cmd.RunE = e.connected(func(ctx context.Context, s *session, args []string) error {
		m, err := s.Models(ctx)
		if err != nil {
			return err
		}
		r := models.OverrideRequest{Model: args[0]}
		if i := slices.IndexFunc(m.List, func(i models.Model) bool { return i.ID == args[0] }); i >= 0 && m.List[i].Said != nil {
			r.Override = *m.List[i].Said
		}
		for value, member := range map[*string]**bool{&pictures: &r.Images, &thinking: &r.Thinks} {
			if err := yesOrNo(*value, member); err != nil {
				return err
			}
		}
		if cmd.Flags().Changed("context") {
			r.Context = tokens
		}
		if pictures != "" || thinking != "" || cmd.Flags().Changed("context") {
			if m, err = s.OverrideModel(ctx, r); err != nil {
				return err
			}
		}
		now := models.Model{ID: r.Model, Images: r.Images, Thinks: r.Thinks, Context: r.Context}
		if i := slices.IndexFunc(m.List, func(i models.Model) bool { return i.ID == r.Model }); i >= 0 {
			now = m.List[i]
		}
		return e.Reply(now, nil, func() { e.Print("%s%s", words.Printable(now.ID), wording.AbleLine(now)) })
	})
	return cmd
}

// yesOrNo reads a flag that was given: yes, no, or auto for neither.
func yesOrNo(value string, to **bool) error {
	yes := value == "yes"
	switch value {
	case "":
	case "yes", "no":
		*to = &yes
	case "auto":
		*to = nil
	default:
		return flags.Usage("%q is neither yes, no nor auto", value)
	}
	return nil
}
