package runtimetest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// described is what a runtime says of its environment, as bytes.
func described(t testing.TB, r vmhost.Runtime) string {
	t.Helper()
	b, err := json.Marshal(r.InitData())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// closed closes a runtime of which nothing more is wanted.
func (s suite) closed(t *testing.T, r vmhost.Runtime) {
	t.Helper()
	if err := r.Close(s.ctx(t)); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// notReady tells whether an error is that of a runtime outside of ready, or of one that
// ends meanwhile.
func notReady(err error) bool {
	var failed *vmhost.FailedError
	return errors.Is(err, vmhost.ErrNotReady) || errors.As(err, &failed)
}

// wrongStates asks for everything while it is not the time for that.
func (s suite) wrongStates(t *testing.T) {
	t.Run("while it connects", func(t *testing.T) {
		connecting := make(chan bool, 1)
		r := s.New(t, vmhost.ExecutionEnv{}, func(st vmhost.Status) {
			if st.State == vmhost.StateConnecting {
				select {
				case connecting <- true:
				default:
				}
			}
		})
		var calls sync.WaitGroup
		calls.Go(func() {
			<-connecting
			if _, err := r.Execute(s.ctx(t), sh("true")); err != nil && !errors.Is(err, vmhost.ErrNotReady) {
				t.Errorf("Execute: %v", err)
			}
			ctx, cancel := context.WithCancelCause(s.ctx(t)) // who waits with another may give up alone
			why := errors.New("not that long")
			cancel(why)
			if err := r.Connect(ctx); err != nil && !errors.Is(err, why) {
				t.Errorf("Connect that is given up: %v", err)
			}
		})
		for range 4 {
			calls.Go(func() {
				if err := r.Connect(s.ctx(t)); err != nil {
					t.Errorf("Connect, several at once: %v", err)
				}
			})
		}
		calls.Wait()
		if st := r.Status(); st.State != vmhost.StateReady {
			t.Errorf("status %+v", st)
		}
		for range 4 { // Close from several at once is one
			calls.Go(func() { s.closed(t, r) })
		}
		calls.Wait()
		if st := r.Status(); st.State != vmhost.StateClosed {
			t.Errorf("status %+v", st)
		}
	})
	t.Run("after a failure", func(t *testing.T) {
		var heard states
		r := s.New(t, vmhost.ExecutionEnv{}, heard.hear)
		why := errors.New("the person left")
		ctx, cancel := context.WithCancelCause(s.ctx(t))
		cancel(why)
		first := r.Connect(ctx)
		if !errors.Is(first, why) {
			t.Fatalf("Connect: %v", first)
		}
		if err := r.Connect(s.ctx(t)); err == nil || err.Error() != first.Error() {
			t.Errorf("Connect again: %v, and first %v", err, first)
		}
		if _, err := r.Execute(s.ctx(t), sh("true")); !errors.Is(err, vmhost.ErrNotReady) {
			t.Errorf("Execute: %v", err)
		}
		s.closed(t, r)
		if st := r.Status(); st.State != vmhost.StateFailed || !errors.Is(st.Err, why) {
			t.Errorf("failed is final: %+v", st)
		}
		heard.mu.Lock()
		defer heard.mu.Unlock()
		for i, st := range heard.all {
			if i > 0 && st.Since.Before(heard.all[i-1].Since) || st.Since.IsZero() {
				t.Errorf("%+v after %+v", st, heard.all[i-1])
			}
		}
	})
}

// closedAnywhere closes a runtime whatever it does.
func (s suite) closedAnywhere(t *testing.T) {
	for name, wait := range map[string]time.Duration{"as it connects": 0, "soon after": 3 * time.Millisecond, "later": 60 * time.Millisecond} {
		if s.Slow && !tier.All && name != "later" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := s.New(t, vmhost.ExecutionEnv{}, nil)
			connected := make(chan error, 1)
			go func() { connected <- r.Connect(s.ctx(t)) }()
			<-time.After(wait)
			s.closed(t, r)
			if err := <-connected; err != nil && !notReady(err) {
				t.Errorf("Connect: %v", err)
			}
			if st := r.Status(); st.State != vmhost.StateClosed && st.State != vmhost.StateFailed {
				t.Errorf("status %+v", st)
			}
		})
	}
	for name, a := range map[string]func(started chan<- bool) vmhost.Action{
		"a program that says nothing": func(started chan<- bool) vmhost.Action { started <- true; return sh("sleep 600") },
		"one that says much": func(started chan<- bool) vmhost.Action {
			a, once := sh("cat /dev/zero"), sync.Once{}
			a.OnOutput = func(wire.ExecOutput) { once.Do(func() { started <- true }) }
			return a
		},
		"one that ignores its end": func(started chan<- bool) vmhost.Action {
			a := sh("trap '' TERM INT HUP; echo here; while :; do sleep 1; done")
			a.OnOutput = func(wire.ExecOutput) { started <- true }
			return a
		},
	} {
		if s.Slow && !tier.All && name != "one that says much" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := s.New(t, vmhost.ExecutionEnv{}, nil)
			if err := r.Connect(s.ctx(t)); err != nil {
				t.Fatal(err)
			}
			started, ended := make(chan bool, 1), make(chan error, 1)
			go func() {
				_, err := r.Execute(s.ctx(t), a(started))
				ended <- err
			}()
			<-started
			s.closed(t, r)
			if err := <-ended; err != nil && !notReady(err) { // or its end, with a signal
				t.Errorf("Execute: %v", err)
			}
		})
	}
}

// description is the same, byte for byte, before a task, at each of its moments and after
// it, and of every runtime that is made for the same environment.
func (s suite) description(t *testing.T) {
	r := s.New(t, vmhost.ExecutionEnv{}, nil)
	first := described(t, r)
	for _, word := range []string{"runtime", "os", "cwd", "sandbox", "network"} {
		if !strings.Contains(first, `"`+word+`":"`) {
			t.Errorf("no %s: %s", word, first)
		}
	}
	d := r.InitData()
	for i := range d.Folders {
		d.Folders[i].Path = "changed by who asked"
	}
	for i := range d.Can {
		d.Can[i] = "fly"
	}
	if now := described(t, r); now != first {
		t.Errorf("who asked changed it to %s", now)
	}
	if err := r.Connect(s.ctx(t)); err != nil {
		t.Fatal(err)
	}
	connected := described(t, r)
	s.closed(t, r)
	again := s.New(t, vmhost.ExecutionEnv{}, nil)
	other := described(t, again)
	s.closed(t, again)
	for name, now := range map[string]string{"when it is connected": connected, "when it is closed": described(t, r), "of another one": other} {
		if now != first {
			t.Errorf("%s: %s, not %s", name, now, first)
		}
	}
}

// hints change while the description does not, and those of when it was connected are what
// programs find.
func (s suite) hints(t *testing.T, r vmhost.Runtime) {
	if zone := r.Hints().TimeZone; zone != "" && !s.Fake {
		if got := s.run(t, r, sh("printf %s \"$TZ\"")); string(got.Stdout) != zone {
			t.Errorf("the time zone of a program is %q, and of this computer %q", got.Stdout, zone)
		}
	}
	for _, zone := range []string{"Asia/Tokyo", "America/Lima"} {
		t.Setenv("TZ", zone)
		t.Setenv("LC_ALL", "de_DE.UTF-8")
		if h := r.Hints(); h.TimeZone != zone || h.Locale != "de_DE.UTF-8" || time.Since(h.Time) > time.Minute {
			t.Errorf("%+v", h)
		}
	}
}

// nothingStays of one runtime for the next.
func (s suite) nothingStays(t *testing.T) {
	const dirs = `for d in . "$HOME" "${TMPDIR:-/tmp}"; do `
	for i, script := range []string{dirs + `echo x >"$d/of-the-one-before" || exit 1; done`, dirs + `test ! -e "$d/of-the-one-before" || exit 1; done`} {
		r := s.New(t, vmhost.ExecutionEnv{}, nil)
		if err := r.Connect(s.ctx(t)); err != nil {
			t.Fatal(err)
		}
		if got := s.run(t, r, sh(script)); got.ExitCode != 0 {
			t.Errorf("the runtime %d: %+v %s", i, got, got.Stderr)
		}
		s.closed(t, r)
	}
}

// leftRunning by a program ends with it; what left its session ends with the place, and
// holds nobody up though it keeps the output open.
func (s suite) leftRunning(t *testing.T, r vmhost.Runtime) {
	for _, script := range []string{"sleep 600 & echo $!", "(sleep 600 & echo $!) >&2 2>&1 &\nwait", "trap '' HUP TERM; sh -c 'trap \"\" HUP TERM; sleep 600; sleep 600' >/dev/null 2>&1 & echo $!"} {
		got := s.run(t, r, sh(script))
		pid := strings.TrimSpace(string(got.Stdout) + string(got.Stderr))
		if got.ExitCode != 0 || pid == "" {
			t.Errorf("%s: %+v", script, got)
			continue
		}
		if got := s.run(t, r, sh("kill -0 "+pid)); got.ExitCode == 0 {
			t.Errorf("%s: the process %s is there", script, pid)
		}
	}
	began := time.Now()
	got := s.run(t, r, sh("setsid sleep 60 & sleep 0.5; echo hi"))
	if took := time.Since(began); string(got.Stdout) != "hi\n" || got.Ended != "" || took > s.Patience/2 {
		t.Errorf("a daemon: %+v after %v", got, took)
	}
}
