package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"piwork/app/changes"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
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
	return func(folders []task.Folder, j changeJournal, g *guard.Guard) (fileShare, error) {
		s := &realShare{set: share.NewSet(share.Options{}), log: o.Log}
		for _, f := range folders {
			if err := s.add(f, j, g); err != nil {
				s.set.Close()
				return nil, err
			}
		}
		return s, nil
	}
}

// add implements fileShare.
func (s *realShare) add(f task.Folder, j changeJournal, g *guard.Guard) error {
	var files *journal.Journal
	if real, ok := j.(*realJournal); ok {
		files = real.j
	}
	folder := share.Folder{ID: f.ID, Path: f.Path, Name: f.Name, ReadOnly: f.Mode == task.ModeReadOnly}
	if f.Mode == task.ModeReadWrite { // what waits for a review changes nothing yet
		folder.Guard = g
	}
	added, err := addFolder(s.set, folder, f.Mode, files, j)
	if err == nil && added.Name != f.Name {
		s.set.Remove(f.ID)
		err = fmt.Errorf("the folder %q would be called %q in the guest", f.Name, added.Name)
	}
	return err
}

// remove implements fileShare.
func (s *realShare) remove(id string) { s.set.Remove(id) }

func (s *realShare) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	return ninep.Serve(ctx, conn, s.set, ninep.Options{Log: s.log})
}

// addState implements stateShare.
func (s *realShare) addState(dir string) error { return s.set.AddState(dir, 0) }

func (s *realShare) Close() error {
	s.set.Close()
	return nil
}

// addFolder shares a folder: itself, or with a layer in front of it.
func addFolder(set *share.Set, folder share.Folder, mode task.Mode, files *journal.Journal, j changeJournal) (share.Folder, error) {
	if real, ok := j.(*realJournal); ok && mode == task.ModeReview {
		l, err := real.layer(folder.ID)
		if err != nil {
			return folder, err
		}
		return set.AddStore(folder, l.Store())
	}
	return set.Add(folder, files)
}

// realJournal is the journal of one task, with the layers in front of those of its
// folders whose changes wait.
type realJournal struct {
	j    *journal.Journal // nil: there is none, until something is applied
	open func() (*journal.Journal, error)
	dir  string
	log  *slog.Logger

	mu     sync.Mutex
	layers []*waiting
}

// waits returns the layers.
func (r *realJournal) waits() []*waiting {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.layers)
}

// extend implements changeJournal.
func (r *realJournal) extend(f task.Folder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.layers, func(w *waiting) bool { return w.folder == f.ID && w.err == nil }) {
		return
	}
	r.layers = slices.DeleteFunc(slices.Clone(r.layers), func(w *waiting) bool { return w.folder == f.ID })
	if w := openLayer(r.dir, f, r.log); w != nil {
		r.layers = append(r.layers, w)
	}
}

func realJournals(o Options) journalOpener {
	return func(dir string, folders []task.Folder, room undoRoom) (changeJournal, error) {
		r := &realJournal{dir: dir, log: o.Log, open: func() (*journal.Journal, error) {
			given, err := readForgotten(filepath.Join(filepath.Dir(dir), forgottenName))
			if err != nil {
				return nil, err
			}
			return journal.Open(dir, journal.Options{Log: o.Log, MaxBytes: room.bytes, OnFull: room.more, OnMemory: room.memory, Above: highest(given)})
		}}
		if !room.late {
			var err error
			if r.j, err = r.open(); err != nil {
				return nil, err
			}
		}
		for _, f := range folders {
			r.extend(f)
		}
		return r, nil
	}
}

// highest is the highest number among the ids of changes: a journal that follows a
// forgotten one must not give any of them to another change.
func highest(list []journal.Change) uint32 {
	most := uint32(0)
	for _, c := range list {
		if n, err := strconv.ParseUint(strings.TrimLeft(c.ID, "eno"), 10, 32); err == nil {
			most = max(most, uint32(n))
		}
	}
	return most
}

func (r *realJournal) changes(ctx context.Context) ([]journal.Change, error) {
	var out []journal.Change
	if r.j != nil {
		var err error
		if out, err = r.j.Changes(ctx); err != nil {
			return nil, err
		}
	}
	for _, w := range r.waits() {
		staged, err := w.changes(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, staged...)
	}
	return out, nil
}

func (r *realJournal) content(ctx context.Context, id string, side changes.Which) (changes.Content, error) {
	var content *journal.Content
	var err error
	switch w, own := r.waitingFor(id); {
	case w != nil && w.err != nil:
		return nil, w.err
	case w != nil:
		content, err = w.l.Content(ctx, own, journal.Side(side))
	case r.j == nil:
		return nil, fmt.Errorf("%w: %q", journal.ErrUnknownChange, id)
	default:
		content, err = r.j.Content(ctx, id, journal.Side(side))
	}
	switch {
	case errors.Is(err, journal.ErrChangedSince):
		return nil, fmt.Errorf("%w: %w", changes.ErrGone, err)
	case errors.Is(err, journal.ErrNoContent):
		return nil, fmt.Errorf("%w: %w", changes.ErrNotKept, err)
	case err != nil:
		return nil, err
	}
	return content, nil
}

// undo takes changes back. What is to be answered in one way is asked for again
// with that answer, once it is known what it is.
func (r *realJournal) undo(ctx context.Context, req UndoRequest) (UndoReport, error) {
	for _, id := range req.IDs {
		if w, _ := r.waitingFor(id); w != nil {
			return UndoReport{}, problem.BadRequest("ids", "%q waits: it is applied or thrown away", id)
		}
	}
	if r.j == nil {
		return UndoReport{}, unknownAmong(req.IDs)
	}
	options := journal.UndoOptions{Resolve: map[string]journal.Resolution{}}
	for id, answer := range req.Resolve {
		options.Resolve[id] = journal.Resolution(answer)
	}
	done, err := r.j.Undo(ctx, req.IDs, options)
	if err != nil || req.OnConflict == "" || len(done.Conflicts) == 0 {
		return undoReport(done), err
	}
	var ids []string
	for _, c := range done.Conflicts {
		if options.Resolve[c.Change.ID] == "" {
			ids = append(ids, c.Change.ID)
			options.Resolve[c.Change.ID] = journal.Resolution(req.OnConflict)
		}
	}
	if len(ids) == 0 {
		return undoReport(done), nil
	}
	again, err := r.j.Undo(ctx, ids, options)
	again.Conflicts = append(again.Conflicts, slices.DeleteFunc(done.Conflicts, func(c journal.Conflict) bool {
		return slices.Contains(ids, c.Change.ID)
	})...)
	again.Undone, again.Kept = append(done.Undone, again.Undone...), append(done.Kept, again.Kept...)
	again.Lacking = append(done.Lacking, again.Lacking...)
	if again.Beside == nil {
		again.Beside = map[string]string{}
	}
	maps.Copy(again.Beside, done.Beside)
	return undoReport(again), err
}

func undoReport(r journal.Report) UndoReport {
	return UndoReport{Undone: r.Undone, Conflicts: conflicts(append(r.Conflicts, r.Lacking...)), Kept: r.Kept, Beside: r.Beside}
}

// unknownAmong is the error of asking for changes where there is no journal.
func unknownAmong(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %q", journal.ErrUnknownChange, ids[0])
}

func conflicts(list []journal.Conflict) []UndoConflict {
	out := make([]UndoConflict, 0, len(list))
	for _, c := range list {
		out = append(out, UndoConflict{Change: c.Change, Reason: string(c.Reason), Detail: c.Detail})
	}
	return out
}

func (r *realJournal) redo(ctx context.Context, req RedoRequest) (RedoReport, error) {
	if r.j == nil {
		return RedoReport{}, unknownAmong(req.IDs)
	}
	done, err := r.j.Redo(ctx, req.IDs)
	return RedoReport{Redone: done.Redone, Conflicts: conflicts(done.Conflicts)}, err
}

func (r *realJournal) close() error {
	var errs []error
	for _, w := range r.waits() {
		errs = append(errs, w.close())
	}
	if r.j != nil {
		errs = append(errs, r.j.Close())
	}
	return errors.Join(errs...)
}
