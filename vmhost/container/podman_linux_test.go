package container

import (
	"context"
	"errors"
	"log/slog"
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
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/runtimetest/smalltree"
	"piwork/vmhost/wire"
)

// made is what all tests of this package share.
var made struct {
	once                      sync.Once
	dir, tree, agent, attacks string
	podman                    *service
	err                       error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if made.podman != nil {
		made.podman.remove()
	}
	if made.dir != "" {
		os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// parts makes a tree with a few programs of this computer, the agent, and an engine.
func parts(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("podman"); err != nil || os.Getuid() != 0 {
		t.Skip("only root with podman and runc can play it (apt install podman runc): set-up leaves them out for their size; the tests with the fake engine say the same calls")
	}
	made.once.Do(func() {
		if made.dir, made.err = os.MkdirTemp("", "container"); made.err != nil {
			return
		}
		made.tree, made.agent = filepath.Join(made.dir, "tree"), filepath.Join(made.dir, "guest")
		made.err = errors.Join(
			smalltree.Make(made.tree), gobuild.Program(filepath.Join(made.tree, "usr/bin/attacker"), "piwork/vmhost/sandbox/attacker", ""),
			gobuild.Program(made.agent, "piwork/pack/guest/cmd/piwork-guest", ""),
		)
		if made.err == nil {
			made.podman, made.err = startPodman(filepath.Join(made.dir, "podman"))
		}
	})
	if made.err != nil {
		t.Fatal(made.err)
	}
}

// service is a Podman of its own: its containers and images are below one directory.
type service struct {
	args   []string
	dir    string
	socket string
	cmd    *exec.Cmd
	log    hosted.Tail
}

// startPodman starts one as this computer needs it.
func startPodman(dir string) (*service, error) {
	s := &service{dir: dir, socket: filepath.Join(dir, "sock"), args: []string{
		"--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"), "--tmpdir", filepath.Join(dir, "tmp"), "--storage-driver", "overlay",
		"--runtime", "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "file",
	}}
	conf := filepath.Join(dir, "containers.conf")
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(conf, []byte("[containers]\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=1000:1000\"]\n"), 0o600)
	}
	if err != nil {
		return nil, err
	}
	os.Setenv("CONTAINERS_CONF", conf)
	return s, s.start()
}

func (s *service) start() error {
	s.cmd = exec.Command("podman", append(s.args, "system", "service", "--time", "0", "unix://"+s.socket)...)
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = s.dir, &s.log, &s.log // what it writes where it is, is of the test
	if err := s.cmd.Start(); err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < time.Minute; <-time.After(10 * time.Millisecond) {
		if _, err := firstThatListens(context.Background(), []string{s.socket}); err == nil {
			return nil
		}
	}
	s.stop()
	return errors.New("podman does not answer: " + s.log.String())
}

func (s *service) stop() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// podman runs a command of it.
func (s *service) podman(args ...string) string {
	b, err := exec.Command("podman", append(append([]string{}, s.args...), args...)...).CombinedOutput()
	if err != nil {
		return err.Error() + ": " + string(b)
	}
	return strings.TrimSpace(string(b))
}

func (s *service) remove() {
	s.podman("rm", "--force", "--all", "--volumes")
	s.stop()
	for _, dir := range []string{"root", "run"} {
		syscall.Unmount(filepath.Join(s.dir, dir, "vfs"), syscall.MNT_DETACH)
	}
}

// config is a container without folders.
func config(t testing.TB) Config {
	t.Helper()
	parts(t)
	timing := hosted.Patient
	timing.Cancel, timing.Shutdown, timing.Evidence = 20*time.Second, 20*time.Second, evidenceTime
	return Config{
		Dir: filepath.Join(t.TempDir(), "container"), Root: made.tree, Agent: made.agent, Digest: "0123456789abcdef", Owner: "the tests", Engine: made.podman.socket,
		AppVersion: "test", PackVersion: "1.2.3", Timing: timing, Log: slog.New(slog.NewTextHandler(testWriter{t}, nil)),
	}
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("log: %s", p)
	return len(p), nil
}

// open returns an idle container that leaves nothing.
func open(t testing.TB, c Config) *hosted.Runtime {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
		if _, err := os.Stat(c.Dir); err == nil {
			t.Error("its directory is left")
		}
	})
	return r
}

// connected is open and ready.
func connected(t testing.TB, c Config) *hosted.Runtime {
	t.Helper()
	r := open(t, c)
	if err := r.Connect(soon(t)); err != nil {
		var f *vmhost.FailedError
		if errors.As(err, &f) {
			t.Log(f.Detail)
		}
		t.Fatal(err)
	}
	return r
}

func soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func run(t testing.TB, r vmhost.Runtime, script string) *wire.ExecResult {
	t.Helper()
	obs, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", script}}})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return obs.Exec
}

func TestConformance(t *testing.T) {
	base := config(t)
	runtimetest.Run(t, runtimetest.Target{
		Patience: 2 * time.Minute,
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			c := base
			c.Dir, c.Env, c.OnStatus = filepath.Join(t.TempDir(), "container"), env, onStatus
			return open(t, c)
		},
	})
	if left := made.podman.podman("ps", "--all", "--quiet"); left != "" {
		t.Errorf("left: %s", left)
	}
	if left := made.podman.podman("volume", "ls", "--quiet"); left != "" {
		t.Errorf("left: %s", left)
	}
}
