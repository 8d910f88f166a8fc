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
	"piwork/app/words"
)

type bundleFlags struct {
	out, app string
	addOns   []string
}

func packBundleCommand(e *command.Env) *cobra.Command {
	var b bundleFlags
	cmd := &cobra.Command{
		Use:  "bundle --out FILE",
		Args: cobra.NoArgs,
		RunE: command.Do(func(ctx context.Context, _ []string) error { return packBundle(ctx, e, b) }),
	}
	f := cmd.Flags()
	f.StringVar(&b.out, "out", "", "")
	f.StringArrayVar(&b.addOns, "addon", nil, "")
	f.StringVar(&b.app, "app", "", "")
	_ = cmd.RegisterFlagCompletionFunc("addon", e.Complete(completion.AddOns(completion.Installed), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func packBundle(ctx context.Context, e *command.Env, b bundleFlags) error {
	if b.out == "" {
		return flags.Usage("where-bundle")
	}
	out, err := flags.NewFile(b.out)
	if err != nil {
		return err
	}
	req := runtimepack.BundleRequest{Out: out, AddOns: b.addOns}
	for _, name := range b.addOns {
		if !addOnName(name) {
			return flags.Usage("addon-name", "name", name)
		}
	}
	if b.app != "" {
		if req.App, err = flags.FilePath(b.app); err != nil {
			return err
		}
	}
	return e.With(ctx, func(ctx context.Context, s *command.Session) error {
		bar := e.StartProgress(terminal.Text("progress-bundle"))
		made, err := s.BundlePack(ctx, req, bar.Bytes)
		bar.Stop()
		return e.Reply(made, err, func() {
			e.PrintText("written", "path", made.File, "bytes", made.Bytes)
			for _, p := range made.Packs {
				e.Print("  %s", terminal.Text("with", "what", wording.PackWords(p)))
			}
			e.Print("  sha256 %s", words.Printable(made.SHA256))
		})
	})
}
