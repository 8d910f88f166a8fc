package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// When there is no room left the person is asked before a change is refused,
// once for all that wait, and nothing is locked meanwhile.
func TestAsksForRoom(t *testing.T) {
	for _, yes := range []bool{true, false} {
		w := newWorld(t, "")
		w.seed("a", "b", "c", "d", "e")
		for _, n := range []string{"a", "b", "c", "d", "e"} {
			w.check(os.WriteFile(filepath.Join(w.dir, n), []byte(strings.Repeat("0123456789", 20_000)), 0o644))
		}
		w.age()
		asked := make(chan int64)
		answer := make(chan int64)
		w.opts.MaxBytes = 250_000
		w.opts.OnFull = func(_ context.Context, need, limit int64) (int64, error) {
			if limit != 250_000 || need <= 0 {
				t.Errorf("need %d of %d", need, limit)
			}
			asked <- need
			return <-answer, nil
		}
		w.start()
		w.mark()
		w.check(w.write("a", "task", -1))
		var writers sync.WaitGroup
		errs := make(chan error, 4)
		writers.Go(func() { errs <- w.write("b", "task", 0) })
		writers.Go(func() { errs <- w.write("c", "task", 0) })
		writers.Go(func() { errs <- w.remove("d") })
		writers.Go(func() { errs <- w.save("e", "task") })
		<-asked
		if got := w.changes(); len(got) == 0 {
			t.Errorf("the list while it is asked: %q", got)
		}
		w.check(w.create("new", "needs hardly any room"))
		if yes {
			answer <- 10 << 20
		} else {
			answer <- 0
		}
		done := make(chan struct{})
		go func() { writers.Wait(); close(done) }()
		for more := true; more; { // who came later asks again
			select {
			case <-asked:
				answer <- 0
			case <-done:
				more = false
			case <-time.After(time.Minute):
				t.Fatal("stuck")
			}
		}
		for range 4 {
			if err := <-errs; yes && err != nil || !yes && !errors.Is(err, ErrFull) {
				t.Errorf("answer %v: %v", yes, err)
			}
		}
		r := w.undo()
		if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
			t.Errorf("%+v\n%s", r.Conflicts, d)
		}
	}
}

// Closing ends the wait for an answer.
func TestCloseEndsQuestion(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a")
	w.check(os.WriteFile(filepath.Join(w.dir, "a"), []byte(strings.Repeat("0123456789", 20_000)), 0o644))
	asked := make(chan struct{})
	w.opts.MaxBytes = 10_000
	w.opts.OnFull = func(ctx context.Context, _, _ int64) (int64, error) {
		close(asked)
		<-ctx.Done()
		return 0, ctx.Err()
	}
	w.start()
	got := make(chan error)
	go func() { got <- w.write("a", "task", -1) }()
	<-asked
	j := w.j
	w.check(j.Close())
	if err := <-got; !errors.Is(err, ErrFull) && !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestExpire(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	list := []Stored{
		{"running", time.Time{}},
		{"old", now.Add(-40 * day)},
		{"older", now.Add(-90 * day)},
		{"month", now.Add(-20 * day)},
		{"week", now.Add(-7 * day)},
		{"today", now.Add(-time.Hour)},
	}
	for _, c := range []struct {
		keep time.Duration
		want string
	}{
		{30 * day, "older old"},
		{365 * day, ""},
		{20 * day, "older old"},
		{0, "older old month week today"},
	} {
		if got := strings.Join(Expire(list, now, c.keep), " "); got != c.want {
			t.Errorf("%v: %q, want %q", c.keep, got, c.want)
		}
	}
}

// What is known of files and names takes a bounded amount of memory: when that is
// reached a person is asked, as for room on the disk.
func TestAsksForMemory(t *testing.T) {
	for _, yes := range []bool{true, false} {
		w := newWorld(t, "")
		asked := 0
		w.opts.MaxMemory = 200_000
		w.opts.OnMemory = func(_ context.Context, need, limit int64) (int64, error) {
			if asked++; limit != 200_000 || need <= 0 {
				t.Errorf("need %d of %d", need, limit)
			}
			if yes {
				return 1 << 20, nil
			}
			return 0, nil
		}
		w.start()
		made, err := 0, error(nil)
		for ; made < 300 && err == nil; made++ {
			err = w.mkdir(strings.Repeat("x", 200) + string(rune('a'+made%26)) + string(rune('a'+made/26)))
		}
		if yes && err != nil || !yes && (!errors.Is(err, ErrFull) || made < 50) || asked == 0 {
			t.Errorf("%d made, asked %d times, %v", made, asked, err)
		}
		if used := w.j.Usage().Memory; !yes && used > 220_000 {
			t.Errorf("%d bytes", used)
		}
		w.undo()
	}
}
