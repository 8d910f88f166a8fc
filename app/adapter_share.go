package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"piwork/app/task"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
)

// realShare serves a task's folders over 9p.
type realShare struct {
	set *share.Set
	log *slog.Logger
}

// realSharer makes shares; j is a *realJournal or nil.
func realSharer(o Options) sharer {
	return func(folders []task.Folder, j changeJournal) (fileShare, error) {
		set := share.NewSet(share.Options{})
		for _, f := range folders {
			var files *journal.Journal
			if real, ok := j.(*realJournal); ok {
				files = real.j
			}
			added, err := set.Add(share.Folder{ID: f.ID, Path: f.Path, Name: f.Name, ReadOnly: f.Mode == task.ModeReadOnly}, files)
			if err == nil && added.Name != f.Name {
				err = fmt.Errorf("the folder %q would be called %q in the guest", f.Name, added.Name)
			}
			if err != nil {
				set.Close()
				return nil, err
			}
		}
		return &realShare{set: set, log: o.Log}, nil
	}
}

func (s *realShare) serve(ctx context.Context, conn io.ReadWriteCloser) error {
	return ninep.Serve(ctx, conn, s.set, ninep.Options{Log: s.log})
}

func (s *realShare) close() error {
	s.set.Close()
	return nil
}

// realJournal is the journal of one task.
type realJournal struct{ j *journal.Journal }

func realJournals(o Options) journalOpener {
	return func(dir string, _ []task.Folder) (changeJournal, error) {
		j, err := journal.Open(dir, journal.Options{Log: o.Log})
		if err != nil {
			return nil, err
		}
		return &realJournal{j: j}, nil
	}
}

func (r *realJournal) changes(ctx context.Context) ([]journal.Change, error) { return r.j.Changes(ctx) }

func (r *realJournal) undo(ctx context.Context, ids []string) (UndoReport, error) {
	done, err := r.j.Undo(ctx, ids)
	report := UndoReport{Undone: nonNil(done.Undone), Conflicts: []UndoConflict{}}
	for _, c := range done.Conflicts {
		report.Conflicts = append(report.Conflicts, UndoConflict{Change: c.Change, Reason: string(c.Reason), Detail: c.Detail})
	}
	return report, err
}

func (r *realJournal) close() error { return r.j.Close() }
