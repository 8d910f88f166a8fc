package history

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/audit/audittest"
	"piwork/app/events"
	"piwork/app/registry"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
)

// Old undo is looked for when the start is over, when somebody changes how long it is kept,
// and then now and then.
func TestRunLooksAfterTheStart(t *testing.T) {
	store, err := task.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	choice, err := settings.Open(filepath.Join(t.TempDir(), "x.json"), UndoSettings{Days: DefaultUndoDays, SpaceMB: DefaultUndoMB}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int32
		h := New(Options{Audit: audittest.Open(t),
			Store: store, Choice: settings.Of(choice, func(all *UndoSettings) *UndoSettings { return all }), Log: slog.New(slog.DiscardHandler),
			Now: func() time.Time { looks.Add(1); return time.Now() },
		})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { h.Run(ctx); close(ended) }()
		want := func(when string, n int32) {
			t.Helper()
			synctest.Wait()
			if got := looks.Load(); got != n {
				t.Errorf("%s: %d times, want %d", when, got, n)
			}
		}
		time.Sleep(expireAfter - time.Second)
		want("at the start", 1)
		time.Sleep(2 * time.Second)
		want("when it is over", 2)
		h.expireNow <- struct{}{}
		want("when it was changed", 3)
		time.Sleep(expireEvery + time.Second)
		want("later", 4)
		stop()
		<-ended
	})
}

// A computer whose clock is wrong at the start gives up no undo that is not old.
func TestWrongClockGivesNothingUp(t *testing.T) {
	store, err := task.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	choice, err := settings.Open(filepath.Join(t.TempDir(), "x.json"), UndoSettings{Days: DefaultUndoDays}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	id, err := task.NewID()
	if err != nil {
		t.Fatal(err)
	}
	ended := time.Now()
	if err := errors.Join(
		store.Create(task.Task{V: task.RecordVersion, ID: id, Kind: task.KindExec, State: task.StateDone, Created: ended, Timing: task.Timing{Ended: &ended}, Folders: []task.Folder{}}),
		os.MkdirAll(store.JournalDir(id), 0o700)); err != nil {
		t.Fatal(err)
	}
	log, broker := slog.New(slog.DiscardHandler), events.New(time.Now)
	t.Cleanup(broker.Close)
	now := ended.AddDate(0, 0, 2*DefaultUndoDays)
	h := New(Options{Audit: audittest.Open(t),
		Store: store, Registry: registry.New(store, broker, log), Events: broker, Log: log, Now: func() time.Time { return now },
		Choice: settings.Of(choice, func(all *UndoSettings) *UndoSettings { return all }),
		Open:   func(string, []task.Folder, Room) (Journal, error) { return twoChanges{}, nil },
	})
	for _, step := range []struct {
		on    time.Duration
		asked bool
		kept  bool
	}{{0, false, true}, {expireEvery, false, true}, {expireEvery, true, false}, {believedAfter, false, false}} {
		if err := os.MkdirAll(store.JournalDir(id), 0o700); err != nil {
			t.Fatal(err)
		}
		now = h.began.Add(step.on)
		h.Expire(t.Context(), step.asked)
		if _, err := os.Lstat(store.JournalDir(id)); (err == nil) != step.kept {
			t.Errorf("after %s: %v", step.on, err)
		}
	}
}

// twoChanges is a journal of two changes, which notes what it is asked to undo.
type twoChanges struct {
	Journal
	asked *[][]string
}

func (twoChanges) Changes(context.Context) ([]journal.Change, error) {
	return []journal.Change{{ID: "e1", Effect: journal.EffectCreate, Path: "a"}, {ID: "e2", Effect: journal.EffectCreate, Path: "b"}}, nil
}

func (j twoChanges) Undo(_ context.Context, r UndoRequest) (journal.Report, error) {
	*j.asked = append(*j.asked, r.IDs)
	return journal.Report{}, nil
}

func (twoChanges) Close() error { return nil }

// A program that dies while undo is given up, after the list is written and before the
// journal is gone, leaves a journal that counts: each change is listed once, and undo
// reaches it.
func TestForgetUndoKilledBeforeTheJournalGoes(t *testing.T) {
	store, err := task.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	choice, err := settings.Open(filepath.Join(t.TempDir(), "x.json"), UndoSettings{Days: DefaultUndoDays, SpaceMB: DefaultUndoMB}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	id, err := task.NewID()
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Create(task.Task{V: task.RecordVersion, ID: id, Kind: task.KindExec, State: task.StateDone, Created: time.Now(), Folders: []task.Folder{}}); err != nil {
		t.Fatal(err)
	}
	log, broker := slog.New(slog.DiscardHandler), events.New(time.Now)
	t.Cleanup(broker.Close)
	var asked [][]string
	h := New(Options{Audit: audittest.Open(t),
		Store: store, Registry: registry.New(store, broker, log), Events: broker, Log: log, Now: time.Now,
		Choice: settings.Of(choice, func(all *UndoSettings) *UndoSettings { return all }),
		Open:   func(string, []task.Folder, Room) (Journal, error) { return twoChanges{asked: &asked}, nil },
	})
	for range 2 { // as often as it happens
		if err := os.MkdirAll(store.JournalDir(id), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := h.ForgetUndo(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if list, err := h.Changes(t.Context(), id); err != nil || len(list) != 2 {
			t.Errorf("given up: %+v %v", list, err)
		}
		if rep, err := h.Undo(t.Context(), id, UndoRequest{IDs: []string{"e1"}}); err != nil || len(rep.Conflicts) != 1 || rep.Conflicts[0].Reason != journal.ReasonNoImage {
			t.Errorf("given up, undo of one: %+v %v", rep, err)
		}
		if len(asked) > 0 {
			t.Errorf("given up, the journal is asked for %q", asked)
		}
	}
	if err := os.MkdirAll(store.JournalDir(id), 0o700); err != nil {
		t.Fatal(err)
	}
	if list, err := h.Changes(t.Context(), id); err != nil || len(list) != 2 {
		t.Errorf("killed: %+v %v", list, err)
	}
	for _, ids := range [][]string{{"e1"}, nil} {
		asked = nil
		if rep, err := h.Undo(t.Context(), id, UndoRequest{IDs: ids}); err != nil || len(rep.Conflicts) != 0 {
			t.Errorf("killed, undo of %q: %+v %v", ids, rep, err)
		}
		if len(asked) != 1 || !slices.Equal(asked[0], ids) {
			t.Errorf("killed, undo of %q: the journal is asked for %q", ids, asked)
		}
	}
}

// Whatever somebody wrote into the file of choices, there is a bound of what a task writes.
func TestWritesAreBounded(t *testing.T) {
	for mb, want := range map[int]int64{0: guard.DefaultWrites, 1000: 1_000_000_000, -1: MinUndoMB * 1_000_000, math.MaxInt: MaxUndoMB * 1_000_000} {
		if got := (UndoSettings{WriteMB: mb}).Writes(); got != want {
			t.Errorf("%d: %d", mb, got)
		}
	}
}
