//go:build !windows

package background_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/background"
	"piwork/app/cli"
	"piwork/app/lock"
	"piwork/app/problem"
	"piwork/app/registry"
)

// This test binary is the program, too: the command line, and behind `serve` a fake that
// has the real lock of a data directory.
func TestMain(m *testing.M) {
	if os.Getenv("PIWORK_TEST_PROGRAM") == "" {
		os.Exit(m.Run())
	}
	var o cli.Options
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		o.Open = openLocked
	}
	os.Exit(cli.Main(os.Args[1:], o))
}

type locked struct {
	*apitest.Fake
	*lock.Lock
	socket string
}

func (l *locked) Socket() string              { return l.socket }
func (l *locked) Close(context.Context) error { return l.Release() }

// slowFile in a data directory has its controller answer one question about its work, which
// every status is, only after slowFor.
const (
	slowFile = "slow"
	slowFor  = 3 * time.Second
)

// Work implements background.Controller.
func (l *locked) Work() registry.Work {
	if os.Remove(filepath.Join(filepath.Dir(l.socket), slowFile)) == nil {
		time.Sleep(slowFor)
	}
	return l.Fake.Work()
}

func openLocked(ctx context.Context, o app.Options) (background.Controller, error) {
	dir := o.WithDefaults().DataDir
	if os.Getenv("PIWORK_TEST_BROKEN") != "" {
		panic("the data is not readable")
	}
	l, err := lock.Acquire(ctx, dir)
	if err != nil {
		return nil, err
	}
	c := &locked{apitest.New(apitest.Script{Endless: true}), l, filepath.Join(dir, "s")}
	return c, l.Announce(lock.Holder{PID: os.Getpid(), Socket: c.socket, Since: time.Now()})
}

// program is a data directory, and the program on it.
type program struct {
	*testing.T
	dir string
	env []string
}

func newProgram(t *testing.T) *program {
	p := &program{T: t, dir: newPlace(t).dir}
	p.env = append(os.Environ(), "PIWORK_TEST_PROGRAM=1", "LC_ALL=C", "DBUS_SESSION_BUS_ADDRESS=disabled:", "GORACE=atexit_sleep_ms=0", app.EnvDataDir+"="+p.dir,
		app.EnvConfigDir+"="+p.dir+"/c", app.EnvCacheDir+"="+p.dir+"/k")
	t.Cleanup(func() {
		p.run("serve", "--stop", "--cancel")
		if lock.InUse(p.dir) {
			t.Error("a controller is left behind")
		}
	})
	return p
}

func (p *program) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.Context(), os.Args[0], args...)
	cmd.Env = p.env
	return cmd
}

// run is a command to its end: its exit code and all that it says.
func (p *program) run(args ...string) (int, string) {
	cmd := exec.CommandContext(context.WithoutCancel(p.Context()), os.Args[0], args...) // also when the test is over
	cmd.Env = p.env
	out, err := cmd.CombinedOutput()
	if _, is := errors.AsType[*exec.ExitError](err); err != nil && !is {
		p.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// process is what runs. A controller that is too slow to answer is asked again.
func (p *program) process() (s struct {
	Running bool
	api.ProcessStatus
}) {
	p.Helper()
	var out []byte
	for deadline := time.Now().Add(time.Minute); ; {
		cmd := exec.CommandContext(context.WithoutCancel(p.Context()), os.Args[0], "status", "--json") // also when the test is over
		cmd.Env = p.env
		var err error
		if out, err = cmd.Output(); err == nil {
			break
		}
		if time.Now().After(deadline) {
			p.Fatalf("%v: %s", err, out)
		}
	}
	if err := json.Unmarshal(out, &s); err != nil {
		p.Fatalf("%v: %s", err, out)
	}
	return s
}

// rests reports whether a controller runs that has no task at work.
func (p *program) rests() bool {
	s := p.process()
	return s.Running && s.Working == 0
}

// await waits for what another process does.
func (p *program) await(what string, done func() bool) {
	p.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.Fatalf("not: %s", what)
		}
	}
}

// Sixteen processes that start at once have one controller, all are served, and it
// outlives them.
func TestManyProcesses(t *testing.T) {
	p := newProgram(t)
	if p.process().Running {
		t.Fatal("status starts a controller")
	}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if code, said := p.run("task", "list"); code != 0 {
				t.Errorf("exit code %d: %s", code, said)
			}
		})
	}
	all.Wait()
	first := p.process()
	if !first.Running || !first.Background {
		t.Fatalf("%+v", first)
	}
	if code, said := p.run("task", "list"); code != 0 || p.process().PID != first.PID {
		t.Errorf("%d, another process: %s", code, said)
	}
}

// A controller that is slow to answer is no missing one.
func TestSlowController(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, p *program){
		"one that was just started": func(t *testing.T, p *program) {
			if code, said := p.run("task", "list"); code != 0 {
				t.Errorf("%d %s", code, said)
			}
		},
		"one that runs": func(t *testing.T, p *program) {
			if code, said := p.run("task", "list"); code != 0 || strings.Contains(said, "older") {
				t.Errorf("%d %s", code, said)
			}
		},
		"status": func(t *testing.T, p *program) {
			if s := p.process(); !s.Running {
				t.Errorf("%+v", s)
			}
		},
		"serve --stop": func(t *testing.T, p *program) {
			if code, said := p.run("serve", "--stop"); code != 0 || lock.InUse(p.dir) {
				t.Errorf("%d, in use: %t: %s", code, lock.InUse(p.dir), said)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			before := 0
			if name != "one that was just started" {
				p.run("task", "list")
				before = p.process().PID
			}
			slow := filepath.Join(p.dir, slowFile)
			if err := os.WriteFile(slow, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			test(t, p)
			if _, err := os.Stat(slow); err == nil {
				t.Error("nobody was slow")
			}
			if s := p.process(); before != 0 && s.Running && s.PID != before {
				t.Error("another one was started")
			}
		})
	}
}

// While a process has the data, one that does not answer is a problem and not nothing.
func TestSilentController(t *testing.T) {
	p := newPlace(t)
	l, err := lock.Acquire(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	}()
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if c, _, err := background.Find(ctx, app.Options{DataDir: p.dir}); c != nil || err == nil {
		t.Errorf("%v, %v", c, err)
	}
}

// Who dies, and what is left: nobody else is affected.
func TestDeaths(t *testing.T) {
	p := newProgram(t)
	begin := func() *exec.Cmd {
		cmd := p.command("exec", "--", "true")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	first, second := begin(), begin()
	p.await("two tasks are at work", func() bool { return p.process().Working == 2 })
	controller := p.process().PID
	_ = first.Process.Kill()
	_ = first.Wait()
	p.await("the task of a command line that died is over, and only that", func() bool { s := p.process(); return s.Working == 1 && s.PID == controller })
	if code, said := p.run("serve", "--stop"); code != cli.ExitConflict || p.process().PID != controller {
		t.Errorf("it ends in the middle of a task: %d %s", code, said)
	}
	if err := syscall.Kill(controller, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err == nil {
		t.Error("a command line whose controller died succeeds")
	}
	if code, said := p.run("task", "list"); code != 0 || p.process().PID == controller {
		t.Errorf("no other one is started: %d %s", code, said)
	}
}

// What a terminal sends to its processes does not reach the controller.
func TestOwnSession(t *testing.T) {
	p := newProgram(t)
	cmd := p.command("exec", "--", "true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.await("a task is at work", func() bool { return p.process().Working > 0 })
	controller := p.process().PID
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != cli.ExitCancelled {
		t.Errorf("%v", err)
	}
	p.await("the task is over", p.rests)
	if s := p.process(); s.PID != controller {
		t.Errorf("the controller ended, too: %+v", s)
	}
}

// A program whose file was replaced is used from then on, once no task is at work.
func TestReplacedProgram(t *testing.T) {
	p := newProgram(t)
	file := filepath.Join(p.dir, "piwork")
	install := func() {
		t.Helper()
		data, err := os.ReadFile(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(file+".new", data, 0o700), os.Rename(file+".new", file)); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
	}
	list := func() string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), file, "task", "list")
		cmd.Env = p.env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	install()
	list()
	old := p.process().PID
	cmd := exec.CommandContext(t.Context(), file, "exec", "--", "true")
	cmd.Env = p.env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.await("a task is at work", func() bool { return p.process().Working > 0 })
	install()
	if said := list(); !strings.Contains(said, "is an older version") || p.process().PID != old {
		t.Errorf("tasks are at work: %s", said)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	p.await("the task is over", p.rests)
	if said := list(); strings.Contains(said, "older") || p.process().PID == old {
		t.Errorf("the old one is still used: %s", said)
	}
}

// What is set by the command is what the API says, and the other way round.
func TestAtLogin(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it would write to this user's own services")
	}
	p := newProgram(t)
	home := p.dir
	p.dir = filepath.Join(home, "piwork")
	bin := filepath.Join(p.dir, "bin")
	systemctl := "#!/bin/sh\ntest ! -e " + p.dir + "/refuse\n"
	if err := errors.Join(os.MkdirAll(bin, 0o700), os.WriteFile(filepath.Join(bin, "systemctl"), []byte(systemctl), 0o700)); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	p.env = append(p.env, "PATH="+bin+":"+os.Getenv("PATH"), "XDG_CONFIG_HOME="+p.dir+"/x", "XDG_DATA_HOME="+home, app.EnvDataDir+"="+p.dir)
	p.run("task", "list") // has one started
	c, _, err := background.Find(t.Context(), app.Options{DataDir: p.dir})
	if c == nil {
		t.Fatalf("no controller: %v", err)
	}
	is := func(want bool) {
		t.Helper()
		_, err := os.Stat(filepath.Join(p.dir, "x/systemd/user/piwork.service"))
		if now, aerr := c.AtLogin(t.Context()); aerr != nil || now.On != want || !now.Possible || (err == nil) != want {
			t.Errorf("%+v, %v; its file: %v", now, aerr, err)
		}
	}
	is(false)
	if code, said := p.run("serve", "--at-login", "on"); code != 0 {
		t.Errorf("%d %s", code, said)
	}
	is(true)
	if now, err := c.SetAtLogin(t.Context(), api.AtLoginChoice{}); err != nil || now.On {
		t.Errorf("%+v, %v", now, err)
	}
	is(false)
	if err := os.WriteFile(filepath.Join(p.dir, "refuse"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var refused *problem.Problem
	if _, err := c.SetAtLogin(t.Context(), api.AtLoginChoice{On: true}); !errors.As(err, &refused) || refused.Code != problem.CodeAtLogin {
		t.Errorf("%v", err)
	}
	is(false)

	// What the system starts would not find other data.
	p.run("serve", "--stop")
	p.dir = home + "/d"
	p.env = append(p.env, "XDG_DATA_HOME="+home+"/other", app.EnvDataDir+"="+p.dir)
	p.run("task", "list")
	if c, _, err = background.Find(t.Context(), app.Options{DataDir: p.dir}); c == nil {
		t.Fatalf("no controller: %v", err)
	}
	if now, err := c.AtLogin(t.Context()); err != nil || now.On || now.Possible {
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := c.SetAtLogin(t.Context(), api.AtLoginChoice{On: true}); !errors.As(err, &refused) || refused.Code != problem.CodeAtLoginElsewhere {
		t.Errorf("%v", err)
	}
	if code, said := p.run("serve", "--at-login", "on"); code != 2 || !strings.Contains(said, p.dir) {
		t.Errorf("%d %s", code, said)
	}
}

// One that does not come up says why: what it logged reaches the person.
func TestLaunchFails(t *testing.T) {
	p := newProgram(t)
	p.env = append(p.env, "PIWORK_TEST_BROKEN=1")
	code, said := p.run("task", "list")
	if code != cli.ExitFailed || !strings.Contains(said, "piwork didn’t start in the background") || !strings.Contains(said, "the data is not readable") {
		t.Errorf("%d %s", code, said)
	}
	log, err := os.ReadFile(filepath.Join(p.dir, "vm", "controller.log"))
	if err != nil || !bytes.Contains(log, []byte("the data is not readable")) {
		t.Errorf("%v %s", err, log)
	}
}

// Who is refused at the address of a controller in a terminal stands in the log of controllers,
// and that is begun anew when it is full.
func TestServeLogs(t *testing.T) {
	p := newProgram(t)
	path := filepath.Join(p.dir, "vm", "controller.log")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 1<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := p.command("serve", "--http", "127.0.0.1:0", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var at struct{ HTTP string }
	if err := json.NewDecoder(out).Decode(&at); err != nil {
		t.Fatal(err)
	}
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.HTTP+"/v1/tasks", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(ask)
	if err != nil || r.StatusCode != http.StatusUnauthorized {
		t.Fatalf("%v, %+v", err, r)
	}
	_ = r.Body.Close()
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var line struct{ Level, Msg, Why string }
	first, _, _ := bytes.Cut(log, []byte("\n"))
	if err := json.Unmarshal(first, &line); err != nil || line.Level != "WARN" || line.Msg != "api: refused" || line.Why != "no token that is valid" {
		t.Errorf("%v: %s", err, log)
	}
	if info, err := os.Stat(path + ".1"); err != nil || info.Size() != 1<<20+1 {
		t.Errorf("the log is not bounded: %v", err)
	}
}
