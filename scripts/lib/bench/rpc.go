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

	"github.com/cavaliergopher/cpio"
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
	echoInit, err := echoInitramfs(ctx, e, m.image.Initrd)
	if err != nil {
		return nil, err
	}
	agent, err := bootPlain(ctx, m.image, m.accel, m.image.Initrd)
	if err != nil {
		return nil, err
	}
	defer agent.end()
	bare, err := bootPlain(ctx, m.image, m.accel, echoInit)
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
	name := "an init that only echoes: " + commandText(plainArgs(m.image, m.accel, "ECHO.cpio", "SOCKET"), m.dir)
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

// echoInitramfs is the pack's initramfs with another init: the kernel unpacks
// archives one after another, the later file wins (initramfs buffer format).
func echoInitramfs(ctx context.Context, e env, initrd string) (string, error) {
	program := filepath.Join(e.dir, "echoinit")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "./scripts/lib/bench/echoinit")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the echo: %w: %s", err, out)
	}
	first, err := os.ReadFile(initrd)
	if err != nil {
		return "", err
	}
	body, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	file := filepath.Join(e.dir, "echo.cpio")
	f, err := os.Create(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := f.Write(first); err != nil {
		return "", err
	}
	if _, err := f.Write(make([]byte, (4-len(first)%4)%4)); err != nil {
		return "", err
	}
	w := cpio.NewWriter(f)
	if err := w.WriteHeader(&cpio.Header{Name: "init", Mode: cpio.TypeReg | 0o755, Size: int64(len(body))}); err != nil {
		return "", err
	}
	if _, err := w.Write(body); err != nil {
		return "", err
	}
	return file, w.Close()
}
