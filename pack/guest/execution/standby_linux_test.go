package execution

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/vmhost/wire"
)

// readyThen is a shell that stands by and then runs what it reads.
func readyThen(words string) Program {
	return Program{Argv: []string{"/bin/sh", "-c", words}, Cwd: "/", Env: []string{"PATH=/usr/bin:/bin"}}
}

const obey = `echo; order=$(cat); [ -n "$order" ] && eval "$order"`

func newStandby(t *testing.T, p Program) *Standby {
	t.Helper()
	s := &Standby{Program: func() Program { return p }, Starter: &Starter{
		Launcher: []string{"/proc/self/exe", "launch"}, Children: &Children{}, UID: -1, GID: -1,
	}}
	t.Cleanup(s.Close)
	return s
}

// collected is an Output that keeps everything.
func collected() (OutputFunc, func() string) {
	var mu sync.Mutex
	var b strings.Builder
	return func(_ context.Context, _ string, data []byte) error {
			mu.Lock()
			defer mu.Unlock()
			_, err := b.WriteString(string(data))
			return err
		}, func() string {
			mu.Lock()
			defer mu.Unlock()
			return b.String()
		}
}

func TestStandby(t *testing.T) {
	waiting := readyThen(obey)
	s := newStandby(t, waiting)
	if s.Take(t.Context(), waiting) != nil {
		t.Error("nobody was started, and one was taken")
	}
	if err := errors.Join(s.Start(t.Context()), s.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	work := waiting
	output, said := collected()
	work.Output, work.Stdin = output, []byte("echo well; cat /proc/$$/oom_score_adj; ulimit -f; exit 3")
	work.Limits = Limits{Wall: time.Minute, FileSize: 1 << 20}
	p := s.Take(t.Context(), work)
	if p == nil {
		t.Fatal("the one that waits was not taken")
	}
	o, err := p.Wait(t.Context())
	if err != nil || o.ExitCode != 3 || o.Ended != "" {
		t.Errorf("%+v, %v", o, err)
	}
	if got := said(); got != "well\n0\n2048\n" {
		t.Errorf("it said %q", got)
	}
	// There is none until another was started: nothing is done twice.
	if s.Take(t.Context(), work) != nil {
		t.Error("it was taken twice")
	}
}

func TestStandbyIsBounded(t *testing.T) {
	waiting := readyThen(obey)
	s := newStandby(t, waiting)
	work := waiting
	work.Stdin = []byte("sleep 1000")
	var p *Process
	for work.Limits.Wall = 100 * time.Millisecond; p == nil; work.Limits.Wall *= 4 { // a busy computer may use it up before it is told what to do
		if work.Limits.Wall > time.Minute {
			t.Fatal("not taken")
		}
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		p = s.Take(t.Context(), work)
	}
	if o, err := p.Wait(t.Context()); err != nil || o.Ended != wire.EndedTimeout {
		t.Errorf("%+v, %v", o, err)
	}
}

// One that is not what is needed, or is no more, is not taken, and the next one
// stands by after a moment.
func TestStandbyNotTaken(t *testing.T) {
	waiting := readyThen(obey)
	s := newStandby(t, waiting)
	other := waiting
	other.Env = append([]string{"TZ=UTC"}, waiting.Env...)
	other.Stdin = []byte("true")
	gone := func() {
		s.mu.Lock()
		p := s.waiting.process
		s.mu.Unlock()
		p.kill()
		<-p.Done()
	}
	for name, row := range map[string]struct {
		before func()
		want   Program
	}{
		"another environment": {func() {}, other},
		"it ended":            {gone, waiting},
		"it was discarded":    {s.Discard, waiting},
	} {
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		row.before()
		row.want.Stdin = []byte("true")
		if s.Take(t.Context(), row.want) != nil {
			t.Errorf("%s: taken", name)
		}
		s.Renew()
		work := waiting
		work.Stdin = []byte("exit 4")
		for p := (*Process)(nil); p == nil; {
			if p = s.Take(t.Context(), work); p == nil {
				s.Renew() // it was too early: that takes what was to be started
				<-time.After(2 * standbyPause)
				continue
			}
			if o, err := p.Wait(t.Context()); err != nil || o.ExitCode != 4 {
				t.Errorf("%s: %+v, %v", name, o, err)
			}
		}
	}
}

func TestStandbyFails(t *testing.T) {
	for name, row := range map[string]struct{ program, want string }{
		"ends":  {"exit 1", "it ended"},
		"talks": {"echo no; cat", `it says "no\n"`},
		"fails": {"echo no >&2; cat", `it says "no\n"`},
	} {
		s := newStandby(t, readyThen(row.program))
		if err := s.Start(t.Context()); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", name, err)
		}
		if s.Take(t.Context(), readyThen(row.program)) != nil {
			t.Errorf("%s: taken", name)
		}
	}
	s := newStandby(t, readyThen("sleep 1000"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	s.Enough = func() bool { return false }
	if err := s.Start(t.Context()); err != nil || s.Take(t.Context(), readyThen("")) != nil {
		t.Errorf("without memory: %v", err)
	}
	s.Close()
	s.Enough = nil
	if err := s.Start(t.Context()); err != nil || s.Take(t.Context(), readyThen("")) != nil {
		t.Errorf("one stands by after the end: %v", err)
	}
}
