package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/history"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

// searchCommand lists the tasks in which words are found.
func searchCommand(e *env) *cobra.Command {
	var states, kinds []string
	cmd := &cobra.Command{Use: "search [WORD...]", Annotations: map[string]string{
		"states": strings.Join(names(stateOrder), ", "), "kinds": strings.Join(names(kindOrder), ", ")}}
	cmd.Flags().StringArrayVar(&states, "state", nil, "")
	cmd.Flags().StringArrayVar(&kinds, "kind", nil, "")
	cmd.RunE = command.Do(func(ctx context.Context, args []string) error {
		f := task.Filter{Text: strings.Join(args, " ")}
		for _, s := range states {
			if !slices.Contains(stateOrder, task.State(s)) {
				return flags.Usage("one-of", "flag", "--state", "value", s, "choices", names(stateOrder))
			}
			f.States = append(f.States, task.State(s))
		}
		for _, k := range kinds {
			if !slices.Contains(kindOrder, task.Kind(k)) {
				return flags.Usage("one-of", "flag", "--kind", "value", k, "choices", names(kindOrder))
			}
			f.Kinds = append(f.Kinds, task.Kind(k))
		}
		return e.With(ctx, func(ctx context.Context, s *session) error {
			tasks, err := s.FindTasks(ctx, f)
			if err != nil {
				return err
			}
			listTasks(e, tasks, "no-match")
			return nil
		})
	})
	return cmd
}

var (
	stateOrder = []task.State{task.StateQueued, task.StatePreparing, task.StateRunning, task.StateWaiting, task.StateDone, task.StateFailed, task.StateCancelled}
	kindOrder  = []task.Kind{task.KindChore, task.KindAI, task.KindExec, task.KindTool}
)

func names[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// listTasks shows tasks, or says that there is none.
func listTasks(e *env, tasks []task.Task, none string) {
	if tasks == nil {
		tasks = []task.Task{}
	}
	e.Show(tasks, func() {
		if len(tasks) == 0 {
			e.PrintText(none)
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

// taskAgain starts a new task that asks for the same, and watches it.
func taskAgain(ctx context.Context, s *session, t task.Task, _ []string) error {
	f := &follower{session: s, accepted: s.Yes, req: tasks.StartRequest{
		Kind: t.Kind, Chore: t.Chore, Accept: s.Yes, PlanOnly: t.Asked != nil && t.Asked.PlanOnly,
	}}
	return f.followNew(ctx, func(id string) (task.Task, error) {
		return s.StartAgain(ctx, t.ID, tasks.AgainRequest{ID: id, Accept: s.Yes})
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
		_, err := io.Copy(s.Stdout, in)
		return err
	}
	if out == "" {
		out = history.ExportName(t)
	}
	f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return flags.Usage("file-exists", "path", out)
	}
	if err != nil {
		return fmt.Errorf("export a task: %w", err)
	}
	n, err := io.Copy(f, in)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(out) // half a file helps nobody
		return fmt.Errorf("export a task: %w", err)
	}
	path, err := filepath.Abs(out)
	if err != nil {
		path = out
	}
	return s.Reply(map[string]any{"file": path, "bytes": n}, nil, func() { s.PrintText("written", "path", out, "bytes", n) })
}
