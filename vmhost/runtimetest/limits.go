package runtimetest

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// refusedLimits are those that it does not enforce: an action that has one is not begun.
func (s suite) refusedLimits(t *testing.T, r vmhost.Runtime) {
	has := r.Capabilities().Limits
	for name, row := range map[string]struct {
		enforced bool
		limits   wire.Limits
	}{
		"memory":         {has.Memory, wire.Limits{MemoryMB: 512}},
		"processor time": {has.CPU, wire.Limits{CPUMS: 60_000}},
		"time":           {has.Wall, wire.Limits{WallMS: 60_000}},
		"output":         {has.Output, wire.Limits{OutputBytes: 1 << 20}},
	} {
		a := sh("echo begun")
		a.Exec.Limits = row.limits
		obs, err := r.Execute(s.ctx(t), a)
		var unsupported *vmhost.UnsupportedError
		switch {
		case row.enforced && (err != nil || string(obs.Exec.Stdout) != "begun\n"):
			t.Errorf("a limit of %s that is far: %+v %v", name, obs.Exec, err)
		case !row.enforced && (!errors.As(err, &unsupported) || unsupported.Runtime != r.Capabilities().Name):
			t.Errorf("a limit of %s that nobody keeps: %+v %v", name, obs.Exec, err)
		}
	}
}

// elsewhere has actions that need another place refused, before anything of them is done.
func (s suite) elsewhere(t *testing.T, r vmhost.Runtime) {
	c := r.Capabilities()
	for name, row := range map[string]struct {
		needs vmhost.Requirement
		lacks string
	}{
		"this kind":    {vmhost.Requirement{Kinds: []string{"other", c.Name}, AtLeast: c.Isolation, Can: c.Abilities()}, ""},
		"another kind": {vmhost.Requirement{Kinds: []string{"other"}}, vmhost.LacksKind},
		"an ability":   {vmhost.Requirement{Can: []vmhost.Ability{"fly"}}, "fly"},
	} {
		heard := false
		a := sh("echo begun")
		a.Requires, a.OnStart = row.needs, func() { heard = true }
		obs, err := r.Execute(s.ctx(t), a)
		var e *vmhost.RequirementError
		switch {
		case row.lacks == "" && (err != nil || string(obs.Exec.Stdout) != "begun\n"):
			t.Errorf("%s: %+v %v", name, obs.Exec, err)
		case row.lacks != "" && (!errors.As(err, &e) || e.Lacks != row.lacks || e.Runtime != c.Name || heard):
			t.Errorf("%s: %+v %v, it began: %v", name, obs.Exec, err, heard)
		}
	}
}

// enforced are the limits that it claims: what goes over them ends, and nothing else.
func (s suite) enforced(t *testing.T, r vmhost.Runtime) {
	has := r.Capabilities().Limits
	beside := func(name string) {
		t.Helper()
		if got := s.run(t, r, sh("echo beside")); string(got.Stdout) != "beside\n" {
			t.Errorf("after %s: %+v", name, got)
		}
	}
	if has.Memory {
		a := sh("s=0123456789abcdef; while :; do s=$s$s; done")
		a.Exec.Limits.MemoryMB = 64
		if got := s.run(t, r, a); got.Ended != wire.EndedOutOfMemory || got.ExitCode != 137 {
			t.Errorf("memory: %+v", got)
		}
		beside("the limit of memory")
	}
	if has.CPU {
		// Both of a tree count.
		a := sh("(while :; do :; done) & while :; do :; done")
		a.Exec.Limits.CPUMS = 1000
		if got := s.run(t, r, a); got.Ended != wire.EndedCPULimit || got.ExitCode == 0 || got.CPUMS < 1000 {
			t.Errorf("processor time: %+v", got)
		}
		beside("the limit of processor time")
	}
	if has.Processes && (!s.Slow || tier.All) {
		if s.Processes != nil {
			r = s.Processes(t, 200)
			defer s.closed(t, r)
			if err := r.Connect(s.ctx(t)); err != nil {
				t.Fatal(err)
			}
		}
		// Each waits for a writer of the pipe. The shell says that it cannot fork, and ends.
		got := s.run(t, r, sh("mkfifo p; i=0; while [ $i -lt 20000 ]; do read x <p & i=$((i+1)); done; echo all of them"))
		if got.ExitCode == 0 || strings.Contains(string(got.Stdout), "all of them") {
			t.Errorf("processes: %+v", got)
		}
		beside("the limit of processes")
	}
}

// disk is an environment with a bound of what programs write.
func (s suite) disk(t *testing.T) {
	env := vmhost.ExecutionEnv{Limits: vmhost.Limits{DiskMB: 64}}
	r := s.New(t, env, nil)
	if env.Check(r.Capabilities()) != nil {
		s.closed(t, r)
		t.Skip("it does not claim to bound that, and refuses it")
	}
	defer s.closed(t, r)
	if err := r.Connect(s.ctx(t)); err != nil {
		t.Fatal(err)
	}
	if got := s.run(t, r, sh("head -c 16000000 /dev/zero >fits && wc -c <fits")); got.ExitCode != 0 {
		t.Errorf("what fits: %+v %s", got, got.Stderr)
	}
	obs, err := r.Execute(s.ctx(t), sh("head -c 200000000 /dev/zero >large"))
	if failed, is := errors.AsType[*vmhost.FailedError](err); err != nil && (!is || failed.Reason != vmhost.ReasonDiskFull) || err == nil && obs.Exec.ExitCode == 0 {
		t.Errorf("what does not: %+v %v", obs.Exec, err)
	}
}

// network is what a program has of it by the policy.
func (s suite) network(t *testing.T, r vmhost.Runtime) {
	// What keeps nothing apart shows the tables of this computer; its own tests dial.
	if r.InitData().Network != vmhost.NetworkDeny || r.Capabilities().Isolation == vmhost.IsolationNone {
		return
	}
	// A table has a line of titles; routes of loopback are in none.
	got := s.run(t, r, sh("grep -v Iface /proc/net/route; grep -v '  *lo$' /proc/net/ipv6_route; true"))
	if len(got.Stdout) > 0 {
		t.Errorf("it has routes: %s", got.Stdout)
	}
}

// callbacks come in order, one at a time, and none after Execute returned.
func (s suite) callbacks(t *testing.T, r vmhost.Runtime) {
	for name, cancelled := range map[string]bool{"an end": false, "a cancel": true} {
		var mu sync.Mutex
		over, late := false, 0
		ctx, cancel := context.WithCancel(s.ctx(t))
		a := sh("i=0; while [ $i -lt 2000 ]; do echo $i; i=$((i+1)); done")
		n := 0
		a.OnOutput = func(o wire.ExecOutput) {
			mu.Lock()
			defer mu.Unlock()
			if over {
				late++
			}
			if n += len(o.Data); cancelled && n > 1000 {
				cancel()
			}
		}
		_, err := r.Execute(ctx, a)
		mu.Lock()
		over = true
		mu.Unlock()
		cancel()
		if err != nil && (!cancelled || !errors.Is(err, context.Canceled)) {
			t.Errorf("%s: %v", name, err)
		}
		s.run(t, r, sh("true")) // what was said meanwhile is heard before this answer
		mu.Lock()
		if late > 0 {
			t.Errorf("%s: %d calls after it", name, late)
		}
		mu.Unlock()
	}
}

// cancelWhile cancels an action in each of its moments.
func (s suite) cancelWhile(t *testing.T, r vmhost.Runtime) {
	var fed atomic.Int64
	for name, row := range map[string]func(cancel func()) vmhost.Action{
		"it is fed": func(cancel func()) vmhost.Action {
			in, out := io.Pipe()
			a := sh("head -c 100000; sleep 600")
			a.Input, a.OnOutput = in, func(wire.ExecOutput) { cancel() }
			go func() {
				for {
					n, err := out.Write(make([]byte, 32<<10))
					if fed.Add(int64(n)); err != nil {
						return
					}
				}
			}()
			return a
		},
		"nobody reads what it is fed": func(cancel func()) vmhost.Action {
			a := sh("echo here; sleep 600")
			a.Exec.Stdin, a.OnOutput = make([]byte, 4<<20), func(wire.ExecOutput) { cancel() }
			return a
		},
		"it says much": func(cancel func()) vmhost.Action {
			a := sh("cat /dev/zero")
			a.OnOutput = func(wire.ExecOutput) { cancel() }
			return a
		},
		"its receiver is busy": func(cancel func()) vmhost.Action {
			a, once := sh("cat /dev/zero"), sync.Once{}
			a.OnOutput = func(wire.ExecOutput) {
				once.Do(func() { cancel(); <-time.After(200 * time.Millisecond) })
			}
			return a
		},
		"it has a terminal": func(cancel func()) vmhost.Action {
			a := sh("echo here; sleep 600")
			a.Exec.Terminal, a.OnOutput = &wire.TerminalSize{Columns: 80, Rows: 24}, func(wire.ExecOutput) { cancel() }
			return a
		},
		"it ignores that": func(cancel func()) vmhost.Action {
			a := sh("trap '' TERM INT HUP; echo here; while :; do sleep 600; done")
			a.OnOutput = func(wire.ExecOutput) { cancel() }
			return a
		},
	} {
		ctx, cancel := context.WithCancel(s.ctx(t))
		a, began := row(cancel), false
		a.OnStart = func() { began = true }
		if _, err := r.Execute(ctx, a); !errors.Is(err, context.Canceled) {
			t.Errorf("while %s: %v; it began: %v, was fed with %d bytes", name, err, began, fed.Load())
		}
		cancel()
	}
	// As it ends by itself: either is right, and nothing hangs.
	for i := range 10 {
		ctx, cancel := context.WithCancel(s.ctx(t))
		time.AfterFunc(time.Duration(i)*2*time.Millisecond, cancel)
		if obs, err := r.Execute(ctx, sh("exit 6")); err != nil && !errors.Is(err, context.Canceled) || err == nil && obs.Exec.ExitCode != 6 {
			t.Errorf("as it ends: %+v %v", obs.Exec, err)
		}
		cancel()
	}
}

// folders are what the environment says they are, on both sides.
func (s suite) folders(t *testing.T) {
	base := t.TempDir()
	rw, ro := filepath.Join(base, "rw"), filepath.Join(base, "ro")
	for _, dir := range []string{rw, ro} {
		if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "a"), []byte("before\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	env := vmhost.ExecutionEnv{WorkspaceRoot: rw, WritableRoots: []string{rw}, ReadOnlyRoots: []string{ro}}
	r := s.Target.Folders(t, env, nil, rw, ro)
	defer s.closed(t, r)
	first := described(t, r)
	d := r.InitData()
	if len(d.Folders) != 2 || d.Folders[0].ReadOnly || !d.Folders[1].ReadOnly || d.WorkspaceRoot != d.Folders[0].Path || d.Cwd != d.Folders[0].Path {
		t.Errorf("init data %+v", d)
	}
	if err := r.Connect(s.ctx(t)); err != nil {
		t.Fatal(err)
	}
	in := d.Folders[1].Path
	got := s.run(t, r, sh("cat a "+in+"/a && echo after >a && mkdir d && echo new >d/new && pwd"))
	if got.ExitCode != 0 || string(got.Stdout) != "before\nbefore\n"+d.WorkspaceRoot+"\n" {
		t.Errorf("%+v %s", got, got.Stderr)
	}
	for name, want := range map[string]string{"rw/a": "after\n", "rw/d/new": "new\n", "ro/a": "before\n"} {
		if b, err := os.ReadFile(filepath.Join(base, name)); err != nil || string(b) != want {
			t.Errorf("%s has %q, %v", name, b, err)
		}
	}
	refused := []string{
		"echo x >" + in + "/a", "echo x >>" + in + "/a", "echo x >" + in + "/new", "mkdir " + in + "/d", "rm -f " + in + "/a", "mv " + in + "/a b",
		"ln " + in + "/a b && echo x >b", "ln -s " + in + "/a s && echo x >s", "mv a " + in + "/b",
	}
	owned := []string{"chmod 777 " + in + "/a", "touch " + in + "/a"}
	if !s.Copies {
		refused, owned = append(refused, owned...), nil
	}
	for _, script := range refused {
		if got := s.run(t, r, sh(script)); got.ExitCode == 0 {
			t.Errorf("%s: %s", script, got.Stdout)
		}
	}
	for _, script := range append(owned, "true") { // the last one also brings back what is there
		s.run(t, r, sh(script))
	}
	entries, err := os.ReadDir(ro)
	if b, rerr := os.ReadFile(filepath.Join(ro, "a")); err != nil || rerr != nil || len(entries) != 1 || string(b) != "before\n" {
		t.Errorf("what is read-only: %v, %q %v", entries, b, errors.Join(err, rerr))
	}
	if now := described(t, r); now != first {
		t.Errorf("init data changed to %s", now)
	}
}

// untaken is output whose receiver waits for another action: it holds up its own program, and
// nothing else.
func (s suite) untaken(t *testing.T, r vmhost.Runtime) {
	n := 0
	a := sh("head -c 8000000 /dev/zero")
	a.OnOutput = func(o wire.ExecOutput) {
		if n == 0 {
			if obs, err := r.Execute(s.ctx(t), sh("sleep 0.5; echo here")); err != nil || string(obs.Exec.Stdout) != "here\n" {
				t.Errorf("beside output that nobody takes: %+v %v", obs, err)
			}
		}
		n += len(o.Data)
	}
	if got := s.run(t, r, a); n != 8000000 || got.ExitCode != 0 {
		t.Errorf("%d bytes of output: %+v", n, got)
	}
}
