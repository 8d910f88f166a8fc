package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/packbuild"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

func packCommand(e *env) *cobra.Command {
	return group("pack", "Manage the runtime pack, its updates and add-ons",
		"The runtime pack is what the workroom is made of. It is signed; nothing of it is\n"+
			"started or installed that is not as it was signed. A new version is used only\n"+
			"after the workroom opened with it on this computer, and the one before is kept.",
		&cobra.Command{
			Use:   "verify FILE",
			Short: "Verify a pack without installing it",
			Args:  cobra.ExactArgs(1),
			RunE:  e.connected(packVerify),
		},
		&cobra.Command{
			Use:   "install FILE",
			Short: "Verify and install a pack, an add-on or a bundle for this user",
			Long: "Installs the file only if its signature is trusted and every byte is as it was\n" +
				"signed; otherwise exit code 5, and nothing is left behind. A bundle brings the\n" +
				"runtime and its add-ons in one file; no network is needed.",
			Args: cobra.ExactArgs(1),
			RunE: e.booting(packInstall),
		},
		&cobra.Command{
			Use:   "list",
			Short: "List the installed versions",
			Args:  cobra.NoArgs,
			RunE:  e.connected(packList),
		},
		&cobra.Command{
			Use:               "show [VERSION|FILE]",
			Short:             "Show an installed version, or the contents of a file",
			Long:              "Without an argument the version in use. A file is read to its end and checked,\nand nothing of it is installed.",
			Args:              cobra.MaximumNArgs(1),
			ValidArgsFunction: e.complete(versions(anyVersion), cobra.ShellCompDirectiveDefault),
			RunE:              e.connected(packShow),
		},
		packUpdateCommand(e), packChannelCommand(e), packRollbackCommand(e), packRemoveCommand(e), packRepairCommand(e),
		packAddOnCommand(e), packBundleCommand(e), started(packbuild.Command(e.Terminal)),
	)
}

func packVerify(ctx context.Context, s *session, args []string) error {
	file, err := flags.GivenFile(args[0])
	if err != nil {
		return err
	}
	bar := s.StartProgress("Checking " + words.Printable(filepath.Base(file)))
	p, err := s.VerifyPack(ctx, file)
	bar.Stop()
	return s.Reply(p, err, func() {
		s.Print("Every byte is as it was signed: %s.", wording.PackWords(p))
		printPackFacts(s.env, p)
	})
}

func packInstall(ctx context.Context, s *session, args []string) error {
	file, err := flags.GivenFile(args[0])
	if err != nil {
		return err
	}
	bar := s.StartProgress("Checking and installing")
	p, err := s.InstallPack(ctx, file, bar.Bytes)
	bar.Stop()
	return s.Reply(p, err, func() {
		s.Print("Installed: %s.", wording.PackWords(p))
		printPackFacts(s.env, p)
	})
}

func packList(ctx context.Context, s *session, _ []string) error {
	packs, err := s.Packs(ctx)
	return s.Reply(packs, err, func() {
		if len(packs) == 0 {
			s.Print("No runtime pack is installed. Install one: piwork pack install FILE")
		}
		for _, p := range packs {
			s.Print("%s%s", wording.PackWords(p), wording.PackState(p))
			if p.Problem != nil {
				s.card(s.Stdout, "  ", *p.Problem)
			}
		}
	})
}

// packShow shows one version, or what is in a file.
func packShow(ctx context.Context, s *session, args []string) error {
	p, err := findPack(ctx, s, args)
	return s.Reply(p, err, func() {
		s.Print("%s%s", wording.PackWords(p), wording.PackState(p))
		printPackFacts(s.env, p)
		if !p.Built.IsZero() {
			s.Print("  built %s", p.Built.Format(time.DateOnly))
		}
		if p.Problem != nil {
			s.card(s.Stdout, "  ", *p.Problem)
		}
	})
}

// findPack is the installed version that is named, the current one without a
// name, or what is in a file.
func findPack(ctx context.Context, s *session, args []string) (runtimepack.Info, error) {
	if len(args) == 1 && isFile(args[0]) {
		file, err := flags.FilePath(args[0])
		if err != nil {
			return runtimepack.Info{}, err
		}
		bar := s.StartProgress("Checking " + words.Printable(filepath.Base(file)))
		defer bar.Stop()
		return s.VerifyPack(ctx, file)
	}
	packs, err := s.Packs(ctx)
	if err != nil {
		return runtimepack.Info{}, err
	}
	var known []string
	for _, p := range packs {
		if len(args) == 0 && p.Current || len(args) == 1 && p.Version == args[0] {
			return p, nil
		}
		known = append(known, p.Version)
	}
	if len(args) == 0 {
		return runtimepack.Info{}, problem.New(problem.CodePackMissing)
	}
	if len(known) == 0 {
		return runtimepack.Info{}, flags.Usage("version %s is not installed, and no other is", words.Printable(args[0]))
	}
	return runtimepack.Info{}, flags.Usage("version %s is not installed; there is %s", words.Printable(args[0]), words.Printable(strings.Join(known, ", ")))
}

// isFile reports whether an argument names a file rather than a version.
func isFile(arg string) bool {
	if strings.ContainsAny(arg, `/\`) {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir()
}

func printPackFacts(e *env, p runtimepack.Info) {
	if p.SignedBy == "" { // it could not be looked at
		return
	}
	signer := words.Printable(p.SignedBy)
	if p.Developer {
		signer += " (a developer's key of this computer)"
	}
	e.Print("  %s, %s; signed by %s", terminal.Count(p.Files, "file"), terminal.Size(p.Bytes), signer)
	if p.Dir != "" {
		e.Print("  in %s", words.Printable(p.Dir))
	}
}
