package cli

import (
	"context"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/upkeep"
	"piwork/app/words"
)

func diagnosticsCommand(e *env) *cobra.Command {
	show := false
	cmd := &cobra.Command{
		Use:  "diagnostics [FILE.zip]",
		Args: cobra.MaximumNArgs(1),
		RunE: command.Do(func(ctx context.Context, args []string) error {
			if len(args) == 0 && !show {
				return flags.Usage("where-report")
			}
			return e.With(ctx, func(ctx context.Context, s *session) error { return diagnose(ctx, s, args, show) })
		}),
	}
	cmd.Flags().BoolVar(&show, "show", false, "")
	return cmd
}

func diagnose(ctx context.Context, s *session, args []string, show bool) error {
	path := ""
	if len(args) == 1 {
		var err error
		if s.On == "" {
			path, err = flags.NewFile(args[0])
		} else {
			path, err = s.Paths(ctx).Abs(args[0]) // the piwork there writes it
		}
		if err != nil {
			return err
		}
	}
	bar := s.StartProgress(terminal.Text("progress-computer"))
	d, err := s.Diagnostics(ctx)
	bar.Stop()
	if err != nil {
		return err
	}
	if show {
		s.Show(d, func() {
			for _, f := range d.Files {
				s.Print("== %s (%s)", f.Name, terminal.Size(f.Bytes))
				s.Print("%s", terminal.PrintableLines(f.Text))
			}
		})
	}
	if path == "" {
		return nil
	}
	file, err := s.WriteDiagnostics(ctx, upkeep.DiagnosticsRequest{Path: path, ID: d.ID, Replace: s.Yes})
	if err != nil {
		return err
	}
	if show {
		s.HintText("written", "path", file.Path, "bytes", file.Bytes)
		return nil
	}
	return s.Reply(file, nil, func() {
		s.PrintText("written", "path", file.Path, "bytes", file.Bytes)
		s.HintText("review-report")
	})
}

func logsCommand(e *env) *cobra.Command {
	tail := int64(upkeep.DefaultTail)
	cmd := &cobra.Command{
		Use:  "logs [NAME]",
		Args: cobra.MaximumNArgs(1),
		RunE: command.Do(func(ctx context.Context, args []string) error {
			if tail < 1 || tail > upkeep.MaxTail {
				return flags.Usage("bounds", "flag", "--bytes", "min", 1, "max", upkeep.MaxTail)
			}
			return e.With(ctx, func(ctx context.Context, s *session) error { return showLogs(ctx, s, args, tail) })
		}),
		ValidArgsFunction: e.Complete(command.Asked(func(ctx context.Context, s *session) []cobra.Completion {
			list, err := s.Logs(ctx)
			if err != nil {
				return nil
			}
			var names []cobra.Completion
			for _, l := range list.Logs {
				names = append(names, l.Name)
			}
			return names
		}), cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().Int64Var(&tail, "bytes", tail, "")
	return cmd
}

func showLogs(ctx context.Context, s *session, args []string, tail int64) error {
	if len(args) == 1 {
		text, err := s.Log(ctx, args[0], tail)
		return s.Reply(map[string]string{"name": args[0], "text": string(text)}, err, func() { s.Print("%s", terminal.PrintableLines(string(text))) })
	}
	list, err := s.Logs(ctx)
	return s.Reply(list, err, func() {
		for _, l := range list.Logs {
			s.Print("%s  %10s  %s", l.Changed.Local().Format("2006-01-02 15:04:05"), terminal.Size(l.Bytes), words.Printable(l.Name))
		}
		if len(list.Logs) == 0 {
			s.PrintText("no-logs")
		}
	})
}
