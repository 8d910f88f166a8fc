package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/task"
)

// pruneCommand deletes tasks that are over. Those with changes to review stay.
func pruneCommand(e *env) *cobra.Command {
	var filter flags.Filter
	var older string
	var dryRun bool
	cmd := &cobra.Command{Use: "prune", Args: cobra.NoArgs}
	filter.AddFinal(cmd)
	cmd.Flags().StringVar(&older, "older-than", "", "")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "")
	cmd.RunE = command.Do(func(ctx context.Context, _ []string) error {
		now := time.Now()
		f, err := filter.Tasks(now, e.Paths(ctx))
		if err != nil {
			return err
		}
		var ended time.Time // zero is at any time
		if older != "" {
			age, err := flags.ParseAge("--older-than", older)
			if err != nil {
				return err
			}
			ended = now.Add(-age)
		}
		return e.With(ctx, func(ctx context.Context, s *session) error {
			p, err := prunable(ctx, s, f, ended)
			if err != nil {
				return err
			}
			return p.run(ctx, s, dryRun)
		})
	})
	return cmd
}

// prune is what prune deletes, and frees.
type prune struct {
	tasks     []task.Task
	frees     map[string]int64 // by id
	Deleted   []string         `json:"deleted"`  // ids; with --dry-run those that would be
	Bytes     int64            `json:"bytes"`    // of undo data and results
	Reviewing int              `json:"toReview"` // tasks that stay, because changes wait in them
}

// prunable finds the tasks that are over since a time.
func prunable(ctx context.Context, s *session, f task.Filter, ended time.Time) (p prune, err error) {
	all, err := s.FindTasks(ctx, f)
	if err != nil {
		return p, err
	}
	p.Deleted, p.frees = []string{}, map[string]int64{}
	for _, t := range all {
		over := t.Created
		if t.Ended != nil {
			over = *t.Ended
		}
		if !ended.IsZero() && over.After(ended) {
			continue
		}
		if n, err := countWaiting(ctx, s, t.ID); n > 0 || err != nil {
			p.Reviewing++ // or they can't be read: whoever named it would be asked
			continue
		}
		space, err := s.UndoSpace(ctx, t.ID)
		if err != nil && problem.From(err).Code != problem.CodeRecordDamaged {
			return p, err
		}
		p.frees[t.ID] = space.Bytes
		for _, r := range t.Results {
			if r.Folder == "" { // else it lies in a folder of the person, and stays
				p.frees[t.ID] += r.Size
			}
		}
		p.tasks = append(p.tasks, t)
	}
	return p, nil
}

func (p *prune) deleted(id string) {
	p.Deleted = append(p.Deleted, id)
	p.Bytes += p.frees[id]
}

func (p *prune) run(ctx context.Context, s *session, dryRun bool) error {
	if p.Reviewing > 0 {
		s.HintText("prune-kept", "count", p.Reviewing)
	}
	if len(p.tasks) == 0 {
		return s.Reply(p, nil, func() { s.PrintText("prune-none") })
	}
	if !s.JSON && (dryRun || !s.Yes) {
		for _, t := range p.tasks {
			_ = taskLine(s, t, nil)
		}
	}
	if dryRun {
		for _, t := range p.tasks {
			p.deleted(t.ID)
		}
		return s.Reply(p, nil, func() { s.PrintText("prune-would", "count", len(p.Deleted), "bytes", p.Bytes) })
	}
	if !s.Yes {
		var bytes int64
		for _, n := range p.frees {
			bytes += n
		}
		if err := s.Consent(ctx, terminal.Text("ask-prune", "count", len(p.tasks), "bytes", bytes)); err != nil {
			return err
		}
	}
	ids := make([]string, 0, len(p.tasks))
	for _, t := range slices.Backward(p.tasks) { // the oldest first
		ids = append(ids, t.ID)
	}
	err := s.Remaining(ids, func(id string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.DeleteTask(ctx, id, false)
		if err == nil {
			p.deleted(id)
		}
		return err
	})
	s.Show(p, func() { s.PrintText("pruned", "count", len(p.Deleted), "bytes", p.Bytes) })
	return err
}
