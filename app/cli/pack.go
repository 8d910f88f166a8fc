package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"piwork/app/runtimepack"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/problem"
)

func (e *env) packCommand() *cobra.Command {
	pack := &cobra.Command{
		Use:   "pack",
		Short: "The runtime pack: what the workroom is made of, its updates and add-ons",
		Long: "The runtime pack is what the workroom is made of. It is signed; nothing of it is\n" +
			"started or installed that is not as it was signed. A new version is used only\n" +
			"after the workroom opened with it on this computer, and the one before is kept.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
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
			Short: "Verify and install a pack, an add-on or a bundle for this user",
			Long: "Installs the file only if its signature is trusted and every byte is as it was\n" +
				"signed; otherwise exit code 5, and nothing is left behind. A bundle brings the\n" +
				"runtime and its add-ons in one file; no network is needed.",
			Args: cobra.ExactArgs(1),
			RunE: do(e.packInstall),
		},
		&cobra.Command{
			Use:   "list",
			Short: "List the installed versions",
			Args:  cobra.NoArgs,
			RunE:  do(e.packList),
		},
		&cobra.Command{
			Use:               "show [VERSION|FILE]",
			Short:             "Show an installed version, the one in use, or what is in a file",
			Long:              "Without an argument the version in use. A file is read to its end and checked,\nand nothing of it is installed.",
			Args:              cobra.MaximumNArgs(1),
			ValidArgsFunction: e.complete(versions, cobra.ShellCompDirectiveDefault),
			RunE:              do(e.packShow),
		},
		e.packUpdateCommand(), e.packChannelCommand(), e.packRollbackCommand(), e.packRemoveCommand(), e.packRepairCommand(),
		e.packAddOnCommand(), e.packBundleCommand(), e.packBuildCommand(),
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

// givenFile is filePath of a file that has to be there.
func givenFile(arg string) (string, error) {
	file, err := filePath(arg)
	if err != nil {
		return "", err
	}
	switch st, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return "", usage("there is no file %s", printable(file))
	case err == nil && st.IsDir():
		return "", usage("%s is a folder, not a file", printable(file))
	}
	return file, nil // who reads it says what else is wrong
}

func (e *env) packVerify(ctx context.Context, args []string) error {
	file, err := givenFile(args[0])
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
	file, err := givenFile(args[0])
	if err != nil {
		return err
	}
	return e.withAccel(ctx, func(ctx context.Context, s *session) error {
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
				e.say("%s%s", packWords(p), packState(p))
				if p.Problem != nil {
					e.card(e.Stdout, "  ", *p.Problem)
				}
			}
		})
		return nil
	})
}

// packShow shows one version, or what is in a file.
func (e *env) packShow(ctx context.Context, args []string) error {
	return e.with(ctx, func(ctx context.Context, s *session) error {
		p, err := e.findPack(ctx, s, args)
		if err != nil {
			return err
		}
		e.answer(p, func() {
			e.say("%s%s", packWords(p), packState(p))
			e.packFacts(p)
			if !p.Built.IsZero() {
				e.say("  built %s", p.Built.Format(time.DateOnly))
			}
			if p.Problem != nil {
				e.card(e.Stdout, "  ", *p.Problem)
			}
		})
		return nil
	})
}

// findPack is the installed version that is named, the current one without a
// name, or what is in a file.
func (e *env) findPack(ctx context.Context, s *session, args []string) (runtimepack.Info, error) {
	if len(args) == 1 && isFile(args[0]) {
		file, err := filePath(args[0])
		if err != nil {
			return runtimepack.Info{}, err
		}
		bar := e.newProgress("Checking " + printable(filepath.Base(file)))
		defer bar.stop()
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
		return runtimepack.Info{}, usage("version %s is not installed, and no other is", printable(args[0]))
	}
	return runtimepack.Info{}, usage("version %s is not installed; there is %s", printable(args[0]), printable(strings.Join(known, ", ")))
}

// isFile reports whether an argument names a file rather than a version.
func isFile(arg string) bool {
	if strings.ContainsAny(arg, `/\`) {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && !info.IsDir()
}

// packWords names a pack in one line.
func packWords(p runtimepack.Info) string {
	if p.OS == "" {
		return strings.TrimSpace(printable(p.Name) + " " + printable(p.Version))
	}
	if p.OS == "any" {
		return printable(p.Name) + " " + printable(p.Version)
	}
	return printable(p.Name) + " " + printable(p.Version) + " for " + printable(p.OS) + "/" + printable(p.Arch)
}

// packState says what an installed version is here, behind its name.
func packState(p runtimepack.Info) string {
	state := ""
	for _, s := range []struct {
		is    bool
		words string
	}{
		{p.Current, "in use"},
		{p.Previous, "the one before"},
		{p.Candidate, "waits for its first start here"},
		{p.Failed, "did not work here"},
		{p.InUse && !p.Current, "a task still works on it"},
		{p.Withdrawn, "withdrawn by its makers"},
	} {
		if s.is {
			state += ", " + s.words
		}
	}
	return state
}

func (e *env) packFacts(p runtimepack.Info) {
	if p.SignedBy == "" { // it could not be looked at
		return
	}
	signer := printable(p.SignedBy)
	if p.Developer {
		signer += " (a developer's key of this computer)"
	}
	e.say("  %s, %s; signed by %s", count(p.Files, "file"), size(p.Bytes), signer)
	if p.Dir != "" {
		e.say("  in %s", printable(p.Dir))
	}
}
