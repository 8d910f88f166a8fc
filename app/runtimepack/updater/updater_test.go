package updater

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/spec"
)

// TestUpdate is what a new version goes through.
func TestUpdate(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0", "1.2.0").addOn(t)
	offline := problem.New(problem.CodeUpdateOffline)
	for _, tc := range []struct {
		name      string
		installed []string
		offered   string
		script    func(r *rig)
		req       Request
		want      string
		proved    string
		versions  int // 0 is at most two
	}{
		{name: "works", installed: []string{"1.0.0"}, offered: "1.1.0", want: "1.1.0<1.0? up-to-date", proved: "1.1.0"},
		{name: "first installation", offered: "1.0.0", want: "1.0<? up-to-date"},
		{name: "nothing new", installed: []string{"1.1.0"}, offered: "1.1.0", want: "1.1.0<? up-to-date"},
		{name: "older on offer", installed: []string{"1.1.0"}, offered: "1.0.0", want: "1.1.0<? up-to-date"},
		{
			name: "does not boot", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.boots["1.1.0"] = doesNotBoot() },
			want:   "1.0<? failed update-not-booting", proved: "1.1.0 1.0.0 1.1.0",
		},
		{
			name: "starts and does not come up", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.boots["1.1.0"] = &BootError{errors.New("no root")} },
			want:   "1.0<? failed update-not-booting", proved: "1.1.0 1.0.0 1.1.0",
		},
		{
			name: "does not boot at a bad moment", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.boots["1.1.0"] = doesNotBoot(); r.mended = "1.1.0" },
			want:   "1.1.0<1.0? up-to-date", proved: "1.1.0 1.0.0 1.1.0",
		},
		{
			name: "nothing boots here at present", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.boots["1.1.0"], r.boots["1.0.0"] = doesNotBoot(), doesNotBoot() },
			want:   "1.0<?1.1.0 failed accel-unavailable", proved: "1.1.0 1.0.0",
		},
		{
			name: "mends what does not boot", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.boots["1.0.0"] = doesNotBoot() },
			want:   "1.1.0<1.0? up-to-date", proved: "1.1.0",
		},
		{
			name: "not found out whether it boots", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.boots["1.1.0"] = errors.New("no memory") },
			want:   "1.0<?1.1.0 failed unknown", proved: "1.1.0",
		},
		{
			name: "channel out of reach", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.failing = offline }, want: "1.0<? offline update-offline",
		},
		{
			name: "channel lies", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.failing = problem.New(problem.CodeUpdateInvalid) }, want: "1.0<? failed update-invalid",
		},
		{
			name: "download breaks off", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.broken = problem.New(problem.CodeDownloadFailed) }, want: "1.0<? failed download-failed",
		},
		{
			name: "program too old", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.release.RequiresApp = ">=2" }, want: "1.0<? failed pack-too-new",
		},
		{
			name: "another version than offered", installed: []string{"1.0.0"}, offered: "1.1.0",
			req: Request{Version: "1.2.0"}, want: "1.0<? failed not-found",
		},
		{
			name: "unknown add-on", installed: []string{"1.1.0"}, offered: "1.1.0",
			req: Request{AddOns: []string{"games"}}, want: "1.1.0<? failed addon-unknown",
		},
		{
			name: "asked for although it failed before", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.reject("1.1.0") }, want: "1.1.0<1.0? up-to-date", proved: "1.1.0",
		},
		{
			name: "an add-on of what failed before", installed: []string{"1.0.0"}, offered: "1.1.0", req: Request{AddOns: []string{"media"}},
			script: func(r *rig) { r.reject("1.1.0") }, want: "1.0<? failed version-failed",
		},
		{
			name: "an add-on of what failed before, and that by name", installed: []string{"1.0.0"}, offered: "1.1.0",
			req:    Request{AddOns: []string{"media"}, Version: "1.1.0"},
			script: func(r *rig) { r.reject("1.1.0") }, want: "1.1.0<1.0? up-to-date", proved: "1.1.0",
		},
		{
			name: "an add-on of what a person went back from", installed: []string{"1.0.0", "1.1.0"}, offered: "1.1.0",
			req: Request{AddOns: []string{"media"}}, script: (*rig).goBack, want: "1.0<1.1.0? failed version-failed",
		},
		{
			name: "a candidate of which nothing is found out", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.hold("1.2.0"); r.boots["1.2.0"] = errors.New("no memory") },
			want:   "1.1.0<1.0?1.2.0 up-to-date", proved: "1.2.0 1.1.0", versions: 3,
		},
		{
			name: "a damaged candidate", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.hold("1.2.0"); spoil(r.t, r.store(), "1.2.0", "guest/vmlinux") },
			want:   "1.1.0<1.0?1.2.0 up-to-date", proved: "1.1.0", versions: 3,
		},
		{
			name: "a candidate of which nothing is found out, and nothing else is new", installed: []string{"1.0.0"}, offered: "1.0.0",
			script: func(r *rig) { r.hold("1.2.0"); r.boots["1.2.0"] = errors.New("no memory") },
			want:   "1.0<?1.2.0 failed unknown", proved: "1.2.0",
		},
		{
			name: "an add-on beside it", installed: []string{"1.0.0"}, offered: "1.0.0", req: Request{AddOns: []string{"media"}},
			script: func(r *rig) { r.hold("1.2.0"); r.boots["1.2.0"] = errors.New("no memory") },
			want:   "1.0<?1.2.0 up-to-date", proved: "1.2.0",
		},
		{
			name: "a candidate that does not boot", installed: []string{"1.0.0"}, offered: "1.1.0",
			script: func(r *rig) { r.hold("1.2.0"); r.boots["1.2.0"] = doesNotBoot() },
			want:   "1.0<? failed update-not-booting", proved: "1.2.0 1.0.0 1.2.0",
		},
		{
			name: "the second update drops the first version", installed: []string{"1.0.0", "1.1.0"}, offered: "1.2.0",
			want: "1.2.0<1.1.0? up-to-date", proved: "1.2.0",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, s, tc.installed...)
				r.offer(tc.offered)
				if tc.script != nil {
					tc.script(r)
				}
				k := r.open()
				defer k.Close()
				r.start(tc.req)
				r.settle()
				r.wantStands(tc.want)
				if got := strings.Join(r.proved, " "); got != tc.proved {
					t.Errorf("proof boots %q, want %q", got, tc.proved)
				}
				if list, err := r.store().List(s.keys, spec.Policy{}); err != nil || len(list) > max(2, tc.versions) {
					t.Errorf("versions %v, %v", list, err)
				}
				r.reopenSame()
			})
		})
	}
}

// reopenSame restarts the program: what was told before is told again, but that a
// wish that is not over is a paused one.
func (r *rig) reopenSame() {
	r.t.Helper()
	before := r.stands()
	paused := r.k.remembered().Wish != nil
	k := r.reopen()
	defer k.Close()
	if got := r.stands(); got != before && !(paused && k.State().Phase == PhasePaused) {
		r.t.Errorf("after a restart %q, before %q", got, before)
	}
}

// TestStates: what people see of an update, in order and not too often.
func TestStates(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		r.offer("1.1.0")
		k := r.open()
		r.start(Request{})
		r.settle()
		time.Sleep(time.Second)
		k.Close()
		var phases []Phase
		var last Progress
		for _, st := range r.states {
			if len(phases) == 0 || phases[len(phases)-1] != st.Phase {
				phases = append(phases, st.Phase)
			}
			if st.Phase == PhaseDownloading {
				unknown := st.Total == 0 && last.Total == 0 // until it was asked for
				if st.Done < last.Done || !unknown && (st.Total != 1000 || st.Reused != 500) {
					t.Errorf("progress %+v after %+v", st.Progress, last)
				}
				if st.Done > 0 && st.Done < 1000 && st.ETA != (1000-st.Done)/100 {
					t.Errorf("%d bytes are left at 100 a second, and it says %v", 1000-st.Done, st.ETA)
				}
				last = st.Progress
			}
			if st.What != Runtime || st.Channel != "stable" {
				t.Errorf("state %+v", st)
			}
		}
		want := []Phase{PhaseDownloading, PhaseInstalling, PhaseTrying, PhaseUpToDate}
		for len(phases) > 0 && (phases[0] == PhaseIdle || phases[0] == PhaseChecking) { // what stands still may be passed over
			phases = phases[1:]
		}
		if !slices.Equal(phases, want) && !slices.Equal(phases, slices.Delete(slices.Clone(want), 1, 2)) {
			t.Errorf("phases %v, want %v", phases, want)
		}
		if final := r.states[len(r.states)-1]; final.Current != "1.1.0" || final.Version != "1.1.0" || final.Checked.IsZero() || final.Notes != "notes of 1.1.0" {
			t.Errorf("the last state is %+v", final)
		}
	})
}

// TestNews: never more than five messages a second, and the last one always.
func TestNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		var last State
		n := newNews(func(s State) { at, last = append(at, time.Now()), s })
		for i := range 1000 {
			n.tell(State{Progress: Progress{Done: int64(i)}})
			time.Sleep(7 * time.Millisecond)
		}
		n.close()
		n.tell(State{})
		time.Sleep(time.Second)
		if last.Done != 999 || len(at) < 30 {
			t.Errorf("last message %d of %d", last.Done, len(at))
		}
		for i := range len(at) - 2 { // but for the one that closing brings forward
			if d := at[i+1].Sub(at[i]); d < newsEvery {
				t.Errorf("two messages within %v", d)
			}
		}
	})
}

// fetching starts an update and waits until n pieces of it are here.
func (r *rig) fetching(n int) {
	r.t.Helper()
	r.start(Request{})
	time.Sleep(time.Duration(n)*chunkTime + chunkTime/2)
}

// TestPause: what arrived is kept, over a restart too, and a person goes on.
func TestPause(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0")
	for _, restart := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0")
			r.offer("1.1.0")
			k := r.open()
			r.fetching(5)
			if st, err := k.Pause(t.Context()); err != nil || st.Phase != PhasePaused {
				t.Fatalf("%+v, %v", st, err)
			}
			if k.running() {
				t.Error("paused and running")
			}
			if restart {
				k = r.reopen()
				r.wantStands("1.0<? paused")
			}
			if st, err := k.Pause(t.Context()); err != nil || st.Phase != PhasePaused {
				t.Errorf("paused twice: %+v, %v", st, err)
			}
			r.start(Request{})
			r.settle()
			r.wantStands("1.1.0<1.0? up-to-date")
			if len(r.fetched) != 10 {
				t.Errorf("fetched %v", r.fetched)
			}
			if st, err := k.Pause(t.Context()); err != nil || st.Phase != PhaseUpToDate {
				t.Errorf("nothing to pause: %+v, %v", st, err)
			}
			k.Close()
		})
	}
}

// TestPersonInterruptsADownload: a rollback, removal or installation does not
// wait for a download, which goes on after it, unless it is not wanted any more.
func TestPersonInterruptsADownload(t *testing.T) {
	s := newShelf(t, "0.9.0", "1.0.0", "1.1.0", "1.2.0")
	for _, tc := range []struct {
		name string
		do   func(ctx context.Context, k *Updater) error
		want string
		code string
	}{
		{"remove", func(ctx context.Context, k *Updater) error { return k.Remove(ctx, "0.9.0") }, "1.1.0<1.0? up-to-date", ""},
		{"remove nothing", func(ctx context.Context, k *Updater) error { return k.Remove(ctx, "7.0.0") }, "1.1.0<1.0? up-to-date", problem.CodeNotFound},
		{"remove the current one", func(ctx context.Context, k *Updater) error { return k.Remove(ctx, "1.0.0") }, "1.1.0<1.0? up-to-date", problem.CodePackInUse},
		{"roll back", func(ctx context.Context, k *Updater) error { _, err := k.Rollback(ctx); return err }, "0.9.0<1.0? available", ""},
		{"install another", func(ctx context.Context, k *Updater) error {
			_, err := k.Install(ctx, s.packs["1.2.0"].File, nil)
			return err
		}, "1.2.0<1.0? up-to-date", ""},
		{"install an older one", func(ctx context.Context, k *Updater) error {
			_, err := k.Install(ctx, s.packs["0.9.0"].File, nil)
			return err
		}, "0.9.0<1.0? available", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, s, "0.9.0", "1.0.0")
				r.offer("1.1.0")
				k := r.open()
				defer k.Close()
				r.fetching(3)
				began := time.Now()
				if err := tc.do(t.Context(), k); codeOf(err) != tc.code {
					t.Errorf("%v, want %q", err, tc.code)
				}
				if d := time.Since(began); d > 3*time.Second {
					t.Errorf("waited %v for the download", d)
				}
				r.settle()
				r.wantStands(tc.want)
				if len(r.fetched) > 10 {
					t.Errorf("fetched again: %v", r.fetched)
				}
			})
		})
	}
}

// TestAskedMeanwhile: what a person asks for is done, whatever runs already.
func TestAskedMeanwhile(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0").addOn(t)
	for at := time.Duration(0); at < 15*time.Second; at += 1300 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0")
			r.offer("1.1.0")
			k := r.open()
			defer k.Close()
			if _, err := k.launch(wish{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(at)
			r.start(Request{AddOns: []string{"media"}})
			looks := r.looks()
			r.start(Request{}) // nothing new
			time.Sleep(chunkTime / 10)
			r.wantLooks(looks)
			r.settle()
			r.wantStands("1.1.0<1.0? up-to-date")
			if list, err := k.AddOns(); err != nil || len(list) != 1 || list[0].Fits == nil {
				t.Errorf("asked for after %v: %+v, %v", at, list, err)
			}
			if len(r.fetched) != 20 {
				t.Errorf("asked for after %v: fetched %v", at, r.fetched)
			}
		})
	}
}

// TestAskedWhilePaused: the last word counts.
func TestAskedWhilePaused(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0").addOn(t)
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		r.offer("1.1.0")
		k := r.open()
		r.fetching(3)
		r.start(Request{AddOns: []string{"media"}})
		if st, err := k.Pause(t.Context()); err != nil || st.Phase != PhasePaused {
			t.Errorf("%+v, %v", st, err)
		}
		k = r.reopen()
		defer k.Close()
		r.start(Request{})
		r.settle()
		if list, err := k.AddOns(); err != nil || len(list) != 1 || list[0].Fits == nil {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

// TestAddOnsWithoutAChannel: a mistake in the settings hides nothing that is installed.
func TestAddOnsWithoutAChannel(t *testing.T) {
	s := newShelf(t, "1.0.0").addOn(t)
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		r.offer("1.0.0")
		k := r.open()
		defer k.Close()
		r.start(Request{AddOns: []string{"media"}})
		r.settle()
		r.script(func() { r.mistaken = problem.New(problem.CodeUpdateSettings) })
		if list, err := k.AddOns(); err != nil || len(list) != 1 || list[0].Fits == nil {
			t.Errorf("%+v, %v", list, err)
		}
		if _, err := k.Start(Request{}); codeOf(err) != problem.CodeUpdateSettings {
			t.Errorf("an update doesn't say what is wrong: %v", err)
		}
	})
}

// TestLookMakesRoom: nobody waits for a look at a slow channel, nor is one left
// behind.
func TestLookMakesRoom(t *testing.T) {
	s := newShelf(t, "0.9.0", "1.0.0", "1.1.0")
	for name, do := range map[string]func(ctx context.Context, k *Updater) error{
		"remove": func(ctx context.Context, k *Updater) error { return k.Remove(ctx, "0.9.0") },
		"close":  func(_ context.Context, k *Updater) error { k.Close(); return nil },
		"update": func(_ context.Context, k *Updater) error { _, err := k.Start(Request{}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, s, "0.9.0", "1.0.0")
				r.offer("1.1.0")
				r.slow = time.Minute
				k := r.open()
				defer k.Close()
				over := make(chan error, 1)
				go func() { _, err := k.Check(context.Background()); over <- err }()
				time.Sleep(time.Second)
				began := time.Now()
				if err := do(t.Context(), k); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				if d := time.Since(began); d > time.Second {
					t.Errorf("waited %v", d)
				}
				select {
				case err := <-over:
					if (name == "close") != (codeOf(err) == problem.CodeShuttingDown) {
						t.Errorf("the look: %v", err)
					}
				default:
					t.Error("the look goes on")
				}
			})
		})
	}
}

// TestPauseARepair: its download stops, and goes on with the next repair.
func TestPauseARepair(t *testing.T) {
	s := newShelf(t, "1.0.0")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		spoil(t, r.store(), "1.0.0", "guest/rootfs.img")
		r.offer("1.0.0")
		k := r.open()
		defer k.Close()
		over := make(chan error, 1)
		go func() { _, err := k.Repair(context.Background(), ""); over <- err }()
		time.Sleep(3*chunkTime + chunkTime/2)
		if _, err := k.Pause(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		select {
		case err := <-over:
			if codeOf(err) != problem.CodeCancelled {
				t.Errorf("the repair: %v", err)
			}
		default:
			t.Error("the repair goes on")
		}
		r.wantStands("1.0<? up-to-date")
		if _, err := k.Repair(t.Context(), ""); err != nil || len(r.fetched) != 10 {
			t.Errorf("%v, fetched %v", err, r.fetched)
		}
	})
}

// TestPauseAfterATrial: a download after a trial is as good as any.
func TestPauseAfterATrial(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0", "1.2.0")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		r.hold("1.2.0")
		r.boots["1.2.0"] = errors.New("no memory")
		r.offer("1.1.0")
		k := r.open()
		defer k.Close()
		r.start(Request{})
		time.Sleep(3*time.Second + 3*chunkTime + chunkTime/2)
		if st, err := k.Pause(t.Context()); err != nil || st.Phase != PhasePaused || len(r.fetched) != 3 {
			t.Errorf("%+v, %v, fetched %v", st, err, r.fetched)
		}
	})
}

// TestPauseBetweenAttempts: a download that made room is paused all the same.
func TestPauseBetweenAttempts(t *testing.T) {
	s := newShelf(t, "0.9.0", "1.0.0", "1.1.0")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "0.9.0", "1.0.0")
		r.offer("1.1.0")
		k := r.open()
		defer k.Close()
		r.fetching(3)
		k.mu.Lock()
		k.job.cancel(errYield) // as take does
		k.mu.Unlock()
		if st, err := k.Pause(t.Context()); err != nil || st.Phase != PhasePaused {
			t.Errorf("%+v, %v", st, err)
		}
		if k.running() || len(r.fetched) > 4 {
			t.Errorf("paused, and fetched %v", r.fetched)
		}
	})
}

// TestKilledInATrial: a version whose proof boot takes the program with it is
// given up after some attempts.
func TestKilledInATrial(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		r.offer("1.1.0")
		r.auto = true
		r.hang["1.1.0"] = true
		for i := range 5 {
			k := r.open()
			k.Run()
			time.Sleep(5 * time.Hour)
			phase := k.State().Phase
			m := k.remembered()
			if want := PhaseTrying; i < maxTrials && phase != want {
				t.Errorf("start %d: %s", i, phase)
			}
			k.Close()
			if i < maxTrials {
				// A kill leaves what was noted before the boot.
				if err := m.write(filepath.Join(r.dir, "update.json")); err != nil {
					t.Fatal(err)
				}
			}
		}
		k := r.open()
		defer k.Close()
		if p, err := r.store().Pointer(); err != nil || p != (pack.Pointer{Current: "1.0.0"}) {
			t.Errorf("pointer %+v, %v", p, err)
		}
		if n := len(r.proved); n != maxTrials {
			t.Errorf("%d proof boots", n)
		}
	})
}

// TestDamagedMemory: the small file is worth no failure.
func TestDamagedMemory(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0")
	for _, content := range []string{"", "{", "null", `{"v":99}`, `{"v":1,"phase":"trying"}`, strings.Repeat("x", maxMemory+1), `{"v":1,"wish":{"addOns":["../x"]}}`} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0")
			r.offer("1.1.0")
			if err := os.WriteFile(filepath.Join(r.dir, "update.json"), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			k := r.open()
			defer k.Close()
			if _, err := k.Check(t.Context()); err != nil {
				t.Error(err)
			}
			if got := k.State(); got.Version != "1.1.0" || got.Phase != PhaseAvailable && got.Phase != PhasePaused {
				t.Errorf("%.40q: %+v", content, got)
			}
		})
	}
}

// TestKilledAtAnyMoment: what a kill leaves is what a copy of the disk shows at
// that moment. The next start ends the update, with what had arrived.
func TestKilledAtAnyMoment(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0")
	for at := time.Duration(0); at < 15*time.Second; at += 1300 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0")
			r.offer("1.1.0")
			r.open()
			r.start(Request{})
			time.Sleep(at)
			synctest.Wait()
			next := newRig(t, s)
			if err := os.CopyFS(next.dir, os.DirFS(r.dir)); err != nil {
				t.Fatal(err)
			}
			had := len(r.fetched)
			r.k.Close()
			next.offer("1.1.0")
			next.auto = true
			k := next.open()
			defer k.Close()
			p, err := next.store().Pointer()
			if _, verr := next.store().Current(s.keys, spec.Policy{}); verr != nil || err != nil || p.Current != "1.0.0" && p.Current != "1.1.0" {
				t.Errorf("killed after %v: %+v, %v, %v", at, p, err, verr)
			}
			k.Run()
			time.Sleep(3 * time.Hour)
			next.wantStands("1.1.0<1.0? up-to-date")
			if n := len(next.fetched); n > 10-had+1 {
				t.Errorf("killed after %v with %d pieces, and then %d were fetched", at, had, n)
			}
		})
	}
}

// TestSleepingComputer: the time on the wall counts, not the time a timer saw.
func TestSleepingComputer(t *testing.T) {
	byItself(t, newShelf(t, "1.0.0"), "asleep", "1.0.0", nil, func(_ *testing.T, r *rig, _ *Updater) {
		time.Sleep(5 * time.Minute)
		r.wantLooks(1)
		r.script(func() { r.asleep = 30 * time.Hour })
		time.Sleep(nap)
		r.wantLooks(2)
	})
}

// TestAddOnsComeAlong: a runtime that came without the add-ons that are in use is
// not used before they are here, too.
func TestAddOnsComeAlong(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0").addOn(t)
	for _, asked := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, s, "1.0.0")
			r.addOn("1.0.0")
			r.offer("1.1.0")
			k := r.open()
			defer k.Close()
			again := func(want string) {
				t.Helper()
				if _, err := k.launch(wish{Asked: asked}); err != nil {
					t.Fatal(err)
				}
				r.settle()
				r.wantStands(want)
				if list, err := k.AddOns(); err != nil || len(list) != 1 || list[0].Fits == nil {
					t.Errorf("%+v, %v", list, err)
				}
			}
			r.script(func() { r.broken, r.brokenAddOn = problem.New(problem.CodeDownloadFailed), true })
			again("1.0<? failed download-failed")
			if err := r.store().Sweep(t.Context()); err != nil { // notes what came without being tried
				t.Fatal(err)
			}
			r.script(func() { r.failing = problem.New(problem.CodeUpdateOffline) })
			again("1.0<?1.1.0 offline update-offline")
			k.TryCandidate()
			r.settle()
			r.script(func() { r.failing, r.broken = nil, nil })
			again("1.1.0<1.0? up-to-date")
			if len(r.proved) != 1 {
				t.Errorf("proved %v", r.proved)
			}
		})
	}
}
