package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"piwork/app/problem"
	"piwork/app/upkeep"
)

func (e *env) diagnosticsCommand() *cobra.Command {
	show := false
	cmd := &cobra.Command{
		Use:   "diagnostics [FILE.zip]",
		Short: "Gather what helps others to find a fault, without secrets and names of files",
		Long: "Writes versions, what the doctor says, settings, how the last tasks ended, sizes\n" +
			"and the ends of the workrooms' logs into one file. Keys, names of people,\n" +
			"computers, folders and files are taken out; contents of files, titles and what\n" +
			"was asked are not gathered. Nothing is sent anywhere.\n\n" +
			"--show prints all of it, byte for byte as it is written; without a file nothing\n" +
			"is written. A file that is there is replaced only with --yes.",
		Args: cobra.MaximumNArgs(1),
		RunE: do(func(ctx context.Context, args []string) error {
			if len(args) == 0 && !show {
				return usage("where to? piwork diagnostics FILE.zip, or --show")
			}
			return e.with(ctx, func(ctx context.Context, s *session) error { return e.diagnose(ctx, s, args, show) })
		}),
	}
	cmd.Flags().BoolVar(&show, "show", false, "print what is in it")
	return cmd
}

func (e *env) diagnose(ctx context.Context, s *session, args []string, show bool) error {
	path := ""
	if len(args) == 1 {
		var err error
		if path, err = filePath(args[0]); err != nil {
			return err
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) && !e.yes {
			return problem.New(problem.CodeOutputExists).With("path", path)
		}
	}
	bar := e.newProgress("Looking at this computer")
	d, err := s.Diagnostics(ctx)
	bar.stop()
	if err != nil {
		return err
	}
	if show {
		e.answer(d, func() {
			for _, f := range d.Files {
				e.say("== %s (%s)", f.Name, size(f.Bytes))
				e.say("%s", printableLines(f.Text))
			}
		})
	}
	if path == "" {
		return nil
	}
	file, err := s.WriteDiagnostics(ctx, upkeep.DiagnosticsRequest{Path: path, ID: d.ID})
	if err != nil {
		return err
	}
	if show {
		e.hint("Written: %s (%s)", printable(file.Path), size(file.Bytes))
		return nil
	}
	e.answer(file, func() {
		e.say("Written: %s (%s)", printable(file.Path), size(file.Bytes))
		e.hint("Look at it before you give it away: piwork diagnostics --show")
	})
	return nil
}

func (e *env) logsCommand() *cobra.Command {
	tail := int64(upkeep.DefaultTail)
	cmd := &cobra.Command{
		Use:   "logs [NAME]",
		Short: "The logs of the workrooms, or the end of one",
		Args:  cobra.MaximumNArgs(1),
		RunE: do(func(ctx context.Context, args []string) error {
			if tail < 1 || tail > upkeep.MaxTail {
				return usage("--bytes is between 1 and %d", int64(upkeep.MaxTail))
			}
			return e.with(ctx, func(ctx context.Context, s *session) error { return e.logs(ctx, s, args, tail) })
		}),
		ValidArgsFunction: e.complete(func(ctx context.Context, s *session) []cobra.Completion {
			list, err := s.Logs(ctx)
			if err != nil {
				return nil
			}
			var names []cobra.Completion
			for _, l := range list.Logs {
				names = append(names, l.Name)
			}
			return names
		}, cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().Int64Var(&tail, "bytes", tail, "how much of its end")
	return cmd
}

func (e *env) logs(ctx context.Context, s *session, args []string, tail int64) error {
	if len(args) == 1 {
		text, err := s.Log(ctx, args[0], tail)
		if err != nil {
			return err
		}
		e.answer(map[string]string{"name": args[0], "text": string(text)}, func() { e.say("%s", printableLines(string(text))) })
		return nil
	}
	list, err := s.Logs(ctx)
	if err != nil {
		return err
	}
	e.answer(list, func() {
		for _, l := range list.Logs {
			e.say("%s  %10s  %s", l.Changed.Local().Format("2006-01-02 15:04:05"), size(l.Bytes), printable(l.Name))
		}
		if len(list.Logs) == 0 {
			e.say("There is no log yet.")
		}
	})
	return nil
}
