package cli

import (
	"context"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/output"
	"piwork/app/cli/wording"
	"piwork/app/history"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
)

// listCommand lists tasks, searchCommand those in which words are found.
func listCommand(e *env) *cobra.Command {
	return filtered(e, "list", cobra.NoArgs, "no-tasks")
}

func searchCommand(e *env) *cobra.Command {
	return filtered(e, "search [WORD...]", nil, "no-match")
}

func filtered(e *env, use string, args cobra.PositionalArgs, none string) *cobra.Command {
	var filter flags.Filter
	var columns []string
	cmd := &cobra.Command{Use: use, Args: args, RunE: command.Do(func(ctx context.Context, args []string) error {
		filter.Text = strings.Join(args, " ")
		f, err := filter.Tasks(time.Now(), e.Paths(ctx))
		if err != nil {
			return err
		}
		if columns, err = parseColumns(columns); err != nil {
			return err
		}
		if e.Out.Kind == output.Wide && len(columns) == 0 {
			columns = wideColumns
		}
		if !reflect.ValueOf(f).IsZero() {
			none = "no-match"
		}
		return e.With(ctx, func(ctx context.Context, s *session) error {
			tasks, err := s.FindTasks(ctx, f)
			if err != nil {
				return err
			}
			listTasks(e, tasks, columns, none)
			return nil
		})
	})}
	filter.Add(cmd)
	cmd.Flags().StringSliceVar(&columns, "columns", nil, "")
	cmd.Annotations["columns"] = strings.Join(columnNames(), ", ")
	_ = cmd.RegisterFlagCompletionFunc("columns", cobra.FixedCompletions(columnNames(), cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	return cmd
}

// listTasks shows tasks, or says that there is none.
func listTasks(e *env, tasks []task.Task, columns []string, none string) {
	if tasks == nil {
		tasks = []task.Task{}
	}
	e.Show(tasks, func() {
		if len(tasks) == 0 {
			e.PrintText(none)
			return
		}
		if len(columns) > 0 {
			taskTable(e, tasks, columns)
			return
		}
		seen := map[string]int{}
		for _, t := range tasks {
			seen[words.ShortID(t.ID)]++
		}
		for _, t := range tasks {
			id := words.ShortID(t.ID)
			if seen[id] > 1 {
				id = t.ID
			}
			e.Print("%s  %s  %-8s  %s", words.Printable(id), t.Created.Local().Format("2006-01-02 15:04"), wording.Name("state", t.State), wording.TaskTitle(t))
		}
	})
}

// renameTask gives a task a title.
func renameTask(ctx context.Context, s *session, id string, rest []string) error {
	t, err := s.RenameTask(ctx, id, tasks.RenameRequest{Title: rest[0]})
	return s.Reply(t, err, func() { s.PrintText("renamed", "title", wording.TaskTitle(t)) })
}

// againCommand starts a new task that asks for the same, and watches it.
func againCommand(e *env) *cobra.Command {
	var background detach
	var place string
	cmd := background.add(command.OnTask(e, "again ID [--runtime KIND]", cobra.ExactArgs(1), func(ctx context.Context, s *session, t task.Task, _ []string) error {
		r := tasks.AgainRequest{Accept: s.Yes, Runtime: place}
		if background.on {
			r.Detached = true
			t, err := s.StartAgain(ctx, t.ID, r)
			return background.started(s, t, err)
		}
		return taskAgain(ctx, s, t, r)
	}))
	cmd.Flags().StringVar(&place, "runtime", "", "")
	return cmd
}

func taskAgain(ctx context.Context, s *session, t task.Task, r tasks.AgainRequest) error {
	f := &follower{session: s, accepted: s.Yes, req: tasks.StartRequest{
		Kind: t.Kind, Chore: t.Chore, Accept: s.Yes, PlanOnly: t.Asked != nil && t.Asked.PlanOnly,
	}}
	return f.followNew(ctx, func(id string) (task.Task, error) {
		r.ID = id
		return s.StartAgain(ctx, t.ID, r)
	})
}

// exportCommand writes everything of a task into one file.
func exportCommand(e *env) *cobra.Command {
	var out string
	cmd := command.OnTask(e, "export ID [--out FILE.zip]", cobra.ExactArgs(1),
		func(ctx context.Context, s *session, t task.Task, _ []string) error {
			return exportTask(ctx, s, t, out)
		})
	cmd.Flags().StringVar(&out, "out", "", "")
	return cmd
}

func exportTask(ctx context.Context, s *session, t task.Task, out string) error {
	in, err := s.ExportTask(ctx, t.ID)
	if err != nil {
		return err
	}
	defer in.Close()
	if out == "-" {
		_, err := io.Copy(s.Answers(), in)
		return err
	}
	if out == "" {
		out = history.ExportName(t, wording.TaskTitle(t))
	}
	n, err := command.SaveNew(out, in)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(out)
	if err != nil {
		path = out
	}
	return s.Reply(map[string]any{"file": path, "bytes": n}, nil, func() { s.PrintText("written", "path", out, "bytes", n) })
}
