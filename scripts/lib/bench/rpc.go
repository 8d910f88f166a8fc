package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost/wire"
)

// payload is what travels: about the size of a small request.
var payload = strings.Repeat("piwork ", 14)

// batch is how many round trips one measured turn has; their mean counts.
const batch = 50

// rpc measures a call of the agent and its answer beside a bare echo, in two
// machines that run at the same time and are measured in turn.
func rpc(ctx context.Context, e env, runs int) ([]row, error) {
	m, err := prepare(ctx, e)
	if err != nil {
		return nil, err
	}
	echoInit, err := echoInitramfs(ctx, e)
	if err != nil {
		return nil, err
	}
	agent, err := bootPlain(ctx, m.plain(m.image.Initrd))
	if err != nil {
		return nil, err
	}
	defer agent.end()
	bare, err := bootPlain(ctx, m.plain(echoInit))
	if err != nil {
		return nil, err
	}
	defer bare.end()

	client := jrpc2.NewClient(wire.Channel(struct {
		io.Reader
		io.Writer
	}{agent.reader, agent.conn}, agent.conn), nil)
	defer client.Close()
	ours := func() (time.Duration, error) {
		return perTrip(func() error {
			var back wire.EchoParams
			err := client.CallResult(ctx, wire.MethodEcho, wire.EchoParams{Data: payload}, &back)
			if err == nil && back.Data != payload {
				err = fmt.Errorf("the agent sent back %q", back.Data)
			}
			return err
		})
	}
	theirs := func() (time.Duration, error) {
		return perTrip(func() error {
			back, err := bare.roundTrip(payload)
			if err == nil && strings.TrimSuffix(back, "\n") != payload {
				err = fmt.Errorf("the echo sent back %q", back)
			}
			return err
		})
	}
	for _, warm := range []side{ours, theirs} {
		if _, err := warm(); err != nil {
			return nil, err
		}
	}
	name := "an init that only echoes: " + commandText(m.plain("ECHO.cpio").args("SOCKET"), m.dir)
	r, err := compare(runs, "rpc/echo/rtt", name, ours, theirs)
	return []row{r}, err
}

func perTrip(trip func() error) (time.Duration, error) {
	began := time.Now()
	for range batch {
		if err := trip(); err != nil {
			return 0, err
		}
	}
	return time.Since(began) / batch, nil
}

// plain boots the pack's kernel.
func (m machine) plain(initrd string) plainSpec {
	return plainSpec{image: m.image, accel: m.accel, kernel: m.image.Kernel, initrd: initrd}
}

// echoInitramfs is an initramfs whose init only echoes.
func echoInitramfs(ctx context.Context, e env) (string, error) {
	program := filepath.Join(e.dir, "echoinit")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "./scripts/lib/bench/echoinit")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the echo: %w: %s", err, out)
	}
	return initramfsOf(program, filepath.Join(e.dir, "echo.cpio"))
}
