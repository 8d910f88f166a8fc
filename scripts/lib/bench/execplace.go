package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"piwork/app/client"
	"piwork/app/remotes"
	"piwork/app/sessions"
	"piwork/vmhost"
	"piwork/vmhost/remote/sshtest"
	"piwork/vmhost/wire"
)

// roundTrips measures a small program, and a line to a program that runs, in a machine that is
// there, beside a bare echo on the same kind of port.
func (w *workshop) roundTrips() {
	spec := w.m.plain(w.initramfs("echoinit"))
	bare := w.bootPlain(spec)
	defer w.end(bare.end)
	than := "an init that only echoes: " + commandText(w.m.plain("ECHO.cpio").args("SOCKET"), w.m.dir)
	echo := trips(func() string { return strings.TrimSuffix(bare.roundTrip(payload), "\n") })
	w.with(asTasks, func(r *room) {
		in, typed := io.Pipe()
		heard := make(chan string, 1)
		over := make(chan error, 1)
		go func() {
			_, err := r.Execute(r.ctx, vmhost.Action{
				Exec: &wire.ExecParams{ID: "typed", Argv: []string{"cat"}, Cwd: wire.WorkDir}, Input: in, OnOutput: func(o wire.ExecOutput) { heard <- string(o.Data) },
			})
			over <- err
		}()
		defer w.end(func() error { return errors.Join(typed.Close(), <-over) })
		line := trips(func() string {
			must(io.WriteString(typed, payload+"\n"))
			return strings.TrimSuffix(<-heard, "\n")
		})
		program := trips(func() string { return strings.TrimSuffix(r.runIn(wire.WorkDir, "echo", payload), "\n") })
		for _, warm := range []func() time.Duration{line, program, echo} {
			warm()
		}
		w.compare("exec/vm/round-trip", than, program, echo)
		w.compare("exec/vm/typed", than, line, echo)
	})
}

// container measures a program in a container beside the engine's own command line with the
// same image.
func (p *apiRoom) container(cl *client.Client) {
	status := must(cl.TestRuntime(p.ctx, vmhost.KindContainer))
	if !status.Works || status.Engine == nil {
		fmt.Fprintln(os.Stderr, "left out, no engine for containers works here:", status.Problem)
		return
	}
	line := []string{"docker", "--host", "unix://" + status.Engine.Socket}
	if status.Engine.Name == "Podman" {
		line = []string{"podman", "--url", "unix://" + status.Engine.Socket}
	}
	out, err := exec.CommandContext(p.ctx, line[0], append(line[1:], "images", "--quiet", "--filter", "label=piwork.owner="+filepath.Join(p.dir, "data"))...).Output()
	images := strings.Fields(string(out))
	if err != nil || len(images) != 1 {
		failf("%s has the images %q, %v", line[0], images, err)
	}
	bare := append(line, "run", "--rm", "--network", "none", images[0], "echo", "out")
	p.starts("exec/container", commandText(bare, p.dir), "the same, until it has ended", func() (output, end time.Duration) { return p.ran(cl, vmhost.KindContainer) },
		func() (output, end time.Duration) { return p.piped(bare) })
}

// remote measures a program on another computer, where a task has a place, beside ssh over a
// connection that is kept.
func (p *apiRoom) remote(cl *client.Client, s *sshtest.Server) {
	added := must(cl.AddRemote(p.ctx, remotes.RemoteAddition{Name: "bench", Address: s.Address, Confirm: []string{s.Fingerprint}}))
	host, port := s.Host()
	known, master := filepath.Join(p.dir, "known"), filepath.Join(filepath.Dir(s.Agent), "m")
	check(os.WriteFile(known, []byte(knownhosts.Line([]string{net.JoinHostPort(host, port)}, s.HostKey)+"\n"), 0o600))
	user, _, _ := strings.Cut(s.Address, "@")
	line := []string{"ssh", "-F", "none", "-o", "UserKnownHostsFile=" + known, "-i", s.KeyFile, "-o", "ControlPath=" + master, "-p", port, user + "@" + host}
	option := func(words ...string) []string { return append(append(line[:1:1], words...), line[1:]...) }
	p.program("ssh", option("-M", "-N", "-f", "-o", "ControlPersist=yes")[1:]...)
	defer p.program("ssh", option("-O", "exit")[1:]...)
	line = append(line, "echo", "out")
	own := must(ssh.ParsePrivateKey(must(os.ReadFile(s.KeyFile))))
	byHand := must(ssh.Dial("tcp", net.JoinHostPort(host, port), &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(own)}, HostKeyCallback: ssh.FixedHostKey(s.HostKey),
	}))
	defer byHand.Close()
	p.keptOpen(cl, added.Kind(), func(id string) {
		ours := func() time.Duration {
			began := time.Now()
			made := must(cl.CreateSession(p.ctx, id, sessions.Request{Argv: []string{"echo", "out"}}))
			out := sessions.Output{Session: made}
			var said []byte
			for out.Session.State != sessions.StateTerminated {
				out = must(cl.ReadSession(p.ctx, made.ID, sessions.OutputRequest{Client: "bench0123456789bench", From: int64(len(said)), Seen: out.Turn, WaitMS: 10_000}))
				said = append(said, out.Data...)
			}
			took := time.Since(began)
			if string(said) != "out\n" {
				failf("it said %q", said)
			}
			must(cl.CloseSession(p.ctx, made.ID))
			return took
		}
		p.compare("exec/ssh/round-trip", commandText(line, p.dir)+", whose master stays connected", ours, func() time.Duration { _, end := p.piped(line); return end })
		p.compare("exec/ssh/by-hand", "a session of golang.org/x/crypto/ssh on a connection that is kept", ours, func() time.Duration {
			return timed(func() {
				one := must(byHand.NewSession())
				defer one.Close()
				if out := must(one.Output("echo out")); !bytes.Equal(out, []byte("out\n")) {
					failf("it said %q", out)
				}
			})
		})
	})
}
