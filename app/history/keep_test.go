package history

import (
	"cmp"
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

// clocked is a History whose clock a test sets, of tasks whose journals are kept.
type clocked struct {
	*History
	t   *testing.T
	now time.Time
	up  time.Duration // for which the computer has been on
}

func atClock(t *testing.T, now time.Time) *clocked {
	t.Helper()
	store, err := task.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &clocked{t: t, now: now}
	choice, err := settings.Open(filepath.Join(t.TempDir(), "x.json"), UndoSettings{Days: DefaultUndoDays}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	log, broker := slog.New(slog.DiscardHandler), events.New(time.Now)
	t.Cleanup(broker.Close)
	c.History = New(Options{Audit: audittest.Open(t),
		Store: store, Registry: registry.New(store, broker, log), Events: broker, Log: log, Now: func() time.Time { return c.now },
		Choice: settings.Of(choice, func(all *UndoSettings) *UndoSettings { return all }),
		Open:   func(string, []task.Folder, Room) (Journal, error) { return twoChanges{}, nil },
	})
	return c
}

// restart is another start of the program on the same tasks.
func (c *clocked) restart(now time.Time) {
	c.now = now
	c.History = New(c.o)
}

// pass has time go on as it does.
func (c *clocked) pass(d time.Duration) { c.now, c.up = c.now.Add(d), c.up+d }

// ended makes a task that began and ended at a moment, with a journal.
func (c *clocked) ended(at time.Time) (id string) {
	c.t.Helper()
	id, err := task.NewID()
	if err == nil {
		err = c.o.Store.Create(task.Task{V: task.RecordVersion, ID: id, Kind: task.KindExec, State: task.StateDone, Created: at, Timing: task.Timing{Ended: &at}, Folders: []task.Folder{}})
	}
	if err = errors.Join(err, os.MkdirAll(c.o.Store.JournalDir(id), 0o700)); err != nil {
		c.t.Fatal(err)
	}
	return id
}

// look looks for old undo once, and returns whether that of a task is kept.
func (c *clocked) look(id string, asked bool) bool {
	c.Expire(c.t.Context(), asked)
	_, err := os.Lstat(c.o.Store.JournalDir(id))
	return err == nil
}

// A computer whose clock is wrong at the start gives up no undo that is not old.
func TestWrongClockGivesNothingUp(t *testing.T) {
	ended := time.Now()
	h := atClock(t, ended)
	id := h.ended(ended)
	if !h.look(id, false) {
		t.Error("at once")
	}
	h.restart(ended.AddDate(0, 0, 2*DefaultUndoDays))
	for _, step := range []struct {
		on    time.Duration
		asked bool
		kept  bool
	}{{0, false, true}, {expireEvery, false, true}, {expireEvery, true, false}, {believedAfter, false, false}} {
		if err := os.MkdirAll(h.o.Store.JournalDir(id), 0o700); err != nil {
			t.Fatal(err)
		}
		h.now = h.began.Add(step.on)
		if kept := h.look(id, step.asked); kept != step.kept {
			t.Errorf("after %s: kept %v", step.on, kept)
		}
	}
}

// A task ran while the battery of the clock was empty, and ended in 2010: its undo is kept as
// long as any other, from when it was first seen beside tasks of today.
func TestEndWithWrongClockKeepsUndo(t *testing.T) {
	wrong, today := time.Date(2010, 1, 1, 0, 5, 0, 0, time.UTC), time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)
	h := atClock(t, wrong)
	recent, old := h.ended(today), h.ended(wrong)
	if !h.look(old, false) { // the clock is still wrong
		t.Error("with the wrong clock")
	}
	h.restart(today.Add(time.Hour))
	if !h.look(old, false) {
		t.Error("with the right clock")
	}
	if space, err := h.UndoSpace(t.Context(), old); err != nil || space.Expires == nil || !space.Expires.Equal(h.now.Add(keepFor(DefaultUndoDays))) {
		t.Errorf("%+v %v", space, err)
	}
	if space, err := h.UndoSpace(t.Context(), recent); err != nil || space.Expires == nil || !space.Expires.Equal(today.Add(keepFor(DefaultUndoDays))) {
		t.Errorf("one that ended today: %+v %v", space, err)
	}
	for day := 1; day < DefaultUndoDays; day += 20 {
		h.restart(today.AddDate(0, 0, day))
		h.ended(h.now) // work goes on
		if !h.look(old, false) || !h.look(recent, false) {
			t.Errorf("after %d days", day)
		}
	}
	h.restart(today.AddDate(0, 0, DefaultUndoDays+1))
	if h.look(old, false) || h.look(recent, false) {
		t.Error("it is kept for ever")
	}
}

// The clock jumps a year ahead while the program runs: it is believed after a day, as after a
// start; undo that a person decides about is given up all the same.
func TestClockThatJumpsGivesNothingUp(t *testing.T) {
	h := atClock(t, time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC))
	h.uptime = func() time.Duration { return h.up }
	id := h.ended(h.now.Add(-time.Hour))
	for range 5 { // 30 hours
		if !h.look(id, false) {
			t.Error("at once")
		}
		h.pass(expireEvery)
	}
	h.now = h.now.AddDate(1, 0, 0)
	for range 3 {
		if !h.look(id, false) {
			t.Fatalf("%s after the jump", h.up)
		}
		h.pass(expireEvery)
	}
	h.now = h.now.AddDate(-1, 0, 0) // it is set right
	for range 5 {
		if !h.look(id, false) {
			t.Error("although the clock was set right")
		}
		h.pass(expireEvery)
	}
	h.now = h.now.AddDate(1, 0, 0)
	for range 4 { // less than a day
		if !h.look(id, false) {
			t.Error("within the day")
		}
		h.pass(expireEvery)
	}
	if h.look(id, false) {
		t.Error("it is kept although a day passed")
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
		if _, err := h.ForgetUndo(t.Context(), id, false); err != nil {
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
	for mb, want := range map[int]int64{0: 4 << 30, DefaultWriteMB: 4 << 30, 4000: 4_000_000_000, 1000: 1_000_000_000, -1: MinUndoMB * 1_000_000, math.MaxInt: MaxUndoMB * 1_000_000} {
		if got := (UndoSettings{WriteMB: mb}).Writes(); got != want {
			t.Errorf("%d: %d", mb, got)
		}
	}
}

// Whoever saves all that was shown has chosen no bound of what a task writes, and may go back to
// having chosen none.
func TestDefaultWritesAreNotChosen(t *testing.T) {
	h := atClock(t, time.Now())
	for _, row := range []struct{ says, stored int }{{DefaultWriteMB, 0}, {1000, 1000}, {0, 1000}, {DefaultWriteMB, 0}} {
		k, err := h.SetUndoKeeping(t.Context(), UndoSettings{Days: 3, WriteMB: row.says})
		if err != nil || h.o.Choice.Get().WriteMB != row.stored || k.Settings.WriteMB != cmp.Or(row.stored, DefaultWriteMB) {
			t.Errorf("%d: %d is stored, %+v %v", row.says, h.o.Choice.Get().WriteMB, k, err)
		}
	}
}
