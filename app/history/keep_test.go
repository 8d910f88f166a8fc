package history

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/settings"
	"piwork/app/task"
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
		h := New(Options{
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
		want("at the start", 0)
		time.Sleep(2 * time.Second)
		want("when it is over", 1)
		h.expireNow <- struct{}{}
		want("when it was changed", 2)
		time.Sleep(expireEvery + time.Second)
		want("later", 3)
		stop()
		<-ended
	})
}
