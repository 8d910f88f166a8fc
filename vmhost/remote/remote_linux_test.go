package remote

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"piwork/scripts/lib/gobuild"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/wire"
)

// made is what all tests of this package share.
var made struct {
	once       sync.Once
	dir, agent string
	err        error
}

var soon, run = hostedtest.Soon, hostedtest.Run

func TestMain(m *testing.M) {
	code := m.Run()
	if made.dir != "" {
		os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// envAgent names the agent to tests that run in a process of their own.
const envAgent = "PIWORK_TEST_AGENT"

func agentProgram(t testing.TB) string {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("this computer has no user namespaces, so that it can be no other one: %v: %s", err, out)
	}
	made.once.Do(func() {
		if made.agent = os.Getenv(envAgent); made.agent != "" {
			return
		}
		if made.dir, made.err = os.MkdirTemp("", "remote"); made.err != nil {
			return
		}
		made.agent = filepath.Join(made.dir, "guest")
		made.err = gobuild.Program(made.agent, "piwork/pack/guest/cmd/piwork-guest", "")
	})
	if made.err != nil {
		t.Fatal(made.err)
	}
	return made.agent
}

// config is a place without folders on a computer.
func config(t testing.TB, c Computer) Config {
	t.Helper()
	timing := hosted.Patient
	timing.Cancel, timing.Shutdown = 20*time.Second, 20*time.Second
	return Config{
		Name: "test", Computer: c, Agent: agentProgram(t), AppVersion: "test", PackVersion: "1.2.3", Timing: timing,
		Log: hostedtest.Log(t),
	}
}

// open returns an idle place, of which nothing is left on the computer but the agent.
func open(t testing.TB, s *server, c Config) *hosted.Runtime {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	hostedtest.CloseAtEnd(t, r, func() {
		left := func() []string {
			return slices.DeleteFunc(s.left(t), func(name string) bool {
				return strings.HasPrefix(name, "piwork/agent/") || strings.HasPrefix(name, "piwork/pack/")
			})
		}
		// A place whose making was given up is ended by its holder there.
		for ctx := hostedtest.Soon(t); len(left()) > 0 && ctx.Err() == nil; {
			time.Sleep(20 * time.Millisecond)
		}
		if names := left(); len(names) > 0 {
			t.Errorf("left: %v", names)
		}
	})
	return r
}

func connected(t testing.TB, s *server, c Config) *hosted.Runtime {
	t.Helper()
	r := open(t, s, c)
	hostedtest.Connect(t, r)
	return r
}

func TestConformance(t *testing.T) {
	s, there := computer(t)
	base := config(t, there)
	runtimetest.Run(t, runtimetest.Target{
		Patience: time.Minute,
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			c := base
			c.Env, c.OnStatus = env, onStatus
			return open(t, s, c)
		},
		Folders: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc, rw, ro string) vmhost.Runtime {
			c, _ := sharing(t, base, rw, ro)
			c.Env, c.OnStatus = env, onStatus
			return open(t, s, c)
		},
	})
}

// Programs see the other computer's programs, and nothing else of it.
func TestPlace(t *testing.T) {
	s, there := computer(t)
	if err := os.WriteFile(filepath.Join(s.home, "secret"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	service := filepath.Join(t.TempDir(), "s")
	if os.Getuid() == 0 { // who may have a service in what is shown of the computer
		dir, err := os.MkdirTemp("/opt", "piwork-test-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		service = filepath.Join(dir, "s")
		l, err := net.Listen("unix", service)
		if err = errors.Join(err, os.Chmod(dir, 0o755), os.Chmod(service, 0o777)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	r := connected(t, s, config(t, there))
	got := run(t, r, "pwd; ls -A /; id -u; cat /proc/net/dev | grep -c :; ls -A ~ /tmp; echo x >/work/out/y && echo written")
	lines := strings.Fields(string(got.Stdout))
	if got.ExitCode != 0 || lines[0] != "/work" || lines[len(lines)-1] != "written" {
		t.Errorf("%s %s", got.Stdout, got.Stderr)
	}
	for _, script := range []string{
		"ls " + s.home, "ls /root/.ssh /home/*/.ssh", "echo x >/usr/x", "echo x >/etc/x", "echo x >/x", "test -w /proc/sys/kernel/core_pattern", "test -w /proc/sysrq-trigger", "mount -t tmpfs x /mnt", "cat /etc/shadow | grep :",
		"unshare -U true", "kill -0 2", "ls /var/run", "ls /run/*.sock", "test -S " + service, "cat /proc/keys | grep .", "cat /proc/timer_list | grep .", "ls -A /proc/acpi | grep .", "test $(cat /proc/net/dev | grep -c :) -gt 1", "grep -q NoNewPrivs:.0 /proc/self/status",
		"grep CapEff /proc/self/status | grep -v 0000000000000000", "test -n \"$SSH_AUTH_SOCK\"", "ls " + s.home + "/.cache",
	} {
		if got := run(t, r, script); got.ExitCode == 0 {
			t.Errorf("%s: %s", script, got.Stdout)
		}
	}
	// Root, too, is somebody there who may read what everybody may.
	for _, script := range []string{"find /etc /opt /usr -xdev ! -type l ! -perm -o+r -readable 2>/dev/null | grep .", "grep -q '^Groups:.*[0-9]' /proc/self/status"} {
		if got := run(t, r, script); os.Getuid() == 0 && got.ExitCode == 0 {
			t.Errorf("%s: %s", script, got.Stdout)
		}
	}
	for _, kind := range s.asked() {
		if kind != "session" && kind != "exec" && kind != "signal" {
			t.Errorf("the other computer was asked for %q", kind)
		}
	}
}

// A network is there where it was asked for.
func TestOnline(t *testing.T) {
	s, there := computer(t)
	c := config(t, there)
	c.Env.Network = vmhost.NetworkAllow
	r := connected(t, s, c)
	here, err := os.ReadFile("/proc/net/dev")
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, r, "cat /proc/net/dev"); strings.Count(string(got.Stdout), ":") != strings.Count(string(here), ":") {
		t.Errorf("%s", got.Stdout)
	}
}

// A login shell there says something before each command, which is no answer; one that never
// stops is given up.
func TestGreeting(t *testing.T) {
	s, there := computer(t)
	s.install(t, ".local/bin/piwork", installed)
	for _, s.greeting = range []string{"Welcome!\n", "no line", "{}\n\n" + strings.Repeat("news ", 1000) + "\n"} {
		r := connected(t, s, config(t, there))
		if got := run(t, r, "echo hello"); string(got.Stdout) != "hello\n" {
			t.Errorf("%.10q: %+v", s.greeting, got)
		}
		if err := r.Close(soon(t)); err != nil {
			t.Error(err)
		}
		if c, err := piworkThere(t, there).Dial(soon(t)); err != nil || hears(t, c, "go on") != "go on" {
			t.Errorf("%.10q: %v", s.greeting, err)
		}
	}
	p := piworkThere(t, there)
	s.greeting = strings.Repeat("x", 2*maxSaid)
	refused(t, config(t, there), vmhost.ReasonProtocol)
	c, err := p.Dial(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	var f *vmhost.FailedError
	if _, err := c.Read(make([]byte, 1)); !errors.As(err, &f) || f.Reason != vmhost.ReasonProtocol {
		t.Errorf("it talks on: %v", err)
	}
}

// The agent is sent once.
func TestSentOnce(t *testing.T) {
	s, there := computer(t)
	for range 2 {
		r := connected(t, s, config(t, there))
		if err := r.Close(soon(t)); err != nil {
			t.Error(err)
		}
	}
	all := s.left(t)
	if len(all) != 1 {
		t.Fatalf("%q", all)
	}
	name := filepath.Join(s.home, ".cache", all[0])
	before, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := connected(t, s, config(t, there)).Close(soon(t)); err != nil {
		t.Error(err)
	}
	if after, err := os.Stat(name); err != nil || !os.SameFile(before, after) {
		t.Errorf("it was sent again: %v", err)
	}
	// One that was damaged is.
	if err := os.WriteFile(name+".x", []byte("#!/bin/sh\necho pwned"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".x", name); err != nil {
		t.Fatal(err)
	}
	if got := run(t, connected(t, s, config(t, there)), "echo well"); string(got.Stdout) != "well\n" {
		t.Errorf("%+v", got)
	}
}

// A connection that is cut in the middle of a command is resumed, and nothing of what it
// said is lost.
func TestResumes(t *testing.T) {
	s, there := computer(t)
	r := connected(t, s, config(t, there))
	var mu sync.Mutex
	var out []byte
	cuts := 0
	obs, err := r.Execute(soon(t), vmhost.Action{
		Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"}},
		OnOutput: func(o wire.ExecOutput) {
			mu.Lock()
			defer mu.Unlock()
			if out = append(out, o.Data...); len(out) > (cuts+1)*40_000 {
				cuts++
				s.cut()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if obs.Exec.ExitCode != 0 || len(lines) != 20000 || lines[19999] != "line 19999" || cuts < 2 {
		t.Errorf("%d lines, %d cuts, %+v", len(lines), cuts, obs.Exec)
	}
}

// A connection on which nothing comes any more, though nobody ends it, is one that is lost: no
// question waits for it longer than it may.
func TestSilent(t *testing.T) {
	s, there := computer(t)
	s.run = func(string, ssh.Channel) bool {
		time.AfterFunc(100*time.Millisecond, s.silence)
		<-t.Context().Done()
		return true
	}
	r, err := New(config(t, there))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var asked sync.WaitGroup
	defer asked.Wait()
	for what, ask := range map[string]func() error{
		"usage":   func() error { _, err := there.Usage(ctx); return err },
		"connect": func() error { return errors.Join(r.Connect(ctx), r.Close(soon(t))) },
	} {
		asked.Go(func() {
			began := time.Now()
			if err := ask(); err == nil || time.Since(began) > 4*confirmTime {
				t.Errorf("%s: %v after %v", what, err, time.Since(began))
			}
		})
	}
}

// Programs go on meanwhile, and the connection comes again.
func TestSilentAndResumed(t *testing.T) {
	tier.Rest(t, "TestSilent, TestResumes")
	s, there := computer(t)
	r := connected(t, s, config(t, there))
	var out []byte
	obs, err := r.Execute(soon(t), vmhost.Action{
		Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", "echo a; sleep 1; echo b"}},
		OnOutput: func(o wire.ExecOutput) {
			if len(out) == 0 {
				s.silence()
			}
			out = append(out, o.Data...)
		},
	})
	if err != nil || obs.Exec.ExitCode != 0 || string(out) != "a\nb\n" {
		t.Errorf("%+v %v %q", obs.Exec, err, out)
	}
}

// A computer that stays away is given up, and there everything ends by itself.
func TestGivenUp(t *testing.T) {
	s, there := computer(t)
	c := config(t, there)
	c.Patience = 15 * time.Second // a busy computer attaches within it
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	s.setDown(true)
	s.cut()
	_, err = r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sleep", "600"}}})
	if f, is := errors.AsType[*vmhost.FailedError](err); !is || f.Reason != vmhost.ReasonRemoteLost {
		t.Errorf("%+v", err)
	}
	if err := r.Close(soon(t)); err == nil {
		t.Error("it says that nothing is left")
	}
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		if left := s.left(t); len(left) == 1 {
			break
		} else if time.Since(began) > time.Minute {
			t.Fatalf("left: %q", left)
		}
	}
}

// A channel that the other side has closed already is closed.
func TestCloseOfWhatHasEnded(t *testing.T) {
	_, there := computer(t)
	client, err := there.dial(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c, err := start(soon(t), client, "exit 3")
	if err != nil {
		t.Fatal(err)
	}
	<-c.gone
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
