// Package file has the commands that do single actions in a task that is at work: on its
// files, and on the web.
package file

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/actions"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Command works on the files of a task.
func Command(e *command.Env) *cobra.Command {
	return command.Group("file",
		list(e),
		read(e),
		write(e),
		stat(e),
		watch(e),
	)
}

func list(e *command.Env) *cobra.Command {
	var r actions.ListRequest
	cmd := command.OnTask(e, "list ID [PATH]", cobra.RangeArgs(1, 2), func(ctx context.Context, s *command.Session, t task.Task, rest []string) error {
		r.Path = pathOr(rest, wire.FoldersDir)
		found, err := s.ListFiles(ctx, t.ID, r)
		return s.Reply(found, err, func() {
			if command.Wide(s, found.Entries, "KIND SIZE MODIFIED PATH", func(i wire.FileInfo) []any {
				return []any{i.Kind, i.Size, i.Modified.Local().Format(time.DateTime), i.Path}
			}) {
				return
			}
			for _, i := range found.Entries {
				printInfo(s, i)
			}
			if found.More {
				s.HintText("file-more", "count", len(found.Entries))
			}
			if found.Unnamed > 0 {
				s.HintText("file-unnamed", "count", found.Unnamed)
			}
		})
	})
	bounded(cmd, &r.Depth, &r.Limit)
	flags.Requires(cmd, &r.RequiresRuntime)
	return cmd
}

// bounded adds the flags of what looks into directories.
func bounded(cmd *cobra.Command, depth, limit *int) {
	cmd.Flags().IntVar(depth, "depth", 0, "")
	cmd.Flags().IntVar(limit, "limit", 0, "")
}

// printInfo prints a line about a file.
func printInfo(s *command.Session, i wire.FileInfo) {
	size := ""
	if i.Kind == wire.KindFile {
		size = terminal.Size(i.Size)
	}
	name := words.Printable(i.Path)
	switch i.Kind {
	case wire.KindDirectory:
		name += "/"
	case wire.KindLink:
		name += " -> " + words.Printable(i.Target)
	}
	s.Print("%10s  %s  %s", size, i.Modified.Local().Format(time.DateTime), name)
}

func stat(e *command.Env) *cobra.Command {
	var r actions.StatRequest
	cmd := command.OnTask(e, "stat ID PATH", cobra.ExactArgs(2), func(ctx context.Context, s *command.Session, t task.Task, rest []string) error {
		r.Path = rest[0]
		i, err := s.StatFile(ctx, t.ID, r)
		return s.Reply(i, err, func() {
			printInfo(s, i)
			if i.SHA256 != "" {
				s.Print("SHA-256 %s", i.SHA256)
			}
		})
	})
	flags.Requires(cmd, &r.RequiresRuntime)
	return cmd
}

func read(e *command.Env) *cobra.Command {
	var needs actions.Needs
	cmd := command.OnTask(e, "read ID PATH", cobra.ExactArgs(2), func(ctx context.Context, s *command.Session, t task.Task, rest []string) error {
		return pieces(ctx, s, t, actions.StatRequest{Needs: needs, Path: rest[0]})
	})
	flags.Requires(cmd, &needs.RequiresRuntime)
	return cmd
}

// pieces prints a file as it is, piece by piece, on a terminal without what moves its cursor; as JSON
// in a line for each piece. One that is changed meanwhile is a conflict.
func pieces(ctx context.Context, s *command.Session, t task.Task, of actions.StatRequest) error {
	r := actions.ReadRequest{StatRequest: of, Length: wire.MaxFileData}
	to := s.Answers()
	for first := ""; ; {
		c, err := s.ReadFile(ctx, t.ID, r)
		if err != nil {
			return err
		}
		if r.Offset > 0 && c.SHA256 != first {
			return problem.New(problem.CodeFileChanged).With("path", r.Path)
		}
		first = c.SHA256
		if s.JSON {
			s.JSONLine(c)
		} else if _, err := to.Write(c.Data); err != nil {
			return err
		}
		if r.Offset += int64(len(c.Data)); len(c.Data) == 0 || r.Offset >= c.Size {
			return nil
		}
	}
}

func write(e *command.Env) *cobra.Command {
	var r actions.WriteRequest
	cmd := command.OnTask(e, "write ID PATH [FILE]", cobra.RangeArgs(2, 3), func(ctx context.Context, s *command.Session, t task.Task, rest []string) error {
		r.Path = rest[0]
		var err error
		if r.Data, err = content(ctx, s, rest[1:]); err != nil {
			return err
		}
		i, err := s.WriteFile(ctx, t.ID, r)
		return s.Reply(i, err, func() { s.PrintText("file-written", "path", i.Path, "size", terminal.Size(i.Size)) })
	})
	cmd.Flags().StringVar(&r.Expect, "expect", "", "")
	flags.Requires(cmd, &r.RequiresRuntime)
	cmd.Flags().BoolVar(&r.Parents, "parents", false, "")
	return cmd
}

// content reads what is to be written: a file of this computer, or the standard input.
func content(ctx context.Context, s *command.Session, file []string) ([]byte, error) {
	from := s.Stdin
	if len(file) > 0 {
		f, err := os.Open(file[0])
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	b, err := flags.ReadUpTo(ctx, from, wire.MaxFileData+1)
	if err == nil && len(b) > wire.MaxFileData {
		err = flags.Usage("stdin-large", "bytes", wire.MaxFileData)
	}
	return b, err
}

func watch(e *command.Env) *cobra.Command {
	var r actions.WatchRequest
	var needs *vmhost.Requirement
	cmd := command.OnTask(e, "watch ID [PATH]", cobra.RangeArgs(1, 2), func(ctx context.Context, s *command.Session, t task.Task, rest []string) error {
		r.Path, r.Requires = pathOr(rest, wire.FoldersDir), needs.Words()
		return s.WatchFiles(ctx, t.ID, r, func(c wire.FileChange) error {
			if s.JSON {
				s.JSONLine(c)
				return nil
			}
			if c.What != wire.ChangeReady {
				s.Print("%-8s %s", c.What, words.Printable(c.Path))
			}
			return nil
		})
	})
	bounded(cmd, &r.Depth, &r.Limit)
	cmd.Flags().IntVar(&r.Seconds, "seconds", 0, "")
	flags.Requires(cmd, &needs)
	return cmd
}

// pathOr is the path that was given, or the usual one.
func pathOr(rest []string, usual string) string {
	if len(rest) > 0 {
		return rest[0]
	}
	return usual
}
