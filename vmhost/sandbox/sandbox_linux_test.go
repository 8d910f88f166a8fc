package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"piwork/scripts/lib/gobuild"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/runtimetest/smalltree"
	"piwork/vmhost/wire"
)

// made is what all tests of this package share, and where it is.
var made struct {
	once             sync.Once
	dir, tree, agent string
	err              error
}

// madeParts names the directory of the parts for a test that runs in a process of its own.
const madeParts = "PIWORK_TEST_PARTS"

var soon, run = hostedtest.Soon, hostedtest.Run

func TestMain(m *testing.M) {
	code := m.Run()
	if made.dir != "" {
		os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// parts returns a tree with a few programs of this computer, and the agent.
func parts(t testing.TB) (tree, agent string) {
	t.Helper()
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Fatal("bwrap is missing: ./scripts/setup --test")
	}
	if out, err := exec.CommandContext(t.Context(), "bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "/bin/true").CombinedOutput(); err != nil {
		t.Skipf("here bwrap does not work: %v: %s", err, out)
	}
	made.once.Do(func() {
		dir := os.Getenv(madeParts)
		if dir == "" {
			if dir, made.err = os.MkdirTemp("", "sandbox"); made.err != nil {
				return
			}
			made.dir = dir
		}
		made.tree, made.agent = filepath.Join(dir, "tree"), filepath.Join(dir, "guest")
		if made.dir == "" {
			return
		}
		attacker := filepath.Join(made.tree, "usr/bin/attacker")
		made.err = errors.Join(
			smalltree.Make(made.tree), gobuild.Program(attacker, "piwork/vmhost/sandbox/attacker", ""),
			gobuild.Program(made.agent, "piwork/pack/guest/cmd/piwork-guest", ""),
		)
	})
	if made.err != nil {
		t.Fatal(made.err)
	}
	return made.tree, made.agent
}

// config is a sandbox without folders.
func config(t testing.TB) Config {
	t.Helper()
	tree, agent := parts(t)
	timing := hosted.Patient
	timing.Cancel, timing.Shutdown = 20*time.Second, 20*time.Second
	return Config{
		Dir: filepath.Join(t.TempDir(), "sandbox"), Root: tree, Agent: agent, AppVersion: "test", PackVersion: "1.2.3",
		Timing: timing, Log: hostedtest.Log(t),
	}
}

// open returns an idle sandbox that leaves nothing.
func open(t testing.TB, c Config) *hosted.Runtime {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	hostedtest.CloseAtEnd(t, r, func() {
		if _, err := os.Stat(c.Dir); err == nil {
			t.Error("its directory is left")
		}
		nobody(t, c.Dir)
	})
	return r
}

// connected is open and ready.
func connected(t testing.TB, c Config) *hosted.Runtime {
	t.Helper()
	r := open(t, c)
	hostedtest.Connect(t, r)
	return r
}

// nobody waits until no process has text in its command line, and no mount in its path.
func nobody(t testing.TB, text string) {
	t.Helper()
	for began := time.Now(); ; {
		left := ""
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, name := range lines {
			if b, err := os.ReadFile(name); err == nil && strings.Contains(string(b), text) && filepath.Dir(name) != fmt.Sprintf("/proc/%d", os.Getpid()) {
				left = strings.ReplaceAll(string(b), "\x00", " ")
			}
		}
		if b, err := os.ReadFile("/proc/self/mounts"); err == nil && strings.Contains(string(b), text) {
			left = "a mount"
		}
		if left == "" {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Errorf("left: %s", left)
			return
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestConformance(t *testing.T) { conform(t, config(t), time.Minute, true) }

// The numbers of processes are bounded for people, who are not root.
func TestConformanceOfAPerson(t *testing.T) {
	if unprivileged(t, true) {
		conform(t, config(t), time.Minute, true)
	}
}

// conform holds sandboxes to the contract. A bare tree is one of tests, without operations.
func conform(t *testing.T, base Config, patience time.Duration, bare bool) {
	made := func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) Config {
		c := base
		c.Dir, c.Env, c.OnStatus = filepath.Join(t.TempDir(), "sandbox"), env, onStatus
		return c
	}
	target := runtimetest.Target{
		Bare:     bare,
		Patience: patience,
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			return open(t, made(t, env, onStatus))
		},
		Folders: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc, rw, ro string) vmhost.Runtime {
			hostedtest.NeedFUSE(t)
			c, _ := sharing(t, made(t, env, onStatus), rw, ro)
			return open(t, c)
		},
		Processes: func(t testing.TB, most int) vmhost.Runtime {
			c := made(t, vmhost.ExecutionEnv{}, nil)
			c.processes = most
			return open(t, c)
		},
	}
	runtimetest.Run(t, target)
}

// What is missing on this computer has a reason of its own, and leaves nothing.
func TestConnectFails(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*testing.T, *Config)
		reason vmhost.Reason
	}{
		"no bubblewrap": {func(_ *testing.T, c *Config) { c.Bubblewrap = "/no/such/bwrap" }, vmhost.ReasonSandboxMissing},
		"no namespaces": {func(t *testing.T, c *Config) {
			c.Bubblewrap = filepath.Join(t.TempDir(), "bwrap")
			script := "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"
			if err := os.WriteFile(c.Bubblewrap, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
		}, vmhost.ReasonSandboxDenied},
		"no tree":    {func(t *testing.T, c *Config) { c.Root = filepath.Join(t.TempDir(), "none") }, vmhost.ReasonStart},
		"no agent":   {func(t *testing.T, c *Config) { c.Agent = filepath.Join(t.TempDir(), "none") }, vmhost.ReasonStart},
		"not one":    {func(_ *testing.T, c *Config) { c.Agent = "/bin/true" }, vmhost.ReasonStart},
		"it is mute": {func(_ *testing.T, c *Config) { c.Bubblewrap, c.Timing.Connect = mute(t), 500*time.Millisecond }, vmhost.ReasonStalled},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(t)
			tt.change(t, &c)
			r := open(t, c)
			var failed *vmhost.FailedError
			if err := r.Connect(soon(t)); !errors.As(err, &failed) || failed.Reason != tt.reason {
				t.Errorf("Connect: %v", err)
			}
		})
	}
}

// The setting that keeps people from namespaces is named, the one to change first before the
// others.
func TestWhyDenied(t *testing.T) {
	for name, row := range map[string]struct {
		settings map[string]string
		want     vmhost.Reason
	}{
		"none says so":         {map[string]string{"kernel/apparmor_restrict_unprivileged_userns": "0\n", "kernel/unprivileged_userns_clone": "1\n", "user/max_user_namespaces": "15000\n"}, vmhost.ReasonSandboxDenied},
		"a kernel without any": {nil, vmhost.ReasonSandboxDenied},
		"Ubuntu":               {map[string]string{"kernel/apparmor_restrict_unprivileged_userns": "1\n", "kernel/unprivileged_userns_clone": "1\n"}, vmhost.ReasonSandboxAppArmor},
		"an old Debian":        {map[string]string{"kernel/unprivileged_userns_clone": "0\n"}, vmhost.ReasonSandboxClone},
		"none at all":          {map[string]string{"user/max_user_namespaces": "0\n", "kernel/apparmor_restrict_unprivileged_userns": "1\n"}, vmhost.ReasonSandboxMax},
	} {
		dir := t.TempDir()
		for setting, value := range row.settings {
			path := filepath.Join(dir, setting)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(value), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if got := whyDenied(dir); got != row.want {
			t.Errorf("%s: %s, not %s", name, got, row.want)
		}
	}
}

// mute is a bwrap that starts nothing and waits.
func mute(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// A sandbox whose processes end fails with that, and at once.
func TestEnds(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *hosted.Runtime){
		"bubblewrap is killed": func(t *testing.T, _ *hosted.Runtime) { signalAll(t, "bwrap", syscall.SIGKILL) },
		"the agent is killed": func(t *testing.T, r *hosted.Runtime) {
			for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGUSR1} {
				signalAll(t, agentPath, s)
				if got := run(t, r, "echo here"); string(got.Stdout) != "here\n" {
					t.Errorf("after %v: %+v", s, got)
				}
			}
			signalAll(t, agentPath, syscall.SIGKILL)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(t)
			failed := make(chan vmhost.Status, 1)
			c.OnStatus = func(s vmhost.Status) {
				if s.State == vmhost.StateFailed {
					failed <- s
				}
			}
			r := connected(t, c)
			marker = c.Dir
			done := make(chan error, 1)
			go func() {
				_, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sleep", "600"}}, OnOutput: func(wire.ExecOutput) {}})
				done <- err
			}()
			end(t, r)
			var f *vmhost.FailedError
			if s := <-failed; !errors.As(s.Err, &f) || f.Reason != vmhost.ReasonExited && f.Reason != vmhost.ReasonClosed {
				t.Errorf("%+v", s)
			}
			if err := <-done; !errors.As(err, &f) {
				t.Errorf("Execute: %v", err)
			}
		})
	}
}

// marker is in the command line of the bwrap of the sandbox to whose processes signalAll sends.
var marker string

// inSandbox reports whether a process, or one that it descends from, has the marker in its
// command line.
func inSandbox(pid int) bool {
	for pid > 1 {
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && strings.Contains(string(b), marker) {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		pid = 0
		_, after, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')'):]), " ") // of the name, which may have any letters
		fmt.Sscanf(after, "%s %d", new(string), &pid)
	}
	return false
}

// signalAll sends a signal to the processes of the sandbox that run a program.
func signalAll(t *testing.T, program string, s syscall.Signal) {
	t.Helper()
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	found := false
	for _, name := range lines {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		argv0, _, _ := strings.Cut(string(b), "\x00")
		var pid int
		fmt.Sscanf(name, "/proc/%d/", &pid)
		if !strings.HasSuffix(argv0, program) || !inSandbox(pid) {
			continue
		}
		if syscall.Kill(pid, s) == nil {
			found = true
		}
	}
	if !found {
		t.Errorf("no process runs %s", program)
	}
}
