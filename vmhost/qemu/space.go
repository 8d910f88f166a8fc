package qemu

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/digitalocean/go-qemu/qmp"
	"github.com/shirou/gopsutil/v4/disk"
)

// A guest can write as much as its disk is large, and this computer's may be
// smaller. Each time the overlay has grown by spaceStep, QEMU says so before it
// goes on; when less than spaceReserve is left then, the machine is stopped.
// What guests write meanwhile is less than that, so this computer keeps room to
// work with.
const (
	spaceStep    = 256 << 20
	spaceReserve = 1 << 30
)

// spaceTime is how long the system and QEMU may take to answer.
const spaceTime = 10 * time.Second

// Events of QMP (qapi/block-core.json).
const (
	eventGrown   = "BLOCK_WRITE_THRESHOLD"
	eventIOError = "BLOCK_IO_ERROR"
)

// spaceGuard stops a machine before its overlay fills this computer's disk.
type spaceGuard struct {
	p       *Process
	overlay string
	onEvent func(qmp.Event)
	grown   chan struct{} // of capacity 1
	free    func(context.Context, string) (uint64, error)
}

// newSpaceGuard returns nil for a machine without an overlay.
func newSpaceGuard(p *Process, o StartOptions) *spaceGuard {
	if o.Spec.Overlay == "" {
		return nil
	}
	g := &spaceGuard{p: p, overlay: o.Spec.Overlay, onEvent: o.OnEvent, grown: make(chan struct{}, 1), free: o.freeSpace}
	if g.free == nil {
		g.free = freeSpace
	}
	return g
}

// hear is told of every event; it does not block.
func (g *spaceGuard) hear(e qmp.Event) {
	if g == nil || e.Event != eventGrown {
		return
	}
	select {
	case g.grown <- struct{}{}:
	default:
	}
}

// run guards until the process ends or has been stopped for want of space.
func (g *spaceGuard) run() {
	for {
		if err := g.askAgain(); err != nil && g.p.log != nil {
			fmt.Fprintf(g.p.log, "%s the size of the disk is not watched: %v\n", time.Now().UTC().Format(time.RFC3339), err)
		}
		select {
		case <-g.p.exited:
			return
		case <-g.grown:
		}
		if g.full() {
			return
		}
	}
}

// askAgain asks QEMU to say when the overlay has grown by another step. It says
// so once.
func (g *spaceGuard) askAgain() error {
	fi, err := os.Stat(g.overlay)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), spaceTime)
	defer cancel()
	return g.p.monitor.Do(ctx, qmp.Command{Execute: "block-set-write-threshold", Args: map[string]any{
		"node-name": overlayFile, "write-threshold": fi.Size() + spaceStep,
	}}, nil)
}

// full stops the machine when too little space is left, and says it as QEMU
// does when there is none at all.
func (g *spaceGuard) full() bool {
	ctx, cancel := context.WithTimeout(context.Background(), spaceTime)
	defer cancel()
	left, err := g.free(ctx, filepath.Dir(g.overlay))
	if err != nil || left >= spaceReserve {
		return false
	}
	_ = g.p.monitor.Do(ctx, qmp.Command{Execute: "stop"}, nil) // when it fails, the one who hears of it ends the machine
	if g.onEvent != nil {
		g.onEvent(qmp.Event{Event: eventIOError, Data: map[string]any{
			"node-name": overlayNodeName, "operation": "write", "action": "stop", "nospace": true,
			"reason": fmt.Sprintf("%d MiB are left on this computer's disk", left>>20),
		}})
	}
	return true
}

// freeSpace is how many bytes this user may still write below dir.
func freeSpace(ctx context.Context, dir string) (uint64, error) {
	u, err := disk.UsageWithContext(ctx, dir)
	if err != nil {
		return 0, err
	}
	return u.Free, nil
}
