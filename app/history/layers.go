package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/app/task"
	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/review"
)

// reviewDir is beside the journal of a task: a layer for each folder.
const reviewDir = "review"

// waiting is the changes that wait in front of one folder. Without l, err says
// why it cannot be opened: only what needs it fails then.
type waiting struct {
	folder string
	l      *review.Layer
	err    error
}

// openLayer opens the layer of a folder beside the journal in dir; nil where it has
// none. A folder that got another mode while its task ran may have one.
func openLayer(dir string, f task.Folder, log *slog.Logger) *waiting {
	at := filepath.Join(filepath.Dir(dir), reviewDir, f.ID)
	if _, err := os.Lstat(at); f.Mode != task.ModeReview && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	w := &waiting{folder: f.ID}
	w.l, w.err = drive.Await(context.Background(), f.Path, func() (*review.Layer, error) {
		l, err := review.Open(at, f.Path, review.Options{Folder: f.ID, Log: log})
		if _, gone := os.Stat(f.Path); err != nil && errors.Is(gone, fs.ErrNotExist) {
			err = &share.RefusedError{Code: share.RefusedMissing, Path: f.Path, Err: err}
		}
		return l, err
	}, func(l *review.Layer) { _ = l.Close() })
	return w
}

// A change that waits is known by its folder and its id in the layer.
const layerMark = "."

// staged makes a change of the layer one of the task.
func (w *waiting) staged(c journal.Change) journal.Change {
	c.ID, c.Staged = w.folder+layerMark+c.ID, true
	return c
}

func (w *waiting) all(list []journal.Change) []journal.Change {
	out := make([]journal.Change, 0, len(list))
	for _, c := range list {
		out = append(out, w.staged(c))
	}
	return out
}

func (w *waiting) changes(ctx context.Context) ([]journal.Change, error) {
	list, err := w.l.Changes(ctx)
	return w.all(list), err
}

func (w *waiting) close() error {
	if w.l == nil {
		return nil
	}
	return w.l.Close()
}

// Layer is the one in front of a folder.
func (r *taskJournal) Layer(folder string) (*review.Layer, error) {
	for _, w := range r.waits() {
		switch {
		case w.folder != folder:
		case w.err != nil:
			return nil, w.err
		default:
			return w.l, w.l.Moved()
		}
	}
	return nil, fmt.Errorf("the folder %s has no layer", folder)
}

// waitingFor returns where a change waits, and its id there; nil for others.
func (r *taskJournal) waitingFor(id string) (*waiting, string) {
	folder, own, ok := strings.Cut(id, layerMark)
	if !ok {
		return nil, ""
	}
	for _, w := range r.waits() {
		if w.folder == folder {
			return w, own
		}
	}
	return nil, ""
}

// Apply decides about changes that wait; those that are applied are the journal's
// from then on.
func (r *taskJournal) Apply(ctx context.Context, req ApplyRequest) (ApplyReport, error) {
	return answered(r, func() (ApplyReport, error) { return r.apply(ctx, req) })
}

func (r *taskJournal) apply(ctx context.Context, req ApplyRequest) (ApplyReport, error) {
	of := map[*waiting][]string{}
	for _, id := range req.IDs {
		w, own := r.waitingFor(id)
		if w == nil {
			return ApplyReport{}, fmt.Errorf("%w: %q does not wait", journal.ErrUnknownChange, id)
		}
		of[w] = append(of[w], own)
	}
	if !req.Discard {
		if _, err := r.journal(); err != nil {
			return ApplyReport{}, err
		}
	}
	var out ApplyReport
	if err := r.mayApply(ctx, of, req); err != nil {
		return out, err
	}
	var away error
	for _, w := range r.waits() {
		if len(req.IDs) > 0 && of[w] == nil {
			continue
		}
		if w.err != nil { // the others do not wait for it
			away = errors.Join(away, w.err)
			continue
		}
		if req.Discard {
			done, err := w.l.Discard(ctx, of[w], r.journal)
			if w.add(&out, done); err != nil {
				return out, err
			}
			continue
		}
		if err := r.applyLayer(ctx, w, of[w], req, &out); err != nil {
			return out, err
		}
	}
	return out, away
}

// journal is the journal of the task, made when there is none.
func (r *taskJournal) journal() (*journal.Journal, error) {
	if r.j == nil {
		var err error
		if r.j, err = r.open(); err != nil {
			return nil, err
		}
	}
	return r.j, nil
}

// mayApply asks about all that is to be done in front of several folders, before anything is. What is
// applied from one alone, its layer asks about.
func (r *taskJournal) mayApply(ctx context.Context, of map[*waiting][]string, req ApplyRequest) error {
	if req.may == nil || len(r.waits()) < 2 && !req.Discard {
		return nil
	}
	var all []journal.Change
	for _, w := range r.waits() {
		if len(req.IDs) > 0 && of[w] == nil || w.err != nil {
			continue
		}
		if req.Discard {
			list, err := w.l.Discards(ctx, of[w])
			if err != nil {
				return err
			}
			all = append(all, w.all(list)...)
			continue
		}
		ask := func(list []journal.Change) error { all = append(all, w.all(list)...); return errShown }
		if _, err := w.l.Apply(ctx, r.j, of[w], r.answersFor(w, req, ask)); err != nil && !errors.Is(err, errShown) {
			return err
		}
	}
	return req.may.Ask(all)
}

// applyAnswers are the words of a layer for answers to conflicts.
var applyAnswers = map[journal.Resolution]journal.Resolution{journal.Keep: journal.Keep, journal.Restore: review.Replace, journal.Both: journal.Both}

// answersFor are the options of a layer.
func (r *taskJournal) answersFor(w *waiting, req ApplyRequest, may journal.May) review.ApplyOptions {
	o := review.ApplyOptions{Resolve: map[string]journal.Resolution{}, May: may}
	for id, answer := range req.Resolve {
		if at, own := r.waitingFor(id); at == w {
			o.Resolve[own] = applyAnswers[answer]
		}
	}
	return o
}

// applyLayer applies changes of one folder. Conflicts that are to be answered in
// one way are asked for again with that answer, once it is known what they are.
func (r *taskJournal) applyLayer(ctx context.Context, w *waiting, ids []string, req ApplyRequest, out *ApplyReport) error {
	options := r.answersFor(w, req, func(list []journal.Change) error { return req.may.Ask(w.all(list)) })
	done, err := w.l.Apply(ctx, r.j, ids, options)
	w.add(out, done)
	if err != nil {
		return err
	}
	left, again := done.Conflicts, []string(nil)
	if req.OnConflict != "" {
		for _, c := range left {
			if options.Resolve[c.Change.ID] == "" {
				again = append(again, c.Change.ID)
				options.Resolve[c.Change.ID] = applyAnswers[req.OnConflict]
			}
		}
		left = slices.DeleteFunc(slices.Clone(left), func(c journal.Conflict) bool { return slices.Contains(again, c.Change.ID) })
	}
	if len(again) > 0 {
		done, err = w.l.Apply(ctx, r.j, again, options)
		w.add(out, done)
		left = append(left, done.Conflicts...)
	}
	for _, c := range left {
		out.Conflicts = append(out.Conflicts, journal.Conflict{Change: w.staged(c.Change), Reason: c.Reason, Detail: c.Detail})
	}
	return err
}

func (w *waiting) add(out *ApplyReport, r review.Report) {
	out.Applied = append(out.Applied, w.all(r.Applied)...)
	out.Discarded = append(out.Discarded, w.all(r.Kept)...)
	for id, name := range r.Beside {
		if out.Beside == nil {
			out.Beside = map[string]string{}
		}
		out.Beside[w.folder+layerMark+id] = name
	}
}
