package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"piwork/app"
)

func (e *env) packCommand() *cobra.Command {
	pack := &cobra.Command{
		Use:   "pack",
		Short: "The runtime pack: what the workroom is made of",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	pack.AddCommand(
		&cobra.Command{
			Use:   "verify FILE",
			Short: "Check the signature and every byte of a pack, and install nothing",
			Args:  cobra.ExactArgs(1),
			RunE:  do(e.packVerify),
		},
		&cobra.Command{
			Use:   "install FILE",
			Short: "Verify and install a pack for this user",
			Long: "Installs the pack only if its signature is trusted and every byte is as it was\n" +
				"signed; otherwise exit code 5, and nothing is left behind.",
			Args: cobra.ExactArgs(1),
			RunE: do(e.packInstall),
		},
		&cobra.Command{
			Use:   "list",
			Short: "List the installed packs",
			Args:  cobra.NoArgs,
			RunE:  do(e.packList),
		},
		e.packBuildCommand(),
	)
	return pack
}

// filePath makes an argument absolute, because another process may open it.
func filePath(arg string) (string, error) {
	if arg == "" {
		return "", usage("the name of the file is empty")
	}
	return filepath.Abs(arg)
}

func (e *env) packVerify(ctx context.Context, args []string) error {
	file, err := filePath(args[0])
	if err != nil {
		return err
	}
	return e.with(ctx, func(ctx context.Context, s *session) error {
		bar := e.newProgress("Checking " + printable(filepath.Base(file)))
		p, err := s.VerifyPack(ctx, file)
		bar.stop()
		if err != nil {
			return err
		}
		e.answer(p, func() {
			e.say("Every byte is as it was signed: %s.", packWords(p))
			e.packFacts(p)
		})
		return nil
	})
}

func (e *env) packInstall(ctx context.Context, args []string) error {
	file, err := filePath(args[0])
	if err != nil {
		return err
	}
	return e.with(ctx, func(ctx context.Context, s *session) error {
		bar := e.newProgress("Checking and installing")
		p, err := s.InstallPack(ctx, file, bar.bytes)
		bar.stop()
		if err != nil {
			return err
		}
		e.answer(p, func() {
			e.say("Installed: %s.", packWords(p))
			e.packFacts(p)
		})
		return nil
	})
}

func (e *env) packList(ctx context.Context, _ []string) error {
	return e.with(ctx, func(ctx context.Context, s *session) error {
		packs, err := s.Packs(ctx)
		if err != nil {
			return err
		}
		e.answer(packs, func() {
			if len(packs) == 0 {
				e.say("No runtime pack is installed. Install one: piwork pack install FILE")
			}
			for _, p := range packs {
				use := ""
				if p.Current {
					use = ", in use"
				}
				e.say("%s%s", packWords(p), use)
			}
		})
		return nil
	})
}

// packWords names a pack in one line.
func packWords(p app.PackInfo) string {
	return printable(p.Name) + " " + printable(p.Version) + " for " + printable(p.OS) + "/" + printable(p.Arch)
}

func (e *env) packFacts(p app.PackInfo) {
	signer := printable(p.SignedBy)
	if p.Developer {
		signer += " (a developer's key of this computer)"
	}
	e.say("  %s, %s; signed by %s", count(p.Files, "file"), size(p.Bytes), signer)
	if p.Dir != "" {
		e.say("  in %s", printable(p.Dir))
	}
}
