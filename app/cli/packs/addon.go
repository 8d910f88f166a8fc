package packs

import (
	"context"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/completion"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/words"
)

func packAddOnCommand(e *command.Env) *cobra.Command {
	each := func(use string, of func(runtimepack.AddOn) bool, f command.Func) *cobra.Command {
		cmd := e.BootingCommand(use, addOnNames, f)
		cmd.ValidArgsFunction = e.CompleteEach(completion.AddOns(of), cobra.ShellCompDirectiveNoFileComp)
		return cmd
	}
	return command.Group("addon",
		e.Command("list", cobra.NoArgs, addOnList),
		each("install NAME...", completion.NotThereYet, addOnInstall),
		each("remove NAME...", completion.Installed, addOnRemove),
	)
}

// addOnNames are arguments that could each be the name of an add-on.
func addOnNames(cmd *cobra.Command, args []string) error {
	for _, name := range args {
		if !addOnName(name) {
			return flags.Usage("addon-name", "name", name)
		}
	}
	return cobra.MinimumNArgs(1)(cmd, args)
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

func addOnList(ctx context.Context, s *command.Session, _ []string) error {
	all, err := s.AddOns(ctx)
	return s.Reply(all, err, func() {
		if len(all) == 0 {
			s.PrintText("no-addons")
		}
		if command.Wide(s, all, "NAME VERSION INSTALLED USABLE SIZE DOWNLOAD PROBLEM", func(a runtimepack.AddOn) []any {
			return []any{a.Name, a.Version, a.Installed, a.Usable, terminal.Size(a.Bytes), terminal.Size(a.Download), command.InShort(a.Problem)}
		}) {
			return
		}
		for _, a := range all {
			s.Print("%s%s", words.Printable(a.Name), wording.AddOnState(a))
			if a.Problem != nil {
				s.Card(s.Stdout, "  ", *a.Problem)
			}
		}
	})
}

func addOnInstall(ctx context.Context, s *command.Session, names []string) error {
	install := func(name string) error {
		return followUpdate(ctx, s, name, func(ctx context.Context) (updater.State, error) { return s.InstallAddOn(ctx, name) })
	}
	if len(names) == 1 {
		return install(names[0])
	}
	return s.Remaining(names, install) // as JSON it is a stream of events, no list
}

func addOnRemove(ctx context.Context, s *command.Session, names []string) error {
	return s.Each(names, func(name string) error {
		return s.Reply(map[string]string{"removed": name}, s.RemoveAddOn(ctx, name), func() { s.PrintText("addon-deleted", "name", name) })
	})
}
