//go:build vm

package qemu_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/digitalocean/go-qemu/qmp"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/wire"
)

// A machine with disks and a port: the guest answers on whatever this system
// has in place of a socket, and the machine ends when it is told.
func TestPortsForReal(t *testing.T) {
	tier.Rest(t, "TestRestoreForReal")
	leavesNothing(t)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	logs, img := t.TempDir(), qemutest.PackImage(t)
	overlay := filepath.Join(t.TempDir(), "overlay, with a comma.qcow2")
	if err := qemu.CreateOverlay(overlay, img.WorkBase); err != nil {
		t.Fatal(err)
	}
	dir, remove, err := qemu.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	defer remove() // leavesNothing looks
	p, err := qemu.Start(ctx, qemu.StartOptions{LogDir: logs, Spec: qemu.Spec{
		Host: runtime.GOOS, Image: img, Accel: qemu.AccelTCG, Overlay: overlay, Console: filepath.Join(dir, "console.sock"),
		Ports: []qemu.Port{{Name: wire.PortRPC, Socket: filepath.Join(dir, "rpc.sock")}},
	}})
	if err != nil {
		fail(t, logs, err)
	}
	defer p.Stop(ctx) // for when a step before the end fails
	conn := p.Port(wire.PortRPC)
	client := jrpc2.NewClient(wire.Channel(conn, conn), nil)
	defer client.Close()
	var hello wire.Hello
	if err := client.CallResult(ctx, wire.MethodHello, wire.HelloParams{Version: wire.Version, App: "test"}, &hello); err != nil {
		fail(t, logs, err)
	}
	t.Logf("the guest answered %v after the start: %+v", time.Since(p.Started()).Round(time.Millisecond), hello)
	saveState(ctx, t, p)
	began := time.Now()
	if err := p.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
	t.Logf("ended in %v", time.Since(began).Round(time.Millisecond))
}

// saveState saves the machine's state to a file while it runs.
func saveState(ctx context.Context, t *testing.T, p *qemu.Process) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "state")
	began := time.Now()
	err := p.Monitor().Do(ctx, qmp.Command{Execute: "migrate", Args: map[string]any{"uri": "file:" + file}}, nil)
	if err != nil {
		t.Errorf("save the state: %v", err)
		return
	}
	var s struct{ Status string }
	for tick := time.Tick(20 * time.Millisecond); s.Status != "completed"; <-tick {
		if err := p.Monitor().Do(ctx, qmp.Command{Execute: "query-migrate"}, &s); err != nil || s.Status == "failed" {
			t.Errorf("save the state: %v %s", err, s.Status)
			return
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() < 1<<20 {
		t.Errorf("the state: %v %v", info, err)
		return
	}
	t.Logf("the state was saved in %v, %d bytes", time.Since(began).Round(time.Millisecond), info.Size())
}
