package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/lazyregexp"
)

// TaskFunc is a command about one task; rest are its further arguments.
type TaskFunc = func(ctx context.Context, s *Session, t task.Task, rest []string) error

// OnID makes a command about the task that its first argument names.
func OnID(e *Env, use string, args cobra.PositionalArgs, f func(ctx context.Context, s *Session, id string, rest []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, ValidArgsFunction: e.Complete(e.TaskOffer(anyTask), cobra.ShellCompDirectiveNoFileComp), RunE: e.Connected(func(ctx context.Context, s *Session, args []string) error {
		id, err := FindTask(ctx, s, args[0])
		if err != nil {
			return err
		}
		return f(ctx, s, id, args[1:])
	})}
}

// OnTask is OnID for a command that needs the record of the task.
func OnTask(e *Env, use string, args cobra.PositionalArgs, f TaskFunc) *cobra.Command {
	return OnID(e, use, args, func(ctx context.Context, s *Session, id string, rest []string) error {
		t, err := s.Task(ctx, id)
		if err != nil {
			return err
		}
		return f(ctx, s, t, rest)
	})
}

// OnEach is OnTask for a command that takes several tasks.
func OnEach(e *Env, use string, f func(ctx context.Context, s *Session, t task.Task) error) *cobra.Command {
	return About(e, anyTask, &cobra.Command{Use: use, Args: cobra.MinimumNArgs(1), RunE: e.Connected(func(ctx context.Context, s *Session, args []string) error {
		return e.Each(args, func(arg string) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			id, err := FindTask(ctx, s, arg)
			if err != nil {
				return err
			}
			t, err := s.Task(ctx, id)
			if err != nil {
				return err
			}
			return f(ctx, s, t)
		})
	})})
}

var idPattern = lazyregexp.New(`^[0-9A-Za-z-]{1,64}$`)

const fullID = 36 // characters of a UUID

// FindTask returns the id of the only task that begins with what was given.
func FindTask(ctx context.Context, s *Session, given string) (string, error) {
	if !idPattern().MatchString(given) {
		return "", flags.Usage("task-id", "id", given)
	}
	given = strings.ToLower(given)
	if len(given) == fullID {
		return given, nil
	}
	tasks, err := s.Tasks(ctx)
	if err != nil {
		return "", err
	}
	var found []string
	for _, t := range tasks {
		if strings.HasPrefix(t.ID, given) {
			found = append(found, t.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", problem.New(problem.CodeNotFound).With("task", given)
	default:
		return "", flags.Usage("several-tasks", "count", len(found), "id", given, "list", found)
	}
}
