// Package enginetest starts engines of containers for tests, each with a storage of its own.
package enginetest

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/pack/durable"
	"piwork/vmhost/hosted"
)

// Engine is an engine of its own: its containers and images are below one directory.
type Engine struct {
	Server, Client []string // command lines
	Dir            string
	Socket         string
	cmd            *exec.Cmd
	Log            hosted.Tail
}

// Need skips a test where there is no Podman of root.
func Need(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("podman"); err != nil || os.Getuid() != 0 {
		t.Skip("only root with podman and runc can play it: ./scripts/setup --all installs them, and ./scripts/test all plays it; the tests with the fake engine of vmhost/container say the same calls")
	}
}

// Start starts one as this computer needs it.
func Start(kind, dir string) (*Engine, error) {
	s := &Engine{Dir: dir, Socket: filepath.Join(dir, "sock")}
	in := func(name string) string { return filepath.Join(dir, name) }
	if kind == "docker" {
		s.Client = []string{"docker", "--host", "unix://" + s.Socket}
		s.Server = []string{
			"dockerd", "--host", "unix://" + s.Socket, "--data-root", in("root"), "--exec-root", in("run"), "--pidfile", in("pid"), "--iptables=false", "--ip6tables=false",
			"--bridge=none", "--exec-opt", "native.cgroupdriver=cgroupfs", "--default-ulimit", "nofile=1024:1024", "--default-ulimit", "nproc=1000:1000",
		}
	} else {
		s.Client = []string{
			"podman", "--root", in("root"), "--runroot", in("run"), "--tmpdir", in("tmp"), "--storage-driver", "overlay",
			"--runtime", "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "file",
		}
		s.Server = append(slices.Clone(s.Client), "system", "service", "--time", "0", "unix://"+s.Socket)
	}
	conf := in("containers.conf")
	err := os.MkdirAll(s.Spool(), 0o700)
	if err == nil {
		err = os.WriteFile(conf, []byte("[containers]\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=1000:1000\"]\n"), 0o600)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Setenv("CONTAINERS_CONF", conf); err != nil {
		return nil, err
	}
	return s, s.Start()
}

// Spool is where it puts archives while it reads them.
func (s *Engine) Spool() string { return filepath.Join(s.Dir, "spool") }

// Start starts it again.
func (s *Engine) Start() error {
	s.cmd = exec.CommandContext(context.Background(), s.Server[0], s.Server[1:]...)
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = s.Dir, &s.Log, &s.Log // what it writes where it is, is of the test
	s.cmd.Env = append(os.Environ(), "TMPDIR="+s.Spool())
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // without the rights of root Podman is two
	if err := s.cmd.Start(); err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < time.Minute; <-time.After(10 * time.Millisecond) {
		if c, err := (&net.Dialer{}).DialContext(context.Background(), "unix", s.Socket); err == nil {
			return c.Close()
		}
	}
	s.Kill()
	return errors.New("the engine does not answer: " + s.Log.String())
}

// Kill ends it without a warning.
func (s *Engine) Kill() {
	s.Signal(syscall.SIGKILL)
}

// Signal sends a signal to it, and waits for its end.
func (s *Engine) Signal(how syscall.Signal) {
	_ = syscall.Kill(-s.cmd.Process.Pid, how)
	_ = s.cmd.Wait()
}

// Run runs a command of it.
func (s *Engine) Run(args ...string) string {
	b, err := exec.CommandContext(context.Background(), s.Client[0], append(slices.Clone(s.Client[1:]), args...)...).CombinedOutput()
	if err != nil {
		return err.Error() + ": " + string(b)
	}
	return strings.TrimSpace(string(b))
}

// Containers are all that there are, those that ended too.
func (s *Engine) Containers() []string {
	return strings.Fields(s.Run("ps", "--all", "--quiet", "--no-trunc"))
}

// Remove ends it with its containers and mounts.
func (s *Engine) Remove() {
	for _, id := range s.Containers() {
		s.Run("rm", "--force", "--volumes", id)
	}
	s.Signal(syscall.SIGTERM)
	info, _ := os.ReadFile("/proc/self/mountinfo")
	for _, m := range slices.Backward(durable.MountsIn(string(info), s.Dir)) {
		_ = syscall.Unmount(m.At, syscall.MNT_DETACH)
	}
}
