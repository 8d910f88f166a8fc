package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"golang.org/x/sys/unix"

	"piwork/pack/guest/landlock"
	"piwork/vmhost/wire"
)

// TestMain lets the test binary be the program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == partHosted || os.Args[1] == partLaunch) {
		main()
		return
	}
	os.Exit(m.Run())
}

// hostedAgent is one that runs, and its host's side.
type hostedAgent struct {
	*jrpc2.Client
	cmd  *exec.Cmd
	conn net.Conn
	over chan struct{} // closed when the process has ended
}

func startHosted(t *testing.T, writable ...string) *hostedAgent {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		t.Fatal(err)
	}
	a := &hostedAgent{conn: conn, over: make(chan struct{})}
	a.cmd = exec.CommandContext(t.Context(), "/proc/self/exe", append([]string{partHosted}, writable...)...)
	a.cmd.Stdin, a.cmd.Stdout, a.cmd.Stderr = theirs, theirs, os.Stderr
	a.cmd.Env = []string{"PATH=/usr/bin:/bin"}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	go func() { _ = a.cmd.Wait(); close(a.over) }()
	a.Client = jrpc2.NewClient(wire.Channel(conn, conn), nil)
	t.Cleanup(func() { a.Close(); <-a.over })
	a.call(t, wire.MethodPrepare, wire.PrepareParams{UnixNano: time.Now().UnixNano(), Entropy: make([]byte, wire.MinEntropy), Locale: "C.UTF-8"}, nil)
	return a
}

func (a *hostedAgent) call(t *testing.T, method string, params, result any) {
	t.Helper()
	if result == nil {
		result = &wire.Empty{}
	}
	if err := a.CallResult(t.Context(), method, params, result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

func (a *hostedAgent) sh(t *testing.T, script string) wire.ExecResult {
	t.Helper()
	var r wire.ExecResult
	a.call(t, wire.MethodExecRun, wire.ExecParams{ID: fmt.Sprint("x", time.Now().UnixNano()), Argv: []string{"/bin/sh", "-c", script}, Cwd: "/"}, &r)
	return r
}

// A hosted agent says what it can do, does it, and refuses what takes a machine.
func TestHosted(t *testing.T) {
	a := startHosted(t)
	var h wire.Hello
	a.call(t, wire.MethodHello, wire.HelloParams{Version: wire.Version}, &h)
	if err := h.Validate(); err != nil || !slices.Contains(h.Capabilities, wire.CanExec) || !slices.Contains(h.Capabilities, wire.CanTerminal) ||
		slices.ContainsFunc(h.Capabilities, func(c string) bool {
			return strings.HasPrefix(c, "mount") || c == wire.CanNetwork || c == wire.CanClock
		}) {
		t.Errorf("%+v %v", h, err)
	}
	if r := a.sh(t, "echo out; echo $LANG >&2; exit 3"); string(r.Stdout) != "out\n" || string(r.Stderr) != "C.UTF-8\n" || r.ExitCode != 3 {
		t.Errorf("%+v", r)
	}
	for method, params := range map[string]any{
		wire.MethodWarm: wire.WarmParams{}, wire.MethodClock: wire.ClockParams{UnixNano: time.Now().UnixNano()}, wire.MethodGateway: wire.Empty{},
		wire.MethodMount: wire.MountParams{Kind: wire.KindVirtio9P, Export: "folders", Path: wire.FoldersDir},
	} {
		if err := a.CallResult(t.Context(), method, params, &wire.Empty{}); err == nil {
			t.Errorf("%s is answered", method)
		}
	}
	var r wire.ExecResult
	a.call(t, wire.MethodExecRun, wire.ExecParams{ID: "late", Argv: []string{"sleep", "600"}, Cwd: "/", Limits: wire.Limits{WallMS: 100}}, &r)
	if r.Ended != wire.EndedTimeout {
		t.Errorf("%+v", r)
	}
}

// Programs of the agent's user can neither read the agent nor speak in its place, nor
// change what they were not given.
func TestHostedIsOutOfReach(t *testing.T) {
	if landlock.Version() == 0 {
		t.Skip("this kernel has no Landlock, and whoever made the place keeps programs in it")
	}
	open, shut := t.TempDir(), t.TempDir()
	a := startHosted(t, open, "/dev", "/no/such/directory")
	agent := fmt.Sprintf("/proc/%d/", a.cmd.Process.Pid)
	scripts := []string{
		": <>" + agent + "mem",
		"test -S /dev/stdin || test -S /proc/self/fd/3 || test -S /proc/self/fd/4",
		"unshare -U true",
		"echo x >" + filepath.Join(shut, "x"),
		"mkdir " + filepath.Join(shut, "d"),
	}
	if os.Getuid() != 0 { // who has all capabilities may
		scripts = append(scripts, "head -c 1 "+agent+"environ", "ls "+agent+"fd/")
	}
	for _, script := range scripts {
		if r := a.sh(t, script); r.ExitCode == 0 {
			t.Errorf("%s: %+v", script, r)
		}
	}
	if r := a.sh(t, "echo x >"+filepath.Join(open, "x")+" && echo x >/dev/null"); r.ExitCode != 0 {
		t.Errorf("%+v", r)
	}
}

// What a program leaves behind is ended, in whatever process group, and nothing of it stays
// a zombie.
func TestHostedLeavesNothing(t *testing.T) {
	a := startHosted(t)
	r := a.sh(t, "set -m; sleep 600 >/dev/null 2>&1 & echo $!; (sleep 0.01 >/dev/null 2>&1 &)")
	left := strings.TrimSpace(string(r.Stdout))
	gone(t, "a background job", func() bool {
		_, err := os.Stat("/proc/" + left)
		return left != "" && err != nil
	})
	gone(t, "a zombie", func() bool {
		return len(children(t, a.cmd.Process.Pid)) == 0
	})
}

// The agent ends with its host, and so do its programs.
func TestHostedEndsWithItsHost(t *testing.T) {
	for name, end := range map[string]func(*hostedAgent){
		"the host leaves": func(a *hostedAgent) { a.conn.Close() },
		"it is asked to": func(a *hostedAgent) {
			_ = a.CallResult(context.Background(), wire.MethodShutdown, wire.Empty{}, &wire.Empty{})
		},
		"by a signal": func(a *hostedAgent) { _ = a.cmd.Process.Signal(unix.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			a := startHosted(t)
			a.call(t, wire.MethodExecStart, wire.ExecParams{ID: "x", Argv: []string{"/bin/sh", "-c", "trap '' TERM; sleep 600; true"}, Cwd: "/"}, nil)
			pids := children(t, a.cmd.Process.Pid)
			if len(pids) != 1 {
				t.Fatalf("the agent has the children %q", pids)
			}
			end(a)
			select {
			case <-a.over:
			case <-time.After(20 * time.Second):
				t.Fatal("it stays")
			}
			for _, pid := range pids {
				gone(t, "a program", func() bool { _, err := os.Stat("/proc/" + pid); return err != nil })
			}
		})
	}
}

// gone waits until something is.
func gone(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("%s is still there", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// children are the processes that a process started, or inherited.
func children(t *testing.T, parent int) (pids []string) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // it is over
		}
		if fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:])); fields[1] == strconv.Itoa(parent) {
			pids = append(pids, filepath.Base(filepath.Dir(name)))
		}
	}
	return pids
}

// Processes are counted with the person's where users are the computer's own.
func TestUsersOfComputer(t *testing.T) {
	for uidMap, want := range map[string]bool{
		"         0          0 4294967295\n":                                   true,
		"      1000       1000          1\n":                                   false,
		"         0     100000      65536\n":                                   false,
		"         0          0       1000\n      1000     100000 4294900000\n": false,
		"": false,
	} {
		if usersOfComputer(uidMap) != want {
			t.Errorf("%q", uidMap)
		}
	}
}

// An agent that was given a cgroup bounds all programs in it, or does not start.
func TestOwnGroup(t *testing.T) {
	h := &hosted{}
	if err := h.ownGroup(); err != nil || h.bounds != nil {
		t.Errorf("%v %v", h.bounds, err)
	}
	h.group = filepath.Join(t.TempDir(), "none")
	if err := h.ownGroup(); err == nil || !strings.HasPrefix(err.Error(), "cgroup") {
		t.Errorf("%v", err)
	}
	h.group = t.TempDir() // plays one
	for _, dir := range []string{h.group, filepath.Join(h.group, "all")} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	h.most = 300
	if err := h.ownGroup(); err != nil || h.bounds == nil {
		t.Fatal(err)
	}
	file := filepath.Join(h.group, "all", "pids.max")
	_ = os.Chmod(file, 0o600)
	if b, err := os.ReadFile(file); err != nil || string(b) != "300" {
		t.Errorf("%q %v", b, err)
	}
}
