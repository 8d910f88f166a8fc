package history

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/app/audit"
	"piwork/app/durable"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
)

// Limits of what is kept.
const (
	DefaultUndoDays = 90
	MaxUndoDays     = 36_500
	DefaultUndoMB   = 10_000                                      // of one task, in millions of bytes
	DefaultWriteMB  = (guard.DefaultWrites + 999_999) / 1_000_000 // what stands for it where a size is shown or chosen
	MinUndoMB       = 64                                          // of what is kept, and of what is written
	MaxUndoMB       = 1_000_000_000
	expireAfter     = 10 * time.Second // of the start, which is not to be slower for it
	expireEvery     = 6 * time.Hour
	finishAgain     = 10 * time.Second    // where an interrupted undo waits, for a drive for example; twice as long each time
	longPause       = 40 * 24 * time.Hour // without a task, after which the clock may rather be wrong
	believedAfter   = 24 * time.Hour
	forgottenName   = "changes.json" // beside the journal, instead of it
	forgottenMax    = 256 << 20      // bytes of that file
	seenName        = "undo-since"   // beside the journal: when it was first looked at
)

// forgotten is the content of changes.json: the list of a task whose journal was
// given up.
type forgotten struct {
	V       int              `json:"v"`
	Time    time.Time        `json:"time"`
	Changes []journal.Change `json:"changes"`
}

func keepFor(days int) time.Duration { return time.Duration(days) * 24 * time.Hour }

// keptSince is from when on the undo of a task is kept; zero while it has not ended. A task
// that ran while the clock was wrong (an empty battery says 2010) is old from its end, so what
// counts is when its journal was first looked at, if the end cannot be right.
func (h *History) keptSince(t task.Task) time.Time {
	if !t.State.Final() || t.Ended == nil {
		return time.Time{}
	}
	if seen := h.seen(t.ID); seen.After(*t.Ended) {
		return seen
	}
	return *t.Ended
}

func (h *History) seenFile(id string) string { return filepath.Join(h.o.Store.Dir(id), seenName) }

// seen is when a journal was first looked at; zero is never.
func (h *History) seen(id string) time.Time {
	data, err := os.ReadFile(h.seenFile(id))
	if err != nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(data)))
	if err != nil {
		return time.Time{}
	}
	return at
}

// see writes down when a journal is first looked at, unless that was before: the end of its task,
// where that can be. A time to come is from a clock that was ahead.
func (h *History) see(t task.Task, now time.Time, keep time.Duration) error {
	if at := h.seen(t.ID); !at.IsZero() && !at.After(now) {
		return nil
	}
	at := now
	if t.Ended != nil && !t.Ended.After(now) && now.Sub(*t.Ended) <= max(keep, keepFor(DefaultUndoDays)) {
		at = *t.Ended
	}
	return durable.WriteFile(h.seenFile(t.ID), []byte(at.UTC().Format(time.RFC3339Nano)+"\n"))
}

// UndoSpace says what is kept for taking the changes of a task back.
func (h *History) UndoSpace(_ context.Context, id string) (UndoSpace, error) {
	t, err := h.o.Store.Get(id)
	if err != nil {
		return UndoSpace{}, registry.Problem(id, err)
	}
	return h.undoSpace(t)
}

func (h *History) undoSpace(t task.Task) (UndoSpace, error) {
	bytes, there, err := durable.SizeOf(h.o.Store.JournalDir(t.ID))
	if err != nil {
		return UndoSpace{}, problem.From(err)
	}
	out := UndoSpace{Bytes: bytes, Unfinished: journal.Unfinished(h.o.Store.JournalDir(t.ID))}
	if there {
		if since, days := h.keptSince(t), h.o.Choice.Get().Days; days != 0 && !since.IsZero() && !out.Unfinished {
			out.Expires = new(since.Add(keepFor(days)))
		}
		return out, nil
	}
	_, err = os.Lstat(h.forgottenFile(t.ID))
	out.Forgotten = err == nil
	return out, nil
}

func (h *History) forgottenFile(id string) string {
	return filepath.Join(h.o.Store.Dir(id), forgottenName)
}

// Forgotten is the list of a task whose journal was given up; empty for
// others. It leaves out the changes in has, those of the journal that is there: giving
// up that one did not come to its end.
func (h *History) Forgotten(id string, has []journal.Change) ([]journal.Change, error) {
	list, err := readForgotten(h.forgottenFile(id))
	if len(list) == 0 || len(has) == 0 {
		return list, err
	}
	there := map[string]bool{}
	for _, c := range has {
		there[c.ID] = true
	}
	return slices.DeleteFunc(list, func(c journal.Change) bool { return there[c.ID] }), err
}

func readForgotten(file string) ([]journal.Change, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > forgottenMax {
		return nil, unread(errors.New("it is too large"))
	}
	var list forgotten
	if err := json.NewDecoder(f).Decode(&list); err != nil {
		return nil, unread(err)
	}
	return list.Changes, nil
}

func unread(err error) error {
	return problem.New(problem.CodeRecordDamaged).Because(fmt.Errorf("read %s: %w", forgottenName, err))
}

// ForgetUndo gives up what is kept for taking changes back; abandon is as of FinishOrAbandon.
func (h *History) ForgetUndo(ctx context.Context, id string, abandon bool) (UndoSpace, error) {
	return h.forgetUndo(ctx, id, abandon, audit.Decision{Topic: undoData, Answer: "removed"})
}

// undoData is what the audit log calls what is kept for undo.
const undoData = "undo-data"

func (h *History) forgetUndo(ctx context.Context, id string, abandon bool, d audit.Decision) (UndoSpace, error) {
	ctx, done, err := h.o.Registry.UseFor(ctx, registry.Use{Task: id})
	if err != nil {
		return UndoSpace{}, err
	}
	defer done()
	t, release, err := h.o.Registry.HoldTask(ctx, id)
	if err != nil {
		return UndoSpace{}, err
	}
	defer release()
	if err := h.forget(ctx, t, abandon, d); err != nil {
		return UndoSpace{}, problem.From(err)
	}
	return h.undoSpace(t)
}

// forget replaces the journal of a task that is held by its list. Dying between
// two steps leaves the journal, which counts although its list is written, or one that is
// forgotten at the next time. An undo that was interrupted is finished first, or the journal stays
// unless the person abandons it: without it the folder is half undone for ever.
func (h *History) forget(ctx context.Context, t task.Task, abandon bool, d audit.Decision) error {
	dir := h.o.Store.JournalDir(t.ID)
	gone := dir + ".gone"
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(gone)
	}
	given, err := h.finishUnless(ctx, t, abandon)
	if err != nil {
		return err
	}
	var now []journal.Change
	if given { // opening the journal would finish it after all, or wait for a drive
		now, err = journal.Recorded(ctx, dir, journal.Options{Log: h.o.Log})
	} else {
		err = h.WithJournal(t, func(j Journal) (err error) {
			now, err = j.Changes(ctx)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("list the changes: %w", err)
	}
	list, err := h.Forgotten(t.ID, now)
	if err != nil {
		return err
	}
	for _, change := range now {
		if !change.Staged { // those stay where they wait
			list = append(list, change)
		}
	}
	if given {
		if err := h.abandoned(ctx, t.ID); err != nil {
			return err
		}
	}
	if err := h.o.Audit.Decide(ctx, t.ID, d); err != nil {
		return err
	}
	data, err := json.Marshal(forgotten{V: 1, Time: h.o.Now().UTC(), Changes: nonNil(list)})
	if err != nil {
		return err
	}
	if err := durable.WriteFile(h.forgottenFile(t.ID), data); err != nil {
		return err
	}
	if err := os.RemoveAll(gone); err != nil {
		return err
	}
	if err := os.Rename(dir, gone); err != nil {
		return err
	}
	return os.RemoveAll(gone)
}

// UndoKeeping says for how long undo is kept.
func (h *History) UndoKeeping(context.Context) (UndoKeeping, error) {
	out := UndoKeeping{Settings: h.o.Choice.Get()}
	out.Settings.WriteMB = cmp.Or(out.Settings.WriteMB, DefaultWriteMB) // chosen before there was one
	tasks, _, err := h.o.Store.List()
	if err != nil {
		return out, problem.From(err)
	}
	for _, t := range tasks {
		bytes, there, err := durable.SizeOf(h.o.Store.JournalDir(t.ID))
		if err != nil {
			return out, problem.From(err)
		}
		if out.Bytes += bytes; there {
			out.Tasks++
		}
	}
	return out, nil
}

// SetUndoKeeping saves for how long undo is kept. What is older is given up soon, and whoever
// chose that is in the audit log.
func (h *History) SetUndoKeeping(ctx context.Context, s UndoSettings) (UndoKeeping, error) {
	if s.Days < 0 || s.Days > MaxUndoDays {
		return UndoKeeping{}, problem.BadRequest("days", "%d is not between 0 and %d", s.Days, MaxUndoDays)
	}
	for field, mb := range map[string]int{"spaceMb": s.SpaceMB, "writeMb": s.WriteMB} {
		if mb != 0 && (mb < MinUndoMB || mb > MaxUndoMB) {
			return UndoKeeping{}, problem.BadRequest(field, "%d is not between %d and %d", mb, MinUndoMB, MaxUndoMB)
		}
	}
	ctx, done, err := h.o.Registry.Use(ctx)
	if err != nil {
		return UndoKeeping{}, problem.From(err)
	}
	defer done()
	was := h.o.Choice.Get()
	d := audit.Decision{Topic: undoData, Answer: "kept", Mode: fmt.Sprintf("%d d, ", s.Days)}
	if s.Days == 0 {
		d.Answer, d.Mode = "kept-always", ""
	}
	d.Mode += fmt.Sprintf("%d MB, %d MB written", cmp.Or(s.SpaceMB, was.SpaceMB), cmp.Or(s.WriteMB, was.WriteMB, DefaultWriteMB))
	if err := h.o.Audit.Decide(ctx, "", d); err != nil {
		return UndoKeeping{}, err
	}
	err = h.o.Choice.Update(func(now *UndoSettings) error {
		*now = UndoSettings{Days: s.Days, SpaceMB: cmp.Or(s.SpaceMB, now.SpaceMB), WriteMB: cmp.Or(s.WriteMB, now.WriteMB)}
		if now.WriteMB == DefaultWriteMB {
			now.WriteMB = 0 // whoever saves what was shown has chosen none
		}
		return nil
	})
	if err != nil {
		return UndoKeeping{}, problem.From(err)
	}
	select {
	case h.expireNow <- struct{}{}:
	default: // it will look anyway
	}
	return h.UndoKeeping(ctx)
}

// Run finishes what was interrupted and gives up what was kept long enough, until ctx ends.
func (h *History) Run(ctx context.Context) {
	timer := time.NewTimer(expireAfter)
	defer timer.Stop()
	pause := finishAgain
	finish := time.NewTimer(0)
	defer finish.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-finish.C:
			next := expireEvery
			if h.finishInterrupted(ctx) {
				next, pause = pause, min(2*pause, expireEvery)
			} else {
				pause = finishAgain
			}
			finish.Reset(next)
			continue
		case <-timer.C:
			h.Expire(ctx, false)
		case <-h.expireNow:
			h.Expire(ctx, true)
		}
		timer.Reset(expireEvery)
	}
}

// Expire looks once; asked says that a person just decided how long undo is kept. What cannot be
// given up hinders nothing else.
func (h *History) Expire(ctx context.Context, asked bool) {
	tasks, _, err := h.o.Store.List()
	if err != nil {
		h.o.Log.Error("old undo could not be looked for", "error", err)
		return
	}
	days := h.o.Choice.Get().Days
	if days == 0 {
		return
	}
	now := h.o.Now()
	doubted := h.doubts(now, tasks)
	if !asked && doubted {
		h.o.Log.Info("old undo is kept: the clock is far ahead of all tasks, and may be wrong")
		return
	}
	var kept []journal.Stored
	notes := !doubted && !isBehind(now, tasks)
	for _, t := range tasks {
		if _, err := os.Lstat(h.o.Store.JournalDir(t.ID)); err != nil {
			continue
		}
		if notes && t.State.Final() {
			if err := h.see(t, now, keepFor(days)); err != nil {
				h.o.Log.Error("the undo of a task is kept: that it was looked at could not be written down", "task", t.ID, "error", err)
				continue
			}
		}
		kept = append(kept, journal.Stored{ID: t.ID, Ended: h.keptSince(t)})
	}
	for _, id := range journal.Expire(kept, now, keepFor(days)) {
		if ctx.Err() != nil {
			return
		}
		if journal.Unfinished(h.o.Store.JournalDir(id)) {
			h.o.Log.Info("old undo is kept: it was interrupted, and waits for its folder", "task", id)
			continue
		}
		if _, err := h.forgetUndo(ctx, id, false, audit.Decision{Topic: undoData, Answer: "expired", By: audit.ByDefault}); err != nil {
			h.o.Log.Error("old undo could not be given up", "task", id, "error", err)
			continue
		}
		h.o.Log.Info("the undo of a task was kept long enough", "task", id)
	}
}

// doubts reports whether the clock may be wrong: it is far ahead of all that was done before
// this start. A person may have been away for as long, so it is believed after a day on which it
// went on. A clock that jumps while the program runs is as new as one at a start; a computer that
// slept looks the same.
func (h *History) doubts(now time.Time, tasks []task.Task) bool {
	h.clock.Lock()
	defer h.clock.Unlock()
	up := h.uptime()
	if now.Round(0).Sub(h.last.Round(0))-(up-h.up) > believedAfter {
		h.began = now
	}
	h.last, h.up = now, up
	if now.Sub(h.began) >= believedAfter {
		return false
	}
	var last time.Time
	for _, t := range tasks {
		if t.Created.Before(h.began) && t.Created.After(last) {
			last = t.Created
		}
	}
	return !last.IsZero() && now.Sub(last) > longPause
}

// isBehind reports whether the clock is wrong for sure: tasks began in times to come.
func isBehind(now time.Time, tasks []task.Task) bool {
	return slices.ContainsFunc(tasks, func(t task.Task) bool { return t.Created.Sub(now) > believedAfter })
}
