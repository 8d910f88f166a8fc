//go:build unix

package vm

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/clock/clocktest"
	"piwork/vmhost/wire"
)

func TestPause(t *testing.T) {
	v := newVM(t, fakeConfig(t, "good"))
	v.timing.hung = quick.hung // of its own time
	host, beats := turned(t, v)
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := v.Pause(soon(t)); err != nil || !v.Paused() {
			t.Fatalf("Pause: %v", err)
		}
	}
	// Nothing that does not answer while it is paused is hung.
	standStill(t, v.PID())
	began := v.m.clock.Now()
	pass := func() { beats(1, quick.beat, quick.beat); time.Sleep(time.Millisecond) }
	for range 2 * quick.hung / quick.beat {
		pass()
	}
	if now := v.m.clock.Now(); now != began || v.Status().State != vmhost.StateReady {
		t.Errorf("the clock went on by %v, %+v", now-began, v.Status())
	}
	if err := syscall.Kill(v.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	resumed := host.Wall()
	for range 2 {
		if err := v.Resume(soon(t)); err != nil || v.Paused() {
			t.Fatalf("Resume: %v", err)
		}
	}
	if r := reportOf(t, v); !slices.ContainsFunc(r.Clocks, func(c int64) bool { return !time.Unix(0, c).Before(resumed) }) {
		t.Errorf("clocks %v", r.Clocks)
	}
	// Afterwards it is.
	if err := v.Pause(soon(t)); err != nil {
		t.Fatal(err)
	}
	if err := v.Resume(soon(t)); err != nil {
		t.Fatal(err)
	}
	standStill(t, v.PID())
	go func() {
		for v.life.Context().Err() == nil {
			pass()
		}
	}()
	_, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/true"}}})
	if e := (*vmhost.FailedError)(nil); !errors.As(err, &e) || e.Reason != vmhost.ReasonHung {
		t.Errorf("Execute: %v", err)
	}
	if err := v.Pause(soon(t)); !errors.As(err, new(*vmhost.FailedError)) {
		t.Errorf("Pause of a VM that failed: %v", err)
	}
}

// A machine that does not hear that it is to go on is found to hang, as any other: who cancels its
// work does not wait for ever.
func TestResumeIsNotHeard(t *testing.T) {
	v := newVM(t, fakeConfig(t, "good"))
	v.timing.hung = quick.hung
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	if err := v.Pause(soon(t)); err != nil {
		t.Fatal(err)
	}
	standStill(t, v.PID())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := v.Resume(ctx); err == nil {
		t.Fatal("it heard")
	}
	select {
	case <-v.life.Context().Done():
	case <-soon(t).Done():
		t.Error("nobody finds out")
	}
}

// A machine that hears too late that it is to stand still goes on.
func TestPauseIsHeardLate(t *testing.T) {
	v, _ := connected(t, fakeConfig(t, "good"))
	events, err := v.m.proc.Monitor().Events(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	standStill(t, v.PID())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := v.Pause(ctx); err == nil || v.Paused() {
		t.Fatalf("paused: %v", err)
	}
	if err := syscall.Kill(v.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for e := range events {
		if e.Event == "RESUME" {
			return
		}
	}
	t.Error("it stands still, and nobody knows")
}

func TestPauseAndClose(t *testing.T) {
	v, _ := connected(t, fakeConfig(t, "good"))
	if err := v.Pause(soon(t)); err != nil {
		t.Fatal(err)
	}
	if err := v.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if e := v.m.proc.Exit(); e == nil || e.Reason != "guest-shutdown" {
		t.Errorf("the guest did not power off by itself: %+v", e)
	}
	if err := v.Resume(soon(t)); !errors.Is(err, vmhost.ErrNotReady) || v.Paused() {
		t.Errorf("Resume after Close: %v", err)
	}
	idle := newVM(t, fakeConfig(t, "good"))
	if err := idle.Pause(soon(t)); !errors.Is(err, vmhost.ErrNotReady) || idle.Paused() || idle.PID() != 0 || idle.How() != "" {
		t.Errorf("Pause of an idle VM: %v", err)
	}
}

// Limits of time do not run while the VM is paused.
func TestPauseStopsLimits(t *testing.T) {
	v := newVM(t, fakeConfig(t, "good"))
	v.timing.cancel, v.timing.hung = 200*time.Millisecond, time.Minute
	_, beats := turned(t, v)
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"guest:deaf"}, Limits: wire.Limits{WallMS: 100}}})
		done <- err
	}()
	time.Sleep(50 * time.Millisecond)
	if err := v.Pause(soon(t)); err != nil {
		t.Fatal(err)
	}
	for range 200 { // two seconds, slowly enough for whoever hears that time is up
		beats(1, quick.beat, quick.beat)
		time.Sleep(2 * time.Millisecond)
	}
	select {
	case err := <-done:
		t.Fatalf("ended while it was paused: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	if err := v.Resume(soon(t)); err != nil {
		t.Fatal(err)
	}
	go func() {
		for v.life.Context().Err() == nil {
			beats(1, quick.beat, quick.beat)
			time.Sleep(time.Millisecond)
		}
	}()
	if err := <-done; err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no limit afterwards: %v", err)
	}
}

// turned is a computer whose clocks go on only when the test says so.
func turned(t *testing.T, v *VM) (f *clocktest.Time, beats func(n int, steady, wall time.Duration)) {
	t.Helper()
	f = clocktest.New(time.Now())
	v.timing.host = f.Host()
	return f, func(n int, steady, wall time.Duration) {
		t.Helper()
		for range n {
			f.Pass(steady, wall)
			select {
			case f.Tick <- time.Time{}:
			case <-time.After(time.Minute):
				t.Error("nobody looks at the clock")
				return
			case <-v.life.Context().Done():
				return
			}
		}
	}
}

// The computer sleeps, or its clock is set: no machine is found to hang, and
// the guest is told the time.
func TestTheComputerSleeps(t *testing.T) {
	for name, jump := range map[string][2]time.Duration{
		"timers too":    {quick.beat, 8 * time.Hour},
		"timers go on":  {8 * time.Hour, 8 * time.Hour},
		"set forward":   {quick.beat, 24 * time.Hour},
		"set back":      {quick.beat, -24 * time.Hour},
		"only a little": {quick.beat, 2 * time.Second},
	} {
		t.Run(name+", ready", func(t *testing.T) {
			v := newVM(t, fakeConfig(t, "good"))
			f, beats := turned(t, v)
			if err := v.Connect(soon(t)); err != nil {
				t.Fatal(err)
			}
			beats(10, quick.beat, quick.beat)
			if r := reportOf(t, v); len(r.Clocks) != 0 {
				t.Errorf("clocks %v before anything happened", r.Clocks)
			}
			done := make(chan error, 1)
			go func() {
				_, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sleep", "0.3"}, Limits: wire.Limits{WallMS: 10000}}})
				done <- err
			}()
			for range 3 {
				beats(1, jump[0], jump[1])
			}
			beats(5, quick.beat, quick.beat)
			if err := <-done; err != nil {
				t.Errorf("Execute: %v", err)
			}
			now := f.Wall()
			for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
				r := reportOf(t, v)
				if slices.ContainsFunc(r.Clocks, func(c int64) bool { return now.Sub(time.Unix(0, c)).Abs() < time.Second }) {
					break
				}
				if time.Since(began) > time.Minute {
					t.Fatalf("the guest was told %v, it is %d", r.Clocks, now.UnixNano())
				}
			}
			if s := v.Status(); s.State != vmhost.StateReady {
				t.Errorf("%+v", s)
			}
			beats(1, 0, 0) // what follows has a clock again
			go func() {
				for v.life.Context().Err() == nil {
					beats(1, quick.beat, quick.beat)
				}
			}()
		})
		t.Run(name+", connecting", func(t *testing.T) {
			v := newVM(t, fakeConfig(t, "hangs in the boot"))
			_, beats := turned(t, v)
			failed := make(chan error, 1)
			go func() { failed <- v.Connect(soon(t)) }()
			for v.Status().Step != StepAgent {
				select {
				case err := <-failed:
					t.Fatalf("Connect: %v", err)
				case <-time.After(time.Millisecond):
				}
			}
			beats(3, jump[0], jump[1])
			select {
			case err := <-failed:
				t.Fatalf("Connect: %v", err)
			case <-time.After(100 * time.Millisecond):
			}
			go func() {
				for v.life.Context().Err() == nil {
					beats(1, quick.beat, quick.beat)
				}
			}()
			if e := (*vmhost.FailedError)(nil); !errors.As(<-failed, &e) || e.Reason != vmhost.ReasonStalled || e.Step != StepAgent || e.Hint == "" {
				t.Errorf("Connect: %+v", e)
			}
		})
	}
}
