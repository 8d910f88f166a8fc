package command

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/background"
	"piwork/app/cli/wording"
	"piwork/app/task"
	"piwork/app/words"
)

const (
	completeWithin = 700 * time.Millisecond // a shell waits for no longer
	completeTasks  = 200                    // of which the newest are offered
)

// Offer lists what could be typed. s is nil where no controller runs: completing starts
// none, and takes no lock.
type Offer = func(ctx context.Context, s *Session) []cobra.Completion

// Asked is an offer that only a controller can make.
func Asked(of Offer) Offer {
	return func(ctx context.Context, s *Session) []cobra.Completion {
		if s == nil {
			return nil
		}
		return of(ctx, s)
	}
}

// Complete completes the first argument of a command, or the value of a flag. After an
// error it offers nothing: a shell can't show problems.
func (e *Env) Complete(of Offer, otherwise cobra.ShellCompDirective) cobra.CompletionFunc {
	each := e.CompleteEach(of, otherwise)
	return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return each(c, nil, begun)
	}
}

// CompleteFlag completes the value of a flag, whatever the arguments are.
func (e *Env) CompleteFlag(c *cobra.Command, flag string, of Offer) {
	each := e.CompleteEach(of, cobra.ShellCompDirectiveNoFileComp)
	_ = c.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return each(c, nil, begun)
	})
}

// CompleteEach completes each argument of a command, with what was not given yet.
func (e *Env) CompleteEach(of Offer, otherwise cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		parent := c.Context()
		if parent == nil { // of a flag's completion
			parent = context.Background()
		}
		ctx, cancel := context.WithTimeout(parent, cmp.Or(e.Options.CompleteWithin, completeWithin))
		defer cancel()
		for _, offered := range of(ctx, e.running(ctx)) {
			word, _, _ := strings.Cut(offered, "\t")
			if strings.HasPrefix(word, begun) && !slices.Contains(args, word) && !slices.Contains(out, offered) {
				out = append(out, offered)
			}
		}
		return out, otherwise
	}
}

// running is a session with the controller that runs; nil without one.
func (e *Env) running(ctx context.Context) *Session {
	if e.On != "" { // nobody waits for another computer, and what is here is not there
		return nil
	}
	c, process, _ := background.Find(ctx, e.AppOptions())
	if c == nil {
		return nil
	}
	return &Session{Session: &background.Session{Client: c, Process: process}, Env: e}
}

// TaskOffer offers the ids of tasks that fit, with their titles. Without a controller they are
// read from the disk.
func (e *Env) TaskOffer(fits func(task.Task) bool) Offer {
	return func(ctx context.Context, s *Session) (out []cobra.Completion) {
		var list []task.Task
		var err error
		if s != nil {
			list, err = s.FindTasks(ctx, task.Filter{Limit: completeTasks})
		} else {
			list, err = tasksOnDisk(e.AppOptions())
		}
		if err != nil {
			return nil
		}
		short := map[string]int{}
		for _, t := range list {
			short[words.ShortID(t.ID)]++
		}
		for _, t := range list {
			if !fits(t) {
				continue
			}
			id := words.ShortID(t.ID)
			if short[id] > 1 {
				id = t.ID
			}
			out = append(out, cobra.CompletionWithDesc(id, wording.Name("state", t.State)+", "+wording.TaskTitle(t)))
		}
		return out
	}
}

func tasksOnDisk(o app.Options) ([]task.Task, error) {
	list, _, err := task.ReadStore(o.TasksDir()).Find(task.Filter{Limit: completeTasks})
	return list[:min(len(list), completeTasks)], err
}

func anyTask(task.Task) bool { return true }

// TaskOver reports whether a task has ended.
func TaskOver(t task.Task) bool { return t.State.Final() }

// TaskAtWork reports whether a task has not ended.
func TaskAtWork(t task.Task) bool { return !t.State.Final() }

// TaskWaits reports whether a task waits for a person.
func TaskWaits(t task.Task) bool { return t.State == task.StateWaiting }

// TaskResumable reports whether a task did not get to its end.
func TaskResumable(t task.Task) bool { return t.State.Final() && t.State != task.StateDone }

// About has a command complete the tasks that it is about.
func About(e *Env, fits func(task.Task) bool, c *cobra.Command) *cobra.Command {
	c.ValidArgsFunction = e.CompleteEach(e.TaskOffer(fits), cobra.ShellCompDirectiveNoFileComp)
	return c
}
