// Package runtimetest holds every runtime to the contract of vmhost.Runtime.
// Each runtime's own tests call [Run], on its fake and on the real thing; what
// is particular to a runtime is tested there.
//
// What a runtime claims in its capabilities it has to hold: limits, networks, folders that
// are read-only. What it does not claim it has to refuse. What it holds without a claim is
// fine.
package runtimetest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost"
)

// Target is a runtime under test. Its programs are those of a POSIX system:
// the suite uses sh, cat, sleep, head and wc.
type Target struct {
	// New returns a runtime in the state idle. What it leaves behind after
	// Close is for New's own clean-up to check.
	New func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime

	// Folders is New with two directories of this computer as folders, the first of which
	// programs may change and the second not. Nil for a runtime whose folders are tested
	// elsewhere.
	Folders func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc, rw, ro string) vmhost.Runtime

	// Copies says that the folders are copies: programs may take the write protection of
	// their own files off, and no folder ever sees that.
	Copies bool

	// Fake says that its programs run on this computer, beside the test: what keeps them in
	// elsewhere is not there.
	Fake bool

	// Bare says that its tree is one of tests, without operations.
	Bare bool

	// Slow says that each program of it takes long. What is on this side alone, which the fake
	// of the same runtime has, and programs without number are left to ./scripts/test all.
	Slow bool

	// Processes is New with a bound of the processes of programs, so low that it is soon
	// reached. Nil for a runtime whose bound nobody chooses.
	Processes func(t testing.TB, most int) vmhost.Runtime

	Patience time.Duration // for one step of a test; 0 is 20 s
}

// Run runs the suite.
func Run(t *testing.T, target Target) {
	target.Patience = cmp.Or(target.Patience, 20*time.Second)
	s := suite{target}
	t.Run("idle", s.idle)
	t.Run("refuses what it cannot enforce", s.refuses)
	t.Run("connecting is given up", s.givenUp)
	t.Run("life", s.life)
	if !s.Slow || tier.All {
		t.Run("wrong states", s.wrongStates)
	}
	t.Run("closed at each moment", s.closedAnywhere)
	t.Run("a description that stays", s.description)
	if !s.Fake {
		t.Run("nothing stays", s.nothingStays)
		t.Run("a disk with a bound", s.disk)
	}
	if s.Target.Folders != nil {
		t.Run("folders", s.folders)
	}
}

type suite struct{ Target }

func (s suite) ctx(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), s.Patience)
	t.Cleanup(cancel)
	return ctx
}

// states hears changes of state and checks their order.
type states struct {
	mu  sync.Mutex
	all []vmhost.Status
}

func (s *states) hear(st vmhost.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, st)
}

// names returns the states without repetitions.
func (s *states) names() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, st := range s.all {
		if n := string(st.State); len(names) == 0 || names[len(names)-1] != n {
			names = append(names, n)
		}
	}
	return strings.Join(names, " ")
}

func (s suite) idle(t *testing.T) {
	var heard states
	r := s.New(t, vmhost.ExecutionEnv{}, heard.hear)
	if st := r.Status(); st.State != vmhost.StateIdle || st.Err != nil {
		t.Errorf("status %+v", st)
	}
	c := r.Capabilities()
	known := []vmhost.Isolation{vmhost.IsolationHardware, vmhost.IsolationEmulated, vmhost.IsolationNamespace, vmhost.IsolationNone}
	if c.Name == "" || !slices.Contains(known, c.Isolation) || c.Domain == "" || len(c.Networks) == 0 {
		t.Errorf("capabilities %+v", c)
	}
	if d := r.InitData(); d.Runtime != c.Name || d.Cwd == "" || d.OS == "" || d.Network == "" {
		t.Errorf("init data %+v", d)
	}
	if d := r.InitData(); !slices.Equal(d.Can, c.Abilities()) {
		t.Errorf("it says that it can %v, and can %v", d.Can, c.Abilities())
	}
	if h := r.Hints(); time.Since(h.Time) > time.Minute {
		t.Errorf("hints %+v", h)
	}
	if _, err := r.Execute(s.ctx(t), sh("true")); !errors.Is(err, vmhost.ErrNotReady) {
		t.Errorf("Execute: %v", err)
	}
	for range 2 {
		if err := r.Close(s.ctx(t)); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if st := r.Status(); st.State != vmhost.StateClosed {
		t.Errorf("status after Close %+v", st)
	}
	if err := r.Connect(s.ctx(t)); err == nil {
		t.Error("connected after Close")
	}
	if got := heard.names(); got != "closed" {
		t.Errorf("heard %q", got)
	}
}

// refuses asks for everything that the runtime says it cannot do.
func (s suite) refuses(t *testing.T) {
	probe := s.New(t, vmhost.ExecutionEnv{}, nil)
	c := probe.Capabilities()
	if err := probe.Close(s.ctx(t)); err != nil {
		t.Error(err)
	}
	envs := map[string]vmhost.ExecutionEnv{
		"another system":          {OS: "plan9"},
		"another sandbox":         {Sandbox: "another"},
		"an unknown network mode": {Network: "sometimes"},
	}
	for _, n := range []vmhost.NetworkPolicy{vmhost.NetworkDeny, vmhost.NetworkRestricted, vmhost.NetworkAllow} {
		env := vmhost.ExecutionEnv{Network: n}
		if env.Check(c) != nil {
			envs["network "+string(n)] = env
		}
	}
	for name, env := range map[string]vmhost.ExecutionEnv{
		"read-only folders": {ReadOnlyRoots: []string{"/a"}},
		"CPU time":          {Limits: vmhost.Limits{CPUMS: 1000}},
		"memory":            {Limits: vmhost.Limits{MemoryMB: 512}},
		"disk":              {Limits: vmhost.Limits{DiskMB: 512}},
		"wall time":         {Limits: vmhost.Limits{WallMS: 1000}},
		"output":            {Limits: vmhost.Limits{OutputBytes: 1000}},
	} {
		if env.Check(c) != nil {
			envs[name] = env
		}
	}
	for name, env := range envs {
		t.Run(name, func(t *testing.T) {
			r := s.New(t, env, nil)
			err := r.Connect(s.ctx(t))
			if unsupported, is := errors.AsType[*vmhost.UnsupportedError](err); !is || unsupported.Runtime != c.Name || unsupported.What == "" {
				t.Errorf("Connect: %v", err)
			}
			if st := r.Status(); st.State == vmhost.StateReady {
				t.Error("it runs all the same")
			}
			if err := r.Close(s.ctx(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

func (s suite) givenUp(t *testing.T) {
	for name, when := range map[string]time.Duration{"before": 0, "soon": time.Millisecond, "a little later": 50 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			var heard states
			r := s.New(t, vmhost.ExecutionEnv{}, heard.hear)
			ctx, cancel := context.WithCancel(s.ctx(t))
			if when == 0 {
				cancel()
			} else {
				time.AfterFunc(when, cancel)
			}
			err := r.Connect(ctx)
			cancel()
			st := r.Status()
			if err == nil { // it was faster
				if st.State != vmhost.StateReady {
					t.Errorf("status %+v", st)
				}
			} else if !errors.Is(err, context.Canceled) || st.State != vmhost.StateFailed || !errors.Is(st.Err, context.Canceled) {
				t.Errorf("Connect: %v; status %+v", err, st)
			}
			if err := r.Close(s.ctx(t)); err != nil {
				t.Error(err)
			}
			if got := heard.names(); err != nil && got != "connecting failed" && got != "failed" {
				t.Errorf("heard %q", got)
			}
		})
	}
}

func (s suite) life(t *testing.T) {
	var heard states
	r := s.New(t, vmhost.ExecutionEnv{}, heard.hear)
	before := described(t, r)
	if err := r.Connect(s.ctx(t)); err != nil {
		t.Fatalf("Connect: %v", err)
	}
	if err := r.Connect(s.ctx(t)); err != nil {
		t.Errorf("second Connect: %v", err)
	}
	if st := r.Status(); st.State != vmhost.StateReady || st.Err != nil {
		t.Errorf("status %+v", st)
	}
	rows := map[string]func(*testing.T, vmhost.Runtime){
		"results":              s.results,
		"input":                s.input,
		"conversation":         s.conversation,
		"streams":              s.streams,
		"terminal":             s.terminal,
		"does not start":       s.doesNotStart,
		"makes no sense":       s.makesNoSense,
		"limits":               s.limits,
		"cancel":               s.cancel,
		"several at once":      s.several,
		"a slow receiver":      s.slowReceiver,
		"a receiver that asks": s.receiverAsks,
		"callbacks in order":   s.callbacks,
		"cancel while":         s.cancelWhile,
		"limits not enforced":  s.refusedLimits,
		"hints":                s.hints,
		"another place needed": s.elsewhere,
	}
	if !s.Fake {
		rows["limits enforced"], rows["its network"] = s.enforced, s.network
		rows["sessions"] = s.sessions // the fakes have no control descriptor
		rows["what it leaves running"] = s.leftRunning
	}
	for name, f := range rows {
		t.Run(name, func(t *testing.T) {
			f(t, r)
			if now := described(t, r); now != before {
				t.Errorf("init data changed from\n%s to\n%s", before, now)
			}
			if st := r.Status(); st.State != vmhost.StateReady {
				t.Fatalf("status %+v", st)
			}
		})
	}
	for range 2 {
		if err := r.Close(s.ctx(t)); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if _, err := r.Execute(s.ctx(t), sh("true")); !errors.Is(err, vmhost.ErrNotReady) {
		t.Errorf("Execute after Close: %v", err)
	}
	if got := heard.names(); got != "connecting ready closed" {
		t.Errorf("heard %q", got)
	}
}
