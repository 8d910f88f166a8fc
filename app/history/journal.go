package history

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"piwork/app/changes"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/journal"
)

// Journal is what a task changed in its folders, and what waits in front of
// those in mode review. Contents that it opened stay readable when it is closed.
type Journal interface {
	Changes(ctx context.Context) ([]journal.Change, error)
	Content(ctx context.Context, id string, side changes.Which) (changes.Content, error)
	Undo(ctx context.Context, r UndoRequest) (journal.Report, error)
	Redo(ctx context.Context, r RedoRequest) (RedoReport, error)
	Apply(ctx context.Context, r ApplyRequest) (ApplyReport, error)
	// Extend has the journal ready for another folder, or for one in another mode.
	Extend(f task.Folder)
	Close() error
}

// Opener opens or makes the journal in dir.
type Opener func(dir string, folders []task.Folder, room Room) (Journal, error)

// Room bounds what a journal keeps; the zero value does not.
type Room struct {
	Bytes  int64
	More   journal.OnFull // asked when that is reached
	Memory journal.OnFull // asked when the memory for it is used up
	late   bool           // there is no journal, and none is made before something is applied
}

// taskJournal is the journal of one task, with the layers in front of those of its
// folders whose changes wait.
type taskJournal struct {
	j    *journal.Journal // nil: there is none, until something is applied
	open func() (*journal.Journal, error)
	dir  string
	log  *slog.Logger

	mu     sync.Mutex
	layers []*waiting
	dirs   []string // the folders
}

// answered returns what use returns, which needs the drives of the folders. Where one does not
// answer it is a *drive.SilentError; use goes on when that does, and keeps the journal until then.
func answered[T any](r *taskJournal, use func() (T, error)) (T, error) {
	var out, none T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err = use()
	}()
	r.mu.Lock()
	dirs := slices.Clone(r.dirs)
	r.mu.Unlock()
	if left := drive.Wait(context.Background(), done, drive.Silence(), dirs...); left != nil {
		return none, left
	}
	return out, err
}

// waits returns the layers.
func (r *taskJournal) waits() []*waiting {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.layers)
}

// Extend implements Journal.
func (r *taskJournal) Extend(f task.Folder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.dirs, f.Path) {
		r.dirs = append(r.dirs, f.Path)
	}
	if slices.ContainsFunc(r.layers, func(w *waiting) bool { return w.folder == f.ID && w.err == nil }) {
		return
	}
	r.layers = slices.DeleteFunc(slices.Clone(r.layers), func(w *waiting) bool { return w.folder == f.ID })
	if w := openLayer(r.dir, f, r.log); w != nil {
		r.layers = append(r.layers, w)
	}
}

// Journals opens journals as they are on the disk. kept grows by the bytes that tasks have
// them keep; it may be nil.
func Journals(log *slog.Logger, kept *atomic.Int64) Opener {
	return func(dir string, folders []task.Folder, room Room) (Journal, error) {
		r := &taskJournal{dir: dir, log: log, open: func() (*journal.Journal, error) {
			given, err := readForgotten(filepath.Join(filepath.Dir(dir), forgottenName))
			if err != nil {
				return nil, err
			}
			return journal.Open(dir, journal.Options{Log: log, MaxBytes: room.Bytes, OnFull: room.More, OnMemory: room.Memory, Above: highest(given), Kept: kept})
		}}
		if !room.late {
			var err error
			if r.j, err = r.opened(folders); err != nil {
				return nil, err
			}
		}
		for _, f := range folders {
			r.Extend(f)
		}
		return r, nil
	}
}

// opened opens the journal. That finishes an undo that was interrupted, which needs the drives of
// the folders: it is a *drive.SilentError when one does not answer.
func (r *taskJournal) opened(folders []task.Folder) (*journal.Journal, error) {
	if !journal.Unfinished(r.dir) {
		return r.open()
	}
	return drive.AwaitAll(context.Background(), task.Paths(folders), r.open, func(j *journal.Journal) { _ = j.Close() })
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

// Changes leaves out what waits in front of a folder that cannot be reached, and says why
// when there is nothing else: whoever applies everything hears of it, too.
func (r *taskJournal) Changes(ctx context.Context) ([]journal.Change, error) {
	return answered(r, func() ([]journal.Change, error) { return r.changes(ctx) })
}

func (r *taskJournal) changes(ctx context.Context) ([]journal.Change, error) {
	var out []journal.Change
	var away error
	if r.j != nil {
		var err error
		if out, err = r.j.Changes(ctx); err != nil {
			return nil, err
		}
	}
	for _, w := range r.waits() {
		if w.err != nil {
			r.log.Warn("what waits in front of a folder is not listed", "folder", w.folder, "error", w.err)
			away = errors.Join(away, w.err)
			continue
		}
		staged, err := w.changes(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, staged...)
	}
	if len(out) == 0 {
		return nil, away
	}
	return out, nil
}

// Content implements Journal.
func (r *taskJournal) Content(ctx context.Context, id string, side changes.Which) (changes.Content, error) {
	return answered(r, func() (changes.Content, error) { return r.content(ctx, id, side) })
}

func (r *taskJournal) content(ctx context.Context, id string, side changes.Which) (changes.Content, error) {
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

// Undo takes changes back. What is to be answered in one way is asked for again
// with that answer, once it is known what it is.
func (r *taskJournal) Undo(ctx context.Context, req UndoRequest) (journal.Report, error) {
	return answered(r, func() (journal.Report, error) { return r.undo(ctx, req) })
}

func (r *taskJournal) undo(ctx context.Context, req UndoRequest) (journal.Report, error) {
	for _, id := range req.IDs {
		if w, _ := r.waitingFor(id); w != nil {
			return journal.Report{}, problem.BadRequest("ids", "%q waits: it is applied or thrown away", id)
		}
	}
	if r.j == nil {
		return journal.Report{}, unknownAmong(req.IDs)
	}
	options := journal.UndoOptions{Resolve: map[string]journal.Resolution{}, May: req.may}
	maps.Copy(options.Resolve, req.Resolve)
	done, err := r.j.Undo(ctx, req.IDs, options)
	if err != nil || req.OnConflict == "" || len(done.Conflicts) == 0 {
		return undoReport(done), err
	}
	var ids []string
	for _, c := range done.Conflicts {
		if options.Resolve[c.Change.ID] == "" {
			ids = append(ids, c.Change.ID)
			options.Resolve[c.Change.ID] = req.OnConflict
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

// undoReport lists what is undone but for its rights among the conflicts.
func undoReport(r journal.Report) journal.Report {
	r.Conflicts = append(r.Conflicts, r.Lacking...)
	return r
}

// unknownAmong is the error of asking for changes where there is no journal.
func unknownAmong(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %q", journal.ErrUnknownChange, ids[0])
}

// Redo implements Journal.
func (r *taskJournal) Redo(ctx context.Context, req RedoRequest) (RedoReport, error) {
	return answered(r, func() (RedoReport, error) {
		if r.j == nil {
			return RedoReport{}, unknownAmong(req.IDs)
		}
		done, err := r.j.RedoIf(ctx, req.IDs, req.may)
		return RedoReport{Redone: done.Redone, Conflicts: done.Conflicts}, err
	})
}

// Close implements Journal.
func (r *taskJournal) Close() error {
	_, err := answered(r, func() (struct{}, error) { return struct{}{}, r.close() })
	return err
}

func (r *taskJournal) close() error {
	var errs []error
	for _, w := range r.waits() {
		errs = append(errs, w.close())
	}
	if r.j != nil {
		errs = append(errs, r.j.Close())
	}
	return errors.Join(errs...)
}

// Files is where what happens to files is written down; nil while there is none.
func (r *taskJournal) Files() *journal.Journal { return r.j }
