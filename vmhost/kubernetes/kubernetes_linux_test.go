package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"piwork/scripts/lib/gobuild"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/runtimetest/smalltree"
	"piwork/vmhost/share/copied"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// made is what all tests of this package share.
var made struct {
	once             sync.Once
	dir, tree, agent string
	err              error
}

var soon, run = hostedtest.Soon, hostedtest.Run

func TestMain(m *testing.M) {
	code := m.Run()
	if made.dir != "" {
		os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// parts returns a tree with a few programs of this computer, the image, and the agent.
func parts(t testing.TB) (tree, agent string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "/bin/true").CombinedOutput(); err != nil {
		t.Skipf("here bwrap does not work, so that this computer can be no node: %v: %s", err, out)
	}
	made.once.Do(func() {
		if made.dir, made.err = os.MkdirTemp("", "kubernetes"); made.err != nil {
			return
		}
		made.tree, made.agent = filepath.Join(made.dir, "tree"), filepath.Join(made.dir, "guest")
		made.err = errors.Join(
			smalltree.Make(made.tree), gobuild.Program(filepath.Join(made.tree, "usr/bin/attacker"), "piwork/vmhost/sandbox/attacker", ""),
			gobuild.Program(made.agent, "piwork/pack/guest/cmd/piwork-guest", ""),
		)
		for _, dir := range []string{"dev", "proc", "tmp", "home/piwork", "work", "folders", "state", "piwork"} {
			made.err = errors.Join(made.err, os.MkdirAll(filepath.Join(made.tree, dir), 0o755))
		}
	})
	if made.err != nil {
		t.Fatal(made.err)
	}
	return made.tree, made.agent
}

// config is a place without folders in a cluster.
func config(t testing.TB, c Cluster) Config {
	t.Helper()
	_, agent := parts(t)
	timing := hosted.Patient
	timing.Cancel, timing.Shutdown = 20*time.Second, 20*time.Second
	return Config{
		Name: "test", Cluster: c, Agent: agent, AppVersion: "test", PackVersion: "1.2.3", Timing: timing,
		Log: hostedtest.Log(t),
	}
}

// open returns an idle place; that nothing is left of it the fake checks.
func open(t testing.TB, c Config) *hosted.Runtime {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	hostedtest.CloseAtEnd(t, r, func() {})
	return r
}

func connected(t testing.TB, c Config) *hosted.Runtime {
	t.Helper()
	r := open(t, c)
	hostedtest.Connect(t, r)
	return r
}

// sharing gives a place two folders of this computer, and a state.
func sharing(t testing.TB, c Config, rw, ro string) (Config, *journal.Journal) {
	t.Helper()
	f := hostedtest.Share(t, rw, ro)
	c.Folders = append(c.Folders, f.View...)
	c.Copy = func(dir string) (hosted.Folders, error) {
		return copied.New(f.Set, copied.Options{Name: "kubernetes:" + c.Name, Dir: dir}), nil
	}
	return c, f.Journal
}

func TestConformance(t *testing.T) { conform(t, func(*fake) {}) }

// A cluster with the custom resource makes the Pods.
func TestConformanceOfSandboxes(t *testing.T) { conform(t, func(f *fake) { f.sandboxes = true }) }

func conform(t *testing.T, change func(*fake)) {
	f := newFake(t)
	change(f)
	base := config(t, f.cluster())
	runtimetest.Run(t, runtimetest.Target{
		Patience: time.Minute, Copies: true,
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			c := base
			c.Env, c.OnStatus = env, onStatus
			return open(t, c)
		},
		Folders: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc, rw, ro string) vmhost.Runtime {
			c, _ := sharing(t, base, rw, ro)
			c.Env, c.OnStatus, c.Dir = env, onStatus, filepath.Join(t.TempDir(), "large")
			return open(t, c)
		},
	})
}

// Programs see the image and what is theirs; what they change in a folder is undone here.
func TestPlace(t *testing.T) {
	for name, change := range map[string]func(*fake){
		"a Pod": func(*fake) {}, "a Sandbox": func(f *fake) { f.sandboxes = true }, "an older cluster": func(f *fake) { f.old = true },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			change(f)
			dir := t.TempDir()
			rw, ro := filepath.Join(dir, "rw"), filepath.Join(dir, "ro")
			for _, d := range []string{rw, ro} {
				if err := errors.Join(os.Mkdir(d, 0o755), os.WriteFile(filepath.Join(d, "a.txt"), []byte("first\n"), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			c, j := sharing(t, config(t, f.cluster()), rw, ro)
			r := connected(t, c)
			got := run(t, r, "pwd; id -u; cat a.txt ../ro/a.txt; echo changed >a.txt; mkdir d; echo new >d/n; echo x >/work/x && echo y >/state/y && echo z >/tmp/z && echo h >~/h && echo written")
			if want := wire.FoldersDir + "/rw\n1000\nfirst\nfirst\nwritten\n"; string(got.Stdout) != want || got.ExitCode != 0 {
				t.Errorf("%q %s", got.Stdout, got.Stderr)
			}
			for name, want := range map[string]string{"rw/a.txt": "changed\n", "rw/d/n": "new\n", "ro/a.txt": "first\n"} {
				if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
					t.Errorf("%s: %q %v", name, b, err)
				}
			}
			for _, script := range []string{
				"echo x >/usr/x", "echo x >/etc/x", "echo x >" + agentPath, "echo x >" + lifePath, "rm -f " + agentPath, "unshare -U true",
				"ls /var/run/secrets/kubernetes.io", "grep CapEff /proc/self/status | grep -v 0000000000000000", "test $(cat /proc/net/dev | grep -c :) -gt 1",
			} {
				if got := run(t, r, script); got.ExitCode == 0 {
					t.Errorf("%s: %s", script, got.Stdout)
				}
			}
			if err := r.Close(soon(t)); err != nil {
				t.Error(err)
			}
			if left := f.names(); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			if rep, err := j.Undo(soon(t), nil, journal.UndoOptions{}); err != nil || len(rep.Undone) == 0 {
				t.Errorf("%+v %v", rep, err)
			}
			if b, err := os.ReadFile(filepath.Join(rw, "a.txt")); err != nil || string(b) != "first\n" {
				t.Errorf("after undo: %q %v", b, err)
			}
		})
	}
}

// A network is there where it was asked for, without what is private; where the cluster
// enforces no policy, nothing runs.
func TestNetwork(t *testing.T) {
	f := newFake(t)
	c := config(t, f.cluster())
	for _, c.Env.Network = range []vmhost.NetworkPolicy{vmhost.NetworkDeny, vmhost.NetworkAllow} {
		f.enforces = false
		var unsupported *vmhost.UnsupportedError
		if err := open(t, c).Connect(soon(t)); !errors.As(err, &unsupported) || !strings.Contains(unsupported.What, "does not enforce") {
			t.Errorf("%s: %v", c.Env.Network, err)
		}
		f.enforces = true
		r := connected(t, c)
		if got := run(t, r, "test $(grep -c : /proc/net/dev) -gt 1"); (got.ExitCode == 0) != (c.Env.Network == vmhost.NetworkAllow) {
			t.Errorf("%s: %+v", c.Env.Network, got)
		}
		if all := f.names(); !slices.ContainsFunc(all, func(n string) bool { return strings.HasPrefix(n, "networkpolicies/") }) {
			t.Errorf("%s: %q", c.Env.Network, all)
		}
		if err := r.Close(soon(t)); err != nil {
			t.Error(err)
		}
	}
}

// What policies allow adds up: one of somebody else's that gives the Pod connections is refused,
// before the agent is sent. Name servers are ours to give where there is to be a network.
func TestOtherPolicies(t *testing.T) {
	f := newFake(t)
	c := config(t, f.cluster())
	every := object{}
	names := object{"podSelector": every, "policyTypes": []any{"Egress"}, "egress": []any{object{"ports": []any{object{"protocol": "UDP", "port": 53}, object{"protocol": "TCP", "port": 53}}}}}
	for name, tt := range map[string]struct {
		spec    object
		network vmhost.NetworkPolicy
		good    bool
	}{
		"all of the internet":             {object{"podSelector": every, "policyTypes": []any{"Egress"}, "egress": []any{object{}}}, vmhost.NetworkDeny, false},
		"all, for one with a network":     {object{"podSelector": every, "egress": []any{object{}}}, vmhost.NetworkAllow, false},
		"our kind of Pods":                {object{"podSelector": object{"matchLabels": object{labelManager: manager}}, "egress": []any{object{}}}, vmhost.NetworkDeny, false},
		"no selector that is":             {object{"podSelector": object{"matchExpressions": []any{object{"key": "a", "operator": "Like"}}}, "egress": []any{object{}}}, vmhost.NetworkDeny, false},
		"all without a label":             {object{"podSelector": object{"matchExpressions": []any{object{"key": "a", "operator": "DoesNotExist"}}}, "egress": []any{object{}}}, vmhost.NetworkDeny, false},
		"other Pods":                      {object{"podSelector": object{"matchLabels": object{"app": "web"}}, "egress": []any{object{}}}, vmhost.NetworkDeny, true},
		"name servers":                    {names, vmhost.NetworkDeny, false},
		"name servers, without a network": {names, "", false},
		"name servers, with a network":    {names, vmhost.NetworkAllow, true},
	} {
		f.mu.Lock()
		at := f.put("networkpolicies", object{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": object{"name": "of-others"}, "spec": tt.spec})
		f.asked = nil
		f.mu.Unlock()
		f.resolves = strings.HasPrefix(name, "name servers")
		c.Env.Network = tt.network
		r := open(t, c)
		err := r.Connect(soon(t))
		var unsupported *vmhost.UnsupportedError
		if tt.good && err != nil || !tt.good && (!errors.As(err, &unsupported) || !strings.Contains(unsupported.What, "of-others")) {
			t.Errorf("%s: %v", name, err)
		}
		f.mu.Lock()
		delete(f.objects, at)
		if !tt.good && slices.ContainsFunc(f.asked, func(a string) bool { return strings.HasSuffix(a, "/exec") }) {
			t.Errorf("%s: something was sent into the Pod: %q", name, f.asked)
		}
		f.mu.Unlock()
		if err := r.Close(soon(t)); err != nil {
			t.Error(err)
		}
	}
}

// A Pod that ends, or is deleted, is a failure that says so.
func TestLost(t *testing.T) {
	for name, tt := range map[string]struct {
		end    func(f *fake, pod string)
		reason vmhost.Reason
		says   string
	}{
		"it is deleted": {func(f *fake, pod string) {
			f.mu.Lock()
			delete(f.objects, "pods/tasks/"+pod)
			f.mu.Unlock()
			f.pods[pod].end()
		}, vmhost.ReasonClusterLost, "was deleted"},
		"it is evicted": {func(f *fake, pod string) {
			f.mu.Lock()
			f.objects["pods/tasks/"+pod]["status"] = object{"phase": "Failed", "reason": "Evicted", "message": "the node was low on memory"}
			f.mu.Unlock()
			f.pods[pod].mu.Lock()
			for _, c := range f.pods[pod].all[1:] {
				_ = c.Process.Kill()
			}
			f.pods[pod].mu.Unlock()
		}, vmhost.ReasonExited, "low on memory"},
		"the connection breaks": {func(f *fake, _ string) { f.cut() }, vmhost.ReasonClusterLost, ""},
		"the connection breaks and the Pod ends of it": {func(f *fake, pod string) {
			f.mu.Lock()
			f.objects["pods/tasks/"+pod]["status"] = object{"phase": "Succeeded"}
			f.mu.Unlock()
			f.cut()
		}, vmhost.ReasonClusterLost, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			r := connected(t, config(t, f.cluster()))
			done := make(chan error, 1)
			go func() {
				_, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sleep", "600"}}})
				done <- err
			}()
			f.mu.Lock()
			pod := ""
			for pod = range f.pods {
			}
			f.mu.Unlock()
			tt.end(f, pod)
			var failed *vmhost.FailedError
			if err := <-done; !errors.As(err, &failed) || failed.Reason != tt.reason || failed.Runtime != "kubernetes:test" || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// When this program is gone the Pod ends by itself; the next place of the same owner removes
// what is left of it, and so does Clean.
func TestLeftovers(t *testing.T) {
	f := newFake(t)
	c := config(t, f.cluster())
	p, err := c.open(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	pod := p.(*place)
	defer pod.stop()
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		f.cut()
		f.mu.Lock()
		state, _ := f.objects["pods/tasks/"+pod.name]["status"].(object)
		f.mu.Unlock()
		if state["phase"] == "Succeeded" {
			break
		} else if time.Since(began) > 20*time.Second {
			t.Fatalf("it still runs: %v", state)
		}
	}
	r := connected(t, c)
	if left := f.names(); !slices.ContainsFunc(left, func(n string) bool { return strings.HasSuffix(n, pod.name) }) {
		t.Errorf("what is used is gone: %q", left)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	live.Delete(pod.name) // as another process
	r = connected(t, c)
	if left := f.names(); slices.ContainsFunc(left, func(n string) bool { return strings.HasSuffix(n, pod.name) }) || len(left) != 2 {
		t.Errorf("left: %q", left)
	}
	for range 2 {
		if err := c.Cluster.Clean(soon(t)); err != nil {
			t.Error(err)
		}
	}
	if left := f.names(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
}

// An API server that cannot be reached for a moment costs no place.
func TestPassingErrors(t *testing.T) {
	f := newFake(t)
	var mu sync.Mutex
	looks, execs := 0, 0
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case strings.HasSuffix(r.URL.Path, "/exec"):
			execs++
			switch execs {
			case 1:
				status(w, http.StatusServiceUnavailable, "ServiceUnavailable")
				return true
			case 2, 4:
				if ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: protocols}); err == nil {
					_ = ws.CloseNow()
				}
				return true
			}
		case r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/pods/"):
			looks++
			switch looks {
			case 1:
				status(w, http.StatusInternalServerError, "InternalError")
				return true
			case 2:
				panic(http.ErrAbortHandler)
			}
		}
		return false
	}
	r := connected(t, config(t, f.cluster()))
	if got := run(t, r, "echo hello"); string(got.Stdout) != "hello\n" || looks < 3 || execs < 6 {
		t.Errorf("%+v after %d looks and %d programs", got, looks, execs)
	}
}

// Look makes nothing.
func TestLook(t *testing.T) {
	f := newFake(t)
	c := f.cluster()
	if err := c.Look(soon(t)); err != nil || len(f.names()) > 0 {
		t.Errorf("%v %q", err, f.names())
	}
	for name, tt := range map[string]struct {
		change func(*Cluster)
		reason vmhost.Reason
	}{
		"no such context": {func(c *Cluster) { c.Context = "other" }, vmhost.ReasonClusterContext},
		"no kubeconfig":   {func(c *Cluster) { c.kubeconfig = filepath.Join(t.TempDir(), "none") }, vmhost.ReasonClusterLogin},
		"no namespace":    {func(c *Cluster) { c.Namespace = "nowhere" }, vmhost.ReasonClusterUnfit},
	} {
		other := c
		tt.change(&other)
		var failed *vmhost.FailedError
		if err := other.Look(soon(t)); !errors.As(err, &failed) || failed.Reason != tt.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.server.Close()
	var failed *vmhost.FailedError
	if err := c.Look(soon(t)); !errors.As(err, &failed) || failed.Reason != vmhost.ReasonClusterUnreachable {
		t.Errorf("nobody there: %v", err)
	}
}

// A login program of the kubeconfig that never ends holds up nobody.
func TestStuckLogin(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	// The program ends with the test.
	t.Cleanup(func() {
		f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		os.Remove(pipe) // for the next one
		if err == nil {
			f.Close()
		}
	})
	f := newFake(t)
	c := f.cluster()
	b, err := os.ReadFile(c.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	login := `{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: /bin/cat, args: ["` + pipe + `"]}}`
	if err := os.WriteFile(c.kubeconfig, bytes.ReplaceAll(b, []byte("{token: "+token+"}"), []byte(login)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := c.Look(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 3*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	c.answer = 100 * time.Millisecond
	r := open(t, config(t, c))
	var failed *vmhost.FailedError
	if err := r.Connect(soon(t)); !errors.As(err, &failed) || failed.Reason != vmhost.ReasonClusterLogin || !strings.Contains(err.Error(), "login program") {
		t.Errorf("%v", err)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
}
