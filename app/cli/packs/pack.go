// Package packs has the commands on the runtime: verify, install, update, go back, repair, add-ons, bundles.
package packs

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/completion"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/problem"
	"piwork/app/runtimepack"
)

// Command has all of them.
func Command(e *command.Env) *cobra.Command {
	return command.Group("pack",
		e.EachCommand("verify FILE...", packVerify),
		e.BootingCommand("install FILE", cobra.ExactArgs(1), packInstall),
		e.Command("list", cobra.NoArgs, packList),
		&cobra.Command{
			Use:               "show [VERSION|FILE]",
			Args:              cobra.MaximumNArgs(1),
			ValidArgsFunction: e.Complete(completion.Versions(completion.AnyVersion), cobra.ShellCompDirectiveDefault),
			RunE:              e.Connected(packShow),
		},
		packUpdateCommand(e), packChannelCommand(e), packRollbackCommand(e), packRemoveCommand(e), packRepairCommand(e),
		packAddOnCommand(e), packBundleCommand(e), command.Started(buildCommand(e.Terminal)),
	)
}

func packVerify(ctx context.Context, s *command.Session, given string) error {
	file, err := flags.GivenFile(given)
	if err != nil {
		return err
	}
	bar := s.StartProgress(terminal.Text("progress-check", "file", filepath.Base(file)))
	p, err := s.VerifyPack(ctx, file)
	bar.Stop()
	return s.Reply(p, err, func() {
		s.PrintText("pack-verified", "pack", wording.PackWords(p))
		printPackFacts(s.Env, p)
	})
}

func packInstall(ctx context.Context, s *command.Session, args []string) error {
	file, err := flags.GivenFile(args[0])
	if err != nil {
		return err
	}
	bar := s.StartProgress(terminal.Text("progress-install"))
	p, err := s.InstallPack(ctx, file, bar.Bytes)
	bar.Stop()
	return s.Reply(p, err, func() {
		s.PrintText("pack-installed", "pack", wording.PackWords(p))
		printPackFacts(s.Env, p)
	})
}

func packList(ctx context.Context, s *command.Session, _ []string) error {
	packs, err := s.Packs(ctx)
	return s.Reply(packs, err, func() {
		if len(packs) == 0 {
			s.PrintText("no-packs")
		}
		if command.Wide(s, packs, "VERSION STATE SYSTEM FILES SIZE SIGNED-BY FOLDER PROBLEM", func(p runtimepack.Info) []any {
			return []any{p.Version, strings.TrimPrefix(wording.PackState(p), ", "), p.OS + "/" + p.Arch, p.Files, terminal.Size(p.Bytes), p.SignedBy, p.Dir, command.InShort(p.Problem)}
		}) {
			return
		}
		for _, p := range packs {
			s.Print("%s%s", wording.PackWords(p), wording.PackState(p))
			if p.Problem != nil {
				s.Card(s.Stdout, "  ", *p.Problem)
			}
		}
	})
}

// packShow shows one version, or what is in a file.
func packShow(ctx context.Context, s *command.Session, args []string) error {
	p, err := findPack(ctx, s, args)
	return s.Reply(p, err, func() {
		s.Print("%s%s", wording.PackWords(p), wording.PackState(p))
		printPackFacts(s.Env, p)
		if !p.Built.IsZero() {
			s.Print("  %s", terminal.Text("pack-built", "day", p.Built.Format(time.DateOnly)))
		}
		if p.Problem != nil {
			s.Card(s.Stdout, "  ", *p.Problem)
		}
	})
}

// findPack is the installed version that is named, the current one without a
// name, or what is in a file.
func findPack(ctx context.Context, s *command.Session, args []string) (runtimepack.Info, error) {
	if len(args) == 1 && isFile(args[0], s.On) {
		file, err := s.Paths(ctx).File(args[0])
		if err != nil {
			return runtimepack.Info{}, err
		}
		bar := s.StartProgress(terminal.Text("progress-check", "file", filepath.Base(file)))
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
	return runtimepack.Info{}, flags.Usage("no-version", "version", args[0], "known", known)
}

// isFile reports whether an argument names a file rather than a version.
func isFile(arg, on string) bool {
	if on != "" || strings.ContainsAny(arg, `/\`) {
		return strings.ContainsAny(arg, `/\`)
	}
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir()
}

func printPackFacts(e *command.Env, p runtimepack.Info) {
	if p.SignedBy == "" { // it could not be looked at
		return
	}
	signer := p.SignedBy
	if p.Developer {
		signer = terminal.Text("pack-developer", "signer", signer)
	}
	e.Print("  %s", terminal.Text("pack-facts", "count", p.Files, "bytes", p.Bytes, "signer", signer))
	if p.Dir != "" {
		e.Print("  %s", terminal.Text("in", "path", p.Dir))
	}
}
