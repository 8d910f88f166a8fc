//go:build vm && linux

package guestvm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// Whatever a program does within its limits, the agent beside it answers and the
// next program runs as if nothing had been.
func hostilePrograms(t *testing.T, opts Options) {
	m := Boot(t, opts)
	Call[wire.Empty](m, wire.MethodPrepare, prepareParams(t, nil))
	long := func(p *wire.ExecParams) { p.Limits.WallMS = stall.Milliseconds() }
	for _, tt := range []struct {
		name, program string
		ended         string // "" is any end
		more          func(*wire.ExecParams)
	}{
		{"fork bomb", "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", wire.EndedTimeout, nil},
		{"all memory in children", "import os\nfor i in range(8): os.fork()\nb=[]\nwhile True: b.append(bytearray(1<<20))", wire.EndedOutOfMemory, long},
		{"memory limit", "b=[]\nwhile True: b.append(bytearray(1<<20))", wire.EndedOutOfMemory, func(p *wire.ExecParams) { p.Limits = wire.Limits{MemoryMB: 64, WallMS: stall.Milliseconds()} }},
		{"processor hogs", "import os\nfor i in range(6): os.fork()\nwhile True: pass", wire.EndedTimeout, nil},
		{"files in memory", "f=open('/dev/shm/x','wb')\nwhile True: f.write(b'x'*(1<<20))", "", nil},
		{"all descriptors", "import os,resource\nresource.setrlimit(resource.RLIMIT_NOFILE,(65536,65536)); print(65536)\nfor i in range(3): os.fork()\nwhile True:\n  try: os.pipe()\n  except OSError: pass", "", nil},
		{"kills all it may", "import os,signal\nos.kill(-1, signal.SIGKILL)", "", nil},
		{"stops all it may", "import os,signal\nos.kill(-1, signal.SIGSTOP)", "", nil},
		{"zombies", "import os,time\nfor i in range(1500):\n  if os.fork()==0: os._exit(0)\ntime.sleep(1)", "", long},
		{"orphans", "import os,time\nfor i in range(400):\n  if os.fork()==0:\n    if os.fork()==0: time.sleep(0.05)\n    os._exit(0)\n  os.wait()", "", long},
		{"sessions of their own", "import os,time\nfor i in range(50):\n  if os.fork()==0:\n    os.setsid(); os.fork(); time.sleep(600)\nwhile True: time.sleep(1)", wire.EndedTimeout, nil},
		{"a full disk", "f=open('/work/full','wb')\nwhile True: f.write(b'x'*(1<<20))", "", func(p *wire.ExecParams) { p.Limits.WallMS = 2_000 }},
		{"many directories", "import os\nos.chdir('/tmp')\nwhile True: os.mkdir('d'); os.chdir('d')", wire.EndedTimeout, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m.T = t
			p := wire.ExecParams{ID: strings.ReplaceAll(tt.name, " ", "-"), Argv: []string{"python3", "-c", tt.program}, Limits: wire.Limits{WallMS: 4_000}}
			if tt.more != nil {
				tt.more(&p)
			}
			done, answered := make(chan wire.ExecResult, 1), 0
			go func() {
				r, err := Try[wire.ExecResult](m, wire.MethodExecRun, p)
				if err != nil {
					t.Error(err)
				}
				done <- r
			}()
			var r wire.ExecResult
			var slowest time.Duration
			for over := false; !over; answered++ {
				began := time.Now()
				Call[wire.EchoParams](m, wire.MethodEcho, wire.EchoParams{Data: "there"})
				slowest = max(slowest, time.Since(began))
				select {
				case r = <-done:
					over = true
				case <-time.After(100 * time.Millisecond):
				}
			}
			t.Logf("ended %q, exit %d; %d answers meanwhile, the slowest after %v", r.Ended, r.ExitCode, answered, slowest.Round(time.Millisecond))
			if tt.ended != "" && r.Ended != tt.ended || (tt.ended == wire.EndedOutOfMemory && r.ExitCode != 137) {
				t.Errorf("%+v %s", r, r.Stderr)
			}
			// Its cgroup goes after the answer, so that nobody waits for it. What
			// waits for operations may have one.
			after := run(m, p.ID+"-after", `rm -rf /dev/shm/x /work/full; echo alive
groups() {
	for g in /sys/fs/cgroup/piwork/x*; do
		grep -q "${g##*/}$" /proc/self/cgroup || grep -qs operate $(sed 's,.*,/proc/&/comm,' "$g/cgroup.procs" 2>/dev/null) /dev/null || echo "$g"
	done
}
n=0; while [ "$(groups)" ] && [ $n -lt 100 ]; do sleep 0.05; n=$((n+1)); done
cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z'; groups`)
			if string(after.Stdout) != "alive\n0\n" {
				t.Errorf("after it: %q %s", after.Stdout, after.Stderr)
			}
			node := Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: p.ID + "-node", Argv: []string{"node", "-p", "6*7"}})
			if string(node.Stdout) != "42\n" {
				t.Errorf("node: %+v %s", node, node.Stderr)
			}
		})
	}
}

// What a program is given is in no log, however it ends.
func TestNoSecretsInLogs(t *testing.T) {
	const secret = "s3cr3t-9f1d"
	var mu sync.Mutex
	var logged strings.Builder
	_, opts := warmed(t, Options{})
	opts.OnNotify = func(method string, params json.RawMessage) {
		if method == wire.NotifyLog {
			mu.Lock()
			logged.Write(params)
			mu.Unlock()
		}
	}
	m := Boot(t, opts)
	Call[wire.Empty](m, wire.MethodPrepare, prepareParams(t, nil))
	for i, p := range []wire.ExecParams{
		{Argv: []string{"sh", "-c", "exit 3 # " + secret}},
		{Argv: []string{"no-such-" + secret}},
		{Argv: []string{"/no/such/" + secret}},
		{Argv: []string{"true"}, Cwd: "/no/" + secret},
		{Argv: []string{"sleep", "60", secret}, Limits: wire.Limits{WallMS: 100}},
		{Argv: []string{"python3", "-c", "b=bytearray(400<<20) # " + secret}, Limits: wire.Limits{MemoryMB: 32}},
		{Argv: []string{"python3", "-c", "import os; os.abort() # " + secret}},
		{Argv: []string{"node", "-e", "process.abort() // " + secret}},
		{Argv: []string{"sh", "-c", "kill -SEGV $$ # " + secret}},
		{Argv: []string{"cat"}, Stdin: []byte(secret)},
		{Argv: []string{secret + "\x00"}},
		{ID: "../" + secret, Argv: []string{"true"}},
	} {
		if p.ID == "" {
			p.ID = fmt.Sprint("x", i)
		}
		p.Env = map[string]string{"TOKEN": secret}
		_, _ = Try[wire.ExecResult](m, wire.MethodExecRun, p) // however it ends
	}
	_, _ = Try[wire.Empty](m, "no.such."+secret, map[string]string{secret: secret})
	_, _ = Try[wire.Empty](m, wire.MethodExecRun, json.RawMessage(`["`+secret+`"]`))
	Call[wire.Empty](m, wire.MethodShutdown, nil)
	m.AwaitExit()
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(logged.String(), secret) {
		t.Errorf("the log says %s", logged.String())
	}
	if strings.Contains(m.console.String(), secret) {
		t.Errorf("the console says %s", m.console)
	}
}

// What fits in a message is started or refused by name, never worse.
func TestHugeCommandLines(t *testing.T) {
	tier.Rest(t, "")
	m := Boot(t, Options{})
	prepare(m)
	words := func(n, size int) []string {
		w := []string{"python3", "-c", "import sys; print(len(sys.argv), sum(map(len, sys.argv)))"}
		for range n {
			w = append(w, strings.Repeat("x", size))
		}
		return w
	}
	env := map[string]string{}
	for i := range wire.MaxEnv {
		env[fmt.Sprint("V", i)] = strings.Repeat("y", 1700)
	}
	for name, p := range map[string]wire.ExecParams{
		"many words": {Argv: words(wire.MaxArgs-3, 200)}, "long words": {Argv: words(7, wire.MaxArg)}, "many variables": {Argv: words(0, 0), Env: env},
		"empty words": {Argv: words(wire.MaxArgs-3, 0)},
	} {
		p.ID = strings.ReplaceAll(name, " ", "-")
		r, err := Try[wire.ExecResult](m, wire.MethodExecRun, p)
		if err != nil {
			wantCode(t, err, wire.CodeStart)
		} else if r.ExitCode != 0 {
			t.Errorf("%s: %+v %s", name, r, r.Stderr)
		}
		t.Logf("%s: %s%v", name, r.Stdout, err)
	}
	// Beyond the bounds of a message: refused, and the conversation goes on.
	_, err := Try[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: "a", Argv: words(wire.MaxArgs, 1)})
	wantCode(t, err, wire.CodeInvalid)
	_, err = Try[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: "b", Argv: words(1, wire.MaxArg+1)})
	wantCode(t, err, wire.CodeInvalid)
	if r := run(m, "after", "echo alive"); string(r.Stdout) != "alive\n" {
		t.Errorf("%+v", r)
	}
}

// A host that does not read holds the program, and loses nothing.
func TestNotificationsWithoutReader(t *testing.T) {
	tier.Rest(t, "")
	hold, n := make(chan struct{}), newNotes()
	m := Boot(t, Options{OnNotify: func(method string, params json.RawMessage) {
		<-hold
		n.take(method, params)
	}})
	prepare(m)
	Call[wire.Empty](m, wire.MethodExecStart, wire.ExecParams{ID: "many", Argv: []string{"python3", "-c", "import os,sys\nfor i in range(10000): os.write(1, b'%07d\\n' % i)\n"}})
	time.Sleep(2 * time.Second) // nothing is read meanwhile
	close(hold)
	ctx, cancel := context.WithTimeout(t.Context(), stall)
	defer cancel()
	var r wire.ExecResult
	if err := m.Client.CallResult(ctx, wire.MethodExecWait, wire.ExecRef{ID: "many"}, &r); err != nil || r.ExitCode != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	want := strings.Builder{}
	for i := range 10_000 {
		fmt.Fprintf(&want, "%07d\n", i)
	}
	if got := n.text("many/stdout"); got != want.String() {
		t.Errorf("%d bytes of %d", len(got), want.Len())
	}
}
