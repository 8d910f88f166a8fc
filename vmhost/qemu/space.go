package qemu

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/digitalocean/go-qemu/qmp"
	"github.com/shirou/gopsutil/v4/disk"

	"piwork/vmhost"
)

// A guest can write as much as its disks are large, and this computer's may be
// smaller. Each time one of their files has grown by spaceStep, QEMU says so before it
// goes on; when less than spaceReserve is left then, the machine is stopped.
// What guests write meanwhile is less than that, so this computer keeps room to
// work with.
const (
	spaceStep    = vmhost.SpaceStep
	spaceReserve = vmhost.SpaceReserve
)

// spaceTime is how long the system and QEMU may take to answer.
const spaceTime = 10 * time.Second

// Events of QMP (qapi/block-core.json).
const (
	eventGrown   = "BLOCK_WRITE_THRESHOLD"
	eventIOError = "BLOCK_IO_ERROR"
)

// spaceGuard stops a machine before its disks fill this computer's.
type spaceGuard struct {
	p       *Process
	onEvent func(qmp.Event)
	grown   chan struct{} // of capacity 1
	free    func(context.Context, string) (uint64, error)

	mu    sync.Mutex
	files map[string]string // by the name of the block node
}

// newSpaceGuard returns nil for a machine without an overlay.
func newSpaceGuard(p *Process, o StartOptions) *spaceGuard {
	if o.Spec.Overlay == "" {
		return nil
	}
	g := &spaceGuard{p: p, onEvent: o.OnEvent, grown: make(chan struct{}, 1), free: o.freeSpace, files: map[string]string{overlayFile: o.Spec.Overlay}}
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
		for node, file := range g.watched() {
			g.ask(node, file)
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

func (g *spaceGuard) watched() map[string]string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.files)
}

// watch guards another file, which a machine that runs was given.
func (g *spaceGuard) watch(node, file string) {
	if g == nil {
		return
	}
	g.mu.Lock()
	g.files[node] = file
	g.mu.Unlock()
	g.ask(node, file)
}

// ask asks QEMU to say when a file has grown by another step. It says so once.
func (g *spaceGuard) ask(node, file string) {
	fi, err := os.Stat(file)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), spaceTime)
		defer cancel()
		err = g.p.monitor.Do(ctx, qmp.Command{Execute: "block-set-write-threshold", Args: map[string]any{
			"node-name": node, "write-threshold": fi.Size() + spaceStep,
		}}, nil)
	}
	if err != nil && g.p.log != nil {
		fmt.Fprintf(g.p.log, "%s the size of %s is not watched: %v\n", time.Now().UTC().Format(time.RFC3339), node, err)
	}
}

// full stops the machine when too little space is left, and says it as QEMU
// does when there is none at all.
func (g *spaceGuard) full() bool {
	ctx, cancel := context.WithTimeout(context.Background(), spaceTime)
	defer cancel()
	left := uint64(spaceReserve)
	for _, file := range g.watched() {
		if free, err := g.free(ctx, filepath.Dir(file)); err == nil {
			left = min(left, free)
		}
	}
	if left >= spaceReserve {
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
