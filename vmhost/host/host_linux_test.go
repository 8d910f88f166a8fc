package host

import (
	"context"
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

	"piwork/pack/durable"
	"piwork/scripts/lib/gobuild"
	"piwork/vmhost"
	"piwork/vmhost/host/relocate"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/runtimetest/person"
	"piwork/vmhost/runtimetest/smalltree"
	"piwork/vmhost/sandbox/tree"
	"piwork/vmhost/wire"
)

// made is what all tests of this package share.
var made struct {
	once             sync.Once
	dir, root, agent string
	err              error
}

// envParts names the directory of the parts to tests that run in a process of their own.
const envParts = "PIWORK_TEST_PARTS"

var soon, run = hostedtest.Soon, hostedtest.Run

// TestMain has the tests of root be those of a person: this kind refuses root.
func TestMain(m *testing.M) {
	var code int
	if os.Getuid() == 0 {
		code = mainOfRoot()
	} else {
		code = m.Run()
	}
	if made.dir != "" && os.Getenv(envParts) == "" {
		_ = durable.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// mainOfRoot makes the parts, tries what root may not have, and runs the tests as a person.
func mainOfRoot() int {
	dir, err := os.MkdirTemp("", "host")
	if made.dir = dir; err == nil {
		err = errors.Join(os.Chmod(dir, 0o755), build(dir), refusesRoot(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return person.Main(person.Options{Given: []string{dir}, Env: []string{envParts + "=" + dir}}.Pack())
}

// refusesRoot is an error where root gets a place.
func refusesRoot(dir string) error {
	r, err := New(Config{Dir: filepath.Join(dir, "of root"), Root: filepath.Join(dir, "environments", smallName), Agent: filepath.Join(dir, "guest")})
	if err != nil {
		return err
	}
	defer r.Close(context.Background())
	err = r.Connect(context.Background())
	if f, is := errors.AsType[*vmhost.FailedError](err); !is || f.Reason != vmhost.ReasonHostRoot {
		return fmt.Errorf("root is not refused: %v", err)
	}
	return nil
}

// build makes an environment with a few programs of this computer, and the agent.
func build(dir string) error {
	small, image := filepath.Join(dir, "small"), filepath.Join(dir, "image")
	err := errors.Join(
		smalltree.Make(small), gobuild.Program(filepath.Join(small, "usr/bin/attacker"), "piwork/vmhost/sandbox/attacker", ""),
		gobuild.Program(filepath.Join(dir, "guest"), "piwork/pack/guest/cmd/piwork-guest", ""),
		os.MkdirAll(filepath.Join(small, "usr/lib/any/gconv"), 0o755),
		os.CopyFS(filepath.Join(small, "usr/lib/locale/C.utf8"), os.DirFS("/usr/lib/locale/C.utf8")),
		os.WriteFile(filepath.Join(small, "usr/bin/script"), []byte("#!/bin/sh\necho script of $0: $1\n"), 0o755),
	)
	if err != nil {
		return err
	}
	if out, err := exec.Command("mkfs.erofs", image, small).CombinedOutput(); err != nil {
		return fmt.Errorf("mkfs.erofs (./scripts/setup --test): %w: %s", err, out)
	}
	_, err = tree.Ensure(context.Background(), filepath.Join(dir, "environments"), image, smallName, relocate.System{})
	return err
}

// smallName is that of the environment.
const smallName = "0123456789abcdef"

// parts returns what build made.
func parts(t testing.TB) (root, agent string) {
	t.Helper()
	made.once.Do(func() {
		if made.dir = os.Getenv(envParts); made.dir == "" {
			if made.dir, made.err = os.MkdirTemp("", "host"); made.err == nil {
				made.err = build(made.dir)
			}
		}
		made.root, made.agent = filepath.Join(made.dir, "environments", smallName), filepath.Join(made.dir, "guest")
	})
	if made.err != nil {
		t.Fatal(made.err)
	}
	return made.root, made.agent
}

// config is a place without folders.
func config(t testing.TB) Config {
	t.Helper()
	root, agent := parts(t)
	timing := hosted.Patient
	timing.Cancel, timing.Shutdown = 20*time.Second, 20*time.Second
	return Config{
		Dir: filepath.Join(t.TempDir(), "host"), Root: root, Agent: agent, AppVersion: "test", PackVersion: "1.2.3",
		Timing: timing, Log: hostedtest.Log(t),
	}
}

// open returns an idle place that leaves nothing.
func open(t testing.TB, c Config) *Runtime {
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
func connected(t testing.TB, c Config) *Runtime {
	t.Helper()
	r := open(t, c)
	hostedtest.Connect(t, r)
	return r
}

// processes are those with a text in their command line or in their environment.
func processes(text string) (all []int) {
	for _, file := range []string{"cmdline", "environ"} {
		names, _ := filepath.Glob("/proc/[0-9]*/" + file)
		for _, name := range names {
			var pid int
			fmt.Sscanf(name, "/proc/%d/", &pid)
			if b, err := os.ReadFile(name); err == nil && strings.Contains(string(b), text) && pid != os.Getpid() {
				all = append(all, pid)
			}
		}
	}
	return all
}

// nobody waits until no process has a text in its command line, and no mount in its path.
func nobody(t testing.TB, text string) {
	t.Helper()
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		mounts, err := os.ReadFile("/proc/self/mounts")
		if err == nil && len(processes(text)) == 0 && !strings.Contains(string(mounts), text) {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Errorf("left: %d, or a mount", processes(text))
			return
		}
	}
}

// placed is a place in the directory of one task.
func placed(t testing.TB, c Config, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) Config {
	t.Helper()
	c.Dir = filepath.Join(made.dir, "runs", strings.ReplaceAll(t.Name(), "/", "-"))
	c.Env, c.OnStatus = env, onStatus
	return c
}

func TestConformance(t *testing.T) {
	base := config(t)
	runtimetest.Run(t, runtimetest.Target{
		Patience: time.Minute, Bare: true,
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			return open(t, placed(t, base, env, onStatus))
		},
		Folders: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc, rw, ro string) vmhost.Runtime {
			c, _ := sharing(t, placed(t, base, env, onStatus), rw, ro)
			return open(t, c)
		},
		Processes: func(t testing.TB, most int) vmhost.Runtime {
			c := placed(t, base, vmhost.ExecutionEnv{}, nil)
			c.Dir, c.processes = c.Dir+"-few", most
			return open(t, c)
		},
	})
}

// The programs are those of the environment, with its libraries, and so are interpreters of
// scripts, whatever they are called by.
func TestPrograms(t *testing.T) {
	r := connected(t, config(t))
	root := made.root
	exe := func(argv ...string) string {
		t.Helper()
		obs, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: argv}})
		if err != nil {
			t.Fatalf("%q: %v", argv, err)
		}
		return string(obs.Exec.Stdout) + string(obs.Exec.Stderr)
	}
	for _, argv := range [][]string{{"cat"}, {"/bin/cat"}, {"/usr/bin/cat"}, {"sh", "-c", `exec cat "$@"`, "sh"}, {"env", "-i", root + "/usr/bin/cat"}} {
		if argv[0] == "env" {
			argv[0] = "/usr/bin/env" // of the computer: Nix and Guix leave it there, too
		}
		maps := exe(append(argv, "/proc/self/maps")...)
		for line := range strings.Lines(maps) {
			f := strings.Fields(line)
			if len(f) > 5 && strings.HasPrefix(f[5], "/") && !strings.HasPrefix(f[5], root+"/") {
				t.Errorf("%q has %s", argv, f[5])
			}
		}
		if !strings.Contains(maps, root) {
			t.Errorf("%q: %s", argv, maps)
		}
	}
	if got := exe("script", "a b"); got != "script of "+root+"/usr/bin/script: a b\n" {
		t.Errorf("a script: %q", got)
	}
	if got := run(t, r, "printf '#!/bin/sh -e\\nread x </proc/self/maps; case $x in *"+root+"*) echo own $1;; *) echo $x;; esac\\n' >s; chmod +x s"); got.ExitCode != 0 {
		t.Fatalf("%s", got.Stderr)
	}
	if got := exe("/work/s", "argument"); got != "own argument\n" {
		t.Errorf("a script of the task: %q", got)
	}
}

// Paths are the same in every place: in actions, and in what comes of them.
func TestPaths(t *testing.T) {
	p := paths{"/run/tasks/1"}
	if e := p.program(wire.ExecParams{Argv: []string{"cat", "/folders/a b/c", "/foldersx", "--x=/work/y", "/work"}, Cwd: "/folders", Env: map[string]string{"A": "/state/x"}}); e.Argv[1] != "/run/tasks/1/folders/a b/c" || e.Argv[2] != "/foldersx" || e.Argv[4] != "/run/tasks/1/work" || e.Cwd != "/run/tasks/1/folders" || e.Env["A"] != "/run/tasks/1/state/x" {
		t.Errorf("%+v", e)
	}
	tool := wire.ToolParams{Op: "x", In: []string{"/folders/d/a"}, Out: "/work/out/b", Params: map[string]any{"moves": []any{map[string]any{"to": "/folders/d/c", "n": 9007199254740993}}}}
	if err := convert(&tool, p.here); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(tool); !strings.Contains(got, "[/run/tasks/1/folders/d/a] /run/tasks/1/work/out/b") || !strings.Contains(got, "to:/run/tasks/1/folders/d/c") {
		t.Error(got)
	}
	result := wire.ToolResult{Out: []wire.ToolFile{{Path: "/run/tasks/1/work/out/b", Size: 1 << 60}}, Problems: []wire.ToolProblem{{Path: "/run/tasks/1/folders/x", Cause: "open /run/tasks/1/folders/x: no"}}}
	if err := convert(&result, p.everywhere); err != nil || result.Out[0].Path != "/work/out/b" || result.Out[0].Size != 1<<60 || result.Problems[0].Path != "/folders/x" || result.Problems[0].Cause != "open /folders/x: no" {
		t.Errorf("%+v %v", result, err)
	}
}

// What is missing has a reason, and leaves nothing.
func TestConnectFails(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no environment": func(c *Config) { c.Root = filepath.Join(t.TempDir(), "none") },
		"no agent":       func(c *Config) { c.Agent = filepath.Join(t.TempDir(), "none") },
		"not one":        func(c *Config) { c.Agent = "/bin/true" },
	} {
		t.Run(name, func(t *testing.T) {
			c := config(t)
			change(&c)
			err := open(t, c).Connect(soon(t))
			if f, is := errors.AsType[*vmhost.FailedError](err); !is || f.Reason != vmhost.ReasonStart {
				t.Errorf("Connect: %v", err)
			}
		})
	}
}

// A place whose agent or keeper ends fails with that, and everything in it ends.
func TestEnds(t *testing.T) {
	const agent, keeper = "\x00serve\x00", "\x00kept\x00"
	for name, tt := range map[string]struct {
		part string
		how  syscall.Signal
	}{
		"the agent is killed":        {agent, syscall.SIGKILL},
		"the keeper is asked to end": {keeper, syscall.SIGTERM},
		"the keeper is killed":       {keeper, syscall.SIGKILL},
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
			if got := run(t, r, "{ setsid sleep 601 & (setsid sh -c 'sleep 602 & sleep 603' &) ; } >/dev/null 2>&1; echo started"); string(got.Stdout) != "started\n" {
				t.Fatalf("%+v", got)
			}
			signalPart(c.Dir, tt.part, tt.how)
			s := <-failed
			if f, is := errors.AsType[*vmhost.FailedError](s.Err); !is || f.Reason != vmhost.ReasonExited && f.Reason != vmhost.ReasonClosed {
				t.Errorf("%+v", s)
			}
			nobody(t, c.Dir)
		})
	}
}

// signalPart signals the agent or the keeper of a place: of the keeper's command line the
// agent's is the rest.
func signalPart(dir, part string, how syscall.Signal) {
	for _, pid := range processes(dir) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && strings.Contains(string(b), part) && (part == "\x00kept\x00" || !strings.Contains(string(b), "\x00kept\x00")) {
			_ = syscall.Kill(pid, how)
		}
	}
}

// A keeper that was stopped is no reason to wait.
func TestStoppedKeeper(t *testing.T) {
	c := config(t)
	c.Timing.Shutdown = 100 * time.Millisecond // what it waits for the agent in any case
	r := connected(t, c)
	run(t, r, "setsid sleep 601 >/dev/null 2>&1 &")
	signalPart(c.Dir, "\x00kept\x00", syscall.SIGSTOP)
	began := time.Now()
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if left := processes(c.Dir); len(left) > 0 || time.Since(began) > endTime {
		t.Errorf("left: %d, after %v", left, time.Since(began))
	}
}

// What a place left that was killed with its keeper, the next one in its directory ends.
func TestLeftoverProcesses(t *testing.T) {
	c := config(t)
	left := exec.CommandContext(t.Context(), "sleep", "600")
	left.Env = []string{wire.FoldersVariable + "=" + filepath.Join(c.Dir, "folders")}
	other := exec.CommandContext(t.Context(), "sleep", "600")
	other.Env = []string{wire.FoldersVariable + "=" + filepath.Join(c.Dir, "folders", "below")}
	if err := errors.Join(left.Start(), other.Start()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- left.Wait() }()
	connected(t, c)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("it is still there")
	}
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("another's: %v", err)
	}
	_, _ = other.Process.Kill(), other.Wait()
}

// What a task leaves running ends with it, whatever it did to be left alone.
func TestLeftovers(t *testing.T) {
	c := config(t)
	r := connected(t, c)
	run(t, r, "exec >/dev/null 2>&1; (setsid sh -c 'trap \"\" TERM HUP; sleep 602 & sleep 603 & : >up; wait' &); until [ -e up ]; do sleep 0.01; done")
	if n := len(processes(c.Dir)); n < 5 { // the keeper, the agent, a shell and two more
		t.Errorf("only %d processes run", n)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if left := processes(c.Dir); len(left) > 0 {
		t.Errorf("left: %d", left)
	}
}

// envDir names, to a test that runs in a process of its own, where its place is.
const envDir = "PIWORK_TEST_HOST_DIR"

// A program that is killed leaves no process, and what it left of files and mounts goes with
// the next place.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(envDir); dir != "" {
		c, _, _ := shared(t, config(t))
		c.Dir = dir
		r := connected(t, c)
		run(t, r, "setsid sleep 601 >/dev/null 2>&1 &")
		fmt.Println("ready")
		select {}
	}
	parts(t)
	top := t.TempDir()
	dir := filepath.Join(top, "first")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestKilled$", "-test.v")
	cmd.Env = append(os.Environ(), envDir+"="+dir, envParts+"="+made.dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	heard := ""
	for b := make([]byte, 4096); !strings.Contains(heard, "ready"); {
		n, err := out.Read(b)
		if heard += string(b[:n]); err != nil {
			t.Fatalf("%s %v", heard, err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for began := time.Now(); len(processes(dir)) > 0; <-time.After(10 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("left: %d", processes(dir))
		}
	}
	c := config(t)
	c.Dir = filepath.Join(top, "second")
	connected(t, c)
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || len(durable.MountsIn(string(mounts), dir)) > 0 {
		t.Errorf("a mount is left: %v", err)
	}
}
