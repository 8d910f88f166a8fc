package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/container/enginetest"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest/attacks"
	"piwork/vmhost/wire"
)

// played is the agent in a Pod that Podman plays.
type played struct {
	engine *enginetest.Engine
	name   string // of the container
	conn   net.Conn
	cmd    *exec.Cmd
	said   hosted.Tail
	done   chan struct{}
	exit   error
}

func (p *played) Conn() net.Conn        { return p.conn }
func (p *played) Done() <-chan struct{} { return p.done }
func (p *played) Exit() error           { return p.exit }
func (p *played) Evidence() string      { return p.said.String() }

func (p *played) End() error {
	err := p.conn.Close()
	<-p.done
	return err
}

// command is one in the container.
func (p *played) command(t testing.TB, argv ...string) *exec.Cmd {
	args := slices.Concat(p.engine.Client[1:], []string{"exec", "--interactive", p.name}, argv)
	return exec.CommandContext(t.Context(), p.engine.Client[0], args...)
}

// serve starts the agent.
func (p *played) serve(t testing.TB) error {
	ours, theirs := net.Pipe()
	p.conn, p.done = ours, make(chan struct{})
	p.cmd = p.command(t, append([]string{"/bin/sh", "-c", serve, "piwork", "/dev"}, writable...)...)
	p.cmd.Stdout, p.cmd.Stderr = theirs, &p.said
	in, err := p.cmd.StdinPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(in, theirs)
		in.Close()
	}()
	go func() {
		defer close(p.done)
		p.exit = p.cmd.Wait()
		theirs.Close()
	}()
	return nil
}

// playPod has Podman play the Pod that a cluster is asked for, over an image of a tree, and
// returns the place in it.
func playPod(t *testing.T, tree, agentFile string, memoryMB int) (*hosted.Runtime, *played) {
	t.Helper()
	enginetest.Need(t)
	if _, err := exec.LookPath("catatonit"); err != nil {
		t.Skip("Podman makes Pods with catatonit, which is not installed (./scripts/setup --all does); the fake API server runs the same Pod")
	}
	a, err := readAgent(agentFile)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "k") // Podman takes no longer path than one of 50 characters
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	engine, err := enginetest.Start("podman", dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Remove)

	const image = "localhost/tools:1"
	file := filepath.Join(dir, "image.tar")
	if err := pack(t.Context(), tree, filepath.Join(dir, "volumes"), file); err != nil {
		t.Fatal(err)
	}
	if out := engine.Run("import", file, image); strings.Contains(out, "exit status") || !strings.Contains(out, "sha256:") {
		t.Fatal(out)
	}
	pod := arrangement{name: newName(), namespace: "default", owner: "owner0000", image: image, arch: a.arch, memoryMB: memoryMB}.pod()
	b, err := json.Marshal(pod.Object)
	spec := filepath.Join(dir, "pod.json")
	if err = errors.Join(err, os.Remove(file), os.WriteFile(spec, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	if out := engine.Run("kube", "play", "--network", "none", spec); !strings.Contains(out, "Container:") {
		t.Fatal(out)
	}
	p := &played{engine: engine, name: pod.GetName() + "-" + containerName}
	send := p.command(t, "/bin/sh", "-c", receive(len(a.packed), a.digest))
	send.Stdin = bytes.NewReader(a.packed)
	if out, err := send.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "sent" {
		t.Fatalf("%v %s %s", err, out, engine.Run("logs", p.name))
	}
	if err := p.serve(t); err != nil {
		t.Fatal(err)
	}
	r := hosted.New(hosted.Config{
		Capabilities: Capabilities("podman"), AppVersion: "test", Log: hostedtest.Log(t),
		InitData: vmhost.InitData{OS: "linux", Cwd: wire.WorkDir, Network: vmhost.NetworkDeny},
		Open:     func(context.Context) (hosted.Place, error) { return p, nil },
	})
	hostedtest.CloseAtEnd(t, r, func() {})
	hostedtest.Connect(t, r)
	return r, p
}

// pack writes the archive of an image. Podman knows no fsGroup: an empty directory is as the
// image has it, so the places of volumes are everybody's there.
func pack(ctx context.Context, tree, volumesDir, file string) error {
	first, second := []string{"-C", tree, "--anchored", "-cf", file}, []string{"-C", volumesDir, "-rf", file}
	for _, v := range volumes {
		dir := filepath.Join(volumesDir, v.path)
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o777|os.ModeSticky)); err != nil {
			return err
		}
		first, second = append(first, "--exclude=."+v.path), append(second, "."+v.path)
	}
	for _, args := range [][]string{append(first, "."), second} {
		if out, err := exec.CommandContext(ctx, "tar", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	return nil
}

// The Pod that a cluster is asked for is one that another implementation of Pods runs too:
// Podman makes it, keeps programs in it as it says, and it ends with the agent.
func TestPodmanPlaysThePod(t *testing.T) {
	tree, agentFile := parts(t)
	r, p := playPod(t, tree, agentFile, 0)
	got := run(t, r, "id -u; id -g; cat /proc/sys/kernel/hostname; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status; echo new >/work/a && cat /work/a")
	want := "1000 1000 piwork CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 Seccomp: 2 new"
	if said := strings.Join(strings.Fields(string(got.Stdout)), " "); got.ExitCode != 0 || said != want {
		t.Errorf("%q %s", said, got.Stderr)
	}
	for _, script := range []string{"echo x >/x", "echo x >/usr/x", "echo x >" + agentPath, "grep -v 'lo:' /proc/net/dev | grep :", "ls /var/run/secrets"} {
		if got := run(t, r, script); got.ExitCode == 0 {
			t.Errorf("%s: %s", script, got.Stdout)
		}
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if out := p.engine.Run("wait", p.name); out != "0" {
		t.Errorf("the Pod ended with %s", out)
	}
}

// What the fake refuses programs a real Pod does, too; in one a program that takes all memory
// or all processes ends, and its place goes on.
func TestAttacksInPodman(t *testing.T) {
	tier.Rest(t, "TestAttacksFromInside")
	w := attacks.NewWorld(t, "")
	t.Setenv("SSH_AUTH_SOCK", w.Agent)
	tree, agentFile := parts(t)
	r, p := playPod(t, tree, agentFile, 512)
	not := maps.Clone(notClaimed)
	delete(not, "bomb") // enginetest.Start bounds them
	attacks.Run(t, attacks.Target{
		Runtime: r, World: w, Agent: agentPath, NotClaimed: not, Bomb: 20000, More: map[string]string{"find this engine": "ls " + p.engine.Socket},
	})
	if got := run(t, r, "sh -c 'x=x; while :; do x=$x$x; done'"); got.ExitCode != 137 {
		t.Errorf("a program that takes all memory: %+v %s", got, got.Stderr)
	}
	if got := run(t, r, "echo here"); string(got.Stdout) != "here\n" {
		t.Errorf("%+v", got)
	}
	killAll(t, r)
	if err := w.Unharmed(); err != nil {
		t.Error(err)
	}
}
