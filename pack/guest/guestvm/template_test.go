//go:build vm && linux

package guestvm

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// warmed is a template of a warmed machine with a folder.
func warmed(t *testing.T, opts Options) (*Template, Options) {
	t.Helper()
	kept, err := keptTemplate(t, opts)
	if err != nil {
		t.Fatal(err)
	}
	if kept.dir != "" && kept.there() {
		opts.From = kept.template()
		return opts.From, opts
	}
	opts.Keep = true
	m := Boot(t, opts)
	Call[wire.Hello](m, wire.MethodHello, wire.HelloParams{Version: wire.Version})
	for range 2 { // the second finds everything done
		began := time.Now()
		r := Call[wire.WarmResult](m, wire.MethodWarm, wire.WarmParams{Hostname: "workroom", Locale: "C.UTF-8", TimeZone: "Europe/Berlin"})
		t.Logf("warm in %v: %v", time.Since(began).Round(time.Millisecond), r.MarksMS)
	}
	tpl := m.Save()
	n, err := tpl.Bytes()
	t.Logf("template of %d MB, %v", n>>20, err)
	if kept.dir != "" {
		if tpl, err = kept.keep(tpl); err != nil {
			t.Fatal(err)
		}
	}
	opts.Keep, opts.From = false, tpl
	return tpl, opts
}

func entropy(t *testing.T) []byte {
	t.Helper()
	b := make([]byte, 64)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return b
}

func prepareParams(t *testing.T, mount *wire.MountParams, layers ...wire.Layer) wire.PrepareParams {
	return wire.PrepareParams{
		UnixNano: time.Now().UnixNano(), Entropy: entropy(t), Hostname: "workroom", Locale: "C.UTF-8", TimeZone: "Europe/Berlin", Mount: mount, Layers: layers,
	}
}

// Machines that are restored from one template, which is made once.
func TestRestored(t *testing.T) {
	_, opts := warmed(t, Options{})
	t.Run("are fresh", func(t *testing.T) { restoredAreFresh(t, opts) })
	t.Run("end what a session leaves", func(t *testing.T) { leftInSession(t, opts) })
	if tier.All { // tasks of app have pi start, and TestGuest has programs that are ended
		t.Run("start pi", piStarts)
		t.Run("bear hostile programs", func(t *testing.T) { hostilePrograms(t, opts) })
	}
}

// Two of them share nothing that should be their own.
func restoredAreFresh(t *testing.T, opts Options) {
	var machines []*Machine
	for range 2 {
		began := time.Now()
		m := Boot(t, opts)
		Call[wire.Empty](m, wire.MethodPrepare, prepareParams(t, nil))
		t.Logf("restored and prepared in %v", time.Since(began).Round(time.Millisecond))
		machines = append(machines, m)
	}
	const node = `const c=require("crypto"),w=require("worker_threads"),vm=require("vm");
		console.log([Math.random(), c.randomUUID(), crypto.getRandomValues(new Uint32Array(2)).join(), c.randomBytes(8).toString("hex"), c.generateKeyPairSync("ec",{namedCurve:"P-256"}).privateKey.export({type:"sec1",format:"der"}).toString("hex"), vm.runInNewContext("Math.random()")].join("\n"));
		new w.Worker("require(\"worker_threads\").parentPort.postMessage(Math.random())",{eval:true}).on("message",(m)=>console.log(m))`
	for _, what := range []struct{ name, script string }{
		{"machine-id", "cat /etc/machine-id"}, {"boot id", "cat /proc/sys/kernel/random/boot_id"}, {"kernel's randomness", "head -c 16 /dev/urandom | od -An -tx1"},
		{"uuid", "cat /proc/sys/kernel/random/uuid"}, {"python", "python3 -c 'import random,uuid,os; print(random.random(), uuid.uuid4(), hash(\"x\"), os.urandom(4))'"},
		{"bash", "echo $RANDOM$RANDOM$RANDOM"}, {"mktemp", "mktemp -u"},
	} {
		a, b := run(machines[0], what.name[:2], what.script), run(machines[1], what.name[:2], what.script)
		if a.ExitCode != 0 || len(a.Stdout) < 4 || string(a.Stdout) == string(b.Stdout) {
			t.Errorf("%s: %s and %s%s", what.name, a.Stdout, b.Stdout, a.Stderr)
		}
	}
	if !tier.All { // Node's own randomness is TestRestoredMachinesAreFresh of vmhost/vm
		return
	}
	var lines [2][]string
	for i, m := range machines {
		r := Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: "node", Argv: []string{"node", "-e", node}})
		if lines[i] = strings.Split(strings.TrimSpace(string(r.Stdout)), "\n"); r.ExitCode != 0 || len(lines[i]) != 7 {
			t.Fatalf("%d %s%s", r.ExitCode, r.Stdout, r.Stderr)
		}
	}
	for i, what := range []string{"Math.random", "randomUUID", "getRandomValues", "randomBytes", "a new key", "Math.random of another context", "Math.random of a worker"} {
		t.Logf("%s: %.60s and %.60s", what, lines[0][i], lines[1][i])
		if lines[0][i] == lines[1][i] {
			t.Errorf("%s is the same: %s", what, lines[0][i])
		}
	}
	for i, m := range machines {
		r := run(m, "t", "date +%s; hostname; cat /etc/hostname; date +%Z; [ -L /etc/machine-id ] && echo link; cat /proc/mounts | grep -c overlay")
		f := strings.Fields(string(r.Stdout))
		var now int64
		if _, err := fmt.Sscan(f[0], &now); err != nil || now < time.Now().Unix()-60 || now > time.Now().Unix()+60 || strings.Join(f[1:], " ") != "workroom workroom "+time.Now().In(berlin(t)).Format("MST")+" link 1" {
			t.Errorf("machine %d: %q", i, f)
		}
	}
}

func berlin(t *testing.T) *time.Location {
	t.Helper()
	l, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A task's add-ons lie over the root of a template that has none, also after a
// restore.
func TestRestoredWithLayers(t *testing.T) {
	tier.Rest(t, "TestFoldersOfRestoredForReal of vmhost/vm")
	plain := writeImage(t, map[string]string{"opt/plain": "plain\n", "usr/local/bin/hello": "#!/bin/sh\necho hello from a layer\n"})
	node := writeImage(t, map[string]string{"opt/piwork/node/bin/node": "#!/bin/sh\necho another node\n"})
	_, opts := warmed(t, Options{
		Disks: []Disk{{"layer-plain", plain}, {"layer-node", node}},
	})
	for _, tt := range []struct {
		name   string
		layers []wire.Layer
		node   string
	}{
		{"none", nil, "1\n"}, {"one", []wire.Layer{{Name: "plain", Disk: "layer-plain"}}, "1\n"},
		{"one with node", []wire.Layer{{Name: "plain", Disk: "layer-plain"}, {Name: "node", Disk: "layer-node"}}, "another node\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Boot(t, opts)
			m.T = t
			began := time.Now()
			Call[wire.Empty](m, wire.MethodPrepare, prepareParams(t, nil, tt.layers...))
			t.Logf("prepared in %v", time.Since(began).Round(time.Millisecond))
			began = time.Now()
			r := Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: "n", Argv: []string{"node", "-p", "1"}})
			t.Logf("node in %v", time.Since(began).Round(time.Millisecond))
			if string(r.Stdout) != tt.node {
				t.Errorf("%s%s", r.Stdout, r.Stderr)
			}
			want := "workroom\nworkroom\n32\n"
			if tt.layers != nil {
				want += "plain\nhello from a layer\n"
			}
			r = run(m, "a", "hostname; cat /etc/hostname; echo -n $(cat /etc/machine-id) | wc -c; [ ! -e /opt/plain ] || { cat /opt/plain; hello; }; echo y > /work/out/y; echo z > /tmp/z; grep -c overlay /proc/mounts >&2; ls / | grep -c merged >&2")
			if string(r.Stdout) != want || !strings.HasSuffix(string(r.Stderr), "1\n0\n") { // one overlay, nothing left of putting it together
				t.Errorf("%q, want %q\n%s", r.Stdout, want, r.Stderr)
			}
			// What it was prepared with stays.
			_, err := Try[wire.Empty](m, wire.MethodPrepare, prepareParams(t, nil, wire.Layer{Name: "other", Disk: "layer-plain"}))
			wantCode(t, err, wire.CodeGuestFault)
			Call[wire.Empty](m, wire.MethodShutdown, nil)
			m.AwaitExit()
		})
	}
}

// What a program of a session leaves running outlives it, and ends with the session.
func leftInSession(t *testing.T, opts Options) {
	m := Boot(t, opts)
	Call[wire.Empty](m, wire.MethodPrepare, prepareParams(t, nil))
	Call[wire.Session](m, wire.MethodSessionCreate, wire.Session{ID: "s"})
	r := Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: "n", Session: "s", Argv: []string{
		"node", "-e", "const c=require('child_process').spawn('sleep',['777'],{detached:true,stdio:'ignore'}); c.unref(); console.log(c.pid)",
	}})
	var pid int
	if _, err := fmt.Sscan(string(r.Stdout), &pid); err != nil || r.ExitCode != 0 {
		t.Fatalf("%+v %s, %v", r, r.Stderr, err)
	}
	if r := run(m, "a", fmt.Sprintf("grep -c 777 /proc/%d/cmdline", pid)); string(r.Stdout) != "1\n" {
		t.Errorf("what it left does not outlive it: %s", r.Stdout)
	}
	Call[wire.Empty](m, wire.MethodSessionClose, wire.SessionRef{ID: "s"})
	if r := run(m, "b", fmt.Sprintf("[ -e /proc/%d ] && echo alive; pgrep -c sleep", pid)); strings.Contains(string(r.Stdout), "alive") {
		t.Errorf("it outlives the session: %s", r.Stdout)
	}
}
