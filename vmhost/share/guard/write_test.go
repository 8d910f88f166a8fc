package guard_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"syscall"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
)

// write is what a front end does.
func write(ctx context.Context, g *guard.Guard, path string, n int64) error {
	return settled(ctx, func() error { return g.Write("f", path, n) })
}

func settled(ctx context.Context, call func() error) error {
	for {
		err := call()
		var w *guard.Wait
		if !errors.As(err, &w) {
			return err
		}
		if err := w.Wait(ctx); err != nil {
			return err
		}
	}
}

// A task writes what it may, and then a person is asked, in steps that grow.
func TestWritingMuchIsAskedAbout(t *testing.T) {
	for name, tt := range map[string]struct {
		answer, scope string
		writes        []int64
		want          []error
		asked         []int64 // what each yes covers
	}{
		"within":            {vmhost.AnswerDeny, vmhost.ScopeOnce, []int64{60, 40, 0, -1}, []error{nil, nil, nil, nil}, nil},
		"once, then twice":  {vmhost.AnswerAllow, vmhost.ScopeOnce, []int64{100, 1, 99, 1, 199}, []error{nil, nil, nil, nil, nil}, []int64{100, 200}},
		"for the task":      {vmhost.AnswerAllow, vmhost.ScopeTask, []int64{100, 1, 1 << 40, math.MaxInt64}, []error{nil, nil, nil, nil}, []int64{100}},
		"for the folder":    {vmhost.AnswerAllow, vmhost.ScopeFolder, []int64{101, 1 << 40}, []error{nil, nil}, []int64{100}},
		"more at once":      {vmhost.AnswerAllow, vmhost.ScopeOnce, []int64{1, 1000}, []error{nil, nil}, []int64{901}},
		"all there can be":  {vmhost.AnswerAllow, vmhost.ScopeOnce, []int64{math.MaxInt64, 1}, []error{nil, nil}, []int64{math.MaxInt64 - 100}},
		"no":                {vmhost.AnswerDeny, vmhost.ScopeTask, []int64{100, 1, 1}, []error{nil, guard.ErrDenied, guard.ErrDenied}, []int64{100}},
		"no for once":       {vmhost.AnswerDeny, vmhost.ScopeOnce, []int64{101, 100, 1}, []error{guard.ErrDenied, nil, guard.ErrDenied}, []int64{100, 100}},
		"no, again and now": {vmhost.AnswerDeny, vmhost.ScopeOnce, []int64{101, 101, 101, 101}, []error{guard.ErrDenied, guard.ErrDenied, guard.ErrDenied, guard.ErrDenied}, []int64{100, 100, 100}},
	} {
		t.Run(name, func(t *testing.T) {
			who := &person{answer: always(tt.answer, tt.scope)}
			g := newGuard(t, guard.Policy{Writes: 100}, who)
			for i, n := range tt.writes {
				if err := write(t.Context(), g, "big.bin", n); !errors.Is(err, tt.want[i]) {
					t.Fatalf("write %d of %d: %v", i, n, err)
				}
			}
			if len(who.asked) != len(tt.asked) {
				t.Fatalf("asked %d times: %v", len(who.asked), who.asked)
			}
			for i, q := range who.asked {
				if q.Kind != vmhost.AskMassChange || q.Text.Code != "guard-write-much" || q.Text.Params["topic"] != guard.TopicWrite ||
					q.Text.Params["next"] != int(tt.asked[i]) || len(q.Items) != 1 || q.Items[0] != "big.bin" {
					t.Errorf("question %d: %+v", i, q)
				}
			}
		})
	}
}

// What was decided before, or is taken back, holds at once.
func TestWritingFollowsDecisions(t *testing.T) {
	who := &person{answer: always(vmhost.AnswerDeny, vmhost.ScopeOnce)}
	g := newGuard(t, guard.Policy{Writes: 100}, who)
	g.SetStanding([]guard.Standing{{Topic: guard.TopicWrite, Allow: true}})
	if err := write(t.Context(), g, "a", 1000); err != nil || len(who.asked) != 0 {
		t.Fatal(err, who.asked)
	}
	g.SetStanding(nil)
	if err := write(t.Context(), g, "a", 1); !errors.Is(err, guard.ErrDenied) || len(who.asked) != 1 {
		t.Fatal(err, who.asked)
	}
	g.Unwritten(950)
	if err := write(t.Context(), g, "a", 50); err != nil {
		t.Fatal(err)
	}
	g.Close()
	if err := g.Write("f", "a", 1); !errors.Is(err, guard.ErrDenied) {
		t.Fatal(err)
	}
}

// Many calls at once write no more than was allowed, and nothing that was is refused.
func TestWritingAtOnceIsCountedOnce(t *testing.T) {
	who := &person{answer: always(vmhost.AnswerDeny, vmhost.ScopeTask)}
	g := newGuard(t, guard.Policy{Writes: 1000}, who)
	var work sync.WaitGroup
	var mu sync.Mutex
	done, denied := 0, 0
	for range 8 {
		work.Go(func() {
			for range 200 {
				err := write(t.Context(), g, "a", 1)
				mu.Lock()
				if err == nil {
					done++
				} else {
					denied++
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	if done != 1000 || denied != 600 {
		t.Errorf("%d written, %d refused", done, denied)
	}
}

// A task is stopped before the disk is full, but not on one that was nearly full before
// it, nor for one call that is too large.
func TestFullDiskStopsTheTask(t *testing.T) {
	const mib = 1 << 20
	for name, tt := range map[string]struct {
		before, now int64 // free bytes
		size        int64 // of each write
		want        error
		told        int
	}{
		"room":                   {100 << 30, 50 << 30, 64 * mib, nil, 0},
		"nearly full":            {3 << 30, vmhost.SpaceReserve - mib, 64 * mib, syscall.ENOSPC, 1},
		"in small writes":        {3 << 30, vmhost.SpaceReserve - mib, 4096, syscall.ENOSPC, 1},
		"it was so before":       {vmhost.SpaceReserve, vmhost.SpaceReserve - mib, 64 * mib, nil, 0},
		"it was so, and is used": {vmhost.SpaceReserve, vmhost.SpaceReserve - vmhost.SpaceStep - mib, 64 * mib, syscall.ENOSPC, 1},
		"one write too large":    {3 << 30, 3 << 30, 1 << 40, syscall.ENOSPC, 0},
	} {
		t.Run(name, func(t *testing.T) {
			told, left := 0, tt.before
			g := guard.New(guard.Policy{}, guard.Options{Window: time.Millisecond, Space: guard.Space{
				Free: func(string) (int64, error) { return left, nil }, Full: func(free int64) {
					if told++; free != tt.now {
						t.Errorf("%d are free", free)
					}
				},
			}})
			t.Cleanup(g.Close)
			g.Folder("f", "Pictures", 0)
			left = tt.now
			var err error
			for written := int64(0); written < 129*mib && err == nil; written += tt.size {
				err = g.Write("f", "a", tt.size)
			}
			if !errors.Is(err, tt.want) || told != tt.told {
				t.Errorf("%v, told %d times", err, told)
			}
			if again := g.Write("f", "a", 1); tt.told > 0 && !errors.Is(again, syscall.ENOSPC) {
				t.Errorf("after it: %v", again)
			}
		})
	}
}

// Each folder may be on a disk of its own: what is written to one hides nothing of another.
func TestEachDiskIsLookedAt(t *testing.T) {
	const mib = 1 << 20
	full, left := "", map[string]int64{"f": 100 << 30, "g": 3 << 30}
	g := guard.New(guard.Policy{}, guard.Options{Space: guard.Space{
		Free: func(id string) (int64, error) { return left[id], nil }, Full: func(int64) { full = "g" },
	}})
	t.Cleanup(g.Close)
	g.Folder("f", "Pictures", 0)
	g.Folder("g", "Stick", 0)
	left["g"] = vmhost.SpaceReserve - mib
	for range 3 {
		_ = g.Write("g", "a", 40*mib)
		_ = g.Write("f", "a", 64*mib)
	}
	if full != "g" {
		t.Error("the stick was never looked at")
	}
}

// A disk that does not say what is free stops nothing.
func TestUnknownDiskStopsNothing(t *testing.T) {
	g := guard.New(guard.Policy{}, guard.Options{Space: guard.Space{Free: func(string) (int64, error) { return 0, errors.New("no answer") }}})
	t.Cleanup(g.Close)
	g.Folder("f", "Pictures", 0)
	if err := g.Write("f", "a", 1<<40); err != nil {
		t.Error(err)
	}
}

// A file that is downloaded counts once, however many read it at once and again; what takes more
// room than there is, is refused.
func TestDownloadsCountOnce(t *testing.T) {
	who := &person{answer: always(vmhost.AnswerDeny, vmhost.ScopeTask)}
	g := newGuard(t, guard.Policy{Fetches: 100}, who)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for n := range 10 {
				if err := g.Fetch("f", "a", at.ID{Ino: uint64(n)}, 10); err != nil {
					t.Errorf("%d: %v", n, err)
				}
			}
		})
	}
	work.Wait()
	if err := settled(t.Context(), func() error { return g.Fetch("f", "b", at.ID{Ino: 99}, 1) }); !errors.Is(err, guard.ErrDenied) {
		t.Fatal(err)
	}
	if q := who.asked[0]; q.Kind != vmhost.AskMassChange || q.Text.Code != "guard-fetch-much" || q.Text.Params["next"] != 100 || q.Text.Params["bytes"] != int64(100) {
		t.Errorf("%+v", q)
	}
	if err := g.Fetch("f", "a", at.ID{Ino: 1}, 10); err != nil {
		t.Errorf("what was allowed before: %v", err)
	}
	if err := g.Write("f", "a", 1<<40); err != nil {
		t.Errorf("writing has no bound here: %v", err)
	}
}

// Another bound than the usual one holds beside what a plan says, and none stays none.
func TestWritingIsChosen(t *testing.T) {
	for name, tt := range map[string]struct {
		p    guard.Policy
		free int64
		want int64
	}{
		"a command":       {guard.ForCommands, 100, 100},
		"a plan":          {guard.ForPlan(nil, 50, 0), 100, 150},
		"more than usual": {guard.ForAgents, 1 << 50, 1 << 50},
		"all there is":    {guard.ForPlan(nil, math.MaxInt64, 0), math.MaxInt64, math.MaxInt64},
		"no bound":        {guard.Policy{}, 100, 0},
	} {
		if got := tt.p.Writing(tt.free).Writes; got != tt.want {
			t.Errorf("%s: %d", name, got)
		}
	}
	if guard.ForCommands.Writes != guard.DefaultWrites {
		t.Error("the usual one is another now")
	}
}
