package updater

import (
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/spec"
)

// TestByItself: when it looks, and when it does not.
func TestByItself(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0")
	byItself(t, s, "at start and daily", "1.0.0", nil, func(_ *testing.T, r *rig, _ *Updater) {
		time.Sleep(startAfter - time.Second)
		r.wantLooks(0)
		time.Sleep(startMore)
		r.wantLooks(1)
		time.Sleep(daily - dailyMore)
		r.wantLooks(1)
		time.Sleep(dailyMore + time.Hour)
		r.wantLooks(2)
		time.Sleep(10 * daily)
		r.wantLooks(12)
	})
	t.Run("removes what tasks ran on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0", "1.1.0")
			l, err := r.store().Lease(t.Context(), "1.0.0")
			if err != nil {
				t.Fatal(err)
			}
			if err := r.store().Promote(t.Context(), "1.1.0"); err != nil {
				t.Fatal(err)
			}
			if _, err := r.store().Fail(t.Context(), "1.0.0", pack.WhyUnhealthy); err != nil { // nothing points at it any more
				t.Fatal(err)
			}
			k := r.open() // updates are off, and it tidies up all the same
			defer k.Close()
			k.Run()
			there := func() int {
				time.Sleep(25 * time.Hour)
				list, err := r.store().List(s.keys, spec.Policy{})
				if err != nil {
					t.Fatal(err)
				}
				return len(list)
			}
			if there() != 2 {
				t.Error("removed what a task runs on")
			}
			if err := l.Release(); err != nil {
				t.Error(err)
			}
			if there() != 1 {
				t.Error("kept for nothing")
			}
		})
	})
	byItself(t, s, "brings what is new", "1.1.0", nil, func(_ *testing.T, r *rig, _ *Updater) {
		time.Sleep(5 * time.Minute)
		r.wantStands("1.1.0<1.0? up-to-date")
	})
	t.Run("not soon after another start", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0")
			r.auto = true
			r.offer("1.0.0")
			r.open().Run()
			time.Sleep(10 * time.Minute)
			r.reopen().Run()
			time.Sleep(40 * time.Minute)
			r.wantLooks(1)
			r.k.Close()
		})
	})
	t.Run("the clock was years ahead", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0")
			r.auto = true
			r.offer("1.0.0")
			set := func(ahead time.Duration) { r.script(func() { r.asleep = ahead }) }
			set(10 * 365 * daily)
			r.open().Run()
			time.Sleep(10 * time.Minute)
			r.wantLooks(1)
			set(0)
			time.Sleep(daily)
			if n := r.looks(); n < 2 {
				t.Errorf("%d looks a day after the clock was set right", n)
			}
			set(5 * daily)
			time.Sleep(2 * daily)
			set(0)
			n := r.looks()
			r.reopen().Run()
			time.Sleep(2 * time.Hour)
			r.wantLooks(n + 1)
			r.k.Close()
		})
	})
	byItself(t, s, "switched off", "1.1.0", func(r *rig) { r.auto = false }, func(_ *testing.T, r *rig, k *Updater) {
		time.Sleep(10 * daily)
		r.wantLooks(0)
		r.script(func() { r.auto = true })
		k.SettingsChanged()
		time.Sleep(time.Minute)
		r.wantStands("1.1.0<1.0? up-to-date")
		r.script(func() { r.auto = false })
		k.SettingsChanged()
		looks := r.looks()
		time.Sleep(10 * daily)
		r.wantLooks(looks)
	})
	for name, n := range map[string]Network{"metered": {Metered: true}, "offline": {Offline: true}} {
		byItself(t, s, "never "+name, "1.1.0", func(r *rig) { r.network = n }, func(t *testing.T, r *rig, k *Updater) {
			time.Sleep(3 * daily)
			r.wantLooks(0)
			if st, err := k.Check(t.Context()); err != nil || st.Phase != PhaseAvailable {
				t.Errorf("a person asked: %+v, %v", st, err)
			}
			r.script(func() { r.network = Network{} })
			time.Sleep(2 * closedWait)
			r.wantStands("1.1.0<1.0? up-to-date")
		})
	}
	byItself(t, s, "tasks at work", "1.1.0", func(r *rig) { r.busy = true }, func(t *testing.T, r *rig, _ *Updater) {
		time.Sleep(time.Hour)
		r.wantStands("1.0<?1.1.0 available")
		r.wantLooks(1) // every ten minutes would be many
		if len(r.proved) > 0 || len(r.fetched) != 10 {
			t.Errorf("proved %v, fetched %v", r.proved, r.fetched)
		}
		r.script(func() { r.busy = false })
		time.Sleep(2 * busyWait)
		r.wantStands("1.1.0<1.0? up-to-date")
		if len(r.fetched) != 10 {
			t.Errorf("fetched again: %v", r.fetched)
		}
	})
	byItself(t, s, "paused by a person", "1.1.0", nil, func(t *testing.T, r *rig, k *Updater) {
		time.Sleep(startAfter + startMore/2 + 4*chunkTime)
		if _, err := k.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(daily - time.Hour)
		r.wantStands("1.0<? paused")
		time.Sleep(2 * time.Hour)
		r.wantStands("1.1.0<1.0? up-to-date")
	})
	t.Run("the program ended in a download", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0")
			r.auto = true
			r.offer("1.1.0")
			r.open().Run()
			time.Sleep(startAfter + startMore/2 + 4*chunkTime)
			k := r.reopen()
			defer k.Close()
			r.wantStands("1.0<? paused")
			k.Run()
			time.Sleep(5 * time.Minute)
			r.wantStands("1.1.0<1.0? up-to-date")
			if len(r.fetched) != 10 {
				t.Errorf("fetched %v", r.fetched)
			}
		})
	})
	byItself(t, s, "out of reach again and again", "1.1.0", func(r *rig) { r.failing = problem.New(problem.CodeUpdateOffline) }, func(t *testing.T, r *rig, _ *Updater) {
		time.Sleep(daily)
		if n := r.looks(); n < 5 || n > 9 {
			t.Errorf("%d attempts in a day", n)
		}
		r.script(func() { r.failing = nil })
		time.Sleep(daily)
		r.wantStands("1.1.0<1.0? up-to-date")
	})
	byItself(t, s, "does not boot", "1.1.0", func(r *rig) { r.boots["1.1.0"] = doesNotBoot() }, func(t *testing.T, r *rig, _ *Updater) {
		time.Sleep(5 * daily)
		r.wantStands("1.0<? failed version-failed")
		if r.offers != 1 {
			t.Errorf("looked %d times at what failed", r.offers)
		}
		if len(r.proved) != 3 || len(r.fetched) != 10 {
			t.Errorf("proved %v, fetched %d times", r.proved, len(r.fetched))
		}
	})
	t.Run("a person chose an older one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0", "1.1.0")
			r.auto = true
			r.offer("1.1.0")
			k := r.open()
			defer k.Close()
			if _, err := k.Install(t.Context(), s.packs["1.0.0"].File, nil); err != nil {
				t.Fatal(err)
			}
			k.Run()
			time.Sleep(3 * daily)
			r.wantStands("1.0<1.1.0? failed version-failed")
			r.start(Request{})
			r.settle()
			r.wantStands("1.1.0<1.0? up-to-date")
		})
	})
	t.Run("a candidate from a file, and then the computer is ready", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0")
			r.off = true
			r.boots["1.0.0"], r.boots["1.1.0"] = doesNotBoot(), doesNotBoot()
			k := r.open()
			defer k.Close()
			if _, err := k.Install(t.Context(), s.packs["1.1.0"].File, nil); codeOf(err) != problem.CodeAccelUnavailable {
				t.Errorf("installed where nothing boots: %v", err)
			}
			r.wantStands("1.0<?1.1.0 off")
			r.script(func() { clear(r.boots) })
			k.TryCandidate()
			r.settle()
			r.wantStands("1.1.0<1.0? off")
		})
	})
}

// byItself tests an updater that has 1.0.0 and looks for updates by itself. script
// may be nil; it comes before the offer, which depends on it.
func byItself(t *testing.T, s *shelf, name, offered string, script func(r *rig), test func(t *testing.T, r *rig, k *Updater)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0")
			r.auto = true
			if script != nil {
				script(r)
			}
			r.offer(offered)
			k := r.open()
			defer k.Close()
			k.Run()
			test(t, r, k)
		})
	})
}

func (r *rig) looks() int {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refreshs
}

func (r *rig) wantLooks(want int) {
	r.t.Helper()
	if got := r.looks(); got != want {
		r.t.Errorf("%d looks at the channel, want %d", got, want)
	}
}
