package cli

import (
	"context"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/completion"
	"piwork/app/cli/flags"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

func packAddOnCommand(e *env) *cobra.Command {
	cmd := command.Group("addon")
	one := func(use string, of func(runtimepack.AddOn) bool, f func(ctx context.Context, s *session, name string) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Args: cobra.ExactArgs(1),
			ValidArgsFunction: e.Complete(completion.AddOns(of), cobra.ShellCompDirectiveNoFileComp),
			RunE: command.Do(func(ctx context.Context, args []string) error {
				if !addOnName(args[0]) {
					return flags.Usage("addon-name", "name", args[0])
				}
				return e.WithAccel(ctx, func(ctx context.Context, s *session) error { return f(ctx, s, args[0]) })
			}),
		}
	}
	cmd.AddCommand(
		e.Command("list", cobra.NoArgs, addOnList),
		one("install NAME", completion.NotThereYet, addOnInstall),
		one("remove NAME", completion.Installed, addOnRemove),
	)
	return cmd
}

// addOnName reports whether a word could be the name of an add-on.
func addOnName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func addOnList(ctx context.Context, s *session, _ []string) error {
	all, err := s.AddOns(ctx)
	return s.Reply(all, err, func() {
		if len(all) == 0 {
			s.PrintText("no-addons")
		}
		for _, a := range all {
			s.Print("%s%s", words.Printable(a.Name), wording.AddOnState(a))
			if a.Problem != nil {
				s.Card(s.Stdout, "  ", *a.Problem)
			}
		}
	})
}

func addOnInstall(ctx context.Context, s *session, name string) error {
	return followUpdate(ctx, s, name, func(ctx context.Context) (updater.State, error) { return s.InstallAddOn(ctx, name) })
}

func addOnRemove(ctx context.Context, s *session, name string) error {
	return s.Reply(map[string]string{"removed": name}, s.RemoveAddOn(ctx, name), func() { s.PrintText("addon-deleted", "name", name) })
}
